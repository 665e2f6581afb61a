//! What became of each session of an imported file. Pure.

use crate::format::counted;
use serde::Deserialize;

/// The server's report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Report {
    /// One line for each session of the file.
    #[serde(default)]
    pub sessions: Vec<Line>,
}

/// What became of one session.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Line {
    /// Its id here.
    #[serde(default)]
    pub id: Option<String>,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// What became of it.
    pub status: String,
    /// What hindered it.
    #[serde(default)]
    pub problem: Option<String>,
}

impl Line {
    /// In one line.
    pub fn text(&self) -> String {
        let name = if self.name.is_empty() { "Untitled" } else { &self.name };
        match &self.problem {
            Some(problem) => format!("{name}: {problem}"),
            None => format!("{name}: {}", self.status),
        }
    }
}

impl Report {
    /// All of it in a sentence: nothing that failed is passed over.
    pub fn summary(&self) -> String {
        let failed = self.sessions.iter().filter(|line| line.problem.is_some()).count();
        match (self.sessions.len() - failed, failed) {
            (0, 0) => "The file holds no chats.".to_owned(),
            (good, 0) => format!("{} read.", chats(good)),
            (good, failed) => format!("{} read, {} not.", chats(good), chats(failed)),
        }
    }
}

fn chats(count: usize) -> String {
    counted(count as u64, "chat")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, problem: Option<&str>) -> Line {
        Line {
            id: Some("s".to_owned()),
            name: name.to_owned(),
            status: "imported".to_owned(),
            problem: problem.map(str::to_owned),
        }
    }

    #[test]
    fn a_report_passes_nothing_over() {
        // K01
        let report = Report { sessions: vec![line("Herons", None), line("", Some("message 4 has no role"))] };
        assert_eq!(report.summary(), "1 chat read, 1 chat not.");
        let lines: Vec<_> = report.sessions.iter().map(Line::text).collect();
        assert_eq!(lines, ["Herons: imported", "Untitled: message 4 has no role"]);
        assert_eq!(Report::default().summary(), "The file holds no chats.");
        assert_eq!(Report { sessions: vec![line("a", None), line("b", None)] }.summary(), "2 chats read.");
    }
}
