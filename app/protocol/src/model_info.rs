//! The models that can be chosen.

use serde::{Deserialize, Serialize};

/// What the first model of a named endpoint is called until the endpoint has listed its models.
pub const FIRST_LISTED: &str = "openai/default";

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
    /// Who offers them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<ProviderInfo>,
}

/// Who offers models.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProviderInfo {
    /// The first part of its models' names.
    pub name: String,
    /// Where it is, if its address was configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The end of its key, the rest masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_hint: Option<String>,
    /// Why it lists nothing, if it was asked and did not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
