//! What a message waits for, in one sentence. Pure.

use protocol::{Awaited, Part};

/// What these parts wait for; none where they wait for nothing.
pub fn sentence<'a>(parts: impl Iterator<Item = &'a Part>) -> Option<String> {
    let calls: Vec<(Awaited, &str)> = parts
        .filter_map(Part::as_tool)
        .filter_map(|tool| {
            Some((tool.call.state.awaits()?, tool.call.title.as_deref().unwrap_or(&tool.name)))
        })
        .collect();
    let people = calls.iter().filter(|(whom, _)| *whom == Awaited::Approval).count();
    Some(match (calls.as_slice(), people) {
        ([], _) => return None,
        ([(_, name)], 1) => format!("Waits for you: may {name} run?"),
        ([(_, name)], _) => format!("Waits for a program that runs {name}."),
        (_, 0) => format!("Waits for programs that run {} tools.", calls.len()),
        (_, 1) => "Waits for your answer, and for a program.".to_owned(),
        (all, people) if all.len() == people => format!("Waits for you: {people} questions."),
        (_, people) => format!("Waits for your answers to {people} questions, and for a program."),
    })
}

/// Whether all that waits is one question, and its card ends the message: it says so itself then.
pub fn is_asked_last<'a>(parts: impl DoubleEndedIterator<Item = &'a Part>) -> bool {
    let awaited = |part: &Part| part.as_tool().and_then(|tool| tool.call.state.awaits());
    let mut backwards = parts.rev();
    backwards.next().and_then(awaited) == Some(Awaited::Approval)
        && backwards.all(|part| awaited(part).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(name: &str, state: &str) -> Part {
        let part = json!({
            "type": format!("tool-{name}"), "toolCallId": name, "state": state, "input": {}, "output": 1,
            "errorText": "no", "approval": { "id": "a" },
        });
        serde_json::from_value(part).expect("a part")
    }

    #[track_caller]
    fn check(parts: &[&Part], expected: Option<&str>) {
        assert_eq!(sentence(parts.iter().copied()).as_deref(), expected);
    }

    #[test]
    fn a_question_at_the_end_speaks_for_itself() {
        let (asks, runs) = (&call("danger", "approval-requested"), &call("locate", "input-available"));
        let (text, done) = (&Part::text("hi"), &call("add", "output-available"));
        let check = |parts: &[&Part], expected| {
            assert_eq!(is_asked_last(parts.iter().copied()), expected, "{parts:?}");
        };
        check(&[text, done, asks], true);
        check(&[asks], true);
        check(&[asks, done], false);
        check(&[asks, asks], false);
        check(&[runs, asks], false);
        check(&[text, runs], false);
        check(&[], false);
    }

    #[test]
    fn one_sentence_says_who_is_waited_for() {
        let (asks, runs) = (&call("danger", "approval-requested"), &call("locate", "input-available"));
        let done = [&Part::text("hi"), &call("add", "output-available"), &call("x", "approval-responded")];
        check(&done, None);
        check(&[asks], Some("Waits for you: may danger run?"));
        check(&[runs], Some("Waits for a program that runs locate."));
        check(&[asks, asks], Some("Waits for you: 2 questions."));
        check(&[runs, runs], Some("Waits for programs that run 2 tools."));
        check(&[asks, runs], Some("Waits for your answer, and for a program."));
        check(&[asks, runs, asks], Some("Waits for your answers to 2 questions, and for a program."));
    }
}
