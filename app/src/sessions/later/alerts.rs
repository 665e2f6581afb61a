//! Tells of an answer that ended where nobody looks, by a notice of the system or a sound, as far as the reader
//! asked for that. Of all tabs one tells; where a tab of this server is looked at, none does.

mod system;

pub use system::{Permission, ask_permission, chime};

use crate::browser;
use crate::client::Client;
use crate::routes;
use crate::sessions::state::title;
use crate::ui::when::follow;
use leptos::prelude::*;
use protocol::{Awaited, SessionId, SessionInfo};
use std::collections::HashSet;
use std::time::Duration;

/// How long a tab that nobody looks at waits, so that one that is looked at can say first that nothing need be
/// told.
const PATIENCE: Duration = Duration::from_millis(400);

/// Looks after the list of chats for as long as the sidebar stands; `go` opens an address.
pub fn watch(client: Client, go: Callback<String>) {
    let running = StoredValue::new(HashSet::<SessionId>::new());
    follow(move || {
        let ended = {
            let list = client.sessions().read();
            let all = list.open();
            let ended = running.with_value(|before| ended(before, all.iter().copied()));
            running.set_value(all.iter().filter(|it| it.is_running).map(|it| it.id.clone()).collect());
            ended
        };
        for session in ended {
            if !client.prefs().read_untracked().alert.is_any() {
                continue;
            }
            match browser::is_hidden() {
                true => set_timeout(move || claim(client, session, Some(go)), PATIENCE),
                false => claim(client, session, None),
            }
        }
    });
}

/// Those whose turn was running and is over.
fn ended<'a>(before: &HashSet<SessionId>, now: impl Iterator<Item = &'a SessionInfo>) -> Vec<SessionInfo> {
    now.filter(|session| !session.is_running && before.contains(&session.id)).cloned().collect()
}

/// Only the first tab that says so tells of it; without a way to open the chat nothing is told.
fn claim(client: Client, session: SessionInfo, go: Option<Callback<String>>) {
    let key = format!("bough.told.{}", client.instance());
    let mark = format!("{} {}", session.id, session.updated_at);
    system::alone(move || {
        if browser::load(&key).as_ref() == Some(&mark) {
            return;
        }
        browser::store(&key, &mark);
        if let Some(go) = go {
            tell(client, &session, go);
        }
    });
}

fn tell(client: Client, session: &SessionInfo, go: Callback<String>) {
    let alert = client.prefs().read_untracked().alert;
    if alert.has_sound() {
        chime();
    }
    if alert.has_notice() {
        let address = routes::session("", &session.id);
        let tag = session.id.to_string();
        system::notify(&title(Some(session)), words(session), &tag, move || go.run(address.clone()));
    }
}

fn words(session: &SessionInfo) -> &'static str {
    match session.waiting {
        Some(Awaited::Approval) => "Waits for you",
        Some(Awaited::Tool) => "Waits for a program",
        None => "The answer is there",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str) -> SessionInfo {
        let row = serde_json::json!({
            "id": id, "name": id, "input_tokens": 0, "output_tokens": 0, "estimated_cost": 0.0,
            "created_at": 1, "updated_at": 1, "message_count": 0,
        });
        serde_json::from_value(row).expect("a session")
    }

    #[test]
    fn only_what_was_running_can_have_ended() {
        let before = HashSet::from(["a".into(), "b".into(), "gone".into()]);
        let running = SessionInfo { is_running: true, ..session("a") };
        let now = [running, session("b"), session("c")];
        let told: Vec<String> =
            ended(&before, now.iter()).iter().map(|session| session.id.to_string()).collect();
        assert_eq!(told, ["b"]);
    }

    #[test]
    fn a_notice_says_what_became_of_the_answer() {
        let waiting = |waiting| words(&SessionInfo { waiting, ..session("a") });
        let all = [waiting(None), waiting(Some(Awaited::Approval)), waiting(Some(Awaited::Tool))];
        assert_eq!(all, ["The answer is there", "Waits for you", "Waits for a program"]);
    }
}
