//! The grammar table of [`ModelEvent`], as a check.

use crate::error::ModelError;
use crate::event::ModelEvent;
use protocol::{ToolCallId, Usage};
use std::collections::{HashMap, HashSet};

/// Whether a whole answer keeps to the grammar; otherwise what breaks it and where.
pub fn check_grammar(items: &[Result<ModelEvent, ModelError>]) -> Result<(), String> {
    let mut check = Check::default();
    for (position, item) in items.iter().enumerate() {
        let event = match item {
            _ if check.is_over => Err("something after the end"),
            Ok(event) => check.event(event),
            Err(_) => check.end(),
        };
        event.map_err(|fault| format!("item {position}: {fault} in {item:?}\nof {items:?}"))?;
    }
    Ok(())
}

#[derive(Default)]
struct Check {
    open_blocks: HashSet<String>,
    all_blocks: HashSet<String>,
    open_inputs: HashMap<ToolCallId, String>,
    all_calls: HashSet<ToolCallId>,
    usage: Option<Usage>,
    is_over: bool,
}

impl Check {
    fn event(&mut self, event: &ModelEvent) -> Result<(), &'static str> {
        match event {
            ModelEvent::TextStart { id } | ModelEvent::ReasoningStart { id, .. } => {
                let is_new = self.all_blocks.insert(id.clone());
                let _new = self.open_blocks.insert(id.clone());
                is_new.then_some(()).ok_or("a block with an old id")
            }
            ModelEvent::TextDelta { id, .. } | ModelEvent::ReasoningDelta { id, .. } => {
                self.open_blocks.contains(id).then_some(()).ok_or("a delta outside its block")
            }
            ModelEvent::TextEnd { id } | ModelEvent::ReasoningEnd { id, .. } => {
                self.open_blocks.remove(id).then_some(()).ok_or("the end of a block that is not open")
            }
            ModelEvent::ToolInputStart { id, .. } => {
                let _none = self.open_inputs.insert(id.clone(), String::new());
                self.all_calls.insert(id.clone()).then_some(()).ok_or("a call with an old id")
            }
            ModelEvent::ToolInputDelta { id, delta } => {
                let input = self.open_inputs.get_mut(id).ok_or("arguments outside their call")?;
                input.push_str(delta);
                Ok(())
            }
            ModelEvent::ToolInputEnd { id, input, .. } => {
                let streamed = self.open_inputs.remove(id).ok_or("the end of a call that is not open")?;
                let is_whole = streamed == *input;
                is_whole.then_some(()).ok_or("arguments that are not the sum of their deltas")
            }
            ModelEvent::Usage(usage) => {
                let is_first = self.usage.replace(*usage).is_none();
                is_first.then_some(()).ok_or("a second usage")
            }
            ModelEvent::Source { .. } | ModelEvent::File { .. } => Ok(()),
            ModelEvent::Finish { .. } => {
                let is_closed = self.open_blocks.is_empty() && self.open_inputs.is_empty();
                is_closed.then_some(()).ok_or("an end with something open")?;
                self.end()
            }
        }
    }

    fn end(&mut self) -> Result<(), &'static str> {
        self.is_over = true;
        Ok(())
    }
}
