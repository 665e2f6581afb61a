//! The scenarios can fail: a model that does as demanded passes, one that does not is told what was wrong.

use super::*;
use crate::scripted::{Gate, Script, ScriptedModel};
use std::sync::Mutex;

/// A wire that says everything but a filtered answer; `text` is what it says where it should say [`TEXT`].
struct ScriptedBench {
    text: &'static str,
    last: Mutex<ScriptedModel>,
}

impl ScriptedBench {
    fn new(text: &'static str) -> Self {
        Self { text, last: Mutex::new(ScriptedModel::new([])) }
    }

    fn script(&self, scenario: Scenario) -> Option<Script> {
        let said = Script::new().text(self.text);
        let call = |script: Script, (name, input): (&str, Value)| script.tool(name, name, &input);
        Some(match scenario {
            Scenario::Text => said.stop(),
            Scenario::Reasoning => Script::new().reasoning(REASONING).text(self.text).stop(),
            Scenario::OneTool => calls().into_iter().take(1).fold(Script::new(), call).tool_calls(),
            Scenario::TwoTools => calls().into_iter().fold(Script::new(), call).tool_calls(),
            Scenario::Usage => said.event(ModelEvent::Usage(USAGE)).stop(),
            Scenario::Length => said.finish(FinishReason::Length),
            Scenario::Filtered => return None,
            Scenario::CutOff => said,
            Scenario::Failure(class) => Script::new().error(class, "as demanded"),
            Scenario::Cancel => said.hold(&Gate::new()).stop(),
        })
    }
}

impl Bench for ScriptedBench {
    async fn prepare(&self, scenario: Scenario) -> Option<Arc<dyn LanguageModel>> {
        let model = ScriptedModel::new([self.script(scenario)?]);
        *self.last.lock().expect("no test panics while it holds this") = model.clone();
        Some(Arc::new(model))
    }

    async fn closed(&self) {
        let model = self.last.lock().expect("no test panics while it holds this").clone();
        model.wait_for_cancelled(1).await;
    }
}

#[tokio::test]
async fn a_faithful_model_passes_and_a_skip_is_declared() {
    let report = run(&ScriptedBench::new(TEXT)).await;
    let skipped = vec![Scenario::Filtered];
    let passed = SCENARIOS.into_iter().filter(|scenario| !skipped.contains(scenario)).collect();
    assert_eq!(report, Report { passed, skipped, failed: vec![] });
}

#[tokio::test]
async fn a_model_that_breaks_a_letter_fails_wherever_text_is_demanded() {
    let report = run(&ScriptedBench::new("Gr\u{fffd}\u{fffd}e")).await;
    let failed: Vec<_> = report.failed.into_iter().map(|(scenario, _)| scenario).collect();
    let expected = [Scenario::Text, Scenario::Reasoning, Scenario::Usage, Scenario::Length, Scenario::CutOff];
    assert_eq!(failed, expected);
}

type Item = Result<ModelEvent, ModelError>;

fn start() -> Item {
    Ok(ModelEvent::TextStart { id: "t".into() })
}

fn delta() -> Item {
    Ok(ModelEvent::TextDelta { id: "t".into(), delta: "x".into() })
}

fn end() -> Item {
    Ok(ModelEvent::TextEnd { id: "t".into() })
}

fn finish() -> Item {
    Ok(ModelEvent::Finish { reason: FinishReason::Stop })
}

fn usage() -> Item {
    Ok(ModelEvent::Usage(USAGE))
}

fn call() -> Item {
    Ok(ModelEvent::ToolInputStart { id: "c".into(), name: "n".into() })
}

fn called(input: &str) -> Item {
    Ok(ModelEvent::ToolInputEnd { id: "c".into(), name: "n".into(), input: input.into() })
}

fn failed() -> Item {
    Err(ModelError::new(ErrorClass::Timeout, "late"))
}

#[test]
fn the_grammar_allows_answers_that_end_in_any_way() {
    let rows = [
        vec![],
        vec![start(), delta(), end(), finish()],
        vec![start(), delta()],
        vec![start(), failed()],
        vec![call(), start(), called(""), end(), usage(), finish()],
    ];
    for items in rows {
        assert_eq!(check_grammar(&items), Ok(()));
    }
}

#[test]
fn the_grammar_names_what_breaks_it() {
    let rows = [
        (vec![delta()], "item 0: a delta outside its block"),
        (vec![start(), end(), start()], "item 2: a block with an old id"),
        (vec![end()], "item 0: the end of a block that is not open"),
        (vec![start(), finish()], "item 1: an end with something open"),
        (vec![finish(), usage()], "item 1: something after the end"),
        (vec![failed(), finish()], "item 1: something after the end"),
        (vec![usage(), usage()], "item 1: a second usage"),
        (vec![call(), call()], "item 1: a call with an old id"),
        (vec![called("")], "item 0: the end of a call that is not open"),
        (vec![call(), called("{}")], "item 1: arguments that are not the sum of their deltas"),
    ];
    for (items, fault) in rows {
        let story = check_grammar(&items).unwrap_err();
        assert_eq!(story.split(" in ").next(), Some(fault), "{items:?}");
    }
}
