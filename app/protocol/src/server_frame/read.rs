//! From an object to a frame.

use super::{ChatResponse, RpcReply, ServerFrame, TurnOutcome};
use crate::fields::{Fields, Misfit};
use crate::session_info::Transcript;
use serde_json::Value;

/// The frame; none for what nobody knows.
pub(super) fn frame(value: Value) -> Option<ServerFrame> {
    let (kind, mut fields) = Fields::typed(value)?;
    match kind.as_str() {
        "bough_error" => {
            let id = fields.maybe_text("id").ok()?;
            Some(ServerFrame::Error { id, error: fields.all()? })
        }
        _ => chat(&kind, &mut fields).or_else(|| instance(&kind, &mut fields))?.ok(),
    }
}

/// Frames about the conversation.
fn chat(kind: &str, fields: &mut Fields) -> Option<Result<ServerFrame, Misfit>> {
    let read: fn(&mut Fields) -> Result<ServerFrame, Misfit> = match kind {
        "cf_agent_use_chat_response" => |fields| Ok(ServerFrame::ChatResponse(response(fields)?)),
        "cf_agent_chat_messages" => |fields| {
            Ok(ServerFrame::Messages(Transcript {
                messages: fields.read("messages")?,
                siblings: fields.maybe_read("siblings")?.unwrap_or_default(),
                overlays: fields.maybe_read("overlays")?.unwrap_or_default(),
                pinned: fields.maybe_read("pinned")?.unwrap_or_default(),
                earlier: fields.maybe_number("earlier")?.unwrap_or_default(),
                live: None,
                connect: fields.maybe_flag("connect")?.unwrap_or_default(),
            }))
        },
        "cf_agent_message_updated" => {
            |fields| Ok(ServerFrame::MessageUpdated { message: fields.read("message")? })
        }
        "cf_agent_chat_clear" => |_| Ok(ServerFrame::Clear {}),
        "cf_agent_stream_resuming" => |fields| {
            Ok(ServerFrame::Resuming { id: fields.text("id")?, probe_id: fields.maybe_text("probeId")? })
        },
        "cf_agent_stream_resume_none" => |fields| {
            Ok(ServerFrame::ResumeNone {
                reason: fields.maybe_read("reason")?,
                probe_id: fields.maybe_text("probeId")?,
            })
        },
        "cf_agent_stream_pending" => |fields| {
            Ok(ServerFrame::Pending { id: fields.maybe_text("id")?, probe_id: fields.maybe_text("probeId")? })
        },
        "cf_agent_chat_recovering" => |fields| {
            Ok(ServerFrame::Recovering {
                recovering: flag(fields, "recovering")?,
                id: fields.maybe_text("id")?,
            })
        },
        "bough_turn" => |fields| {
            Ok(ServerFrame::Turn {
                id: fields.text("id")?,
                status: fields.read("status")?,
                error: fields.maybe_text("error")?,
            })
        },
        _ => return None,
    };
    Some(read(fields))
}

/// Frames about the session as a whole and its instance.
fn instance(kind: &str, fields: &mut Fields) -> Option<Result<ServerFrame, Misfit>> {
    let read: fn(&mut Fields) -> Result<ServerFrame, Misfit> = match kind {
        "cf_agent_session" => |fields| {
            Ok(ServerFrame::SessionStatus {
                phase: fields.read("phase")?,
                token_estimate: fields.maybe_number("tokenEstimate")?.ok_or(Misfit("tokenEstimate"))?,
                token_threshold: fields.maybe_number("tokenThreshold")?,
                compacted: fields.maybe_read("compacted")?,
            })
        },
        "cf_agent_session_error" => |fields| Ok(ServerFrame::SessionError { error: fields.text("error")? }),
        "cf_agent_identity" => {
            |fields| Ok(ServerFrame::Identity { name: fields.text("name")?, agent: fields.text("agent")? })
        }
        "cf_agent_state" => |fields| Ok(ServerFrame::State { state: value(fields, "state")? }),
        "cf_agent_mcp_servers" => |fields| Ok(ServerFrame::McpServers { mcp: value(fields, "mcp")? }),
        "rpc" => |fields| Ok(ServerFrame::Rpc(reply(fields)?)),
        "bough_session_changed" => {
            |fields| Ok(ServerFrame::SessionChanged { session: fields.read("session")? })
        }
        "bough_block_changed" => |fields| {
            Ok(ServerFrame::BlockChanged {
                label: fields.text("label")?,
                version: fields.maybe_number("version")?.ok_or(Misfit("version"))?,
                author: fields.read("author")?,
            })
        },
        "bough_block_full" => |fields| {
            Ok(ServerFrame::BlockFull { label: fields.text("label")?, message: fields.text("message")? })
        },
        "bough_session_removed" => |fields| Ok(ServerFrame::SessionRemoved { id: fields.text("id")? }),
        _ => return None,
    };
    Some(read(fields))
}

fn response(fields: &mut Fields) -> Result<ChatResponse, Misfit> {
    let mut is_set = |name| Ok(fields.maybe_flag(name)?.unwrap_or(false));
    let (error, continuation) = (is_set("error")?, is_set("continuation")?);
    let (replay, replay_complete) = (is_set("replay")?, is_set("replayComplete")?);
    Ok(ChatResponse {
        id: fields.text("id")?,
        body: fields.text("body")?,
        done: flag(fields, "done")?,
        error,
        continuation,
        replay,
        replay_complete,
        seq: fields.maybe_number("seq")?,
        outcome: fields.maybe_text::<String>("outcome")?.and_then(|word| outcome(&word)),
    })
}

/// None for words of later versions.
fn outcome(word: &str) -> Option<TurnOutcome> {
    [("aborted", TurnOutcome::Aborted), ("skipped", TurnOutcome::Skipped)]
        .into_iter()
        .find_map(|(known, outcome)| (known == word).then_some(outcome))
}

fn reply(fields: &mut Fields) -> Result<RpcReply, Misfit> {
    Ok(RpcReply {
        id: fields.text("id")?,
        success: flag(fields, "success")?,
        result: fields.present("result"),
        error: fields.maybe_text("error")?,
        done: fields.maybe_flag("done")?,
    })
}

fn flag(fields: &mut Fields, name: &'static str) -> Result<bool, Misfit> {
    fields.maybe_flag(name)?.ok_or(Misfit(name))
}

fn value(fields: &mut Fields, name: &'static str) -> Result<Value, Misfit> {
    fields.present(name).ok_or(Misfit(name))
}
