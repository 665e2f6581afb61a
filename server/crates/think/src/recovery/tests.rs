//! Random turns, cut at every point of what they did: nothing that was stored is lost, no call runs twice, and what goes
//! on ends in order.

use super::fold::{Fold, Found};
use crate::agent::Recovery;
use crate::turn::{Answer, Effect, Ending, Input, Machine, Place, Plan, PlannedTool};
use model::{FinishReason, ModelEvent};
use proptest::prelude::*;
use protocol::{Chunk, Extra, Message, Part, Role, ToolCallId, ToolSpec};
use serde_json::json;
use std::collections::{BTreeSet, VecDeque};

/// What a model says in one breath.
#[derive(Debug, Clone)]
enum Word {
    Text(String),
    Thought,
    Call(&'static str),
    /// The connection ends here.
    CutOff,
}

type Step = Vec<Word>;

fn word() -> impl Strategy<Value = Word> {
    prop_oneof![
        4 => "[a-z]{1,3}".prop_map(Word::Text),
        1 => Just(Word::Thought),
        3 => Just(Word::Call("add")),
        1 => Just(Word::Call("danger")),
        1 => Just(Word::Call("here")),
        1 => Just(Word::Call("nonsense")),
        1 => Just(Word::CutOff),
    ]
}

fn spec(name: &str) -> ToolSpec {
    ToolSpec { name: name.into(), description: None, parameters: None }
}

fn machine(answer: Answer) -> Machine {
    let places = [("add", Place::Server), ("danger", Place::ServerAfterApproval), ("here", Place::Client)];
    let tools = places.map(|(name, place)| PlannedTool { spec: spec(name), place }).to_vec();
    Machine::new(Plan { answer, model: "test/model".into(), max_steps: 4, tools })
}

/// What the world has seen of a turn.
#[derive(Debug, Default)]
struct World {
    steps: VecDeque<Step>,
    log: Vec<(u64, String)>,
    ran: Vec<ToolCallId>,
    endings: Vec<Ending>,
    /// How many effects were performed.
    effects: usize,
}

impl World {
    fn new(steps: &[Step]) -> Self {
        Self { steps: steps.iter().cloned().collect(), ..Self::default() }
    }

    /// Performs what the machine says until it ends, or until so many effects: then the server is gone.
    fn play(&mut self, machine: &mut Machine, most: usize) {
        let mut inbox = VecDeque::from([Input::Begin]);
        while let Some(input) = inbox.pop_front() {
            let (effects, left) = (machine.handle(input, 7), most - self.effects);
            let is_cut = effects.len() > left;
            for effect in effects.into_iter().take(left) {
                self.effects += 1;
                self.perform(effect, &mut inbox);
            }
            if is_cut {
                return;
            }
        }
    }

    fn perform(&mut self, effect: Effect, inbox: &mut VecDeque<Input>) {
        match effect {
            Effect::Emit(chunk) => self.log.push((self.log.len() as u64, chunk.to_body())),
            Effect::Prepare { .. } | Effect::PrepareShorter { .. } => {
                inbox.push_back(Input::Prepared(Box::default()));
            }
            Effect::CallModel(_) => {
                let step = self.steps.pop_front().unwrap_or_else(|| vec![Word::Text("end".into())]);
                inbox.extend(speak(&step));
            }
            Effect::RunTool(run) => {
                self.ran.push(run.id.clone());
                inbox.push_back(Input::ToolFinished { id: run.id, outcome: Ok(json!(3)) });
            }
            Effect::Finish(ending) => self.endings.push(*ending),
            Effect::StopWork
            | Effect::NoteFruitless(_)
            | Effect::Leave
            | Effect::EmitError(_)
            | Effect::StepFinished(_) => {}
        }
    }

    fn text(&self) -> String {
        let delta = |(_, body): &(u64, String)| match Chunk::from_body(body) {
            Some(Chunk::TextDelta { delta, .. }) => Some(delta),
            _ => None,
        };
        self.log.iter().filter_map(delta).collect()
    }
}

/// The events of a step. Calls are numbered from one in each, as providers do.
fn speak(step: &Step) -> Vec<Input> {
    let mut inputs = Vec::new();
    let mut reason = Some(FinishReason::Stop);
    for (at, word) in step.iter().enumerate() {
        let (id, call) = (at.to_string(), ToolCallId::new(format!("c{at}")));
        match word {
            Word::Text(delta) => inputs.push(ModelEvent::TextDelta { id, delta: delta.clone() }),
            Word::Thought => {
                let (delta, provider_metadata) = ("hm".into(), None);
                inputs.push(ModelEvent::ReasoningDelta { id, delta, provider_metadata });
            }
            Word::Call(name) => {
                let name = (*name).to_owned();
                inputs.push(ModelEvent::ToolInputStart { id: call.clone(), name: name.clone() });
                inputs.push(ModelEvent::ToolInputEnd { id: call, name, input: r#"{"a":1,"b":2}"#.into() });
                reason = Some(FinishReason::ToolCalls);
            }
            Word::CutOff => {
                reason = None;
                break;
            }
        }
    }
    inputs.extend(reason.map(|reason| ModelEvent::Finish { reason }));
    inputs.into_iter().map(Input::Model).chain([Input::ModelEnded]).collect()
}

fn said(message: &Message) -> String {
    message.parts.iter().filter_map(Part::as_text).collect()
}

fn ids(message: &Message) -> Vec<ToolCallId> {
    let tools = message.parts.iter().filter_map(Part::as_tool);
    tools.map(|tool| tool.call.tool_call_id.clone()).collect()
}

fn row() -> Message {
    Message { id: "m1".into(), role: Role::Assistant, parts: Vec::new(), metadata: None, extra: Extra::new() }
}

/// Cuts a turn after so many effects and lets the next server find it.
fn cut(steps: &[Step], most: usize) -> (World, Found) {
    let mut before = World::new(steps);
    before.play(&mut machine(Answer::New("m1".into())), most);
    let found = Fold::of_answer(&row()).close(&before.log, &[spec("here")]);
    (before, found)
}

/// Nothing lost, nothing doubled, every call answered or waiting for somebody outside.
fn check_found(before: &World, found: &Found) {
    let Some(message) = &found.message else {
        assert_eq!((before.text(), &before.ran), (String::new(), &Vec::new()));
        return;
    };
    assert_eq!(said(message), before.text());
    let unique: BTreeSet<_> = ids(message).into_iter().collect();
    assert_eq!(unique.len(), ids(message).len(), "a call is there twice");
    assert!(before.ran.iter().all(|id| unique.contains(id)), "a call that ran is unknown");
    for tool in message.parts.iter().filter_map(Part::as_tool) {
        let is_outside = tool.name == "here" || tool.name == "danger";
        let state = tool.call.state;
        assert!(state.is_terminal() || state.is_waiting() && is_outside, "{} {state:?}", tool.name);
    }
}

/// The turn goes on to its one end, without running anything of before.
fn check_rest(before: &World, found: Found) {
    let known: BTreeSet<_> = found.message.iter().flat_map(ids).collect();
    let answer = match found.message {
        None => Answer::New("m1".into()),
        Some(message) if found.may_go_on => Answer::More(Box::new(message)),
        Some(_) => return,
    };
    let mut after = World { steps: before.steps.clone(), ..World::default() };
    after.play(&mut machine(answer), usize::MAX);
    assert_eq!(after.endings.len(), 1);
    assert!(after.ran.iter().all(|id| !known.contains(id)), "run twice: {:?} of {known:?}", after.ran);
    let message = after.endings.pop().and_then(|ending| ending.message);
    assert_eq!(message.as_ref().map(said).unwrap_or_default(), before.text() + &after.text());
    let all: Vec<_> = message.iter().flat_map(ids).collect();
    assert!(known.iter().all(|id| all.contains(id)), "a call is lost");
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "a call is there twice");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_crash_at_every_effect_loses_and_doubles_nothing(
        steps in prop::collection::vec(prop::collection::vec(word(), 0..6), 1..5)
    ) {
        let (whole, _) = cut(&steps, usize::MAX);
        prop_assert_eq!(whole.endings.len(), 1);
        for most in 0..=whole.effects {
            let (before, found) = cut(&steps, most);
            check_found(&before, &found);
            check_rest(&before, found);
        }
    }

    /// A stop in good order leaves only what the next start can take up.
    #[test]
    fn what_a_stop_leaves_goes_on_to_its_one_end(
        steps in prop::collection::vec(prop::collection::vec(word(), 0..6), 1..5),
        most in 0_usize..40,
    ) {
        let (mut world, mut machine) = (World::new(&steps), machine(Answer::New("m1".into())));
        let mut inbox = VecDeque::from([Input::Begin]);
        for _ in 0..most {
            let Some(input) = inbox.pop_front() else { break };
            for effect in machine.handle(input, 7) {
                world.perform(effect, &mut inbox);
            }
        }
        let effects = machine.handle(Input::ShutDown(Recovery::RunAgain), 8);
        let left = effects.iter().filter(|effect| **effect == Effect::Leave).count();
        for effect in effects {
            world.perform(effect, &mut inbox);
        }
        prop_assert_eq!(world.endings.len() + left, 1);
        if left == 1 {
            let found = Fold::of_answer(&row()).close(&world.log, &[spec("here")]);
            prop_assert!(found.message.is_none() || found.may_go_on, "{:?}", found);
            check_found(&world, &found);
            check_rest(&world, found);
        }
    }

    /// However the answers of a model and its tools come, and whatever comes late: one end, and silence after it.
    #[test]
    fn every_turn_has_one_end(
        steps in prop::collection::vec(prop::collection::vec(word(), 0..6), 1..5),
        most in 0_usize..40,
        last in prop::sample::select(vec![Input::Cancel, Input::ShutDown(Recovery::Mark), Input::StoreFailed("full".into())]),
    ) {
        let (mut world, mut machine) = (World::new(&steps), machine(Answer::New("m1".into())));
        let mut inbox = VecDeque::from([Input::Begin]);
        for _ in 0..most {
            let Some(input) = inbox.pop_front() else { break };
            for effect in machine.handle(input, 7) {
                world.perform(effect, &mut inbox);
            }
        }
        inbox.clear();
        for input in [last, Input::Cancel, Input::ModelStalled, Input::ModelEnded, Input::Prepared(Box::default())] {
            for effect in machine.handle(input, 8) {
                world.perform(effect, &mut inbox);
            }
        }
        prop_assert_eq!((world.endings.len(), inbox.len()), (1, 0));
        let ending = world.endings.remove(0);
        let open = ending.message.iter().flat_map(|message| &message.parts).filter_map(Part::as_tool);
        let is_open = |tool: &&protocol::ToolPart| !tool.call.state.is_terminal() && !tool.call.state.is_waiting();
        prop_assert_eq!(open.filter(is_open).count(), 0);
    }
}
