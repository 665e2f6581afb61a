//! What each variant looks like on the wire. A changed snapshot is a changed wire: decide, do not accept.

use protocol::{
    Author, Awaited, Chunk, ClientFrame, Compacted, DeletedMessage, Drawing, ErrorCode, ImportReport,
    ImportStatus, ImportedSession, LoginInfo, LoginKind, LoginList, Message, MessageTrash, ModelInfo,
    ModelList, NoneReason, OverlayInfo, Part, Phase, PieceKind, Pieces, PromptChanges, PromptPiece,
    PromptReport, PromptSection, PromptTool, ProviderInfo, RenderKind, RenderPiece, Role, RpcReply, Run,
    Sampling, SearchHit, SearchPage, ServerFrame, SessionInfo, SessionPage, SessionTree, Siblings,
    SnippetPiece, Transcript, TreeNode, TurnStatus, Usage, WaitingChange, WaitingKind, WireError,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Writes each, one line each, and checks that reading gives it back.
fn lines<T: Serialize + DeserializeOwned + PartialEq + Debug>(all: &[T]) -> String {
    let mut text = String::new();
    for one in all {
        let line = serde_json::to_string(one).expect("JSON");
        assert_eq!(serde_json::from_str::<T>(&line).expect("what was written can be read"), *one, "{line}");
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Reads each from the wire's own spelling, so that a field that is not read is seen to be missing.
fn read<T: DeserializeOwned>(bodies: Value) -> Vec<T> {
    bodies
        .as_array()
        .expect("a list")
        .iter()
        .map(|body| serde_json::from_value(body.clone()).expect("readable"))
        .collect()
}

/// The number of different variants in a list.
fn variants<T>(all: &[T]) -> usize {
    let kinds: BTreeSet<String> =
        all.iter().map(|one| format!("{:?}", std::mem::discriminant(one))).collect();
    kinds.len()
}

#[test]
fn chunks() {
    let all: Vec<Chunk> = read(json!([
        { "type": "start" },
        { "type": "start", "messageId": "m1", "messageMetadata": { "k": 1 } },
        { "type": "start-step" },
        { "type": "finish-step" },
        { "type": "finish" },
        { "type": "finish", "finishReason": "stop", "messageMetadata": { "k": 1 } },
        { "type": "message-metadata", "messageMetadata": { "k": 1 } },
        { "type": "abort" },
        { "type": "abort", "reason": "stop" },
        { "type": "error", "errorText": "quota" },
        { "type": "text-start", "id": "t", "providerMetadata": { "p": 1 } },
        { "type": "text-delta", "id": "t", "delta": "a", "providerMetadata": { "p": 1 } },
        { "type": "text-end", "id": "t", "providerMetadata": { "p": 1 } },
        { "type": "reasoning-start", "id": "r", "providerMetadata": { "p": 1 } },
        { "type": "reasoning-delta", "id": "r", "delta": "a" },
        { "type": "reasoning-end", "id": "r" },
        { "type": "tool-input-start", "toolCallId": "c1", "toolName": "add" },
        { "type": "tool-input-start", "toolCallId": "c1", "toolName": "add", "providerExecuted": true,
          "providerMetadata": { "p": 1 }, "dynamic": true, "title": "Add" },
        { "type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": "{" },
        { "type": "tool-input-available", "toolCallId": "c1", "toolName": "add", "input": { "a": 1 } },
        { "type": "tool-input-error", "toolCallId": "c1", "toolName": "add", "input": "x", "errorText": "no", "dynamic": false },
        { "type": "tool-approval-request", "toolCallId": "c1", "approvalId": "q1", "approvalDescriptor": { "risk": 1 } },
        { "type": "tool-output-available", "toolCallId": "c1", "output": null, "preliminary": true, "providerExecuted": false },
        { "type": "tool-output-error", "toolCallId": "c1", "errorText": "no" },
        { "type": "tool-output-denied", "toolCallId": "c1" },
        { "type": "source-url", "sourceId": "s1", "url": "https://example.org", "title": "t", "providerMetadata": {} },
        { "type": "source-document", "sourceId": "s1", "mediaType": "text/plain", "title": "t", "filename": "f" },
        { "type": "file", "url": "data:,", "mediaType": "text/plain", "providerMetadata": {} },
        { "type": "data-weather", "id": "w", "data": { "sun": true }, "transient": true },
        { "type": "hologram", "depth": 3 },
    ]));
    assert_eq!(variants(&all), 26, "every variant of Chunk stands here");
    insta::assert_snapshot!(lines(&all));
}

#[test]
fn parts() {
    let call = |state: &str| json!({ "type": "tool-add", "toolCallId": "c1", "state": state });
    let mut bodies = vec![
        json!({ "type": "text", "text": "a" }),
        json!({ "type": "text", "text": "a", "state": "streaming", "providerMetadata": { "p": 1 }, "later": 1 }),
        json!({ "type": "reasoning", "text": "a", "state": "done" }),
        json!({ "type": "file", "mediaType": "text/plain", "url": "data:,", "filename": "f", "providerMetadata": {} }),
        json!({ "type": "source-url", "sourceId": "s", "url": "https://example.org", "title": "t", "providerMetadata": {} }),
        json!({ "type": "source-document", "sourceId": "s", "mediaType": "m", "title": "t", "filename": "f", "providerMetadata": {} }),
        json!({ "type": "step-start" }),
        json!({ "type": "data-weather", "id": "w", "data": 1, "later": 1 }),
        json!({ "type": "hologram" }),
        json!({
            "type": "dynamic-tool", "toolName": "now", "toolCallId": "c1", "state": "output-available", "input": {},
            "output": 1, "errorText": "e", "preliminary": true, "approval": { "id": "q", "approved": true, "reason": "r", "descriptor": 1, "originalInput": { "a": 2 } },
            "providerExecuted": true, "callProviderMetadata": {}, "title": "Now", "later": 1,
        }),
    ];
    let states = [
        "input-streaming",
        "input-available",
        "approval-requested",
        "approval-responded",
        "output-available",
        "output-error",
        "output-denied",
    ];
    bodies.extend(states.map(call));
    let all: Vec<Part> = read(json!(bodies));
    assert_eq!(variants(&all), 9, "every variant of Part stands here");
    insta::assert_snapshot!(lines(&all));
}

#[test]
fn client_frames() {
    let all: Vec<ClientFrame> = read(json!([
        { "type": "cf_agent_use_chat_request", "id": "r1", "init": { "method": "POST", "body": "{}" } },
        { "type": "cf_agent_chat_request_cancel", "id": "r1" },
        { "type": "cf_agent_chat_clear" },
        { "type": "cf_agent_tool_result", "toolCallId": "c1", "toolName": "where", "output": 1 },
        { "type": "cf_agent_tool_result", "toolCallId": "c1", "toolName": "where", "output": null, "state": "output-error",
          "errorText": "no", "autoContinue": true, "clientTools": [{ "name": "where", "description": "d", "parameters": {} }] },
        { "type": "cf_agent_tool_result", "toolCallId": "c1", "toolName": "where", "output": 1, "sessionId": "s1" },
        { "type": "cf_agent_tool_approval", "toolCallId": "c1", "approved": true, "autoContinue": true },
        { "type": "cf_agent_tool_approval", "toolCallId": "c1", "approved": true, "sessionId": "s1" },
        { "type": "cf_agent_tool_approval", "toolCallId": "c1", "approved": false, "reason": "not that one" },
        { "type": "cf_agent_tool_approval", "toolCallId": "c1", "approved": true, "autoContinue": true, "input": { "a": 1 }, "always": true },
        { "type": "cf_agent_stream_resume_request", "probeId": "p1" },
        { "type": "cf_agent_stream_resume_request" },
        { "type": "cf_agent_stream_resume_ack", "id": "r1", "fromSeq": 7 },
        { "type": "cf_agent_stream_resume_ack", "id": "r1" },
        { "type": "cf_agent_chat_messages", "messages": [] },
        { "type": "rpc", "id": "1", "method": "getMessages", "args": [1] },
    ]));
    assert_eq!(variants(&all), 9, "every variant of ClientFrame stands here");
    insta::assert_snapshot!(lines(&all));
}

fn session() -> SessionInfo {
    SessionInfo {
        id: "s1".into(),
        name: "Oslo".to_owned(),
        parent_session_id: Some("s0".into()),
        model: Some("openai/x".to_owned()),
        sampling: Some(Sampling {
            temperature: Some(0.5),
            top_p: Some(0.75),
            max_output_tokens: Some(100),
            seed: Some(7),
        }),
        source: Some("page".to_owned()),
        input_tokens: 3,
        output_tokens: 1,
        estimated_cost: 0.5,
        end_reason: Some("split".to_owned()),
        created_at: 1,
        updated_at: 2,
        message_count: 4,
        pinned_at: Some(5),
        archived_at: Some(6),
        deleted_at: Some(7),
        is_running: true,
        is_waiting: true,
        waiting: Some(Awaited::Approval),
    }
}

fn message() -> Message {
    serde_json::from_value(json!({
        "id": "a1", "role": "assistant", "parts": [{ "type": "text", "text": "hi" }],
        "metadata": { "bough": { "status": "complete", "model": "openai/x", "started_at": 1, "finished_at": 2,
            "usage": { "input_tokens": 3, "output_tokens": 1, "cached_tokens": 1, "reasoning_tokens": 1 } } },
    }))
    .expect("a message")
}

fn overlay() -> OverlayInfo {
    OverlayInfo {
        id: "compaction_1".into(),
        from: "m2".into(),
        to: "m5".into(),
        hidden: 4,
        tokens_before: 900,
        tokens_after: 120,
        created_at: 1_780_000_000_000,
    }
}

fn siblings() -> Siblings {
    Siblings { id: "a1".into(), ids: vec!["a0".into(), "a1".into()] }
}

#[test]
fn session_rows() {
    let least = SessionInfo {
        parent_session_id: None,
        model: None,
        sampling: None,
        source: None,
        end_reason: None,
        pinned_at: None,
        archived_at: None,
        deleted_at: None,
        is_running: false,
        is_waiting: false,
        waiting: None,
        ..session()
    };
    insta::assert_snapshot!(lines(&[session(), least.clone()]));
    let page = SessionPage { sessions: vec![least], next_cursor: Some("2:s1".to_owned()) };
    insta::assert_snapshot!(lines(&[page, SessionPage::default()]));
    let transcript = Transcript {
        messages: vec![message()],
        siblings: vec![siblings()],
        overlays: vec![overlay()],
        pinned: vec!["m1".into()],
        earlier: 2,
        live: Some(message()),
        connect: false,
    };
    insta::assert_snapshot!(lines(&[transcript, Transcript::default()]));
}

#[test]
fn pieces_and_drawings() {
    let piece = |kind, language: &str, display| RenderPiece {
        kind,
        language: language.to_owned(),
        display,
        text: "a".to_owned(),
    };
    let pieces = vec![
        piece(RenderKind::Code, "rust", false),
        piece(RenderKind::Maths, "", true),
        piece(RenderKind::Diagram, "", false),
    ];
    insta::assert_snapshot!(lines(&[Pieces { pieces }]));
    let text = || "a".to_owned();
    let pieces = vec![
        Drawing::Runs(vec![Run(2, 1), Run(1, 0)]),
        Drawing::Mathml(text()),
        Drawing::Svg(text()),
        Drawing::Problem(text()),
    ];
    insta::assert_snapshot!(lines(&[Pieces { pieces }]));
}

#[test]
fn search_pages() {
    let piece = |text: &str, is_match| SnippetPiece { text: text.to_owned(), is_match };
    let hit = SearchHit {
        session: "s1".into(),
        session_name: "Oslo".to_owned(),
        message: "a1".into(),
        role: Role::Assistant,
        created_at: 1,
        rank: -0.5,
        is_on_active_path: true,
        snippet: vec![piece("the ", false), piece("pier", true)],
    };
    let page = SearchPage { hits: vec![hit], next_cursor: Some("7.1".to_owned()), waiting: 2 };
    insta::assert_snapshot!(lines(&[page, SearchPage::default()]), @r#"
    {"hits":[{"session":"s1","session_name":"Oslo","message":"a1","role":"assistant","created_at":1,"rank":-0.5,"is_on_active_path":true,"snippet":[{"text":"the "},{"text":"pier","is_match":true}]}],"next_cursor":"7.1","waiting":2}
    {"hits":[],"waiting":0}
    "#);
}

fn response(more: Value) -> ServerFrame {
    let mut frame = json!({ "type": "cf_agent_use_chat_response", "id": "r1", "body": "{}", "done": false });
    frame.as_object_mut().expect("a frame").extend(more.as_object().expect("fields").clone());
    serde_json::from_value(frame).expect("a frame")
}

fn rpc_replies() -> [RpcReply; 2] {
    let reply = RpcReply {
        id: "1".to_owned(),
        success: true,
        result: Some(json!(null)),
        error: None,
        done: Some(true),
    };
    let refusal = RpcReply {
        id: "1".to_owned(),
        success: false,
        result: None,
        error: Some("no".to_owned()),
        done: None,
    };
    [reply, refusal]
}

#[test]
fn server_frames() {
    let [reply, refusal] = rpc_replies();
    let compacted = Compacted { tokens_before: 9, tokens_after: Some(3) };
    let all = [
        response(json!({ "seq": 7 })),
        response(json!({ "error": true, "continuation": true, "replay": true, "replayComplete": true })),
        ServerFrame::done(&"r1".into()),
        response(json!({ "done": true, "outcome": "aborted" })),
        response(json!({ "done": true, "outcome": "skipped" })),
        ServerFrame::Messages(Transcript::default()),
        ServerFrame::Messages(Transcript { connect: true, ..Transcript::default() }),
        ServerFrame::Messages(Transcript {
            messages: vec![message()],
            siblings: vec![siblings()],
            earlier: 2,
            ..Transcript::default()
        }),
        ServerFrame::MessageUpdated { message: message() },
        ServerFrame::Clear {},
        ServerFrame::Resuming { id: "r1".into(), probe_id: Some("p1".to_owned()) },
        ServerFrame::ResumeNone { reason: Some(NoneReason::Idle), probe_id: Some("p1".to_owned()) },
        ServerFrame::ResumeNone { reason: Some(NoneReason::ContinuationOwned), probe_id: None },
        ServerFrame::ResumeNone { reason: None, probe_id: None },
        ServerFrame::Pending { id: Some("r1".into()), probe_id: None },
        ServerFrame::Recovering { recovering: true, id: Some("r1".into()) },
        ServerFrame::SessionStatus {
            phase: Phase::Idle,
            token_estimate: 5,
            token_threshold: None,
            compacted: None,
        },
        ServerFrame::SessionStatus {
            phase: Phase::Compacting,
            token_estimate: 5,
            token_threshold: Some(9),
            compacted: Some(compacted),
        },
        ServerFrame::SessionError { error: "no".to_owned() },
        ServerFrame::Identity { name: "default".to_owned(), agent: "assistant".to_owned() },
        ServerFrame::State { state: json!({}) },
        ServerFrame::McpServers { mcp: json!({}) },
        ServerFrame::Rpc(reply),
        ServerFrame::Rpc(refusal),
        ServerFrame::Error {
            id: Some("r1".into()),
            error: WireError::new(ErrorCode::Busy, "64 turns wait already"),
        },
        ServerFrame::Turn { id: "r1".into(), status: TurnStatus::Failed, error: Some("quota".to_owned()) },
        ServerFrame::SessionChanged { session: session() },
        ServerFrame::BlockChanged { label: "memory".to_owned(), version: 3, author: Author::User },
        ServerFrame::BlockFull { label: "memory".to_owned(), message: "12 of 10 tokens".to_owned() },
        ServerFrame::SessionRemoved { id: "s1".into() },
    ];
    assert_eq!(variants(&all), 20, "every variant of ServerFrame stands here");
    insta::assert_snapshot!(lines(&all));
}

#[test]
fn errors() {
    use ErrorCode::{
        BadFrame, BadRequest, Busy, Conflict, Forbidden, Internal, NotFound, Provider, ShuttingDown, Storage,
        TooLarge, Unauthorized, UnknownAgent, UnknownBlock, UnknownFrame, UnknownMessage, UnknownMethod,
        UnknownModel, UnknownSession, UnknownSubmission,
    };
    let codes = [
        BadFrame,
        UnknownFrame,
        BadRequest,
        TooLarge,
        UnknownSession,
        UnknownMessage,
        UnknownBlock,
        UnknownSubmission,
        UnknownAgent,
        UnknownModel,
        NotFound,
        UnknownMethod,
        Unauthorized,
        Forbidden,
        Conflict,
        Busy,
        Storage,
        Provider,
        ShuttingDown,
        Internal,
    ];
    insta::assert_snapshot!(lines(&codes.map(|code| WireError::new(code, "text"))));
}

#[test]
fn turn_statuses() {
    use TurnStatus::{Complete, CutOff, Failed, Interrupted, Refused, Running, StepLimit, Stopped};
    insta::assert_snapshot!(lines(&[
        Running,
        Complete,
        Stopped,
        CutOff,
        Refused,
        Failed,
        StepLimit,
        Interrupted
    ]));
}

#[test]
fn outlines() {
    let root = TreeNode {
        id: "u1".into(),
        parent_id: None,
        role: Role::User,
        preview: "Oslo".to_owned(),
        created_at: 1,
        status: None,
        is_pinned: false,
    };
    let answer = TreeNode {
        id: "a1".into(),
        parent_id: Some("u1".into()),
        role: Role::Assistant,
        status: Some(TurnStatus::Complete),
        is_pinned: true,
        ..root.clone()
    };
    let tree = SessionTree { nodes: vec![root, answer], active_leaf: Some("a1".into()) };
    insta::assert_snapshot!(lines(&[tree, SessionTree::default()]));
}

#[test]
fn trash() {
    let row = DeletedMessage {
        id: "u1".into(),
        role: Role::User,
        preview: "Oslo".to_owned(),
        deleted_at: 1,
        count: 2,
    };
    insta::assert_snapshot!(lines(&[MessageTrash { messages: vec![row] }, MessageTrash::default()]));
}

#[test]
fn imports() {
    let session = |status, problem: Option<&str>| ImportedSession {
        id: "s1".into(),
        name: "Oaks".to_owned(),
        status,
        messages: 2,
        problem: problem.map(str::to_owned),
    };
    let sessions = vec![
        session(ImportStatus::Imported, None),
        session(ImportStatus::Skipped, Some("empty")),
        session(ImportStatus::Failed, Some("broken")),
    ];
    let report = ImportReport { sessions, problem: Some("taken".to_owned()) };
    insta::assert_snapshot!(lines(&[report, ImportReport::default()]));
}

#[test]
fn prompts() {
    let kinds = [PieceKind::Whole, PieceKind::Overlay, PieceKind::Truncated, PieceKind::Added];
    let piece = |kind| PromptPiece {
        id: Some("u1".into()),
        role: "user".to_owned(),
        text: "Oslo".to_owned(),
        tokens: 1,
        kind,
    };
    let section = PromptSection { label: "memory".to_owned(), text: "MEMORY".to_owned(), tokens: 2 };
    let report = PromptReport {
        model: "builtin/guide".to_owned(),
        system: vec![section],
        history: kinds.map(piece).to_vec(),
        tools: vec![PromptTool {
            spec: serde_json::from_value(json!({ "name": "add" })).expect("a tool"),
            tokens: 3,
        }],
        total_tokens: 6,
        compact_after: Some(7),
        context_window: Some(8),
        frozen_at: Some(9),
        waiting: vec![WaitingChange { label: "memory".to_owned(), kind: WaitingKind::Changed }],
        last_usage: Some(Usage::default()),
        changed: Some(PromptChanges {
            model: Some("other/model".to_owned()),
            system: Some("Be brief.".to_owned()),
            messages: Some(1),
            added_tools: vec!["add".to_owned()],
            active_tools: Some(vec!["add".to_owned()]),
            tool_choice: Some("required".to_owned()),
            max_steps: Some(2),
            sampling: Some(Sampling { temperature: Some(0.5), ..Sampling::default() }),
            schema: Some(json!({ "type": "object" })),
            headers: vec!["x-tier".to_owned()],
            fields: Map::from_iter([("service_tier".to_owned(), json!("flex"))]),
        }),
    };
    insta::assert_snapshot!(lines(&[report, PromptReport::default()]));
}

#[test]
fn models() {
    let model = ModelInfo { name: "builtin/guide".to_owned(), provider: "builtin".to_owned() };
    let provider = ProviderInfo {
        name: "openai".to_owned(),
        base_url: Some("http://127.0.0.1:8080/v1".to_owned()),
        key_hint: Some("••••cdef".to_owned()),
        problem: Some("no answer within 5 s".to_owned()),
    };
    let default = "builtin/guide".to_owned();
    let list = ModelList { models: vec![model], default, providers: vec![provider] };
    insta::assert_snapshot!(lines(&[list]));
}

#[test]
fn logins() {
    let login = |kind| LoginInfo {
        id: "l1".to_owned(),
        kind,
        name: "Firefox on Android".to_owned(),
        created_at: 1,
        seen_at: 2,
        is_this: kind == LoginKind::Browser,
    };
    let list = LoginList { logins: [LoginKind::Browser, LoginKind::Program].map(login).to_vec() };
    insta::assert_snapshot!(lines(&[list]));
}
