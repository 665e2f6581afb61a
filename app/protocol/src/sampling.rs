//! Numbers that shape a model's answers.

use serde::{Deserialize, Serialize};

/// How a model shall answer; absent means as its provider likes. A number that a model does not know is not sent to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Sampling {
    /// 0 to 2: the higher, the less foreseeable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// 0 to 1: how much of what is likely is considered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Longest answer, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// Where chance begins: the same seed gives the same answer, as far as the provider keeps to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
}

impl Sampling {
    /// What no model can be told, in a sentence for people.
    pub fn problem(&self) -> Option<&'static str> {
        let is_outside = |number: Option<f64>, most| number.is_some_and(|it| !(0.0..=most).contains(&it));
        if is_outside(self.temperature, 2.0) {
            Some("temperature must be from 0 to 2")
        } else if is_outside(self.top_p, 1.0) {
            Some("topP must be from 0 to 1")
        } else if self.max_output_tokens == Some(0) {
            Some("maxOutputTokens must be at least 1")
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Sampling;

    #[test]
    fn numbers_that_no_model_takes_are_named() {
        let rows = [
            ("{}", None),
            (r#"{"temperature":2,"topP":1,"maxOutputTokens":1,"seed":0}"#, None),
            (r#"{"temperature":2.1}"#, Some("temperature must be from 0 to 2")),
            (r#"{"topP":-0.1}"#, Some("topP must be from 0 to 1")),
            (r#"{"maxOutputTokens":0}"#, Some("maxOutputTokens must be at least 1")),
        ];
        for (text, expected) in rows {
            let sampling: Sampling = serde_json::from_str(text).unwrap();
            assert_eq!(sampling.problem(), expected, "{text}");
        }
    }
}
