//! A unified diff, line by line. Pure.

/// What a line of a diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// In both.
    Same,
    /// New.
    Added,
    /// Gone.
    Removed,
    /// Lines were left out here.
    Gap,
}

impl LineKind {
    /// The name of its look.
    pub fn class(self) -> &'static str {
        match self {
            Self::Same => "diff-line",
            Self::Added => "diff-line is-added",
            Self::Removed => "diff-line is-removed",
            Self::Gap => "diff-line is-gap",
        }
    }
}

/// The lines of a unified diff, without the names of files and what is said of line ends. Each keeps its mark, which says
/// in text what colour says, with room behind it: what people write in memory often begins with a mark itself.
pub fn lines(diff: &str) -> Vec<(LineKind, String)> {
    let kind = |line: &str| match line.as_bytes().first() {
        Some(b'+') => LineKind::Added,
        Some(b'-') => LineKind::Removed,
        Some(b'@') => LineKind::Gap,
        _ => LineKind::Same,
    };
    let is_name = |line: &&str| line.starts_with("--- ") || line.starts_with("+++ ");
    let mut in_head = true;
    let mut lines = Vec::new();
    for line in diff.lines() {
        in_head = in_head && (is_name(&line) || lines.is_empty() && line.is_empty());
        if in_head {
            continue;
        }
        let kind = kind(line);
        if line.starts_with('\\') || kind == LineKind::Gap && lines.is_empty() {
            continue;
        }
        lines.push((kind, if kind == LineKind::Gap { "⋯".to_owned() } else { spaced(line) }));
    }
    lines
}

fn spaced(line: &str) -> String {
    line.split_at_checked(1).map_or_else(String::new, |(mark, text)| format!("{mark} {text}"))
}

/// Whether a unified diff says that nothing is different.
pub fn is_same(diff: &str) -> bool {
    lines(diff).iter().all(|(kind, _)| matches!(kind, LineKind::Same | LineKind::Gap))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_told_line_by_line_without_its_head_and_line_ends() {
        let diff = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-- old item\n\\ No newline at end of file\n+- new item\n@@ -9 +9 @@\n end\n";
        let expected = [
            (LineKind::Same, "  same"),
            (LineKind::Removed, "- - old item"),
            (LineKind::Added, "+ - new item"),
            (LineKind::Gap, "⋯"),
            (LineKind::Same, "  end"),
        ];
        assert_eq!(lines(diff), expected.map(|(kind, text)| (kind, text.to_owned())));
        assert_eq!(lines(""), []);
    }

    #[test]
    fn nothing_is_different_where_no_line_came_or_went() {
        assert!(is_same("") && is_same("--- a\n+++ b\n") && is_same("@@ -1 +1 @@\n same\n"));
        assert!(!is_same("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n") && !is_same("@@ -1,2 +1 @@\n-old\n"));
    }
}
