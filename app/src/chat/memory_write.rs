//! A change of memory that the model made, as its tool call tells it. Pure.

use protocol::{ToolCall, ToolPart, ToolState};

/// The tool with which a model writes its memory.
const TOOL: &str = "set_context";

/// One write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryWrite {
    /// The block.
    pub label: String,
    /// Which version it made.
    pub version: u64,
    /// The version before it; 0 is what the block said before anybody wrote it.
    pub previous: u64,
}

/// What has become of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is what the block says now.
    Latest,
    /// The block says again what it said before it.
    Undone,
    /// The block says something else by now, in this version.
    Changed(u64),
    /// There is no such block any more.
    Gone,
}

impl MemoryWrite {
    /// The write that a call made, once it is done.
    pub fn of(tool: &ToolPart) -> Option<Self> {
        let ToolCall { state: ToolState::OutputAvailable, output: Some(output), .. } = &tool.call else {
            return None;
        };
        let number = |name: &str| output.get(name).and_then(serde_json::Value::as_u64);
        let (version, previous) = (number("version")?, number("previousVersion")?);
        let label = output.get("label")?.as_str()?.to_owned();
        // Equal numbers: it wrote what stood there already.
        (tool.name == TOOL && version != previous).then_some(Self { label, version, previous })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Part;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(name: &str, output: Value, expected: Option<MemoryWrite>) {
        let part = json!({
            "type": format!("tool-{name}"), "toolCallId": "c", "state": "output-available", "input": {}, "output": output,
        });
        let part: Part = serde_json::from_value(part).expect("a part");
        assert_eq!(part.as_tool().and_then(MemoryWrite::of), expected, "{output}");
    }

    #[test]
    fn only_a_finished_write_of_a_block_counts() {
        let write = |previous| Some(MemoryWrite { label: "persona".to_owned(), version: 3, previous });
        check("set_context", json!({"label": "persona", "version": 3, "previousVersion": 2}), write(2));
        check("set_context", json!({"label": "persona", "version": 3, "previousVersion": 0}), write(0));
        check("set_context", json!({"label": "persona", "version": 3, "previousVersion": 3}), None);
        check("set_context", json!({"label": "persona", "version": 3}), None);
        check("set_context", json!("Written"), None);
        check("other", json!({"label": "persona", "version": 3, "previousVersion": 2}), None);
    }
}
