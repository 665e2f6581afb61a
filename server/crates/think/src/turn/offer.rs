//! What the model may call in one step, merged from those who offer tools. Pure.

use super::{Place, PlannedTool};
use protocol::ToolSpec;

/// The agent's own tools, then the browser's, then those of the context blocks. Of two with one name the context's
/// counts before the agent's, and the browser's never counts before another.
pub fn merge(own: Vec<PlannedTool>, browsers: &[ToolSpec], context: &[ToolSpec]) -> Vec<PlannedTool> {
    let is_context = |name: &str| context.iter().any(|spec| spec.name == name);
    let mut tools = own;
    tools.retain(|tool| !is_context(&tool.spec.name));
    for spec in browsers {
        let is_taken = is_context(&spec.name) || tools.iter().any(|tool| tool.spec.name == spec.name);
        if !is_taken {
            tools.push(PlannedTool { spec: spec.clone(), place: Place::Client });
        }
    }
    tools.extend(context.iter().map(|spec| PlannedTool { spec: spec.clone(), place: Place::Context }));
    tools
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str, whose: &str) -> ToolSpec {
        ToolSpec { name: name.into(), description: Some(whose.into()), parameters: None }
    }

    #[test]
    fn own_tools_come_first_and_a_browser_replaces_nobody() {
        let own =
            ["add", "set_context"].map(|name| PlannedTool { spec: spec(name, "own"), place: Place::Server });
        let browsers = ["add", "where", "set_context"].map(|name| spec(name, "browser"));
        let merged = merge(own.to_vec(), &browsers, &[spec("set_context", "context")]);
        let words: Vec<String> = merged
            .iter()
            .map(|it| format!("{} {}", it.spec.name, it.spec.description.as_deref().unwrap()))
            .collect();
        assert_eq!(words, ["add own", "where browser", "set_context context"]);
        assert_eq!(merge(own.to_vec(), &[], &[]), own);
    }
}
