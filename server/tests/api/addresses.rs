//! What every address gives: pages, files, plain 404s, problems, and all of it below a base path.

use crate::support::{TestApp, within};
use serde_json::json;

/// Status and the interesting headers and text of a GET.
async fn get(app: &TestApp, path: &str, accept: &str) -> (u16, reqwest::header::HeaderMap, String) {
    let request = app.client.get(app.url(path)).header("accept-encoding", accept);
    let response = within(path, request.send()).await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    (status, headers, String::from_utf8_lossy(&response.bytes().await.unwrap()).into_owned())
}

fn site() -> tempfile::TempDir {
    let site = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = site.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("pkg/bough.0123456789abcdefABCDEF.js", "plain");
    write("pkg/bough.0123456789abcdefABCDEF.js.br", "brotli");
    write("pkg/bough.js", "unhashed");
    write("favicon.svg", "<svg/>");
    site
}

#[tokio::test]
async fn files_come_compressed_and_cached_and_missing_ones_are_plain() {
    let site = site();
    let app = TestApp::with(&[("LEPTOS_SITE_ROOT", site.path().to_str().unwrap())], "").await;
    let forever = "public, max-age=31536000, immutable";
    let (status, headers, text) = get(&app, "/pkg/bough.0123456789abcdefABCDEF.js", "br").await;
    assert_eq!((status, text.as_str()), (200, "brotli"));
    assert_eq!(
        (&headers["content-encoding"], &headers["cache-control"]),
        (&"br".parse().unwrap(), &forever.parse().unwrap())
    );
    let (status, headers, text) = get(&app, "/pkg/bough.0123456789abcdefABCDEF.js", "identity").await;
    assert_eq!((status, text.as_str(), &headers["cache-control"]), (200, "plain", &forever.parse().unwrap()));
    let (_, headers, _) = get(&app, "/pkg/bough.js", "identity").await;
    assert_eq!(headers["cache-control"], "public, max-age=3600");
    let (status, headers, text) = get(&app, "/favicon.svg", "identity").await;
    assert_eq!(
        (status, text.as_str(), &headers["content-type"]),
        (200, "<svg/>", &"image/svg+xml".parse().unwrap())
    );
    for path in [
        "/pkg/none.js",
        "/pkg/none",
        "/pkg/",
        "/robots.txt",
        "/fonts/none.woff2",
        "/pkg/..%2f..%2fetc%2fpasswd",
    ] {
        let (status, _, text) = get(&app, path, "identity").await;
        assert_eq!((status, text.as_str()), (404, "not found\n"), "{path}");
    }
}

#[tokio::test]
async fn pages_carry_a_policy_and_unknown_ones_are_404() {
    let app = TestApp::start().await;
    let (status, headers, text) = get(&app, "/", "identity").await;
    assert_eq!(status, 200, "{text}");
    assert!(text.starts_with("<!DOCTYPE html>"), "{text:.200}");
    let policy = headers["content-security-policy"].to_str().unwrap();
    let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap();
    assert!(text.contains(&format!("nonce=\"{nonce}\"")), "scripts carry the nonce");
    assert!(policy.contains("default-src 'self'") && policy.contains("'wasm-unsafe-eval'"), "{policy}");
    assert_eq!(headers["x-content-type-options"], "nosniff");
    let (_, again, _) = get(&app, "/", "identity").await;
    assert_ne!(again["content-security-policy"], headers["content-security-policy"]);

    for (path, expected) in [("/s/~", 200), ("/s/none", 404), ("/nowhere", 404), ("/s/a/b", 404)] {
        let (status, headers, text) = get(&app, path, "identity").await;
        assert_eq!((status, text.starts_with("<!DOCTYPE html>")), (expected, true), "{path}");
        assert!(headers.contains_key("content-security-policy"), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_pages_at_once_are_all_whole() {
    let app = TestApp::start().await;
    let mut pages = tokio::task::JoinSet::new();
    for number in 0..200 {
        let path = ["/", "/s/~"][number % 2];
        let request = app.client.get(app.url(path));
        let _task = pages.spawn(async move {
            let response = within(path, request.send()).await.unwrap();
            (response.status().as_u16(), response.text().await.unwrap())
        });
    }
    while let Some(page) = pages.join_next().await {
        let (status, text) = page.unwrap();
        assert_eq!(
            (status, text.contains("</html>"), text.contains("<title>")),
            (200, true, true),
            "{text:.200}"
        );
    }
}

#[tokio::test]
async fn everything_works_below_a_base_path() {
    let site = site();
    let variables = [("BOUGH_BASE_PATH", "/chat"), ("LEPTOS_SITE_ROOT", site.path().to_str().unwrap())];
    let app = TestApp::with(&variables, "").await;
    for (path, expected) in [
        ("/chat/healthz", 200),
        ("/chat/readyz", 200),
        ("/chat/", 200),
        ("/chat/s/~", 200),
        ("/chat/s/none", 404),
        ("/chat/pkg/bough.js", 200),
        ("/chat/favicon.svg", 200),
        ("/chat/api/v1/agents/assistant/default/sessions", 200),
        ("/chat/agents/assistant/default/get-messages", 200),
        ("/healthz", 404),
        ("/s/~", 404),
        ("/pkg/bough.js", 404),
    ] {
        let (status, _, text) = get(&app, path, "identity").await;
        assert_eq!(status, expected, "{path}: {text:.200}");
    }
    let (status, headers, _) = get(&app, "/", "identity").await;
    assert_eq!((status, &headers["location"]), (307, &"/chat/".parse().unwrap()));
    let mut tab = app.tab_at("/chat/agents/assistant/default").await;
    assert_eq!(tab.next().await["type"], "cf_agent_identity");
    let (_, _, page) = get(&app, "/chat/", "identity").await;
    assert!(
        !page.contains("=\"/pkg/") && !page.contains("=\"/s/"),
        "every address of the page is below the base"
    );
}

#[tokio::test]
async fn a_server_that_stops_is_not_ready() {
    let app = TestApp::start().await;
    assert_eq!(get(&app, "/readyz", "identity").await.0, 200);
    assert_eq!(get(&app, "/healthz", "identity").await.2, "ok\n");
    let (status, problem) = app.get("/api/nothing").await;
    assert_eq!(
        (status, &problem["type"], &problem["title"]),
        (404, &json!("about:blank"), &json!("Not Found"))
    );
    let _folder = app.stop().await;
}
