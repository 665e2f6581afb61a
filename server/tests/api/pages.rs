//! Pages whose browser goes away while they are made.

use crate::support::{Bough, Provider};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// Sessions in the sidebar: enough that a page takes a while.
const SESSIONS: usize = 60;
/// Loads that are dropped, each a little later than the one before.
const DROPPED: usize = 100;

#[tokio::test]
async fn a_dropped_page_load_breaks_nothing() {
    let (provider, folder) = (Provider::start().await, tempfile::tempdir().unwrap());
    let bough = Bough::start(folder.path(), &provider).await;
    let client = crate::support::client();
    let url = |path: &str| format!("http://{}{path}", bough.address);
    for number in 0..SESSIONS {
        let body = json!({ "name": format!("chat {number}") });
        let made = client.post(url("/api/v1/agents/assistant/default/sessions")).json(&body).send().await;
        assert_eq!(made.unwrap().status(), 201);
    }
    for round in 0..DROPPED {
        let mut browser = TcpStream::connect(bough.address).await.unwrap();
        let request = format!("GET /s/~ HTTP/1.1\r\nHost: {}\r\n\r\n", bough.address);
        browser.write_all(request.as_bytes()).await.unwrap();
        for _ in 0..round % 20 {
            assert_eq!(client.get(url("/healthz")).send().await.unwrap().status(), 200);
        }
        drop(browser);
    }
    assert_eq!(client.get(url("/s/~")).send().await.unwrap().status(), 200);
    bough.signal("TERM").await;
    let (code, said) = bough.ended().await;
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("panic"), "{said}");
}

#[tokio::test]
async fn a_page_whose_file_is_damaged_names_it_and_does_not_invite_to_type() {
    let (provider, folder) = (Provider::start().await, tempfile::tempdir().unwrap());
    let file = folder.path().join("agents/assistant/default.db");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "no database at all ".repeat(1_000)).unwrap();
    let bough = Bough::start(folder.path(), &provider).await;
    let page = crate::support::client().get(format!("http://{}/", bough.address)).send().await.unwrap();
    let html = page.text().await.unwrap();
    let (notice, field) = (html.find("Nothing can be stored right now."), html.find("class=\"composer\""));
    // The style hides the field after the notice.
    assert!(notice.is_some_and(|notice| field.is_none_or(|field| notice < field)), "{html}");
    assert!(html.contains("default.db is damaged"), "{html}");
}
