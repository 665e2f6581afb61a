//! What the doctor found. Pure.

use serde::Deserialize;

/// The doctor's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Findings {
    /// What is wrong, in the order it is best mended in.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// Something that is wrong, or was.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Finding {
    /// Its stable name.
    pub code: String,
    /// In which session.
    #[serde(default)]
    pub session: Option<String>,
    /// More, for people.
    #[serde(default)]
    pub detail: String,
    /// What became of it, where it was to be mended.
    #[serde(default)]
    pub outcome: Option<String>,
    /// How it was mended, or what can mend it.
    #[serde(default)]
    pub note: Option<String>,
}

impl Finding {
    /// What there is to say, in one line.
    pub fn text(&self) -> String {
        let place = self.session.as_deref().map(|id| format!(" (chat {id})")).unwrap_or_default();
        let note = self.note.as_deref().map(|note| format!(" {note}")).unwrap_or_default();
        format!("{}{place}{note}", self.detail)
    }
}

impl Findings {
    /// All of it in a sentence.
    pub fn summary(&self) -> String {
        let open = self.findings.iter().filter(|finding| is_open(finding)).count();
        match (self.findings.len(), open) {
            (0, _) => "Everything is in order.".to_owned(),
            (all, 0) => format!("{} mended.", things(all)),
            (_, open) => format!("{} wrong.", things(open)),
        }
    }

    /// Whether there is something that nobody tried to mend yet.
    pub fn can_be_mended(&self) -> bool {
        self.findings.iter().any(|finding| finding.outcome.is_none())
    }
}

fn is_open(finding: &Finding) -> bool {
    !matches!(finding.outcome.as_deref(), Some("repaired" | "gone"))
}

fn things(count: usize) -> String {
    if count == 1 { "1 thing is".to_owned() } else { format!("{count} things are") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(outcome: Option<&str>) -> Finding {
        Finding {
            code: "orphan".to_owned(),
            session: Some("s".to_owned()),
            detail: "A message has no parent.".to_owned(),
            outcome: outcome.map(str::to_owned),
            note: outcome.map(|_| "Moved to the end.".to_owned()),
        }
    }

    #[test]
    fn what_was_found_is_said_and_what_is_left() {
        let check = |outcomes: &[Option<&str>], summary: &str, can_be_mended: bool| {
            let findings = Findings { findings: outcomes.iter().copied().map(finding).collect() };
            assert_eq!((findings.summary().as_str(), findings.can_be_mended()), (summary, can_be_mended));
        };
        check(&[], "Everything is in order.", false);
        check(&[None, None], "2 things are wrong.", true);
        check(&[Some("repaired"), Some("gone")], "2 things are mended.", false);
        check(&[Some("repaired"), Some("beyond")], "1 thing is wrong.", false);
        assert_eq!(finding(None).text(), "A message has no parent. (chat s)");
        assert_eq!(finding(Some("repaired")).text(), "A message has no parent. (chat s) Moved to the end.");
    }
}
