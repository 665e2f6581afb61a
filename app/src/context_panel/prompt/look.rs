//! What a person saw when they looked at the prompt last, and how it has changed since. Pure.

use protocol::PromptReport;

/// The sizes of a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Look {
    system: u64,
    messages: u64,
    tools: u64,
    total: u64,
}

impl Look {
    /// At this report.
    pub fn of(report: &PromptReport) -> Self {
        Self {
            system: report.system.iter().map(|section| section.tokens).sum(),
            messages: report.history.len() as u64,
            tools: report.tools.len() as u64,
            total: report.total_tokens,
        }
    }

    /// As a browser keeps it.
    pub fn to_text(self) -> String {
        format!("{} {} {} {}", self.system, self.messages, self.tools, self.total)
    }

    /// Reads what a browser kept; nothing where it kept nothing.
    pub fn parse(text: &str) -> Self {
        let mut numbers = text.split(' ').map(|number| number.parse::<u64>().ok());
        let mut next = || numbers.next().flatten();
        let read = (next(), next(), next(), next());
        let (Some(system), Some(messages), Some(tools), Some(total)) = read else { return Self::default() };
        Self { system, messages, tools, total }
    }

    /// What has changed since then, in words; nothing where nobody looked before.
    pub fn until(self, now: Self) -> Option<String> {
        if self == Self::default() {
            return None;
        }
        let changes: Vec<String> = [
            change(self.messages, now.messages, "messages"),
            change(self.system, now.system, "system tokens"),
            change(self.tools, now.tools, "tools"),
            change(self.total, now.total, "tokens in all"),
        ]
        .into_iter()
        .flatten()
        .collect();
        let text = if changes.is_empty() { "nothing changed".to_owned() } else { changes.join(", ") };
        Some(format!("Since your last look: {text}."))
    }
}

fn change(before: u64, now: u64, what: &str) -> Option<String> {
    match (now.checked_sub(before), before.checked_sub(now)) {
        (Some(0), _) => None,
        (Some(more), _) => Some(format!("+{more} {what}")),
        (None, less) => Some(format!("−{} {what}", less.unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_kept_and_compared() {
        let before = Look { system: 300, messages: 4, tools: 2, total: 900 };
        assert_eq!(Look::parse(&before.to_text()), before);
        let now = Look { system: 300, messages: 6, tools: 1, total: 1_400 };
        let told = "Since your last look: +2 messages, −1 tools, +500 tokens in all.";
        assert_eq!(before.until(now).as_deref(), Some(told));
        assert_eq!(before.until(before).as_deref(), Some("Since your last look: nothing changed."));
        assert_eq!(Look::parse("").until(now), None);
        assert_eq!(Look::parse("1 2 x 4"), Look::default());
    }
}
