//! Drawing: code, formulas and diagrams over HTTP, piece by piece.

use crate::support::TestApp;
use serde_json::{Value, json};

async fn drawn(app: &TestApp, body: &Value) -> (u16, Value) {
    let url = format!("http://{}/api/v1/render", app.address);
    let answer = app.client.post(url).json(body).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

#[tokio::test]
async fn pieces_are_drawn_in_their_order() {
    let app = TestApp::start().await;
    let body = json!({ "pieces": [
        { "kind": "maths", "text": "x", "display": true },
        { "kind": "code", "language": "json", "text": "1" },
        { "kind": "code", "text": "1" },
        { "kind": "diagram", "text": "flowchart LR\n  A[x --> B" },
    ] });
    let expected = json!({ "pieces": [
        { "mathml": "<math display=\"block\"><mi>x</mi></math>" },
        { "runs": [[1, 4]] },
        { "runs": [] },
        { "problem": "line 2: Unterminated node label (missing `]`)" },
    ] });
    assert_eq!(drawn(&app, &body).await, (200, expected));
}

#[tokio::test]
async fn what_is_no_list_of_pieces_is_refused() {
    let app = TestApp::start().await;
    let many = json!({ "pieces": vec![json!({ "kind": "code", "text": "" }); 65] });
    let (status, problem) = drawn(&app, &many).await;
    assert_eq!((status, &problem["pieces"], &problem["max"]), (422, &json!(65), &json!(64)));
    for body in [json!({}), json!({ "pieces": [{ "kind": "song", "text": "" }] })] {
        assert_eq!(drawn(&app, &body).await.0, 400, "{body}");
    }
}
