//! The life of one tool call: its part in a message and the table of legal moves between its states.

use crate::fields::{Fields, Misfit};
use crate::ids::{ApprovalId, ToolCallId};
use crate::part::Extra;
use crate::session_info::Awaited;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// Where a tool call stands. The last three are terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolState {
    /// The model is still writing the arguments.
    InputStreaming,
    /// Arguments complete; somebody must run it.
    InputAvailable,
    /// A person must say yes or no first.
    ApprovalRequested,
    /// A person said yes; it will run in the next continuation.
    ApprovalResponded,
    /// It gave a result.
    OutputAvailable,
    /// It failed.
    OutputError,
    /// A person said no.
    OutputDenied,
}

/// Something that happens to a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolMove {
    /// The arguments are complete.
    Input,
    /// The arguments are complete and unusable.
    InputError,
    /// A person is asked.
    AskApproval,
    /// The person agreed.
    Approve,
    /// The person refused (or the engine did for them).
    Deny,
    /// The tool answered; preliminary answers are the same move.
    Output,
    /// The tool failed.
    Fail,
}

impl ToolState {
    /// Whether nothing can happen to the call any more.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::OutputAvailable | Self::OutputError | Self::OutputDenied)
    }

    /// Whether the call needs nothing more from outside: finished, or agreed and about to run.
    pub fn is_settled(self) -> bool {
        self.is_terminal() || self == Self::ApprovalResponded
    }

    /// Who outside still owes an answer.
    pub fn awaits(self) -> Option<Awaited> {
        match self {
            Self::ApprovalRequested => Some(Awaited::Approval),
            Self::InputAvailable => Some(Awaited::Tool),
            Self::InputStreaming
            | Self::ApprovalResponded
            | Self::OutputAvailable
            | Self::OutputError
            | Self::OutputDenied => None,
        }
    }

    /// Whether somebody outside still owes an answer.
    pub fn is_waiting(self) -> bool {
        self.awaits().is_some()
    }

    /// The state after `step`, or none where the move is not legal and must change nothing.
    ///
    /// First write wins: no move leaves a terminal state. A preliminary result is not the end yet; that is for
    /// [`ToolCall::after`] to know.
    pub fn after(self, step: ToolMove) -> Option<Self> {
        match step {
            ToolMove::Input => (self == Self::InputStreaming).then_some(Self::InputAvailable),
            ToolMove::InputError => (!self.is_terminal()).then_some(Self::OutputError),
            ToolMove::AskApproval => {
                matches!(self, Self::InputStreaming | Self::InputAvailable).then_some(Self::ApprovalRequested)
            }
            ToolMove::Approve => self.is_waiting().then_some(Self::ApprovalResponded),
            ToolMove::Deny => (!self.is_settled()).then_some(Self::OutputDenied),
            ToolMove::Output => (!self.is_terminal()).then_some(Self::OutputAvailable),
            ToolMove::Fail => (!self.is_terminal()).then_some(Self::OutputError),
        }
    }
}

/// The question to a person about one call, and the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// Name of the question.
    pub id: ApprovalId,
    /// Absent until answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<bool>,
    /// What the person said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the tool says about the call, for the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor: Option<Value>,
    /// The arguments as the model wrote them, where the person changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_input: Option<Value>,
}

/// A `tool-NAME` or `dynamic-tool` part: call and result in one.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolPart {
    /// The tool's name, wherever the wire spells it.
    pub name: String,
    /// Spelt `dynamic-tool` with `toolName` on the wire.
    pub is_dynamic: bool,
    /// Everything but the name.
    pub call: ToolCall,
}

/// What a tool part holds besides its name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// Names the call.
    pub tool_call_id: ToolCallId,
    /// Where it stands.
    pub state: ToolState,
    /// Arguments. `null` is a value; absent is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// Result. `null` is a value; absent is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_text: Option<String>,
    /// A better result will follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preliminary: Option<bool>,
    /// The question to a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// The provider ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_executed: Option<bool>,
    /// What the provider wants to see again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_provider_metadata: Option<Value>,
    /// Name to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ToolCall {
    /// A call in `state` with nothing known but its id.
    pub fn new(tool_call_id: ToolCallId, state: ToolState) -> Self {
        Self {
            tool_call_id,
            state,
            input: None,
            output: None,
            error_text: None,
            preliminary: None,
            approval: None,
            provider_executed: None,
            call_provider_metadata: None,
            title: None,
            extra: Extra::new(),
        }
    }

    /// Whether there is a result that a better one will replace.
    pub fn is_preliminary(&self) -> bool {
        self.state == ToolState::OutputAvailable && self.preliminary == Some(true)
    }

    /// The state after `step`, or none where the call must not change: [`ToolState::after`], except that after a
    /// preliminary result the tool still owes its last word.
    pub fn after(&self, step: ToolMove) -> Option<ToolState> {
        match step {
            ToolMove::Output if self.is_preliminary() => Some(ToolState::OutputAvailable),
            ToolMove::Fail if self.is_preliminary() => Some(ToolState::OutputError),
            ToolMove::Input
            | ToolMove::InputError
            | ToolMove::AskApproval
            | ToolMove::Approve
            | ToolMove::Deny
            | ToolMove::Output
            | ToolMove::Fail => self.state.after(step),
        }
    }
}

/// A field that is there, even if it is `null`.
pub(crate) fn present<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(field).map(Some)
}

const DYNAMIC: &str = "dynamic-tool";
const STATIC_PREFIX: &str = "tool-";
const NAME_FIELD: &str = "toolName";

impl ToolPart {
    /// Whether an object of this kind is a call that can be read.
    pub(crate) fn fits(kind: &str, fields: &Fields) -> bool {
        let is_state = |value: &Value| serde_json::from_value::<ToolState>(value.clone()).is_ok();
        let is_named =
            if kind == DYNAMIC { fields.has_texts(&[NAME_FIELD]) } else { kind.starts_with(STATIC_PREFIX) };
        is_named
            && fields.has_texts(&["toolCallId"])
            && fields.get("state").is_some_and(is_state)
            && fields.may_have_texts(&["errorText", "title"])
            && fields.may_have(&["preliminary", "providerExecuted"], Value::is_boolean)
            && fields
                .may_have(&["approval"], |value| serde_json::from_value::<Approval>(value.clone()).is_ok())
    }

    pub(crate) fn from_fields(kind: &str, mut fields: Fields) -> Result<Self, Misfit> {
        let is_dynamic = kind == DYNAMIC;
        let name = if is_dynamic {
            fields.text(NAME_FIELD)?
        } else {
            kind.strip_prefix(STATIC_PREFIX).ok_or(Misfit("type"))?.to_owned()
        };
        let call = ToolCall {
            tool_call_id: fields.text("toolCallId")?,
            state: fields.read("state")?,
            input: fields.present("input"),
            output: fields.present("output"),
            error_text: fields.maybe_text("errorText")?,
            preliminary: fields.maybe_flag("preliminary")?,
            approval: fields.maybe_read("approval")?,
            provider_executed: fields.maybe_flag("providerExecuted")?,
            call_provider_metadata: fields.maybe_value("callProviderMetadata"),
            title: fields.maybe_text("title")?,
            extra: fields.rest(),
        };
        Ok(Self { name, is_dynamic, call })
    }

    pub(crate) fn to_object(&self) -> Map<String, Value> {
        let mut object = Map::new();
        let mut put = |key: &str, value: String| drop(object.insert(key.to_owned(), Value::String(value)));
        if self.is_dynamic {
            put("type", DYNAMIC.to_owned());
            put(NAME_FIELD, self.name.clone());
        } else {
            put("type", format!("{STATIC_PREFIX}{}", self.name));
        }
        if let Ok(Value::Object(fields)) = serde_json::to_value(&self.call) {
            object.extend(fields);
        }
        object
    }
}

/// Arguments as an object, whatever a model sent: an object stays, text that is a JSON object is read, everything
/// else becomes `{}`.
pub fn normalise_input(input: Value) -> Value {
    match input {
        Value::Object(_) => input,
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Value::Object(object),
            _ => Value::Object(Map::new()),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Value::Object(Map::new()),
    }
}
