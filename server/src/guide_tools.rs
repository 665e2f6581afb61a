//! The tools of the guide's tour. A machine without any model should still show what a tool and an approval are, and a
//! real model should not be handed toys: so they are there while the default model is the guide, where the
//! configuration names no tools.

use crate::models::Models;
use providers::GUIDE;
use serde_json::Value;
use std::sync::Arc;
use think::tools::{Calculate, demo_tools, typed};
use think::{Tool, ToolSource};
use tokio::sync::watch;

/// The tour's tools, beside those of the agent's tool servers.
pub(crate) struct GuideTools {
    /// Who knows the default model.
    pub(crate) models: Arc<Models>,
    /// The tool servers, if there are some.
    pub(crate) servers: Option<Arc<dyn ToolSource>>,
}

impl ToolSource for GuideTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools = self.servers.as_ref().map(|servers| servers.tools()).unwrap_or_default();
        if self.models.default_name() == GUIDE {
            tools.push(typed(Calculate));
            tools.extend(demo_tools());
        }
        tools
    }

    fn describe(&self) -> Option<Value> {
        self.servers.as_ref()?.describe()
    }

    fn news(&self) -> Option<watch::Receiver<u64>> {
        self.servers.as_ref()?.news()
    }
}
