//! The scripted model keeps to the grammar, waits at gates, and notices when it is dropped.

use super::{Gate, Script, ScriptedModel};
use crate::{ErrorClass, FinishReason, LanguageModel, ModelError, ModelEvent, ModelRequest, Purpose};
use futures::StreamExt;
use protocol::Usage;
use serde_json::json;

type Item = Result<ModelEvent, ModelError>;

async fn play(model: &ScriptedModel) -> Vec<Item> {
    model.call(ModelRequest::default()).collect().await
}

fn text_start(id: &str) -> Item {
    Ok(ModelEvent::TextStart { id: id.into() })
}

#[tokio::test]
async fn blocks_open_and_close_by_themselves() {
    let script = Script::new()
        .reasoning("hm")
        .text("a")
        .text("b")
        .tool("c1", "add", &json!({"a": 1}))
        .usage(3, 4)
        .tool_calls();
    let (id, name) = ("c1".into(), "add".to_owned());
    let expected: Vec<Item> = vec![
        Ok(ModelEvent::ReasoningStart { id: "reasoning-0".into(), provider_metadata: None }),
        Ok(ModelEvent::ReasoningDelta {
            id: "reasoning-0".into(),
            delta: "hm".into(),
            provider_metadata: None,
        }),
        Ok(ModelEvent::ReasoningEnd { id: "reasoning-0".into(), provider_metadata: None }),
        text_start("text-1"),
        Ok(ModelEvent::TextDelta { id: "text-1".into(), delta: "a".into() }),
        Ok(ModelEvent::TextDelta { id: "text-1".into(), delta: "b".into() }),
        Ok(ModelEvent::TextEnd { id: "text-1".into() }),
        Ok(ModelEvent::ToolInputStart { id: "c1".into(), name: "add".into() }),
        Ok(ModelEvent::ToolInputDelta { id: "c1".into(), delta: r#"{"a":1}"#.into() }),
        Ok(ModelEvent::ToolInputEnd { id, name, input: r#"{"a":1}"#.into() }),
        Ok(ModelEvent::Usage(Usage { input_tokens: 3, output_tokens: 4, ..Usage::default() })),
        Ok(ModelEvent::Finish { reason: FinishReason::ToolCalls }),
    ];
    assert_eq!(play(&ScriptedModel::new([script])).await, expected);
}

#[tokio::test]
async fn a_call_without_a_script_fails() {
    let model = ScriptedModel::new([Script::new().text("only").stop()]);
    assert_eq!(play(&model).await.len(), 4);
    let error = ModelError::new(ErrorClass::BadRequest, "no script is left for this call");
    assert_eq!(play(&model).await, vec![Err(error)]);
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn nothing_happens_before_the_first_poll() {
    let model = ScriptedModel::new([Script::new().stop()]);
    drop(model.call(ModelRequest::default()));
    assert_eq!((model.requests().len(), model.cancelled()), (0, 0));
}

#[tokio::test]
async fn a_script_can_answer_by_purpose() {
    let model = ScriptedModel::answering(|request| match request.purpose {
        Purpose::Title => Script::new().stop(),
        Purpose::Chat | Purpose::Summary => Script::new().error(ErrorClass::Auth, "no"),
    });
    let request = ModelRequest { purpose: Purpose::Title, ..ModelRequest::default() };
    let title: Vec<Item> = model.call(request).collect().await;
    assert_eq!(title, vec![Ok(ModelEvent::Finish { reason: FinishReason::Stop })]);
    assert_eq!(play(&model).await, vec![Err(ModelError::new(ErrorClass::Auth, "no"))]);
}

#[tokio::test]
async fn a_gate_holds_until_it_is_opened() {
    let gate = Gate::new();
    let model = ScriptedModel::new([Script::new().hold(&gate).text("late").stop()]);
    let open = async {
        gate.reached().await;
        gate.open();
    };
    let (events, ()) = tokio::join!(play(&model), open);
    assert_eq!((events.len(), model.cancelled()), (4, 0));
}

#[tokio::test]
async fn a_drop_in_the_middle_is_noticed() {
    let gate = Gate::new();
    let model = ScriptedModel::new([Script::new().text("a").hold(&gate).stop()]);
    let mut stream = model.call(ModelRequest::default());
    assert_eq!(stream.next().await, Some(text_start("text-0")));
    let _delta = stream.next().await;
    tokio::select! {
        _ = stream.next() => panic!("the gate is closed"),
        () = gate.reached() => {}
    }
    drop(stream);
    model.wait_for_cancelled(1).await;
}

#[tokio::test]
async fn cut_off_means_an_end_without_a_finish() {
    let model = ScriptedModel::new([Script::new().text("half")]);
    let last = play(&model).await.pop();
    assert_eq!(last, Some(Ok(ModelEvent::TextDelta { id: "text-0".into(), delta: "half".into() })));
    assert_eq!(model.cancelled(), 0);
}
