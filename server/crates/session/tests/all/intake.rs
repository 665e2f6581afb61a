//! What may be stored, and that it comes back as it went in.

use crate::support::{Dice, Story, id};
use protocol::limits::{ID_MAX_BYTES, MESSAGE_MAX_BYTES, MESSAGE_MAX_PARTS};
use protocol::{Message, Part};
use serde_json::{Value, json};
use session::{Parent, Session, SessionError};
use testkit::{assistant, user};

async fn store(session: &Session, message: &Message) -> Result<Message, SessionError> {
    session.append(message, Parent::ActiveLeaf).await?;
    Ok(session.get(&message.id).await?.expect("it was just stored"))
}

fn message(json: Value) -> Message {
    serde_json::from_value(json).unwrap()
}

#[tokio::test]
async fn unknown_fields_nul_and_every_kind_of_text_come_back() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    for (name, text) in [("nul", "a\0b"), ("lone", "\u{fffd}"), ("wide", "漢字🦀é"), ("quote", "';--\"\\")]
    {
        let sent = user(name, text);
        assert_eq!(store(&session, &sent).await.unwrap(), sent);
    }
    let odd = message(json!({
        "id": "odd", "role": "critic", "createdAt": "2026-01-01", "metadata": {"z": 1, "a": [null, 1.5]},
        "parts": [{"type": "hologram", "x": {"y": []}}, 7, {"type": "text", "text": "t", "mood": "good"}],
    }));
    let before = serde_json::to_string(&odd).unwrap();
    assert_eq!(serde_json::to_string(&store(&session, &odd).await.unwrap()).unwrap(), before);
}

#[tokio::test]
async fn every_number_comes_back_to_the_last_digit() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    let seed = Dice::fresh_seed();
    let mut dice = Dice::with_seed(seed);
    let random = (0..1_000).map(|_| {
        let bits = (0..4).fold(0, |bits, _| bits << 16 | dice.below(1 << 16) as u64);
        Some(f64::from_bits(bits)).filter(|number| number.is_finite()).unwrap_or(0.3)
    });
    let odd = [0.1 + 0.2, -0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, 123_456_789.123_456_78];
    let numbers: Vec<f64> = odd.into_iter().chain(random).collect();
    let sent = message(json!({
        "id": "m", "role": "user", "parts": [{"type": "data-x", "data": numbers}], "metadata": {"i": [u64::MAX, i64::MIN]},
    }));
    let stored = store(&session, &sent).await.unwrap();
    assert_eq!(stored, sent, "seed {seed}");
}

#[tokio::test]
async fn ids_must_be_usable() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    for bad in ["", "a\0b", "line\nbreak", &"x".repeat(ID_MAX_BYTES + 1)] {
        let refused = store(&session, &user(bad, "x")).await.unwrap_err();
        assert!(matches!(refused, SessionError::InvalidId { .. }), "{bad:?}: {refused:?}");
    }
    store(&session, &user(&"x".repeat(ID_MAX_BYTES), "x")).await.unwrap();
}

#[tokio::test]
async fn what_a_person_sends_is_stored_whole_or_refused() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    let frame = serde_json::to_string(&user("u", "")).unwrap().len();
    let fits = user("u", &"x".repeat(MESSAGE_MAX_BYTES - frame));
    assert_eq!(store(&session, &fits).await.unwrap(), fits);
    let over = user("o", &"x".repeat(MESSAGE_MAX_BYTES - frame + 1));
    let refused = store(&session, &over).await.unwrap_err();
    assert!(matches!(refused, SessionError::TooLarge { bytes, .. } if bytes == MESSAGE_MAX_BYTES + 1));
    assert!(matches!(session.update(&over).await.unwrap_err(), SessionError::TooLarge { .. }));

    let many = Message { parts: vec![Part::StepStart; MESSAGE_MAX_PARTS + 1], ..user("m", "") };
    assert!(matches!(store(&session, &many).await.unwrap_err(), SessionError::TooManyParts { .. }));
    let deep =
        message(json!({"id": "d", "role": "user", "parts": [{"type": "data-x", "data": nested(120)}]}));
    assert!(matches!(store(&session, &deep).await.unwrap_err(), SessionError::TooDeep { levels: 123, .. }));
    assert_eq!(session.get(&id("d")).await.unwrap(), None);
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

#[tokio::test]
async fn what_a_model_says_always_fits() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    let sent = assistant("text", &"x".repeat(MESSAGE_MAX_BYTES));
    let stored = store(&session, &sent).await.unwrap();
    assert!(
        stored.plain_text().starts_with("[Text truncated for storage (1800000 chars). First 500 chars: xx")
    );
    assert_eq!(stored.metadata.unwrap()["compactedTextParts"], json!([0]));
    assert!(session.update(&sent).await.unwrap());

    let deep =
        message(json!({"id": "d", "role": "assistant", "parts": [{"type": "data-x", "data": nested(300)}]}));
    let stored = store(&session, &deep).await.unwrap();
    assert_eq!((stored.id, stored.parts.len()), (id("d"), 1));
    assert_eq!(session.history(None).await.unwrap().broken, []);
}
