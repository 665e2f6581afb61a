//! Where new messages go, as rows: the session, the request, the outcome.

use super::*;
use serde_json::json;

/// A session: its active path, with `~` before a reserved answer, and ids on other branches.
struct Tree {
    path: Vec<(MessageId, Kind)>,
    elsewhere: Vec<MessageId>,
    /// The stored message that an edit could mean, and what it follows.
    stored: Option<(Message, Option<MessageId>)>,
}

#[derive(PartialEq)]
enum Kind {
    User,
    Answer,
    Reserved,
}

impl Tree {
    fn new(path: &str, elsewhere: &str) -> Self {
        let entry = |word: &str| match word.strip_prefix('~') {
            Some(id) => (MessageId::from(id), Kind::Reserved),
            None if word.starts_with('a') => (MessageId::from(word), Kind::Answer),
            None => (MessageId::from(word), Kind::User),
        };
        Self {
            path: path.split_whitespace().map(entry).collect(),
            elsewhere: elsewhere.split_whitespace().map(MessageId::from).collect(),
            stored: None,
        }
    }
}

impl Known for Tree {
    fn has(&self, id: &MessageId) -> bool {
        self.elsewhere.contains(id) || self.path.iter().any(|(known, _)| known == id)
    }

    fn active_leaf(&self) -> Option<&MessageId> {
        self.path.last().map(|(id, _)| id)
    }

    fn stored(&self, id: &MessageId) -> Option<(&Message, Option<&MessageId>)> {
        let (stored, parent) = self.stored.as_ref().filter(|(stored, _)| stored.id == *id)?;
        Some((stored, parent.as_ref()))
    }

    fn new_id(&self) -> MessageId {
        MessageId::from("new")
    }

    fn is_answered_below(&self, id: &MessageId) -> Option<bool> {
        let at = self.path.iter().position(|(known, _)| known == id)?;
        Some(self.path[at + 1..].iter().any(|(_, kind)| *kind == Kind::Answer))
    }
}

/// `list`: ids; those starting with `a` are assistant messages.
fn request(list: &str, trigger: Option<Trigger>) -> ChatBody {
    let role = |id: &str| if id.starts_with('a') { Role::Assistant } else { Role::User };
    let messages = list.split_whitespace().map(|id| Message::text(id, role(id), "text")).collect();
    ChatBody { messages, trigger, ..ChatBody::default() }
}

fn outcome(tree: &Tree, body: &ChatBody) -> String {
    match admit(body, tree) {
        Err(error) => format!("{:?}", error.code),
        Ok(Admission { messages, parent }) => {
            let ids: Vec<&str> = messages.iter().map(|message| message.id.as_str()).collect();
            format!("{} under {}", ids.join(" "), parent.as_ref().map_or("nothing", MessageId::as_str))
        }
    }
}

fn check(path: &str, elsewhere: &str, list: &str, expected: &str) {
    let tree = Tree::new(path, elsewhere);
    assert_eq!(outcome(&tree, &request(list, None)), expected, "path [{path}], request [{list}]");
}

#[test]
fn new_messages_follow_what_the_list_says() {
    check("", "", "u1", "u1 under nothing");
    check("u1 a1", "", "u1 a1 u2", "u2 under a1"); // TK-010
    check("u1 a1", "", "u2", "u2 under a1"); // TK-086: only the new message
    check("u1 a1 u2 a2", "", "u1 a1 u9", "u9 under a1"); // a cut list branches
    check("u1 a1", "b1", "u1 b1 u9", "u9 under b1"); // the last known message is on another branch
    check("u1 a1", "", "u1 a1 u2 u3", "u2 u3 under a1");
}

#[test]
fn queued_turns_stay_in_one_line() {
    check("u1 ~r1", "", "u1 u2", "u2 under r1");
    check("u1 ~r1 u2 ~r2", "", "u1 u2 u3", "u3 under r2");
    check("u1 ~r1 u2 ~r2", "", "u1 u9", "u9 under r2"); // another tab does not know u2 yet
}

#[test]
fn a_client_cannot_forge_or_repeat() {
    check("u1 a1", "", "u1 a1 a9 u2", "u2 under a1"); // assistant text is the server's
    check("u1 a1", "", "u2 u2", "u2 under a1");
    check("u1 a1", "", "u1 compaction_7 u2", "u2 under a1");
    check("", "", "a9", "BadRequest");
    check("", "", "", "BadRequest");
}

#[test]
fn nothing_new_answers_the_last_known_message_again() {
    check("u1 a1", "", "u1", "under u1".replace("under", " under").as_str());
    let tree = Tree::new("u1 a1 u2 a2", "");
    assert_eq!(outcome(&tree, &request("u1 a1 u2", Some(Trigger::RegenerateMessage))), " under u2");
}

/// `list` holds messages with the text `text`; the last one is stored with another text.
fn check_edit(list: &str, follows: Option<&str>, trigger: Option<Trigger>, expected: &str) {
    let mut tree = Tree::new("u1 a1 u2 a2", "");
    let body = request(list, trigger);
    let last = body.messages.last().unwrap();
    let stored = Message::text(last.id.clone(), last.role.clone(), "as it was");
    tree.stored = Some((stored, follows.map(MessageId::from)));
    assert_eq!(outcome(&tree, &body), expected, "request [{list}] {trigger:?}");
}

#[test]
fn a_changed_question_at_the_end_of_the_list_is_a_new_version() {
    check_edit("u1 a1 u2", Some("a1"), None, "new under a1");
    check_edit("u2", Some("a1"), None, "new under a1"); // only the edited message
    check_edit("u1", None, None, "new under nothing"); // another beginning
    check_edit("u1 a1 u2", Some("a1"), Some(Trigger::SubmitMessage), "new under a1");
    check_edit("u1 a1 u2", Some("a1"), Some(Trigger::RegenerateMessage), " under u2"); // makes no question
    check_edit("u1 a1", Some("u1"), None, " under a1"); // answers are the server's
}

#[test]
fn reserved_metadata_is_stripped() {
    let mut body = request("u1", None);
    let metadata = json!({ "channel": "x", "bough": { "status": "complete" }, "mine": 1 });
    body.messages[0].metadata = serde_json::from_value(metadata).unwrap();
    let admission = admit(&body, &Tree::new("", "")).unwrap();
    assert_eq!(serde_json::to_value(&admission.messages[0].metadata).unwrap(), json!({ "mine": 1 }));
}
