//! What people type by accident or to break something: never an error, never more or less than the words in it.

use crate::context::options;
use crate::support::Story;
use protocol::{Author, limits};
use serde_json::json;
use session::{ContextCall, ContextConfig, Owner, Parent, Position, Provider, Search, SessionFilter};
use testkit::user;

const TEXTS: [(&str, &str); 10] = [
    ("ops", "NEAR the pier AND NOT far OR so"),
    ("cols", "said: used tags rowid rank"),
    ("he", "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{5e2}\u{5d5}\u{5dc}\u{5dd}"),
    ("ar", "\u{645}\u{631}\u{62d}\u{628}\u{627} \u{628}\u{627}\u{644}\u{639}\u{627}\u{644}\u{645}"),
    ("marks", "e\u{301}clair au cafe\u{301}"),
    ("emoji", "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467} family \u{1f44d}\u{1f3fd}"),
    ("signs", "O'Brien said \"no\" to 100% of under_score and back\\slash"),
    ("nul", "before\0behind"),
    ("bidi", "\u{202e}gnirts\u{202c} ordinary"),
    ("zero", "zero\u{200b}width"),
];

const SEARCHES: [(&str, &[&str]); 62] = [
    // Words that other searches take for operators.
    ("NEAR", &["ops"]),
    ("near", &["ops"]),
    ("NEAR(pier far)", &[]),
    ("NEAR(pier far, 5)", &[]),
    ("near pier", &["ops"]),
    ("AND", &["ops", "signs"]),
    ("NOT", &["ops"]),
    ("OR", &[]),
    ("or", &["ops"]),
    ("OR OR OR", &[]),
    ("OR pier", &["ops"]),
    ("pier OR", &["ops"]),
    ("pier OR OR nowhere", &["ops"]),
    ("pier AND far", &["ops"]),
    ("-", &[]),
    ("- - -", &[]),
    ("--", &[]),
    ("pier -", &["ops"]),
    ("-pier -said -family -ordinary -zero* -before -au -used", &["he", "ar"]),
    ("+pier", &["ops"]),
    ("^pier", &["ops"]),
    ("~pier", &["ops"]),
    ("(pier", &["ops"]),
    ("pier)", &["ops"]),
    ("((((", &[]),
    ("*", &[]),
    ("**", &[]),
    ("* *", &[]),
    // Columns of the index, and filters with nothing behind them.
    ("said:used", &["cols"]),
    ("said : used", &["cols"]),
    ("{said used} : pier", &[]),
    ("tags:pier", &[]),
    ("rowid", &["cols"]),
    ("rank", &["cols"]),
    ("-rank:tags pier", &["ops"]),
    ("role:", &[]),
    ("session:", &[]),
    ("before:", &["nul"]),
    ("before:yesterday", &[]),
    ("after:9999999999", &[]),
    ("role:\"", &[]),
    // Quotation marks that do not match, of any kind.
    ("\"", &[]),
    ("\"\"", &[]),
    ("\"pier", &["ops"]),
    ("pier\"", &["ops"]),
    ("\u{201c}the pier\u{201d}", &["ops"]),
    ("\"pier the\"", &[]),
    ("O'Brien", &["signs"]),
    ("' OR 1=1 --", &[]),
    ("'; DROP TABLE assistant_fts; --", &[]),
    ("100%", &["signs"]),
    ("under_score back\\slash", &["signs"]),
    // Scripts from right to left, marks, emoji, what cannot be seen.
    ("\u{5e9}\u{5dc}\u{5d5}\u{5dd}", &["he"]),
    ("\u{645}\u{631}\u{62d}\u{628}\u{627}", &["ar"]),
    ("*\u{639}\u{627}\u{644}\u{645}*", &["ar"]),
    ("ECLAIR caf\u{e9}", &["marks"]),
    ("e\u{301}clair", &["marks"]),
    ("\u{1f44d}", &["emoji"]),
    ("\u{1f467} family", &["emoji"]),
    ("behind", &["nul"]),
    ("before\0behind", &["nul"]),
    ("ordinary", &["bidi"]),
];

#[tokio::test]
async fn nothing_that_is_typed_is_an_error_or_an_operator_by_accident() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    for (name, text) in TEXTS {
        session.append(&user(name, text), Parent::ActiveLeaf).await.unwrap();
    }
    let index = Provider::StoredEntries { owner: Owner::Session };
    let context = session.context(&ContextConfig::new().with_context("index", options(index)).unwrap());
    let long: Vec<String> =
        ["pier ", "pier OR ", "-", "\"", "(", "*", "a* ", "*a* ", "-pier ", "\u{1f44d}", "\0", "x"]
            .iter()
            .map(|piece| piece.repeat(10_000))
            .collect();
    let long = long.iter().map(|text| (text.as_str(), None));
    for (text, expected) in SEARCHES.iter().map(|(text, expected)| (*text, Some(*expected))).chain(long) {
        let page = session.search(&Search::new(text)).await.unwrap();
        let told: String = text.chars().take(60).collect();
        if let Some(expected) = expected {
            let mut found: Vec<&str> = page.hits.iter().map(|hit| hit.message.as_str()).collect();
            found.sort_unstable_by_key(|name| TEXTS.iter().position(|(other, _)| other == name));
            assert_eq!(found, expected, "{told:?}");
        }
        for hit in &page.hits {
            let shown: usize = hit.snippet.iter().map(|piece| piece.text.chars().count()).sum();
            assert!(shown <= limits::SEARCH_SNIPPET_MAX_CHARS, "{told:?}");
        }
        assert_eq!(story.manager.search(&Search::new(text)).await.unwrap().hits, page.hits, "{told:?}");
        let said = story.manager.session_search().call(&json!({ "query": text })).await;
        assert_eq!(said == "No results found.", page.hits.is_empty(), "{told:?}");
        let filter = SessionFilter { name: Some(text.to_owned()), ..SessionFilter::default() };
        story.manager.list_where(&filter, None, 9).await.unwrap();
        let input = json!({ "label": "index", "query": text });
        let call = ContextCall { name: "search_context".to_owned(), input, author: Author::User };
        let reply = context.call_tool(&call, Position::default()).await.unwrap();
        assert_eq!(reply.text, "No results found.", "{told:?}");
    }
    assert_eq!(story.manager.examine().await.unwrap(), []);
}
