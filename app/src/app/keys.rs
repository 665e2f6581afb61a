//! Which keys mean something everywhere on the page. Pure: a key comes in as data, a deed goes out.

use crate::boot::prefs::Shortcuts;
use crate::chat::composer_state::KeyPress;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Stop the answer.
    Stop,
    /// Go to the message box.
    Compose,
    /// Begin a chat.
    NewChat,
    /// Open the palette.
    Search,
    /// Open or close the panel.
    Panel,
    /// Show or hide the list of chats.
    Sidebar,
    /// Open the settings.
    Settings,
    /// Show which keys there are.
    Help,
    /// Move the chat to the trash.
    DeleteChat,
    /// Copy the last answer.
    CopyAnswer,
    /// Copy the last piece of code.
    CopyCode,
    /// Go to the beginning of the chat.
    First,
    /// Go to its end.
    Last,
}

/// The keys as they are shown, `Ctrl` standing for Command on Apple's keyboards, and what they do.
pub const HELP: [(&str, &str); 18] = [
    ("Ctrl K", "Search and commands"),
    ("Ctrl Shift O", "New chat"),
    ("Ctrl Shift S", "Show or hide the list of chats"),
    ("Ctrl Shift E", "Memory, tree and prompt"),
    ("Ctrl .", "Settings"),
    ("Ctrl /", "This list; also ?"),
    ("Shift Esc", "Go to the message box"),
    ("Esc", "Stop the answer"),
    ("Ctrl Shift C", "Copy the last answer"),
    ("Ctrl Shift ;", "Copy the last piece of code"),
    ("Ctrl ↑", "Beginning of the chat"),
    ("Ctrl ↓", "End of the chat"),
    ("Ctrl Shift ⌫", "Move the chat to the trash"),
    ("F2", "Rename the chat that has the focus in the list"),
    ("↑ ↓", "Walk through the list of chats"),
    ("Shift ↑ ↓", "Choose several of them; Space chooses one"),
    ("Ctrl A", "Choose all chats of the list"),
    ("Del", "Move the chosen chats to the trash"),
];

/// Where a key was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Where keys write or move in a text.
    Field,
    /// Anywhere else.
    Page,
}

/// What a key does; none for keys that are the browser's or an input method's.
pub fn deed_of(press: &KeyPress<'_>, place: Place, shortcuts: Shortcuts) -> Option<Deed> {
    if press.is_input_method() || press.alt {
        return None;
    }
    if press.key == "Escape" {
        return Some(if press.shift { Deed::Compose } else { Deed::Stop });
    }
    if shortcuts == Shortcuts::Off {
        return None;
    }
    match (press.command, press.shift, press.key) {
        (true, true, "o" | "O") => Some(Deed::NewChat),
        (true, false, "k" | "K") => Some(Deed::Search),
        (true, true, "e" | "E") => Some(Deed::Panel),
        (true, true, "s" | "S") => Some(Deed::Sidebar),
        (true, true, "c" | "C") => Some(Deed::CopyAnswer),
        (true, true, ";" | ":") => Some(Deed::CopyCode),
        (true, true, "Backspace") => Some(Deed::DeleteChat),
        (true, false, ".") => Some(Deed::Settings),
        (true, _, "/") => Some(Deed::Help),
        (false, _, "?") if place == Place::Page => Some(Deed::Help),
        (true, false, "ArrowUp") if place == Place::Page => Some(Deed::First),
        (true, false, "ArrowDown") if place == Place::Page => Some(Deed::Last),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(keys: &str) -> KeyPress<'_> {
        let key = keys.rsplit(' ').next().unwrap_or_default();
        let holds = |modifier: &str| keys.split(' ').any(|held| held == modifier);
        KeyPress {
            key,
            shift: holds("shift"),
            command: holds("ctrl"),
            alt: holds("alt"),
            ..KeyPress::default()
        }
    }

    #[track_caller]
    fn check(keys: &str, in_page: Option<Deed>, in_field: Option<Deed>) {
        let deed = |place| deed_of(&press(keys), place, Shortcuts::On);
        assert_eq!((deed(Place::Page), deed(Place::Field)), (in_page, in_field), "{keys}");
    }

    #[test]
    fn keys_do_what_the_list_says() {
        let both = |keys, deed| check(keys, Some(deed), Some(deed));
        both("ctrl k", Deed::Search);
        both("ctrl shift O", Deed::NewChat);
        both("ctrl shift S", Deed::Sidebar);
        both("ctrl shift E", Deed::Panel);
        both("ctrl .", Deed::Settings);
        both("ctrl /", Deed::Help);
        both("shift Escape", Deed::Compose);
        both("Escape", Deed::Stop);
        both("ctrl shift C", Deed::CopyAnswer);
        both("ctrl shift :", Deed::CopyCode);
        both("ctrl shift Backspace", Deed::DeleteChat);
        check("shift ?", Some(Deed::Help), None);
        check("ctrl ArrowUp", Some(Deed::First), None);
        check("ctrl ArrowDown", Some(Deed::Last), None);
    }

    #[test]
    fn the_browser_keeps_its_own_keys() {
        for keys in ["ctrl r", "ctrl shift R", "ctrl s", "ctrl c", "k", "ctrl alt k", "ctrl shift K", "/"] {
            check(keys, None, None);
        }
        let composing = KeyPress { is_composing: true, ..press("Escape") };
        assert_eq!(deed_of(&composing, Place::Page, Shortcuts::On), None);
    }

    #[test]
    fn a_switch_turns_all_of_them_off_but_escape() {
        let deed = |keys| deed_of(&press(keys), Place::Page, Shortcuts::Off);
        assert_eq!((deed("ctrl k"), deed("shift ?"), deed("Escape")), (None, None, Some(Deed::Stop)));
    }
}
