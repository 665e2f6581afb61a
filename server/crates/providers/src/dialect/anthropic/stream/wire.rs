//! What stands in an event of a message. Kinds that are not known are read as such and left alone.

use protocol::Usage;
use serde::Deserialize;
use serde_json::Value;

/// One event.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event {
    MessageStart {
        message: Message,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        #[serde(default)]
        delta: End,
        usage: Option<WireUsage>,
    },
    MessageStop,
    Error,
    #[serde(other)]
    Unknown,
}

/// The message before anything is in it.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    pub(super) usage: Option<WireUsage>,
}

/// The beginning of a block.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
    },
    RedactedThinking {
        data: Value,
    },
    ToolUse {
        id: String,
        name: String,
    },
    #[serde(other)]
    Unknown,
}

/// What a block grows by.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    #[serde(rename = "input_json_delta")]
    InputJson { partial_json: String },
    #[serde(rename = "citations_delta")]
    Citations { citation: Citation },
    #[serde(other)]
    Unknown,
}

/// Where a statement comes from; only pages have an address.
#[derive(Debug, Deserialize)]
pub(super) struct Citation {
    pub(super) url: Option<String>,
    pub(super) title: Option<String>,
}

/// How a message ended.
#[derive(Debug, Default, Deserialize)]
pub(super) struct End {
    pub(super) stop_reason: Option<String>,
}

/// Token counts. Those of the cache are not part of the input.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(super) struct WireUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
}

/// The counts so far: each event repeats some, and the last word on each counts.
#[derive(Debug, Default)]
pub(super) struct Cost(Option<WireUsage>);

impl Cost {
    pub(super) fn add(&mut self, usage: Option<WireUsage>) {
        let Some(new) = usage else { return };
        let old = self.0.unwrap_or_default();
        self.0 = Some(WireUsage {
            input_tokens: new.input_tokens.or(old.input_tokens),
            output_tokens: new.output_tokens.or(old.output_tokens),
            cache_creation_input_tokens: new.cache_creation_input_tokens.or(old.cache_creation_input_tokens),
            cache_read_input_tokens: new.cache_read_input_tokens.or(old.cache_read_input_tokens),
        });
    }

    /// Everything that was read is input, from the cache or not.
    pub(super) fn usage(&self) -> Option<Usage> {
        let usage = self.0.filter(|usage| usage.input_tokens.is_some() || usage.output_tokens.is_some())?;
        let input = [usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens];
        Some(Usage {
            input_tokens: input.into_iter().flatten().fold(0, u64::saturating_add),
            output_tokens: usage.output_tokens.unwrap_or(0),
            cached_tokens: usage.cache_read_input_tokens,
            reasoning_tokens: None,
        })
    }
}
