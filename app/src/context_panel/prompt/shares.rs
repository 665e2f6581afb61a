//! Which part of the prompt takes how much. Pure.

use protocol::PromptReport;

/// One part of the bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// What it is.
    pub label: &'static str,
    /// The name of its look.
    pub class: &'static str,
    /// Its size.
    pub tokens: u64,
    /// Of the room there is: the model's window, else the point of compaction, else the prompt itself. In tenths of a
    /// percent.
    pub per_mille: u64,
}

/// The parts, in the order they are sent.
pub fn shares(report: &PromptReport) -> Vec<Share> {
    let system = report.system.iter().map(|section| section.tokens).sum();
    let tools = report.tools.iter().map(|tool| tool.tokens).sum();
    let history = report.history.iter().map(|piece| piece.tokens).sum();
    // What stands around messages and tools.
    let framing = report.total_tokens.saturating_sub(system + tools + history);
    let room = room(report).unwrap_or(0).max(system + tools + history + framing).max(1);
    let share = |label, class, tokens: u64| Share { label, class, tokens, per_mille: tokens * 1_000 / room };
    let parts = [
        share("System", "is-system", system),
        share("History", "is-history", history),
        share("Tools", "is-tools", tools),
    ];
    let framing = (framing > 0).then(|| share("Framing", "is-framing", framing));
    parts.into_iter().chain(framing).collect()
}

/// The room for the prompt, where it is known.
pub fn room(report: &PromptReport) -> Option<u64> {
    report.context_window.or(report.compact_after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{PromptPiece, PromptSection};

    #[test]
    fn parts_are_measured_against_the_room_there_is() {
        let section = |tokens| PromptSection { label: "soul".to_owned(), text: String::new(), tokens };
        let piece = |tokens| PromptPiece {
            id: None,
            role: "user".to_owned(),
            text: String::new(),
            tokens,
            kind: protocol::PieceKind::Whole,
        };
        let mut report = PromptReport {
            system: vec![section(100), section(150)],
            history: vec![piece(500)],
            ..PromptReport::default()
        };
        let told = |report: &PromptReport| {
            shares(report).iter().map(|share| (share.tokens, share.per_mille)).collect::<Vec<_>>()
        };
        assert_eq!(told(&report), [(250, 333), (500, 666), (0, 0)]);
        report.context_window = Some(1_000);
        assert_eq!(told(&report), [(250, 250), (500, 500), (0, 0)]);
        report.total_tokens = 760;
        assert_eq!(told(&report), [(250, 250), (500, 500), (0, 0), (10, 10)]);
        assert_eq!(told(&PromptReport::default()), [(0, 0), (0, 0), (0, 0)]);
    }
}
