//! Finding messages again: what is found, where, in which order, and what is not.

use crate::support::{Story, answer, id, under};
use protocol::limits::{SEARCH_PAGE_DEFAULT, SEARCH_PAGE_MAX, SEARCH_PIECE_WORDS_MAX, SEARCH_RANKED_MAX};
use protocol::{Message, SearchHit, SessionId};
use serde_json::json;
use session::{Parent, Search, Session, SessionError};
use std::collections::BTreeSet;
use testkit::{assistant, message, user};

async fn hits(session: &Session, text: &str) -> Vec<SearchHit> {
    session.search(&Search::new(text)).await.unwrap().hits
}

async fn found(session: &Session, text: &str) -> Vec<String> {
    let mut found: Vec<String> =
        hits(session, text).await.into_iter().map(|hit| hit.message.to_string()).collect();
    found.sort();
    found
}

async fn found_anywhere(story: &Story, text: &str) -> Vec<String> {
    let page = story.manager.search(&Search::new(text)).await.unwrap();
    page.hits.into_iter().map(|hit| format!("{}/{}", hit.session, hit.message)).collect()
}

#[track_caller]
fn assert_found(text: &str, found: &[String], expected: &str) {
    assert_eq!(found.join(" "), expected, "{text:?}");
}

async fn check(session: &Session, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_found(text, &found(session, text).await, expected);
    }
}

fn shown(hit: &SearchHit) -> String {
    let piece = |piece: &protocol::SnippetPiece| {
        if piece.is_match { format!("[{}]", piece.text) } else { piece.text.clone() }
    };
    hit.snippet.iter().map(piece).collect()
}

#[tokio::test]
async fn words_are_found_in_any_form_and_nothing_is_an_error() {
    // Q1
    let story = Story::begin().await;
    let session = story.session("s").await;
    let parts =
        json!([{"type": "text", "text": "harbour closes"}, {"type": "text", "text": "at noon on Fridays"}]);
    let first = message("n1", "assistant", &parts);
    session.append(&first, Parent::ActiveLeaf).await.unwrap();
    session.append(&user("n2", "Crème brûlée recipe"), Parent::ActiveLeaf).await.unwrap();
    let cases = [
        ("friday", "n1"),
        ("FRIDAYS", "n1"),
        ("closes at noon", "n1"),
        ("\"closes at noon\"", "n1"),
        ("\"noon at closes\"", ""),
        ("creme", "n2"),
        ("BRULEE", "n2"),
        ("frid", ""),
        ("frid*", "n1"),
        ("", ""),
        ("  ", ""),
        ("()", ""),
        ("*", ""),
    ];
    check(&session, &cases).await;
    for (text, _) in cases {
        let everywhere: Vec<String> = found_anywhere(&story, text).await;
        let here: Vec<String> =
            found(&session, text).await.iter().map(|found| format!("s/{found}")).collect();
        assert_eq!(everywhere, here, "{text:?}");
    }
}

#[tokio::test]
async fn punctuation_never_breaks_a_search() {
    // F01
    let story = Story::begin().await;
    let session = story.session("s").await;
    for (name, text) in
        [("m1", "the wrong-book again"), ("m2", "see foo:bar"), ("m3", "wrong, said the book")]
    {
        session.append(&user(name, text), Parent::ActiveLeaf).await.unwrap();
    }
    check(
        &session,
        &[
            ("wrong-book", "m1"),
            ("a OR wrong-book OR b", "m1"),
            ("foo:bar", "m2"),
            ("foo::bar", "m2"),
            ("wrong -book", ""),
            ("book -again", "m3"),
            ("NEAR(wrong book)", ""),
            ("{said} : wrong", "m3"),
            ("again OR foo", "m1 m2"),
            ("the again OR said", "m1 m3"),
        ],
    )
    .await;
}

#[tokio::test]
async fn any_piece_of_a_text_without_spaces_is_found() {
    // F04
    let story = Story::begin().await;
    let session = story.session("s").await;
    let texts = [
        "今日は天気がいいから、散歩しましょう。",
        "天気予報によると明日は雨です。",
        "今天天气很好，我们去公园散步吧！",
        "오늘은 날씨가 좋네요",
        "天 気",
        "plain words",
    ];
    for (number, text) in texts.iter().enumerate() {
        session.append(&user(&number.to_string(), text), Parent::ActiveLeaf).await.unwrap();
    }
    let texts_of_signs: Vec<Vec<char>> = texts.iter().map(|text| text.chars().collect()).collect();
    let windows =
        |signs: &Vec<char>| (1..=4).flat_map(|size| signs.windows(size)).map(String::from_iter).collect();
    let pieces: BTreeSet<String> =
        texts_of_signs.iter().flat_map(|signs| -> Vec<String> { windows(signs) }).collect();
    for piece in pieces.iter().filter(|piece| !piece.contains(' ') && !piece.is_ascii()) {
        let expected: Vec<String> =
            (0..texts.len()).filter(|n| texts[*n].contains(piece)).map(|n| n.to_string()).collect();
        assert_eq!(found(&session, piece).await, expected, "{piece}");
    }
}

#[tokio::test]
async fn a_letter_is_found_however_it_was_typed() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    let nfd = "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}.txt か\u{3099}\u{304f}";
    let greek = [("m3", "Σίσυφος"), ("m4", "ΣΊΣΥΦΟΣ")];
    let wide = [("m5", "ｒｕｓｔ ２０２６年"), ("m6", "RUST 2026年")];
    for (name, text) in [("m1", nfd), ("m2", "한국.txt がく")].into_iter().chain(greek).chain(wide) {
        session.append(&user(name, text), Parent::ActiveLeaf).await.unwrap();
    }
    check(
        &session,
        &[
            ("한국", "m1 m2"),
            ("\u{1112}\u{1161}\u{11ab}", "m1 m2"),
            ("がく", "m1 m2"),
            ("か", ""),
            ("σισυφοσ", "m3 m4"),
            ("Σίσυφος", "m3 m4"),
            ("\"ΣΊΣΥΦΟΣ\"", "m3 m4"),
            ("σισυφ*", "m3 m4"),
            ("rust 2026年", "m5 m6"),
            ("\"ＲＵＳＴ ２０２６\"", "m5 m6"),
            ("２０２*", "m5 m6"),
        ],
    )
    .await;
    assert_eq!(shown(&hits(&session, "한 -がく.txt").await[1]), format!("[{}]{}", &nfd[..9], &nfd[9..]));
}

#[tokio::test]
async fn a_role_is_found_as_it_is_spelt() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    let of = |name: &str, role: &str| Message { role: protocol::Role::Other(role.into()), ..user(name, "x") };
    for (name, role) in [("m1", "Critic"), ("m2", "Ünit"), ("m3", "two words")] {
        session.append(&of(name, role), Parent::ActiveLeaf).await.unwrap();
    }
    let cases = [
        ("role:CRITIC", "m1"),
        ("role:Ünit x", "m2"),
        ("-role:critic", "m2 m3"),
        ("role:\"two words\"", "m3"),
    ];
    check(&session, &cases).await;
}

#[tokio::test]
async fn any_piece_of_a_word_is_found() {
    // F04, for words and code
    let story = Story::begin().await;
    let session = story.session("s").await;
    let texts = ["Fridays at noon", "let config = ContextConfig::new()", "foo_bar_baz", "Crème brûlée", "x9"];
    for (number, text) in texts.iter().enumerate() {
        session.append(&user(&number.to_string(), text), Parent::ActiveLeaf).await.unwrap();
    }
    check(
        &session,
        &[
            ("*rida*", "0"),
            ("*onfi*", "1"),
            ("*TEXTCON*", "1"),
            ("*config", "1"),
            ("*nfig_ne*", "1"),
            ("*oo_bar_b*", "2"),
            ("*oo_bar", "2"),
            ("*oo_ba", ""),
            ("*rûl*", "3"),
            ("*rem*", "3"),
            ("*9*", "4"),
            ("*at*", "0"),
            ("*o* -*on*", "2"),
            ("*rida* OR *9*", "0 4"),
            ("*nowhere*", ""),
            ("*rida", ""),
        ],
    )
    .await;
    for piece in ["a", "ri", "day", "conf", "new", "ba", "br", "9", "zz", "o"] {
        let plain = |text: &str| text.replace('è', "e").replace('û', "u").replace('é', "e").to_lowercase();
        let holds = |number: &usize| plain(texts[*number]).contains(piece);
        let expected: Vec<String> = (0..texts.len()).filter(holds).map(|n| n.to_string()).collect();
        assert_eq!(found(&session, &format!("*{piece}*")).await, expected, "{piece}");
    }
    session.update(&user("4", "now of pearls")).await.unwrap();
    check(&session, &[("*9*", ""), ("*earl*", "4")]).await;
}

#[tokio::test]
async fn a_piece_of_very_many_words_stands_for_those_stored_first() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    let messages: Vec<Message> =
        (0..=SEARCH_PIECE_WORDS_MAX).map(|n| user(&n.to_string(), &format!("pre{n}mid"))).collect();
    session.append_all(&messages, Parent::ActiveLeaf).await.unwrap();
    let page = session.search(&Search { limit: SEARCH_PAGE_MAX, ..Search::new("*mid*") }).await.unwrap();
    assert_eq!((page.hits.len(), page.next_cursor), (SEARCH_PIECE_WORDS_MAX, None));
    check(&session, &[("*mid* pre0mid", "0"), ("*mid* pre99mid", "99"), ("*mid* pre100mid", "")]).await;
}

#[tokio::test]
async fn what_tools_did_is_found_and_what_was_thought_is_not() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    let tool = json!({"type": "tool-read", "toolCallId": "c", "state": "output-error",
        "input": {"path": "zebra.txt"}, "errorText": "permission denied"});
    let parts = json!([{"type": "reasoning", "text": "pondering"}, {"type": "text", "text": "Sorry."}, tool]);
    session.append(&message("t", "assistant", &parts), Parent::ActiveLeaf).await.unwrap();
    check(&session, &[("read", "t"), ("zebra", "t"), ("denied", "t"), ("sorry", "t"), ("pondering", "")])
        .await;
    let hits = hits(&session, "zebra").await;
    assert_eq!(shown(&hits[0]), "read [zebra].txt permission denied");
}

#[tokio::test]
async fn every_branch_is_found_and_a_hit_says_where_it_stands() {
    // F07
    let story = Story::begin().await;
    let session = story.session("s").await;
    story.manager.rename(session.id(), "Harbour").await.unwrap();
    session.append(&user("q", "the word?"), Parent::ActiveLeaf).await.unwrap();
    answer(&session, "secret zanzibar", "q").await;
    answer(&session, "other", "q").await;
    let hit = |message: &str, is_on_active_path, shown: &str| {
        (message.to_owned(), is_on_active_path, shown.to_owned())
    };
    let look = |hits: Vec<SearchHit>| {
        let look = |found: &SearchHit| hit(found.message.as_str(), found.is_on_active_path, &shown(found));
        hits.iter().map(look).collect::<Vec<_>>()
    };
    let hidden = hits(&session, "zanzibar").await;
    assert_eq!((hidden[0].session_name.as_str(), hidden[0].created_at), ("Harbour", 1_000));
    assert_eq!(look(hidden), [hit("secret zanzibar", false, "secret [zanzibar]")]);
    assert_eq!(look(hits(&session, "word").await), [hit("q", true, "the [word]?")]);
    session.set_active(&id("secret zanzibar")).await.unwrap();
    assert_eq!(look(hits(&session, "zanzibar").await), [hit("secret zanzibar", true, "secret [zanzibar]")]);
}

#[tokio::test]
async fn conditions_narrow_a_search() {
    let story = Story::begin().await;
    let day = 24 * 60 * 60 * 1_000;
    story.clock.advance(day - 1_000);
    let (one, two) = (story.session("one").await, story.session("two").await);
    story.manager.rename(two.id(), "Trip to Oslo").await.unwrap();
    let home = story.default_session().await;
    one.append(&user("a", "quartz"), Parent::ActiveLeaf).await.unwrap();
    story.clock.advance(day);
    two.append(&assistant("b", "quartz quartz"), Parent::ActiveLeaf).await.unwrap();
    home.append(
        &Message { role: protocol::Role::Other("Odd one".into()), ..user("c", "quartz") },
        Parent::Root,
    )
    .await
    .unwrap();
    for (text, expected) in [
        ("quartz", "one/a two/b /c"),
        ("quartz role:user", "one/a"),
        ("quartz ROLE:Assistant", "two/b"),
        ("role:\"odd ONE\"", "/c"),
        ("quartz -role:user", "two/b /c"),
        ("role:user OR role:assistant", "two/b one/a"),
        ("quartz session:one", "one/a"),
        ("session:\"trip to oslo\"", "two/b"),
        ("session:~ quartz", "/c"),
        ("quartz -session:one", "two/b /c"),
        ("quartz session:nowhere", ""),
        ("quartz after:1970-01-03", "two/b /c"),
        ("quartz before:1970-01-03", "one/a"),
        ("after:1970-01-02 before:1970-01-03", "one/a"),
        ("after:2001", ""),
        ("-quartz", ""),
    ] {
        let mut found = found_anywhere(&story, text).await;
        let mut expected: Vec<&str> = expected.split_whitespace().collect();
        found.sort();
        expected.sort_unstable();
        assert_eq!(found, expected, "{text:?}");
    }
    assert_eq!(found_anywhere(&story, "quartz").await[0], "two/b", "the one that says it twice is the best");
    assert_eq!(
        found_anywhere(&story, "-nothing").await,
        ["/c", "two/b", "one/a"],
        "without words, newest first"
    );
}

#[tokio::test]
async fn the_index_follows_every_change() {
    // C10 as far as messages go; G2
    let story = Story::begin().await;
    let session = story.session("s").await;
    let home = story.default_session().await;
    for (name, text) in [("p0", "subject0"), ("p1", "subject1"), ("p2", "subject2")] {
        session.append(&user(name, text), Parent::ActiveLeaf).await.unwrap();
        home.append(&user(name, text), Parent::ActiveLeaf).await.unwrap();
    }
    let anywhere = |text: &'static str| {
        let story = &story;
        async move {
            let mut found = found_anywhere(story, text).await;
            found.sort();
            found.join(" ")
        }
    };
    assert_eq!(anywhere("subject2").await, "/p2 s/p2");

    session.append(&user("p2", "another text"), Parent::ActiveLeaf).await.unwrap();
    session.update(&user("p2", "changed")).await.unwrap();
    assert!(!session.update(&user("nobody", "ghost")).await.unwrap());
    assert_eq!((anywhere("subject2").await.as_str(), anywhere("changed").await.as_str()), ("/p2", "s/p2"));
    assert_eq!((anywhere("another").await.as_str(), anywhere("ghost").await.as_str()), ("", ""));

    session.delete(&[id("p1")]).await.unwrap();
    assert_eq!(anywhere("subject1").await, "/p1");
    home.clear().await.unwrap();
    assert_eq!((anywhere("subject0").await.as_str(), anywhere("subject1").await.as_str()), ("s/p0", ""));

    home.append(&user("p0", "subject0"), Parent::ActiveLeaf).await.unwrap();
    story.manager.delete(&SessionId::default()).await.unwrap();
    story.manager.delete(session.id()).await.unwrap();
    assert_eq!(anywhere("subject0").await, "");
    assert_eq!(found(&session, "subject0").await, [""; 0], "not in the trash either");
    story.manager.restore(&SessionId::default()).await.unwrap();
    story.manager.restore(session.id()).await.unwrap();
    assert_eq!(anywhere("subject0").await, "/p0 s/p0");
    story.manager.purge(session.id()).await.unwrap();
    assert_eq!(anywhere("subject0").await, "/p0");
    let session = story.session("s").await;
    assert_eq!(
        found(&session, "subject0").await,
        [""; 0],
        "a new session of that id has nothing of the old one"
    );
}

#[tokio::test]
async fn what_a_summary_stands_for_is_found_and_the_summary_is_not() {
    // C10
    let story = Story::begin().await;
    let session = story.session("s").await;
    for number in 0..5 {
        session
            .append(&user(&format!("p{number}"), &format!("subject{number}")), Parent::ActiveLeaf)
            .await
            .unwrap();
    }
    session.add_compaction("condensed overview", &id("p1"), &id("p3")).await.unwrap();
    check(&session, &[("subject2", "p2"), ("condensed", "")]).await;
    assert!(session.get(&id("p2")).await.unwrap().is_some());
}

#[tokio::test]
async fn odd_characters_are_stored_and_found() {
    // H04
    let story = Story::begin().await;
    let session = story.session("s").await;
    session.append(&user("m", "nul\0here \u{fffd} 👍\u{1f3fd}"), Parent::ActiveLeaf).await.unwrap();
    check(&session, &[("here", "m"), ("nul\0here", "m"), ("👍", "m"), ("\0", ""), ("\u{fffd}", "")]).await;
}

#[tokio::test]
async fn pages_hold_every_match_once_though_messages_come() {
    let names = names_in_pages("piers", 70).await;
    assert_eq!(names[..24].iter().map(|n| n % 3).max(), Some(2));
    assert!(names[..23].iter().all(|n| n % 3 == 2), "the best first: {names:?}");
    assert!(names[..23].is_sorted_by(|a, b| a > b), "equal ones newest first: {names:?}");
    check_names(names, 70);

    let many = SEARCH_RANKED_MAX + 70;
    let names = names_in_pages("piers", many).await;
    assert!(names.is_sorted_by(|a, b| a > b), "so many come newest first");
    check_names(names, many);

    let names = names_in_pages("*ier*", 70).await;
    assert!(names.is_sorted_by(|a, b| a > b), "a piece tells nothing apart");
    check_names(names, 70);
}

fn check_names(mut names: Vec<usize>, count: usize) {
    names.sort_unstable();
    assert_eq!(names, (0..count).collect::<Vec<_>>());
}

/// The numbers of all messages, read in pages of 20 while others are stored.
async fn names_in_pages(asked: &str, count: usize) -> Vec<usize> {
    let story = Story::begin().await;
    let session = story.session("s").await;
    let text = |n: usize| "pier ".repeat(1 + n % 3);
    let messages: Vec<Message> = (0..count).map(|n| user(&n.to_string(), &text(n))).collect();
    session.append_all(&messages, Parent::ActiveLeaf).await.unwrap();
    let mut all: Vec<usize> = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let search = Search { cursor: cursor.as_deref(), ..Search::new(asked) };
        let page = session.search(&search).await.unwrap();
        all.extend(page.hits.iter().map(|hit| hit.message.as_str().parse::<usize>().unwrap()));
        session.append(&user(&format!("new{}", all.len()), "pier"), under("0")).await.unwrap();
        cursor = page.next_cursor;
        if cursor.is_none() {
            return all;
        }
    }
}

#[tokio::test]
async fn limits_and_cursors() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    let messages: Vec<Message> = (0..30).map(|n| user(&n.to_string(), "pier")).collect();
    session.append_all(&messages, Parent::ActiveLeaf).await.unwrap();
    for (limit, expected) in [(0, 0), (1, 1), (30, 30), (usize::MAX, 30)] {
        let page = session.search(&Search { limit, ..Search::new("pier") }).await.unwrap();
        assert_eq!(page.hits.len(), expected, "{limit}");
    }
    assert_eq!(hits(&session, "pier").await.len(), SEARCH_PAGE_DEFAULT);
    let same_rank: Vec<String> =
        hits(&session, "pier").await.into_iter().map(|hit| hit.message.to_string()).collect();
    assert_eq!(
        same_rank,
        (10..30).rev().map(|n| n.to_string()).collect::<Vec<_>>(),
        "equal ones newest first"
    );
    for bad in ["", "x", "1.x", "1.2.3", "1.-1", "99999999999999999999"] {
        let search = Search { cursor: Some(bad), ..Search::new("pier") };
        let refused = session.search(&search).await.unwrap_err();
        assert!(matches!(refused, SessionError::BadCursor(text) if text == bad));
    }
    let gone = session.search(&Search { cursor: Some("3.999999999"), ..Search::new("pier") }).await.unwrap();
    assert_eq!((gone.hits, gone.next_cursor), (vec![], None));
}

#[tokio::test]
async fn a_broken_row_hides_no_other() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    for name in ["a", "b"] {
        session.append(&user(name, "pier"), Parent::ActiveLeaf).await.unwrap();
    }
    story.damage("UPDATE assistant_messages SET content = '{' WHERE id = 'a'").await;
    let hits = hits(&session, "pier").await;
    let shown: Vec<(String, String)> = hits.iter().map(|hit| (hit.message.to_string(), shown(hit))).collect();
    assert_eq!(shown, [("b".into(), "[pier]".into()), ("a".into(), String::new())]);
}

#[tokio::test]
async fn messages_of_an_older_file_are_found_after_a_while() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    let messages: Vec<Message> = (0..1_100).map(|n| user(&n.to_string(), &format!("pier {n}"))).collect();
    session.append_all(&messages, Parent::ActiveLeaf).await.unwrap();
    story.damage("DELETE FROM assistant_fts; UPDATE assistant_search SET digest = NULL").await;
    let page = session.search(&Search::new("1099 OR 300")).await.unwrap();
    let names: Vec<&str> = page.hits.iter().map(|hit| hit.message.as_str()).collect();
    assert_eq!((names, page.waiting), (vec!["1099"], 600), "the newest first");
    session.update(&user("0", "changed meanwhile")).await.unwrap();
    assert_eq!(story.manager.index_waiting().await.unwrap(), 99);
    assert_eq!(story.manager.index_waiting().await.unwrap(), 0);
    assert_eq!(story.manager.index_waiting().await.unwrap(), 0);
    check(&session, &[("1099 OR 300", "1099 300"), ("changed", "0"), ("pier 0", "")]).await;
}
