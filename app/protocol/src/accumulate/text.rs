//! Text and reasoning blocks: matched by their chunk id, so that interleaved blocks never mix.

use super::{Accumulator, Applied, Block};
use crate::part::{Part, PartState, TextPart};
use serde_json::Value;

impl Accumulator {
    pub(super) fn open_block(&mut self, (kind, id): (Block, &str), metadata: &Option<Value>) -> Applied {
        let part = TextPart::streaming(metadata.clone());
        let added = self.push(match kind {
            Block::Text => Part::Text(part),
            Block::Reasoning => Part::Reasoning(part),
        });
        let _before = self.open.insert((kind, id.to_owned()), self.parts.len() - 1);
        added
    }

    pub(super) fn grow_block(
        &mut self,
        (kind, id): (Block, &str),
        delta: &str,
        metadata: &Option<Value>,
    ) -> Applied {
        let known = self.open.get(&(kind, id.to_owned())).copied().or_else(|| self.adoptable(kind));
        let (index, is_new) = match known {
            Some(index) => (index, false),
            None => {
                let _added = self.open_block((kind, id), &None);
                (self.parts.len() - 1, true)
            }
        };
        let Some(text) = self.text_at(index) else {
            return Applied::Nothing;
        };
        text.text.push_str(delta);
        merge(&mut text.provider_metadata, metadata.as_ref());
        if is_new { Applied::Added(index) } else { Applied::Changed(index) }
    }

    pub(super) fn end_block(&mut self, (kind, id): (Block, &str), metadata: &Option<Value>) -> Applied {
        let open = self.open.remove(&(kind, id.to_owned()));
        let Some(index) = open.or_else(|| self.adoptable(kind)) else {
            return Applied::Nothing;
        };
        let Some(text) = self.text_at(index) else {
            return Applied::Nothing;
        };
        text.state = Some(PartState::Done);
        merge(&mut text.provider_metadata, metadata.as_ref());
        Applied::Changed(index)
    }

    /// A block that was streaming before this fold was seeded: no start of ours opened it, so a delta or an end with
    /// an unknown id goes on with it.
    fn adoptable(&self, kind: Block) -> Option<usize> {
        let index = self.last_of(kind)?;
        let part = self.parts.get(index)?;
        let is_streaming = matches!(part, Part::Text(text) | Part::Reasoning(text) if text.state == Some(PartState::Streaming));
        (is_streaming && !self.open.values().any(|open| *open == index)).then_some(index)
    }

    fn last_of(&self, kind: Block) -> Option<usize> {
        self.parts.iter().rposition(|part| match kind {
            Block::Text => matches!(part, Part::Text(_)),
            Block::Reasoning => matches!(part, Part::Reasoning(_)),
        })
    }
}

/// Shallow merge of two metadata objects; anything else replaces.
pub(super) fn merge(into: &mut Option<Value>, more: Option<&Value>) {
    match (into.as_mut(), more) {
        (_, None) => {}
        (Some(Value::Object(old)), Some(Value::Object(new))) => old.extend(new.clone()),
        (_, Some(new)) => *into = Some(new.clone()),
    }
}
