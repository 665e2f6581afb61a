//! What is suggested for what is being typed. Pure.

use crate::chat::composer::trigger::Trigger;
use crate::context_panel::layout::Tab;
use crate::sessions::state::{SessionList, title};

/// Suggestions that are shown at most.
const OFFERS_MAX: usize = 8;

/// Where something is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a chat.
    Chat,
    /// Before there is one.
    Beginning,
}

/// One suggestion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    /// Something is done.
    Do(Command),
    /// A memory block is named.
    Block(String),
    /// A chat is named.
    Chat(String),
}

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Begin a chat.
    New,
    /// Open the palette.
    Search,
    /// Choose another model.
    Model,
    /// Show a tab of the panel.
    Panel(Tab),
    /// Make a summary of older messages.
    Fold,
    /// Make a chat of its own of this branch.
    Fork,
    /// Open the settings.
    Settings,
    /// Show which keys there are.
    Keys,
}

impl Command {
    const ALL: [Self; 10] = [
        Self::New,
        Self::Search,
        Self::Model,
        Self::Panel(Tab::Memory),
        Self::Panel(Tab::Tree),
        Self::Panel(Tab::Prompt),
        Self::Fold,
        Self::Fork,
        Self::Settings,
        Self::Keys,
    ];

    /// As it is typed, and what it does.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::New => ("new", "Begin a new chat"),
            Self::Search => ("search", "Search everything"),
            Self::Model => ("model", "Choose another model"),
            Self::Panel(Tab::Memory) => ("memory", "Show what the model remembers"),
            Self::Panel(Tab::Tree) => ("tree", "Show every branch"),
            Self::Panel(Tab::Prompt) => ("prompt", "Show what the next call sends"),
            Self::Fold => ("fold", "Fold older messages into a summary"),
            Self::Fork => ("fork", "Make a chat of its own of this branch"),
            Self::Settings => ("settings", "Open the settings"),
            Self::Keys => ("keys", "Show which keys there are"),
        }
    }

    /// Whether it is about the chat on the screen.
    fn needs_chat(self) -> bool {
        match self {
            Self::Fold | Self::Fork => true,
            Self::New | Self::Search | Self::Model | Self::Panel(_) | Self::Settings | Self::Keys => false,
        }
    }
}

impl Offer {
    /// Its name.
    pub fn name(&self) -> String {
        match self {
            Self::Do(command) => format!("/{}", command.words().0),
            Self::Block(name) | Self::Chat(name) => name.clone(),
        }
    }

    /// What it is.
    pub fn what(&self) -> &'static str {
        match self {
            Self::Do(command) => command.words().1,
            Self::Block(_) => "Memory block",
            Self::Chat(_) => "Chat",
        }
    }

    /// What it puts into the message; none where it does something.
    pub fn inserted(&self) -> Option<String> {
        match self {
            Self::Do(_) => None,
            Self::Block(label) => Some(format!("@{label} ")),
            // In quotes, as a search of past chats finds it.
            Self::Chat(name) => Some(format!("“{name}” ")),
        }
    }
}

/// What is suggested; `blocks` are the labels of the memory.
pub fn offers(trigger: &Trigger, blocks: &[String], chats: &SessionList, place: Place) -> Vec<Offer> {
    match trigger {
        Trigger::Command(typed) => {
            let fits = |command: &Command| {
                command.words().0.starts_with(&typed.to_lowercase())
                    && (place == Place::Chat || !command.needs_chat())
            };
            Command::ALL.into_iter().filter(fits).map(Offer::Do).collect()
        }
        Trigger::Mention(typed) => {
            let typed = typed.to_lowercase();
            let fits = |name: &String| name.to_lowercase().contains(&typed);
            let blocks = blocks.iter().filter(|label| fits(label)).cloned().map(Offer::Block);
            let chats = chats.open().into_iter().filter(|chat| !chat.name.trim().is_empty());
            let chats = chats.map(|chat| title(Some(chat))).filter(fits).map(Offer::Chat);
            blocks.chain(chats).take(OFFERS_MAX).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sessions::state::tests::session;

    #[track_caller]
    fn check(trigger: Trigger, place: Place, expected: &[&str]) {
        let mut chats = SessionList::default();
        chats.put(session("herons", 5));
        let offers = offers(&trigger, &["memory".to_owned(), "notes".to_owned()], &chats, place);
        let tell = |offer: &Offer| offer.inserted().unwrap_or_else(|| offer.name());
        assert_eq!(offers.iter().map(tell).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_fits_is_suggested() {
        let command = |word: &str| Trigger::Command(word.to_owned());
        let mention = |word: &str| Trigger::Mention(word.to_owned());
        check(command("F"), Place::Chat, &["/fold", "/fork"]);
        check(command("f"), Place::Beginning, &[]);
        check(command("se"), Place::Beginning, &["/search", "/settings"]);
        check(command("etc/hosts"), Place::Chat, &[]);
        check(mention(""), Place::Chat, &["@memory ", "@notes ", "“chat herons” "]);
        check(mention("HER"), Place::Chat, &["“chat herons” "]);
        check(mention("nobody"), Place::Chat, &[]);
        assert_eq!(offers(&command(""), &[], &SessionList::default(), Place::Chat).len(), Command::ALL.len());
    }
}
