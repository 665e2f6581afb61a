//! Methods that a page may call by name over its socket.
//!
//! What is read or cleared is answered in its place among the other frames; what takes a turn is answered as it goes, in
//! replies that are not `done`, and then by one that is.

use super::Actor;
use crate::engine::Engine;
use crate::error::ThinkError;
use crate::program::{ChatOptions, StreamCallback, TurnResult, finished};
use crate::stream::fanout::{ConnectionId, Sink};
use async_trait::async_trait;
use protocol::{Message, RpcReply, ServerFrame, SessionId, WireError};
use serde_json::{Value, json};

/// A method that takes a turn.
enum Turn {
    Chat(Message),
    Save(Vec<Message>),
    Continue,
}

impl Actor {
    pub(super) async fn on_rpc(&mut self, from: ConnectionId, id: String, method: &str, args: Vec<Value>) {
        let answer = match method {
            "getMessages" => self.rpc_messages().await,
            "clearMessages" => self.clear().await.map(|()| Value::Null).map_err(|error| error.to_string()),
            "getConfig" => self.rpc_config().await,
            "hasPendingInteraction" => self.rpc_pending().await,
            _ => match self.turn_of(method, args) {
                Ok(turn) => return self.begin_rpc(from, id, turn),
                Err(text) => Err(text),
            },
        };
        self.watchers.send_to(Some(from), &ServerFrame::Rpc(last(id, answer)));
    }

    async fn rpc_messages(&self) -> Result<Value, String> {
        let history = self.session.history(None).await.map_err(|error| error.to_string())?;
        serde_json::to_value(finished(history.messages)).map_err(|error| error.to_string())
    }

    async fn rpc_config(&self) -> Result<Value, String> {
        let config = Engine::of(&self.shared).get_config::<Value>().await;
        config.map(Option::unwrap_or_default).map_err(|error| error.to_string())
    }

    async fn rpc_pending(&self) -> Result<Value, String> {
        let pending = Engine::of(&self.shared).has_pending_interaction(self.session.id()).await;
        pending.map(Value::Bool).map_err(|error| error.to_string())
    }

    fn turn_of(&self, method: &str, args: Vec<Value>) -> Result<Turn, String> {
        let mut args = args.into_iter();
        match method {
            "chat" => match args.next() {
                Some(Value::String(text)) => {
                    let id = self.shared.world.ids.new_id();
                    Ok(Turn::Chat(Message::text(id, protocol::Role::User, &text)))
                }
                Some(message) => serde_json::from_value(message)
                    .map(Turn::Chat)
                    .map_err(|error| format!("chat takes a text or a message: {error}")),
                None => Err("chat takes a text or a message".to_owned()),
            },
            "saveMessages" => serde_json::from_value(args.next().unwrap_or_default())
                .map(Turn::Save)
                .map_err(|error| format!("saveMessages takes a list of messages: {error}")),
            "continueLastTurn" => Ok(Turn::Continue),
            _ => Err(format!("there is no method {method:?}")),
        }
    }

    fn begin_rpc(&self, from: ConnectionId, id: String, turn: Turn) {
        let Some(watcher) = self.watchers.all().find(|watcher| watcher.id == from) else { return };
        let caller = Caller { id, sink: watcher.sink.clone() };
        let (engine, session) = (Engine::of(&self.shared), self.session.id().clone());
        let _handle = self.shared.tasks.spawn(async move {
            let ended = run(&engine, &session, turn, &caller).await;
            let answer = match ended {
                Ok(TurnResult { error: Some(text), status: crate::program::ResultStatus::Error, .. }) => {
                    Err(text)
                }
                Ok(result) => Ok(json!({ "requestId": result.request_id, "status": result.status.as_str() })),
                Err(error) => Err(WireError::from(&error).message),
            };
            caller.sink.send_frame(&ServerFrame::Rpc(last(caller.id.clone(), answer)));
        });
    }
}

async fn run(
    engine: &Engine,
    session: &SessionId,
    turn: Turn,
    caller: &Caller,
) -> Result<TurnResult, ThinkError> {
    match turn {
        Turn::Chat(message) => engine.chat(session, message, caller, ChatOptions::default()).await,
        Turn::Save(messages) => engine.save_messages(session, messages).await,
        Turn::Continue => engine.continue_last_turn(session).await,
    }
}

/// The socket that waits for a turn.
struct Caller {
    id: String,
    sink: Sink,
}

#[async_trait]
impl StreamCallback for Caller {
    async fn on_event(&self, json: &str) {
        let result = serde_json::from_str(json).ok();
        let reply = RpcReply { id: self.id.clone(), success: true, result, error: None, done: Some(false) };
        self.sink.send_frame(&ServerFrame::Rpc(reply));
    }
}

fn last(id: String, answer: Result<Value, String>) -> RpcReply {
    let (success, done) = (answer.is_ok(), Some(true));
    match answer {
        Ok(result) => RpcReply { id, success, result: Some(result), error: None, done },
        // The public client knows no `done` of failures.
        Err(error) => RpcReply { id, success, result: None, error: Some(error), done: None },
    }
}
