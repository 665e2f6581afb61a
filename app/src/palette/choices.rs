//! What the palette offers for what was typed: commands, then chats by name, then messages. Pure.

use crate::boot::Theme;
use crate::context_panel::layout::Tab;
use crate::sessions::state::{SessionList, title};
use crate::settings::section::Section;
use protocol::{SearchHit, SessionId};

/// Chats by name that are offered at most.
const NAMES_MAX: usize = 8;

/// One thing that the palette offers.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// Begin a chat.
    NewChat,
    /// Show a tab of the panel.
    Panel(Tab),
    /// Open a section of the settings.
    Settings(Section),
    /// Choose how the page looks.
    Look(Theme),
    /// Sign this browser out.
    SignOut,
    /// Go to a chat.
    Chat(SessionId, String),
    /// Go to a message.
    Message(SearchHit),
}

impl Choice {
    /// What it is called.
    pub fn label(&self) -> String {
        match self {
            Self::NewChat => "New chat".to_owned(),
            Self::Panel(tab) => format!("Show {}", tab.label().to_lowercase()),
            Self::Settings(Section::Data) => "Settings: data, archive and trash".to_owned(),
            Self::Settings(section) => format!("Settings: {}", section.label().to_lowercase()),
            Self::Look(theme) => format!("Theme: {}", theme.as_str()),
            Self::SignOut => "Sign out".to_owned(),
            Self::Chat(_, name) => name.clone(),
            Self::Message(hit) if hit.session_name.is_empty() => "Untitled".to_owned(),
            Self::Message(hit) => hit.session_name.clone(),
        }
    }

    /// What kind of thing it is.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NewChat | Self::Panel(_) | Self::Settings(_) | Self::Look(_) | Self::SignOut => "Command",
            Self::Chat(..) => "Chat",
            Self::Message(hit) if hit.is_on_active_path => "Message",
            Self::Message(_) => "Message on another branch",
        }
    }
}

/// What is offered for `typed`; `further` is a command that there is only sometimes.
pub fn choices(
    typed: &str,
    sessions: &SessionList,
    hits: &[SearchHit],
    further: Option<Choice>,
) -> Vec<Choice> {
    let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
    let fits = |label: &str| {
        let label = label.to_lowercase();
        words.iter().all(|word| label.contains(word.as_str()))
    };
    let commands = std::iter::once(Choice::NewChat)
        .chain(Tab::ALL.map(Choice::Panel))
        .chain(Section::ALL.map(Choice::Settings))
        .chain([Theme::Light, Theme::Dark, Theme::System].map(Choice::Look))
        .chain(further);
    let chats =
        sessions.open().into_iter().map(|session| Choice::Chat(session.id.clone(), title(Some(session))));
    let named = commands.filter(|choice| fits(&choice.label()));
    let chats = chats.filter(|choice| fits(&choice.label())).take(NAMES_MAX);
    named.chain(chats).chain(hits.iter().cloned().map(Choice::Message)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions() -> SessionList {
        let mut list = SessionList::default();
        for (id, name) in [("a", "Herons of the fjord"), ("b", "Rye bread"), ("c", "")] {
            let fields = serde_json::json!({
                "id": id, "name": name, "input_tokens": 0, "output_tokens": 0, "estimated_cost": 0.0,
                "created_at": 1, "updated_at": 1, "message_count": 2,
            });
            list.put(serde_json::from_value(fields).expect("a session"));
        }
        list
    }

    fn hit(kind: &str) -> SearchHit {
        let fields = serde_json::json!({
            "session": "a", "session_name": "Herons of the fjord", "message": "m1", "role": "user",
            "created_at": 1, "rank": -1.0, "is_on_active_path": kind == "here", "snippet": [],
        });
        serde_json::from_value(fields).expect("a hit")
    }

    fn told(typed: &str, hits: &[SearchHit]) -> Vec<String> {
        let tell = |choice: &Choice| format!("{}: {}", choice.kind(), choice.label());
        choices(typed, &sessions(), hits, None).iter().map(tell).collect()
    }

    #[test]
    fn signing_out_is_offered_where_somebody_signed_in() {
        let offered = |further| choices("sign", &sessions(), &[], further);
        assert_eq!(offered(Some(Choice::SignOut)), [Choice::SignOut]);
        assert_eq!(offered(None), []);
    }

    #[test]
    fn a_new_chat_comes_first_and_then_what_fits() {
        let all = told("", &[]);
        assert_eq!((all.first().map(String::as_str), all.len()), (Some("Command: New chat"), 15));
        assert_eq!(told("HER fjo", &[]), ["Chat: Herons of the fjord"]);
        assert_eq!(told("theme d", &[]), ["Command: Theme: dark"]);
        assert_eq!(told("trash", &[]), ["Command: Settings: data, archive and trash"]);
        assert_eq!(told("nothing of the kind", &[]), [""; 0]);
        let found = ["Message: Herons of the fjord", "Message on another branch: Herons of the fjord"];
        assert_eq!(told("otter", &[hit("here"), hit("elsewhere")]), found);
    }
}
