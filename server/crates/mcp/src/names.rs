//! Names of foreign tools as every model accepts them: letters, digits, `_` and `-`, not too long, each once.

use protocol::limits::TOOL_NAME_MAX_CHARS;

/// The name for a server's tool, unlike those that are taken.
pub(crate) fn legal_name(server: &str, tool: &str, taken: &[String]) -> String {
    let wanted: String = format!("{server}_{tool}").chars().map(legal).collect();
    let mut name = cut(&wanted, TOOL_NAME_MAX_CHARS);
    let mut number = 2_u32;
    while taken.contains(&name) {
        let suffix = format!("_{number}");
        name = cut(&wanted, TOOL_NAME_MAX_CHARS.saturating_sub(suffix.len())) + &suffix;
        number += 1;
    }
    name
}

fn legal(letter: char) -> char {
    if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' }
}

fn cut(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_legal_and_each_is_there_once() {
        let long = "x".repeat(80);
        let tools = ["read", "read file", "read/file", "läsa", &long, &format!("{long}y"), ""];
        let mut names: Vec<String> = Vec::new();
        for tool in tools {
            names.push(legal_name("files", tool, &names));
        }
        let cut_once = format!("files_{}", "x".repeat(58));
        let cut_twice = format!("files_{}_2", "x".repeat(56));
        let expected = [
            "files_read",
            "files_read_file",
            "files_read_file_2",
            "files_l_sa",
            &cut_once,
            &cut_twice,
            "files_",
        ];
        assert_eq!(names, expected);
    }
}
