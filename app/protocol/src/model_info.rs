//! The models that can be chosen.

use serde::{Deserialize, Serialize};

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ModelInfo {
    /// `provider/model`: what a session's `model` is set to.
    pub name: String,
    /// The provider's part of the name.
    pub provider: String,
}

/// All that can be chosen just now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ModelList {
    /// By provider, then as the provider lists them.
    pub models: Vec<ModelInfo>,
    /// What a session gets that chose none.
    pub default: String,
}
