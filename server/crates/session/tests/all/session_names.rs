//! Searching in one session by its name: in any case of any script, and as quickly however many there are.

use crate::support::{Story, say};
use protocol::SessionId;
use session::{NewSession, Search};

const NAMES: [(&str, &str); 4] =
    [("a", "Oslo trip"), ("b", "\u{c9}t\u{e9} 2026"), ("c", "\u{4eca}\u{65e5}"), ("d", "Stra\u{df}e")];

async fn found(story: &Story, name: &str) -> Vec<SessionId> {
    let page = story.manager.search(&Search::new(&format!("pier session:\"{name}\""))).await.unwrap();
    let mut found: Vec<SessionId> = page.hits.into_iter().map(|hit| hit.session).collect();
    found.sort();
    found
}

async fn every_name_is_found(story: &Story) {
    for (name, expected) in [
        ("OSLO TRIP", "a"),
        ("oslo trip", "a"),
        ("E\u{301}TE\u{301} 2026", "b"),
        ("\u{4eca}\u{65e5}", "c"),
        ("STRASSE", "d"),
        ("a", "a"),
    ] {
        assert_eq!(found(story, name).await, [SessionId::from(expected)], "{name}");
    }
    assert_eq!(found(story, "ete 2026").await, [], "an accent is no case");
}

#[tokio::test]
async fn a_session_is_found_by_its_name_in_a_new_file_and_in_an_older_one() {
    let story = Story::begin().await;
    for (id, name) in NAMES {
        let new = NewSession { id: Some(id.into()), name: name.to_owned(), ..NewSession::default() };
        story.manager.create(new).await.unwrap();
        say(&story.session(id).await, "pier").await;
    }
    every_name_is_found(&story).await;
    // As a file of an older format is, before and after somebody had time.
    story.damage("UPDATE assistant_sessions SET name_key = NULL").await;
    every_name_is_found(&story).await;
    assert_eq!(story.manager.index_waiting().await.unwrap(), 0);
    let unfolded = "SELECT count(*) FROM assistant_sessions WHERE name_key IS NULL";
    let unfolded: i64 = sqlx::query_scalar(unfolded).fetch_one(story.temp.db.reader()).await.unwrap();
    assert_eq!(unfolded, 0);
    every_name_is_found(&story).await;
}

#[tokio::test]
async fn a_new_name_takes_the_place_of_the_old_one() {
    let story = Story::begin().await;
    say(&story.session("s").await, "pier").await;
    for name in ["\u{416}", "trip", ""] {
        story.manager.rename(&"s".into(), name).await.unwrap();
        if !name.is_empty() {
            assert_eq!(found(&story, &name.to_lowercase()).await, [SessionId::from("s")]);
        }
    }
    assert_eq!(found(&story, "trip").await, []);
    story.manager.replace_name(&"s".into(), "", "Title").await.unwrap();
    assert_eq!(found(&story, "TITLE").await, [SessionId::from("s")]);
    story.manager.delete(&"s".into()).await.unwrap();
    assert_eq!(found(&story, "title").await, []);
}
