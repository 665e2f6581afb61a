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
        Self {
            text,
            last: Mutex::new(ScriptedModel::new([])),
        }
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
        let model = self
            .last
            .lock()
            .expect("no test panics while it holds this")
            .clone();
        model.wait_for_cancelled(1).await;
    }
}

#[tokio::test]
async fn a_faithful_model_passes_and_a_skip_is_declared() {
    let report = run(&ScriptedBench::new(TEXT)).await;
    let skipped = vec![Scenario::Filtered];
    let passed = SCENARIOS
        .into_iter()
        .filter(|scenario| !skipped.contains(scenario))
        .collect();
    assert_eq!(
        report,
        Report {
            passed,
            skipped,
            failed: vec![]
        }
    );
}

#[tokio::test]
async fn a_model_that_breaks_a_letter_fails_wherever_text_is_demanded() {
    let report = run(&ScriptedBench::new("Gr\u{fffd}\u{fffd}e")).await;
    let failed: Vec<_> = report.failed.into_iter().map(|(scenario, _)| scenario).collect();
    let expected = [
        Scenario::Text,
        Scenario::Reasoning,
        Scenario::Usage,
        Scenario::Length,
        Scenario::CutOff,
    ];
    assert_eq!(failed, expected);
}

#[test]
fn the_grammar_is_checked() {
    let start = || Ok(ModelEvent::TextStart { id: "t".into() });
    let delta = || {
        Ok(ModelEvent::TextDelta {
            id: "t".into(),
            delta: "x".into(),
        })
    };
    let end = || Ok(ModelEvent::TextEnd { id: "t".into() });
    let finish = || {
        Ok(ModelEvent::Finish {
            reason: FinishReason::Stop,
        })
    };
    let usage = || Ok(ModelEvent::Usage(USAGE));
    let call = |id: &str| {
        Ok(ModelEvent::ToolInputStart {
            id: id.into(),
            name: "n".into(),
        })
    };
    let called = |input: &str| {
        Ok(ModelEvent::ToolInputEnd {
            id: "c".into(),
            name: "n".into(),
            input: input.into(),
        })
    };
    let failed = || Err(ModelError::new(ErrorClass::Timeout, "late"));
    let rows = [
        (vec![start(), delta(), end(), finish()], None),
        (vec![start(), delta()], None),
        (vec![start(), failed()], None),
        (vec![call("c"), called(""), finish()], None),
        (vec![delta()], Some("item 0: a delta outside its block")),
        (
            vec![start(), end(), start()],
            Some("item 2: a block with an old id"),
        ),
        (vec![end()], Some("item 0: the end of a block that is not open")),
        (
            vec![start(), finish()],
            Some("item 1: an end with something open"),
        ),
        (vec![finish(), usage()], Some("item 1: something after the end")),
        (vec![failed(), finish()], Some("item 1: something after the end")),
        (vec![usage(), usage()], Some("item 1: a second usage")),
        (vec![call("c"), call("c")], Some("item 1: a call with an old id")),
        (
            vec![called("")],
            Some("item 0: the end of a call that is not open"),
        ),
        (
            vec![call("c"), called("{}")],
            Some("item 1: arguments that are not the sum of their deltas"),
        ),
    ];
    for (items, fault) in rows {
        let found = check_grammar(&items)
            .err()
            .and_then(|text| text.split(" in ").next().map(str::to_owned));
        assert_eq!(found.as_deref(), fault, "{items:?}");
    }
}
