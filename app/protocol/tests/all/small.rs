//! The small types: ids, tools, turns, usage.

use protocol::limits::PREVIEW_MAX_CHARS;
use protocol::{
    Message, MessageId, Role, SessionId, ToolSpec, ToolState, TurnInfo, TurnStatus, Usage, preview,
};
use serde_json::json;

#[test]
fn ids_are_text_on_the_wire() {
    assert_eq!(serde_json::to_value(MessageId::from("m1")).expect("JSON"), json!("m1"));
    assert_eq!(SessionId::default().as_str(), "");
    assert!(MessageId::from("compaction_7").is_overlay());
    assert!(!MessageId::from("m_compaction_7").is_overlay());
}

#[test]
fn a_tool_without_a_schema_takes_any_object() {
    let bare: ToolSpec = serde_json::from_value(json!({ "name": "where_am_i" })).expect("a tool");
    assert_eq!(bare.schema(), json!({ "type": "object" }));
    let schema = json!({ "type": "object", "required": ["a"] });
    let full: ToolSpec =
        serde_json::from_value(json!({ "name": "add", "parameters": schema })).expect("a tool");
    assert_eq!(full.schema(), schema);
}

#[test]
fn states_say_who_owes_what() {
    use ToolState::{
        ApprovalRequested, ApprovalResponded, InputAvailable, InputStreaming, OutputAvailable, OutputDenied,
        OutputError,
    };
    // terminal, settled, waiting
    let table = [
        (InputStreaming, [false, false, false]),
        (InputAvailable, [false, false, true]),
        (ApprovalRequested, [false, false, true]),
        (ApprovalResponded, [false, true, false]),
        (OutputAvailable, [true, true, false]),
        (OutputError, [true, true, false]),
        (OutputDenied, [true, true, false]),
    ];
    for (state, expected) in table {
        assert_eq!([state.is_terminal(), state.is_settled(), state.is_waiting()], expected, "{state:?}");
    }
}

#[test]
fn a_message_carries_how_its_turn_went() {
    let mut message = Message::text("a1", Role::Assistant, "hi");
    assert_eq!(message.turn(), None);
    let usage = Usage { input_tokens: 3, output_tokens: 1, cached_tokens: None, reasoning_tokens: Some(1) };
    let info = TurnInfo {
        status: TurnStatus::CutOff,
        model: "openai/x".to_owned(),
        started_at: 1,
        finished_at: Some(2),
        error: Some("length".to_owned()),
        usage: Some(usage),
    };
    message.metadata = json!({ "kept": true }).as_object().cloned();
    message.set_turn(&info);
    assert_eq!(message.turn(), Some(info));
    assert_eq!(message.metadata.and_then(|metadata| metadata.get("kept").cloned()), Some(json!(true)));
}

#[test]
fn usage_adds_up_and_unknown_stays_unknown() {
    let usage = |input_tokens, cached_tokens| Usage {
        input_tokens,
        output_tokens: 1,
        cached_tokens,
        reasoning_tokens: None,
    };
    let rows = [
        (usage(1, None), usage(2, None), (3, None)),
        (usage(1, Some(4)), usage(2, None), (3, Some(4))),
        (usage(u64::MAX, None), usage(2, Some(4)), (u64::MAX, Some(4))),
    ];
    for (mut left, right, (input, cached)) in rows {
        left.add(&right);
        assert_eq!(
            left,
            Usage { input_tokens: input, output_tokens: 2, cached_tokens: cached, reasoning_tokens: None }
        );
    }
}

#[test]
fn a_preview_is_one_line_of_bounded_length() {
    let long = "é".repeat(PREVIEW_MAX_CHARS + 1);
    let cut = format!("{}…", "é".repeat(PREVIEW_MAX_CHARS));
    for (text, expected) in [("", ""), (" a\n\tb ", "a b"), (&*long, &*cut)] {
        assert_eq!(preview(text), expected);
    }
}
