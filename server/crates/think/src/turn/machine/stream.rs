//! What each event of the model means: one or two chunks, with ids that are unique in the whole message.

use super::Machine;
use model::ModelEvent;
use protocol::Chunk;

/// Which kind of block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Text,
    Reasoning,
}

/// Blocks that have begun and not ended, in order.
#[derive(Debug, Default)]
pub(super) struct OpenBlocks(Vec<(Block, String)>);

impl OpenBlocks {
    fn begin(&mut self, kind: Block, id: &str) {
        self.0.push((kind, id.to_owned()));
    }

    /// Whether the block was open.
    fn end(&mut self, kind: Block, id: &str) -> bool {
        let position = self.0.iter().position(|(open, name)| *open == kind && name == id);
        position.map(|position| self.0.remove(position)).is_some()
    }

    fn is_open(&self, kind: Block, id: &str) -> bool {
        self.0.iter().any(|(open, name)| *open == kind && name == id)
    }

    fn drain(&mut self) -> Vec<(Block, String)> {
        std::mem::take(&mut self.0)
    }
}

impl Machine {
    pub(super) fn on_event(&mut self, event: ModelEvent) {
        match event {
            ModelEvent::TextStart { id } => self.block_starts(Block::Text, &id, None),
            ModelEvent::TextDelta { id, delta } => {
                let id = self.opened(Block::Text, &id);
                self.emit(Chunk::TextDelta { id, delta, provider_metadata: None });
            }
            ModelEvent::TextEnd { id } => self.block_ends(Block::Text, &id, None),
            ModelEvent::ReasoningStart { id, provider_metadata } => {
                self.block_starts(Block::Reasoning, &id, provider_metadata);
            }
            ModelEvent::ReasoningDelta { id, delta, provider_metadata } => {
                let id = self.opened(Block::Reasoning, &id);
                self.emit(Chunk::ReasoningDelta { id, delta, provider_metadata });
            }
            ModelEvent::ReasoningEnd { id, provider_metadata } => {
                self.block_ends(Block::Reasoning, &id, provider_metadata);
            }
            ModelEvent::ToolInputStart { id, name } => self.call_starts(&id, name),
            ModelEvent::ToolInputDelta { id, delta } => self.call_grows(&id, delta),
            ModelEvent::ToolInputEnd { id, name, input } => self.call_ends(&id, name, &input),
            ModelEvent::Source { id, url, title } => {
                self.emit(Chunk::SourceUrl { source_id: id, url, title, provider_metadata: None });
            }
            ModelEvent::File { url, media_type } => {
                self.emit(Chunk::File { url, media_type, provider_metadata: None });
            }
            ModelEvent::Usage(usage) => self.spent.now.get_or_insert_default().add(&usage),
            ModelEvent::Finish { reason } => self.finish = Some(reason),
        }
    }

    /// Ends what the model left open, so that the stored stream is well formed.
    pub(super) fn close_open_blocks(&mut self) {
        for (kind, id) in self.open.drain() {
            self.emit(end_of(kind, id, None));
        }
    }

    fn block_starts(&mut self, kind: Block, id: &str, provider_metadata: Option<serde_json::Value>) {
        let id = self.in_step(id);
        self.open.begin(kind, &id);
        self.emit(match kind {
            Block::Text => Chunk::TextStart { id, provider_metadata },
            Block::Reasoning => Chunk::ReasoningStart { id, provider_metadata },
        });
    }

    fn block_ends(&mut self, kind: Block, id: &str, metadata: Option<serde_json::Value>) {
        let id = self.in_step(id);
        if self.open.end(kind, &id) {
            self.emit(end_of(kind, id, metadata));
        }
    }

    /// The block's id in the message; a delta without a start gets one.
    fn opened(&mut self, kind: Block, id: &str) -> String {
        let unique = self.in_step(id);
        if !self.open.is_open(kind, &unique) {
            self.block_starts(kind, id, None);
        }
        unique
    }

    /// Models number their blocks anew in each step.
    fn in_step(&self, id: &str) -> String {
        format!("{}-{id}", self.step)
    }
}

fn end_of(kind: Block, id: String, provider_metadata: Option<serde_json::Value>) -> Chunk {
    match kind {
        Block::Text => Chunk::TextEnd { id, provider_metadata },
        Block::Reasoning => Chunk::ReasoningEnd { id, provider_metadata },
    }
}
