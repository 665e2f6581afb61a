//! Text and reasoning as blocks: at most one is open, and a change of kind begins a new one.

use model::ModelEvent;

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Reasoning,
}

/// The open block, and how many there were.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    open: Option<(Kind, String)>,
    count: usize,
}

impl Blocks {
    /// Appends `delta` to the open block of this kind, which is begun if need be.
    pub(super) fn add(&mut self, kind: Kind, delta: String, out: &mut Vec<ModelEvent>) {
        let id = match &self.open {
            Some((open, id)) if *open == kind => id.clone(),
            Some(_) | None => self.begin(kind, out),
        };
        out.push(match kind {
            Kind::Text => ModelEvent::TextDelta { id, delta },
            Kind::Reasoning => ModelEvent::ReasoningDelta { id, delta, provider_metadata: None },
        });
    }

    /// Ends the open block, if there is one.
    pub(super) fn close(&mut self, out: &mut Vec<ModelEvent>) {
        let Some((kind, id)) = self.open.take() else { return };
        out.push(match kind {
            Kind::Text => ModelEvent::TextEnd { id },
            Kind::Reasoning => ModelEvent::ReasoningEnd { id, provider_metadata: None },
        });
    }

    fn begin(&mut self, kind: Kind, out: &mut Vec<ModelEvent>) -> String {
        self.close(out);
        let word = match kind {
            Kind::Text => "text",
            Kind::Reasoning => "reasoning",
        };
        let id = format!("{word}-{}", self.count);
        self.count += 1;
        self.open = Some((kind, id.clone()));
        out.push(match kind {
            Kind::Text => ModelEvent::TextStart { id: id.clone() },
            Kind::Reasoning => ModelEvent::ReasoningStart { id: id.clone(), provider_metadata: None },
        });
        id
    }
}
