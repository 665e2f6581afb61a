//! One tool of a connected server, as the engine takes it.

use crate::names::legal_name;
use crate::outcome::{failure, outcome};
use crate::servers::ServerConfig;
use futures::future::BoxFuture;
use protocol::ToolSpec;
use protocol::limits::MCP_SPEC_MAX_BYTES;
use rmcp::model::{CallToolRequestParams, Tool as Offer};
use rmcp::{Peer, RoleClient};
use serde_json::Value;
use std::sync::Arc;
use think::Tool;

/// A tool that is called over a connection. It stays with its connection: when that is lost, its calls fail.
pub(crate) struct McpTool {
    spec: ToolSpec,
    /// As the server calls it.
    name: String,
    server: String,
    needs_approval: bool,
    peer: Peer<RoleClient>,
}

impl Tool for McpTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn needs_approval(&self) -> bool {
        self.needs_approval
    }

    /// The server is told when the call is dropped.
    fn run(&self, input: Value) -> BoxFuture<'static, Result<Value, String>> {
        let (peer, server) = (self.peer.clone(), self.server.clone());
        let request = CallToolRequestParams::new(self.name.clone());
        Box::pin(async move {
            let Value::Object(arguments) = input else {
                return Err("the input must be a JSON object".to_owned());
            };
            match peer.call_tool(request.with_arguments(arguments)).await {
                Ok(result) => outcome(result),
                Err(error) => Err(failure(&server, error)),
            }
        })
    }
}

/// A server's list as tools. What has a description or schema beyond [`MCP_SPEC_MAX_BYTES`] is left out too.
pub(crate) fn tools(
    config: &ServerConfig,
    (offers, left_out): (Vec<Offer>, &mut Vec<String>),
    peer: &Peer<RoleClient>,
) -> Vec<Arc<dyn Tool>> {
    let mut taken = Vec::new();
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    for offer in offers {
        let spec = ToolSpec {
            name: legal_name(&config.name, &offer.name, &taken),
            description: offer.description.map(std::borrow::Cow::into_owned),
            parameters: Some(Value::Object((*offer.input_schema).clone())),
        };
        let bytes = serde_json::to_vec(&spec).map_or(usize::MAX, |json| json.len());
        if bytes > MCP_SPEC_MAX_BYTES {
            left_out.push(format!(
                "{}: {bytes} bytes, over {MCP_SPEC_MAX_BYTES} (MCP_SPEC_MAX_BYTES)",
                offer.name
            ));
            continue;
        }
        taken.push(spec.name.clone());
        tools.push(Arc::new(McpTool {
            spec,
            needs_approval: config.approve.iter().any(|name| *name == offer.name),
            name: offer.name.into_owned(),
            server: config.name.clone(),
            peer: peer.clone(),
        }));
    }
    tools
}
