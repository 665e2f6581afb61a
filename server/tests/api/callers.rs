//! Who may call: other sites may not, by name, by origin or by socket.

use crate::support::{Tab, TestApp, within};
use serde_json::{Value, json};

const SOCKET: &str = "/agents/assistant/default";

async fn answer(app: &TestApp, method: &str, path: &str, headers: &[(&str, &str)]) -> (u16, Value) {
    let mut request = app.client.request(method.parse().unwrap(), app.url(path));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = within(path, request.send()).await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap_or(Value::Null))
}

#[tokio::test]
async fn a_foreign_host_is_refused_everywhere() {
    let app = TestApp::start().await;
    for path in ["/healthz", "/", "/pkg/bough.js", "/api/v1/agents/assistant/default/sessions", "/nowhere"] {
        let (status, problem) = answer(&app, "GET", path, &[("host", "evil.example")]).await;
        assert_eq!((status, &problem["code"]), (403, &json!("forbidden")), "{path}");
    }
    let (status, _) = answer(&app, "GET", "/healthz", &[("host", "localhost:1")]).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn a_foreign_origin_opens_no_socket() {
    let app = TestApp::start().await;
    let own = format!("http://{}", app.address);
    let Ok(_tab) = Tab::open(app.address, SOCKET, &[("origin", &own)]).await else {
        panic!("its own origin")
    };
    for origin in ["http://evil.example", "null", "http://localhost:1"] {
        let Err((status, problem)) = Tab::open(app.address, SOCKET, &[("origin", origin)]).await else {
            panic!("{origin} was let in");
        };
        assert_eq!((status, &problem["code"]), (403, &json!("forbidden")), "{origin}");
    }
}

#[tokio::test]
async fn a_foreign_origin_changes_nothing() {
    let app = TestApp::start().await;
    let sessions = "/api/v1/agents/assistant/default/sessions";
    for headers in
        [[("origin", "http://evil.example")], [("origin", "null")], [("sec-fetch-site", "cross-site")]]
    {
        let (status, problem) = answer(&app, "POST", sessions, &headers).await;
        assert_eq!((status, &problem["code"]), (403, &json!("forbidden")), "{headers:?}");
    }
    let (_, page) = app.get(sessions).await;
    assert_eq!(page["sessions"], json!([]));
}

#[tokio::test]
async fn hosts_and_origins_can_be_allowed() {
    let variables =
        [("BOUGH_ALLOWED_HOSTS", "chat.example"), ("BOUGH_ALLOWED_ORIGINS", "https://friend.example")];
    let app = TestApp::with(&variables, "").await;
    for headers in [
        vec![("host", "chat.example"), ("origin", "https://chat.example")],
        vec![("origin", "https://friend.example")],
    ] {
        let Ok(_tab) = Tab::open(app.address, SOCKET, &headers).await else { panic!("{headers:?}") };
    }
}
