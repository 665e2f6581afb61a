//! Conversations written to a file and read from one: the same again, and what is broken stops nothing else.

use crate::support::{Story, answer, chain, id, ids, path, say, under};
use futures::channel::mpsc;
use futures::{StreamExt, join};
use protocol::limits::{IMPORT_ENTRIES_MAX, IMPORT_SESSIONS_MAX};
use protocol::{ImportReport, ImportStatus, Message, MessageId, Role, SessionId};
use serde_json::{Value, json};
use session::{
    BlockOptions, Change, ContextConfig, Exported, ImportError, ImportFile, Owner, PIECES_MAX, Parent, Pin,
    Provider, SessionError,
};
use std::io::{Cursor, Write};
use testkit::user;
use zip::write::SimpleFileOptions;

async fn exported(story: &Story, what: &Exported) -> Value {
    let (sender, pieces) = mpsc::channel(PIECES_MAX);
    let (done, pieces) = join!(story.manager.export(what, sender), pieces.collect::<Vec<String>>());
    done.unwrap();
    let mut file: Value = serde_json::from_str(&pieces.concat()).unwrap();
    assert!(file.as_object_mut().unwrap().remove("exported_at").is_some());
    file
}

async fn import(story: &Story, file: Value) -> Result<ImportReport, ImportError> {
    story.manager.import(ImportFile::open(Cursor::new(file.to_string()))?).await
}

async fn everything(story: &Story) -> Value {
    exported(story, &Exported::Everything).await
}

async fn imported(story: &Story, file: Value) -> Vec<(String, ImportStatus, u64, Option<String>)> {
    let ImportReport { sessions, problem } = import(story, file).await.unwrap();
    assert_eq!(problem, None);
    let row = |it: protocol::ImportedSession| (it.name, it.status, it.messages, it.problem);
    sessions.into_iter().map(row).collect()
}

/// Sessions with everything there is: versions, pins, summaries, trash, blocks of both scopes, shelves.
async fn grown() -> Story {
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 8).await;
    answer(&session, "d3", "c2").await;
    session.append(&user("anew", "another beginning"), Parent::Root).await.unwrap();
    session.set_pinned(&id("c7"), Pin::Pinned).await.unwrap();
    session.add_compaction("early", &id("c1"), &id("c3")).await.unwrap();
    session.add_compaction("late", &id("c4"), &id("c4")).await.unwrap();
    session.set_active(&id("d3")).await.unwrap();
    session.set_active(&id("c3")).await.unwrap();
    session.delete(&ids(&["c3", "c4"])).await.unwrap();
    story.clock.advance(5);
    session.delete(&ids(&["c6"])).await.unwrap();
    let other = story.session("other").await;
    say(&other, "hello \u{1f333} \"quoted\"").await;
    story.manager.rename(other.id(), "Oaks").await.unwrap();
    story.manager.set_model(other.id(), Some("a/b")).await.unwrap();
    let sampling = serde_json::from_value(json!({"temperature": 0.5})).unwrap();
    story.manager.set_sampling(other.id(), Some(sampling)).await.unwrap();
    story.manager.add_usage(other.id(), 5, 7, 0.25).await.unwrap();
    story.manager.pin(other.id()).await.unwrap();
    let config = ContextConfig::default()
        .with_context("facts", BlockOptions::from_provider(Provider::stored(Owner::Agent)))
        .unwrap()
        .with_context("mine", BlockOptions::from_provider(Provider::stored(Owner::Session)))
        .unwrap();
    let context = other.context(&config);
    for text in ["first", "second"] {
        context.replace("facts", text, &Change::by_user(None)).await.unwrap();
        context.replace("mine", text, &Change::by_model("r1".into())).await.unwrap();
    }
    story.session("gone").await;
    story.manager.delete(&"gone".into()).await.unwrap();
    story
}

#[tokio::test]
async fn what_is_exported_and_imported_is_exported_the_same() {
    let story = grown().await;
    let file = everything(&story).await;
    assert_eq!(file["sessions"].as_array().unwrap().len(), 3);
    let fresh = Story::begin().await;
    fresh.clock.advance(1_000);
    let report = imported(&fresh, file.clone()).await;
    assert_eq!(
        report,
        [
            (String::new(), ImportStatus::Imported, 10, None),
            ("Oaks".to_owned(), ImportStatus::Imported, 1, None),
            (String::new(), ImportStatus::Imported, 0, None),
        ]
    );
    assert_eq!(everything(&fresh).await, file);
    assert_eq!(fresh.manager.examine().await.unwrap(), []);
    // It works on: what lies in the trash comes back where it was, and words are found.
    let (old, new) = (story.default_session().await, fresh.default_session().await);
    for session in [&old, &new] {
        session.restore(&id("c4")).await.unwrap();
        session.restore(&id("c6")).await.unwrap();
    }
    assert_eq!(path(&new).await, path(&old).await);
    assert_eq!(new.compactions().await.unwrap(), old.compactions().await.unwrap());
    assert_eq!(new.token_estimate(None).await.unwrap(), old.token_estimate(None).await.unwrap());
}

#[tokio::test]
async fn ids_that_are_taken_become_new_ones_and_nothing_here_changes() {
    let story = grown().await;
    let child = session::NewSession {
        parent_session_id: Some("other".into()),
        id: Some("child".into()),
        ..session::NewSession::default()
    };
    story.manager.create(child).await.unwrap();
    let before = everything(&story).await;
    let mut file = before.clone();
    file.as_object_mut().unwrap().remove("memory");
    let report = import(&story, file).await.unwrap();
    assert!(report.sessions.iter().all(|session| session.status == ImportStatus::Imported), "{report:?}");
    let after = everything(&story).await;
    let sessions = |file: &Value| file["sessions"].as_array().unwrap().clone();
    let (old, all) = (sessions(&before), sessions(&after));
    assert_eq!(all[..old.len()], old[..]);
    let ids: Vec<&str> = report.sessions.iter().map(|session| session.id.as_str()).collect();
    let mut expected = old.clone();
    for (session, id) in expected.iter_mut().zip(&ids) {
        session["id"] = (*id).into();
        if session.get("parent_session_id").is_some() {
            session["parent_session_id"] = ids[1].into();
        }
    }
    assert_eq!(all[old.len()..], expected[..]);
}

#[tokio::test]
async fn one_session_is_exported_alone() {
    let story = grown().await;
    let file = exported(&story, &Exported::Sessions(vec!["other".into()])).await;
    let whole = everything(&story).await;
    assert_eq!((file.get("memory"), file["sessions"].clone()), (None, json!([whole["sessions"][1]])));
    let (sender, _pieces) = mpsc::channel(PIECES_MAX);
    let one_unknown = Exported::Sessions(vec!["other".into(), "none".into()]);
    let refused = story.manager.export(&one_unknown, sender).await.unwrap_err();
    assert!(matches!(refused, SessionError::UnknownSession(id) if id == SessionId::from("none")));
}

#[tokio::test]
async fn an_export_that_nobody_takes_is_no_failure() {
    let story = grown().await;
    let (sender, pieces) = mpsc::channel(0);
    drop(pieces);
    story.manager.export(&Exported::Everything, sender).await.unwrap();
}

fn row(id: &str, parent: Option<&str>) -> Value {
    let message = json!({"id": id, "role": "user", "parts": [{"type": "text", "text": id}]});
    json!({"id": id, "parent_id": parent, "created_at": 7, "message": message})
}

#[tokio::test]
async fn what_is_broken_is_named_and_stops_nothing_else() {
    // K01
    let story = Story::begin().await;
    let broken = json!({"id": "b", "parent_id": "a", "broken": "{"});
    let huge = json!({"id": "h", "message": {"id": "h", "role": "user", "parts": [
        {"type": "text", "text": "x".repeat(protocol::limits::MESSAGE_MAX_BYTES)}]}});
    let other = json!({"id": "o", "message": {"id": "p", "role": "user", "parts": []}});
    let messages =
        json!([row("a", None), broken, row("c", Some("b")), row("c", None), huge, other, {"no": 1}]);
    let file = json!({"format": "bough", "version": 1, "sessions": [
        {"id": "one", "name": "One", "messages": messages},
        "nonsense",
        {"id": "two", "name": "Two", "created_at": "yesterday", "messages": []},
        {"id": "three", "name": "Three"},
        {"id": "~", "name": "x".repeat(500), "active_leaf": "nobody", "messages": [row("z", Some("nobody"))],
            "summaries": [{"id": "s", "seq": 1, "from_message": "z", "to_message": "y", "created_at": 1, "summary": "x"}]},
    ]});
    let report = imported(&story, file).await;
    let statuses: Vec<(ImportStatus, u64)> = report.iter().map(|row| (row.1, row.2)).collect();
    let failed = (ImportStatus::Failed, 0);
    assert_eq!(
        statuses,
        [(ImportStatus::Imported, 2), failed, failed, failed, (ImportStatus::Imported, 1)],
        "{report:?}"
    );
    for (number, word) in
        [(0, "\"b\""), (0, "twice"), (0, "1800000"), (2, "yesterday"), (3, "no list"), (4, "\"s\"")]
    {
        assert!(report[number].3.as_ref().unwrap().contains(word), "{word}: {report:?}");
    }
    let one = story.session("one").await;
    assert_eq!(path(&one).await, ids(&["a", "c"]));
    assert_eq!(one.tree().await.unwrap().nodes[0].created_at, 7);
    assert_eq!(story.manager.examine().await.unwrap(), []);
    one.append(&user("next", "next"), under("c")).await.unwrap();
}

#[tokio::test]
async fn files_of_others_and_of_later_versions_are_refused_in_words() {
    let story = Story::begin().await;
    for (file, word) in [
        (json!({"format": "bough", "version": 2, "sessions": []}), "version 2"),
        (json!({"format": "bough", "sessions": []}), "which version"),
        (json!({"format": "bough", "version": 1}), "no list of sessions"),
        (json!({"hello": 1}), "ChatGPT"),
        (json!([]), "ChatGPT"),
        (json!(7), "ChatGPT"),
    ] {
        let refused = import(&story, file).await.unwrap_err();
        assert!(refused.to_string().contains(word), "{refused}");
        assert!(!matches!(refused, ImportError::Session(_)));
    }
}

/// An archive of these files.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn open(bytes: Vec<u8>) -> Result<ImportFile, ImportError> {
    ImportFile::open(Cursor::new(bytes))
}

// K01
#[tokio::test]
async fn an_archive_gives_what_its_files_hold_and_names_the_others() {
    let story = Story::begin().await;
    let node = |text: &str| json!({"parent": null, "message": {"author": {"role": "user"}, "content": {"parts": [text]}}});
    let talk = |id: &str, text: &str| json!({"id": id, "title": id, "mapping": {"n": node(text)}});
    let first = json!([talk("one", "first"), {"title": "odd", "mapping": 7}]).to_string();
    let second =
        json!([talk("two", "second"), {"title": "bare", "mapping": {"m": {"message": null}}}]).to_string();
    let own = json!({"format": "bough", "version": 1, "sessions": [{"id": "two", "name": "Own", "messages": [row("a", None)]}]});
    let own = own.to_string();
    let files = [
        ("export/conversations-000.json", first.as_str()),
        ("export/conversations-001.JSON", &second),
        ("user.json", "{\"email\": \"a@example.org\"}"),
        ("chat.html", "<p>[</p>"),
        ("half.json", "[{\"mapping\": {"),
        ("own.json", &own),
        ("__MACOSX/conversations.json", &first),
    ];
    let report = story.manager.import(open(archive(&files)).unwrap()).await.unwrap();
    let rows = report.sessions.iter().map(|row| (row.name.as_str(), row.status, row.problem.as_deref()));
    let (imported, failed, skipped) = (ImportStatus::Imported, ImportStatus::Failed, ImportStatus::Skipped);
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [
            ("one", imported, None),
            ("odd", failed, Some("export/conversations-000.json: it has no map of messages")),
            ("two", imported, None),
            ("bare", skipped, Some("export/conversations-001.JSON: it holds no messages with a text")),
            ("Own", imported, None),
        ]
    );
    // Sessions of our own format name each other, so they have the first choice of an id.
    assert_eq!(report.sessions[4].id.as_str(), "two");
    assert_ne!(report.sessions[2].id.as_str(), "two");
    let problem = report.problem.unwrap();
    assert!(problem.starts_with("half.json: the file is no JSON: it ends too early"), "{problem}");
    assert_eq!(texts(&story, "one", "n").await, [said("user", "first")]);
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

#[tokio::test]
async fn archives_that_are_none_or_bombs_are_refused_in_words() {
    let bomb = format!("[\"{}\"]", "0".repeat(64 * 1024 * 1024));
    let many: Vec<u8> = {
        let mut bytes = archive(&[("a.txt", "x")]);
        let end = bytes.len() - 22;
        let mut tail = bytes.split_off(end);
        tail[10..12].copy_from_slice(&[0xff, 0xff]);
        // The larger record of a large archive, and what leads to it.
        let mut record = [0; 56];
        record[..4].copy_from_slice(b"PK\x06\x06");
        record[32..40].copy_from_slice(&(IMPORT_ENTRIES_MAX as u64 + 1).to_le_bytes());
        let place = (end as u64).to_le_bytes();
        [&bytes[..], &record, b"PK\x06\x07\0\0\0\0", &place, &[1, 0, 0, 0], &tail].concat()
    };
    let crowd = |count: usize| {
        let sessions = vec!["{}"; count].join(",");
        format!("{{\"format\": \"bough\", \"version\": 1, \"sessions\": [{sessions}]}}")
    };
    let half = crowd(IMPORT_SESSIONS_MAX / 2 + 1);
    for (bytes, word) in [
        (crowd(IMPORT_SESSIONS_MAX + 1).into_bytes(), "IMPORT_SESSIONS_MAX"),
        (archive(&[("a.json", &half), ("b.json", &half)]), "IMPORT_SESSIONS_MAX"),
        (b"PK\x03\x04 and then nothing".to_vec(), "archive cannot be read"),
        (archive(&[]), "none of the JSON files"),
        (archive(&[("user.json", "{}"), ("a.txt", "[]")]), "user.json"),
        (archive(&[("conversations.json", &bomb)]), "IMPORT_INFLATED_MAX_BYTES"),
        (archive(&[("half.json", "[")]), "half.json"),
        (many, "IMPORT_ENTRIES_MAX"),
        (b"{\"format\":\"bough\"".to_vec(), "ends too early"),
        (b"".to_vec(), "ends too early"),
        (b"nonsense".to_vec(), "ChatGPT"),
    ] {
        let refused = open(bytes).unwrap_err().to_string();
        assert!(refused.contains(word), "{word}: {refused}");
    }
}

#[tokio::test]
async fn the_order_of_fields_does_not_count() {
    let story = grown().await;
    let file = everything(&story).await;
    /// The same value with its fields from the last to the first.
    fn turned(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                fields.iter().rev().map(|(name, value)| (name.clone(), turned(value))).collect()
            }
            Value::Array(items) => items.iter().map(turned).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        }
    }
    let fresh = Story::begin().await;
    let report = import(&fresh, turned(&file)).await.unwrap();
    assert!(report.sessions.iter().all(|session| session.status == ImportStatus::Imported), "{report:?}");
    assert_eq!(everything(&fresh).await, file);
}

async fn texts(story: &Story, id: &str, leaf: &str) -> Vec<(String, String)> {
    let session = story.manager.session(&id.into()).await.unwrap().unwrap();
    let leaf = MessageId::from(leaf);
    let messages = session.raw_history(Some(&leaf)).await.unwrap().messages;
    messages.iter().map(|message| (message.role.as_str().to_owned(), message.plain_text())).collect()
}

fn said(role: &str, text: &str) -> (String, String) {
    (role.to_owned(), text.to_owned())
}

#[tokio::test]
async fn branches_of_other_products_are_taken_over() {
    let story = Story::begin().await;
    let node = |parent: &str, role: &str, text: &str| {
        json!({"parent": parent, "message": {"author": {"role": role}, "create_time": 1_700_000_000.5,
            "content": {"content_type": "text", "parts": [text]}}})
    };
    let chatgpt = json!([
        {"conversation_id": "g1", "title": "Trees", "create_time": 1_700_000_000, "current_node": "a2", "mapping": {
            "root": {"parent": null, "message": null},
            "u1": node("sys", "user", "Which tree?"),
            "sys": node("root", "system", ""),
            "a1": node("u1", "assistant", "An oak."), "a2": node("u1", "assistant", "A beech."),
            "t": node("a2", "tool", "{}"), "u2": node("t", "user", "Why?")}},
        {"title": "Broken"},
        {"title": "Empty", "mapping": {}},
    ]);
    let report = imported(&story, chatgpt).await;
    let left_out = "3 messages without a text, or of tools, were left out";
    assert_eq!(
        report,
        [
            ("Trees".to_owned(), ImportStatus::Imported, 4, Some(left_out.to_owned())),
            ("Broken".to_owned(), ImportStatus::Failed, 0, Some("it has no map of messages".to_owned())),
            (
                "Empty".to_owned(),
                ImportStatus::Skipped,
                0,
                Some("it holds no messages with a text".to_owned())
            ),
        ]
    );
    let answered = [said("user", "Which tree?"), said("assistant", "A beech."), said("user", "Why?")];
    assert_eq!(texts(&story, "g1", "u2").await, answered);
    assert_eq!(texts(&story, "g1", "a1").await[1], said("assistant", "An oak."));
    let tree = story.session("g1").await.tree().await.unwrap();
    assert_eq!((tree.active_leaf, tree.nodes[0].created_at), (Some(id("u2")), 1_700_000_000_500));

    let claude = json!([{"uuid": "c1", "name": "Woods", "created_at": "2024-02-29T12:34:56.789Z", "chat_messages": [
        {"uuid": "h", "sender": "human", "text": "Hi", "attachments": [{"file_name": "a.txt", "extracted_content": "x"}]},
        {"sender": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hello"}]}]}]);
    assert_eq!(imported(&story, claude).await[0], ("Woods".to_owned(), ImportStatus::Imported, 2, None));
    let woods = [said("user", "Hi\n[attachment: a.txt]\n\nx"), said("assistant", "Hello")];
    assert_eq!(texts(&story, "c1", "message-1").await, woods);

    let webui = json!([{"id": "w1", "title": "Leaves", "updated_at": 1_700_000_000, "archived": true, "chat": {"history": {
        "currentId": "b", "messages": {
            "b": {"id": "b", "parentId": "a", "role": "assistant", "content": "Green", "model": "m"},
            "a": {"id": "a", "parentId": null, "role": "user", "content": "Colour?"}}}}}]);
    assert_eq!(imported(&story, webui).await[0], ("Leaves".to_owned(), ImportStatus::Imported, 2, None));
    assert_eq!(texts(&story, "w1", "b").await, [said("user", "Colour?"), said("assistant", "Green")]);
    assert!(story.manager.get(&"w1".into()).await.unwrap().unwrap().archived_at.is_some());
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

#[tokio::test]
async fn a_session_is_told_in_markdown() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    story.manager.rename(session.id(), "Oaks & more").await.unwrap();
    let question: Message = serde_json::from_value(json!({"id": "u", "role": "user", "parts": [
        {"type": "text", "text": "What is it?"},
        {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AAAA", "filename": "/home/me/oak.png"}]}))
    .unwrap();
    let reply: Message = serde_json::from_value(json!({"id": "a", "role": "assistant", "parts": [
        {"type": "reasoning", "text": "hidden"},
        {"type": "tool-look", "toolCallId": "c", "state": "output-available", "input": {"n": 1}, "output": "a `x` ```y```"},
        {"type": "text", "text": "An **oak**."},
        {"type": "source-url", "sourceId": "1", "url": "https://example.org/", "title": "Oaks"}]}))
    .unwrap();
    assert_eq!((&question.role, &reply.role), (&Role::User, &Role::Assistant));
    session.append_all(&[question, reply], Parent::ActiveLeaf).await.unwrap();
    let expected = "# Oaks & more\n\n## You\n\nWhat is it?\n\nAttachment: oak.png (image/png)\n\n## Assistant\n\n\
        Tool: look\n\nInput:\n\n```\n{\n  \"n\": 1\n}\n```\n\nOutput:\n\n````\na `x` ```y```\n````\n\nAn **oak**.\n\n\
        Source: [Oaks](<https://example.org/>)\n";
    assert_eq!(story.manager.markdown(session.id()).await.unwrap(), expected);
    let refused = story.manager.markdown(&"none".into()).await.unwrap_err();
    assert!(matches!(refused, SessionError::UnknownSession(_)));
}
