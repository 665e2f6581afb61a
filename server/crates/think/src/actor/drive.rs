//! The one loop: inputs to the machine, effects to the world, chunks to the log and then to whoever listens.

use super::{Accepted, Actor, Running, TurnKind};
use crate::agent::{AbortSignal, ChatMessage, ErrorStage, StepSummary, TurnContext};
use crate::engine::Engine;
use crate::error::ThinkError;
use crate::hooks::{LastWord, TurnHooks};
use crate::meters::RunningTurn;
use crate::prompt::{Preparation, Pressure};
use crate::stream::fanout::{Batch, encode};
use crate::stream::log::{NewStream, Position};
use crate::stream::merge_deltas;
use crate::stream::replay::chunk_frame;
use crate::tools::context::ContextTool;
use crate::tools::{Tool, ToolRun, agent_tools, find, planned};
use crate::turn::driver::Driver;
use crate::turn::{Answer, Effect, Input, Machine, Plan, merge};
use bytes::Bytes;
use model::ModelRequest;
use protocol::{ChatResponse, Chunk, Message, ServerFrame, StreamId};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::time::Instant;

impl Actor {
    /// Starts the next waiting turn, if the slot is free.
    pub(super) async fn start_next(&mut self) {
        let is_ready = |turn: &Accepted| turn.line.due().is_none_or(|due| due <= Instant::now());
        while let Some(turn) = self.queue.start_next_if(is_ready) {
            let tools = self.tools_with_consent().await;
            let agents = agent_tools(&self.shared, self.session.id());
            let tools = with_programs(&turn, tools.into_iter().chain(agents));
            let plan = self.plan(&turn, &tools);
            let mut machine = Machine::new(plan);
            if let Some(taken_up) = turn.taken_up {
                machine = machine.taken_up(taken_up.fruitless_ms);
            }
            let stream_id = StreamId::new(self.shared.world.ids.new_id());
            let opened = self.open_stream(&turn, &stream_id).await;
            let (driver, pending) = (Driver::new(self.shared.spec.turns.silence), Vec::new());
            if let Some(events) = &turn.terms.events {
                events.started();
            }
            let (hooks, last_word) = self.hooks_of(&turn);
            self.running = Some(Running {
                turn,
                machine,
                driver,
                stream_id,
                rows: 0,
                seq: 0,
                pending,
                tools,
                hooks,
                last_word,
                _counted: RunningTurn::of(&self.shared.spec.name),
            });
            self.offer_to_parked();
            let input = match opened {
                Ok(()) => Input::Begin,
                Err(error) => Input::StoreFailed(error.to_string()),
            };
            self.drive(vec![input]).await;
        }
    }

    fn hooks_of(&self, turn: &Accepted) -> (TurnHooks, LastWord) {
        let context = TurnContext {
            engine: Engine::of(&self.shared),
            session_id: self.session.id().clone(),
            request_id: turn.request_id.clone(),
            is_continuation: turn.kind.is_continuation(),
            abort: AbortSignal::new(),
        };
        let lineage = turn.terms.lineage.below(&self.shared, self.session.id());
        let message = ChatMessage { client_tools: turn.client_tools.clone(), body: turn.body.clone() };
        TurnHooks::new(&self.shared.spec, (context, lineage), message, &self.shared.tasks)
    }

    fn plan(&self, turn: &Accepted, tools: &[Arc<dyn Tool>]) -> Plan {
        let answer = match &turn.kind {
            TurnKind::Answer => Answer::New(turn.message_id.clone()),
            TurnKind::Continuation(message) => Answer::More(message.clone()),
        };
        // The context blocks offer theirs with each prompt.
        let tools = merge(planned(tools), &turn.client_tools, &[]);
        let spec = &self.shared.spec;
        let (model, max_steps) = (turn.model.clone(), spec.agent.get_max_steps(spec).max(1));
        Plan { answer, model, max_steps, tools }
    }

    async fn open_stream(&self, turn: &Accepted, stream_id: &StreamId) -> Result<(), ThinkError> {
        let stream = NewStream {
            id: stream_id.clone(),
            session_id: self.session.id().clone(),
            request_id: turn.request_id.clone(),
            message_id: turn.message_id.clone(),
            parent_id: Some(turn.parent_id.clone()),
            model: turn.model.clone(),
            is_continuation: turn.kind.is_continuation(),
        };
        self.shared.log.open(&stream).await
    }

    /// Takes inputs in order, performs what the machine says, and shows what was stored.
    pub(super) async fn drive(&mut self, inputs: Vec<Input>) {
        let mut inbox = VecDeque::from(inputs);
        loop {
            while let Some(input) = inbox.pop_front() {
                self.step(input, &mut inbox).await;
            }
            match self.flush().await {
                Ok(()) => return,
                Err(error) => inbox.push_back(Input::StoreFailed(error)),
            }
        }
    }

    async fn step(&mut self, input: Input, inbox: &mut VecDeque<Input>) {
        let now = self.shared.now();
        let Some(running) = &mut self.running else { return };
        for effect in running.machine.handle(input, now) {
            if let Some(next) = self.perform(effect).await {
                // What an effect gives at once comes before whatever else was ready.
                inbox.push_front(next);
            }
        }
    }

    /// Performs one effect. No policy here: what to do was decided.
    async fn perform(&mut self, effect: Effect) -> Option<Input> {
        let running = self.running.as_mut()?;
        match effect {
            Effect::Emit(chunk) => running.pending.push(chunk),
            Effect::StopWork => {
                running.hooks.abort();
                running.driver.stop();
            }
            Effect::StepFinished(step) => return self.tell_step(*step).await,
            Effect::RunTool(run) => return self.run_tool(run).await,
            Effect::Prepare { so_far } => self.prepare(so_far, Pressure::Usual),
            Effect::PrepareShorter { so_far } => self.prepare(so_far, Pressure::Refused),
            Effect::CallModel(request) => return self.call_model(*request),
            Effect::EmitError(text) => return self.emit_error(text).await,
            Effect::NoteFruitless(spent_ms) => self.note_fruitless(spent_ms).await,
            Effect::Leave => self.leave().await,
            Effect::Finish(ending) => self.finish(*ending).await,
        }
        None
    }

    /// What is run is stored before, so that whoever finds the turn after a crash knows of the call and does not let the
    /// model make it again.
    async fn run_tool(&mut self, run: ToolRun) -> Option<Input> {
        if let Err(error) = self.flush().await {
            return Some(Input::StoreFailed(error));
        }
        let tool = self.tool_of(&run.name)?;
        let running = self.running.as_mut()?;
        running.driver.run_tool(tool, run, running.hooks.clone());
        None
    }

    /// The agent hears of the end of a step after the chunks before it.
    async fn tell_step(&mut self, step: StepSummary) -> Option<Input> {
        if let Err(error) = self.flush().await {
            return Some(Input::StoreFailed(error));
        }
        self.running.as_ref()?.hooks.step_finished(step);
        None
    }

    /// Who runs a call: the context blocks where the machine placed it there, else one of the turn's own tools.
    fn tool_of(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let Running { turn, machine, tools, hooks, .. } = self.running.as_ref()?;
        if !machine.runs_in_context(name) {
            return hooks.choices().tool(name).or_else(|| find(tools, name).cloned());
        }
        Some(Arc::new(ContextTool {
            shared: Arc::clone(&self.shared),
            session: self.session.clone(),
            request_id: turn.request_id.clone(),
            leaf: turn.parent_id.clone(),
            so_far: machine.message(),
            name: name.to_owned(),
        }))
    }

    fn prepare(&mut self, so_far: Option<Box<Message>>, pressure: Pressure) {
        let Some(running) = &mut self.running else { return };
        let preparation = Preparation {
            shared: Arc::clone(&self.shared),
            session: self.session.clone(),
            kept: Arc::clone(&self.kept),
            leaf: running.turn.parent_id.clone(),
            so_far,
            own_tools: running.tools.clone(),
            client_tools: running.turn.client_tools.clone(),
            pressure,
            hooks: Some(running.hooks.clone()),
            step: running.machine.step_to_come(),
        };
        running.driver.prepare(Box::pin(preparation.run()));
    }

    fn call_model(&mut self, request: ModelRequest) -> Option<Input> {
        let running = self.running.as_mut()?;
        let chosen = running.hooks.choices().model();
        match chosen.map_or_else(|| self.shared.spec.model(&running.turn.model), Ok) {
            Ok(model) => {
                if let Some(silence) = running.hooks.choices().silence() {
                    running.driver.set_silence(silence);
                }
                running.driver.call_model(model.as_ref(), request);
                None
            }
            Err(error) => Some(Input::ModelFailed(error)),
        }
    }

    async fn emit_error(&mut self, text: String) -> Option<Input> {
        if let Err(error) = self.flush().await {
            return Some(Input::StoreFailed(error));
        }
        let id = self.running.as_ref()?.turn.request_id.to_string();
        let body = self.in_agents_words(&id.as_str().into(), text, ErrorStage::Stream);
        let continuation = self.running.as_ref()?.turn.kind.is_continuation();
        let frame = ChatResponse { id, body, error: true, continuation, ..ChatResponse::default() };
        self.watchers.send_live(&Arc::from([encode(&ServerFrame::ChatResponse(frame))]));
        None
    }

    /// Stores the chunks that are decided, then shows them. On failure they are forgotten: what is not stored is not
    /// shown.
    pub(super) async fn flush(&mut self) -> Result<(), String> {
        let Some(running) = &mut self.running else { return Ok(()) };
        if running.pending.is_empty() {
            return Ok(());
        }
        let chunks = merge_deltas(std::mem::take(&mut running.pending));
        let bodies: Vec<String> = chunks.iter().map(Chunk::to_body).collect();
        let at = Position { stream_id: &running.stream_id, row: running.rows, seq: running.seq };
        // The next prompt, call or event need not wait for the disk; only what is shown does.
        running.driver.beside(self.shared.log.append(at, &bodies)).await?;
        running.rows += 1;
        let first = running.seq;
        running.seq += bodies.len() as u64;
        let like = ChatResponse {
            id: running.turn.request_id.to_string(),
            continuation: running.turn.kind.is_continuation(),
            ..ChatResponse::default()
        };
        if let Some(events) = &running.turn.terms.events {
            events.chunks(&bodies);
        }
        running.hooks.chunks_shown(chunks);
        let frames: Vec<Bytes> = (first..).zip(bodies).map(|chunk| chunk_frame(&like, chunk)).collect();
        self.watchers.send_live(&Batch::from(frames));
        Ok(())
    }
}

/// The tools of a program come before the agent's own; of two with one name the first counts.
fn with_programs(turn: &Accepted, own: impl Iterator<Item = Arc<dyn Tool>>) -> Vec<Arc<dyn Tool>> {
    let mut tools = turn.terms.tools.clone();
    for tool in own {
        if find(&tools, &tool.spec().name).is_none() {
            tools.push(tool);
        }
    }
    tools
}
