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

/// Keys that a reader chose, as [`chord_of`] writes them, in place of those that were there.
pub type Binding = (Deed, String);

/// The keys as they are at first.
pub const DEFAULTS: [(Deed, &str); 14] = [
    (Deed::Search, "Ctrl K"),
    (Deed::NewChat, "Ctrl Shift O"),
    (Deed::Sidebar, "Ctrl Shift S"),
    (Deed::Panel, "Ctrl Shift E"),
    (Deed::Settings, "Ctrl ."),
    (Deed::Help, "Ctrl /"),
    (Deed::Help, "?"),
    (Deed::Compose, "Shift Escape"),
    (Deed::Stop, "Escape"),
    (Deed::CopyAnswer, "Ctrl Shift C"),
    (Deed::CopyCode, "Ctrl Shift ;"),
    (Deed::First, "Ctrl ArrowUp"),
    (Deed::Last, "Ctrl ArrowDown"),
    (Deed::DeleteChat, "Ctrl Shift Backspace"),
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
pub fn deed_of(press: &KeyPress<'_>, place: Place, shortcuts: Shortcuts, chosen: &[Binding]) -> Option<Deed> {
    if press.is_input_method() || press.alt {
        return None;
    }
    let chord = chord_of(press);
    let is_plain = press.key == "Escape";
    let writes = !press.command && !is_plain && !press.key.starts_with('F') || press.key.starts_with("Arrow");
    let is_off = shortcuts == Shortcuts::Off && !is_plain || place == Place::Field && writes;
    let own = chosen.iter().find(|(_, keys)| *keys == chord).map(|(deed, _)| *deed);
    let is_own = |deed: Deed| chosen.iter().any(|(known, _)| *known == deed);
    let usual = DEFAULTS.iter().find(|(deed, keys)| *keys == chord && !is_own(*deed)).map(|(deed, _)| *deed);
    own.or(usual).filter(|_| !is_off)
}

/// The keys that are held, as one text. Many keyboards have a sign on a key with Shift, so there a sign is itself; one
/// pair of signs is told apart by Shift.
pub fn chord_of(press: &KeyPress<'_>) -> String {
    let key = if press.key == ":" { ";" } else { press.key };
    let is_sign = key.len() == 1 && !key.starts_with(|sign: char| sign.is_ascii_alphanumeric()) && key != ";";
    let command = if press.command { "Ctrl " } else { "" };
    let shift = if press.shift && !is_sign { "Shift " } else { "" };
    let key = if key.len() == 1 { key.to_ascii_uppercase() } else { key.to_owned() };
    format!("{command}{shift}{key}")
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
        let deed = |place| deed_of(&press(keys), place, Shortcuts::On, &[]);
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
        assert_eq!(deed_of(&composing, Place::Page, Shortcuts::On, &[]), None);
    }

    #[test]
    fn a_switch_turns_all_of_them_off_but_escape() {
        let deed = |keys| deed_of(&press(keys), Place::Page, Shortcuts::Off, &[]);
        assert_eq!((deed("ctrl k"), deed("shift ?"), deed("Escape")), (None, None, Some(Deed::Stop)));
    }
    #[test]
    fn chosen_keys_take_the_place_of_the_usual_ones() {
        let chosen = [(Deed::NewChat, "Ctrl Shift Y".to_owned()), (Deed::Help, "F9".to_owned())];
        let deed = |keys, place| deed_of(&press(keys), place, Shortcuts::On, &chosen);
        let both = |keys| (deed(keys, Place::Page), deed(keys, Place::Field));
        assert_eq!(both("ctrl shift Y"), (Some(Deed::NewChat), Some(Deed::NewChat)));
        assert_eq!(both("F9"), (Some(Deed::Help), Some(Deed::Help)));
        for gone in ["ctrl shift O", "ctrl /", "shift ?"] {
            assert_eq!(both(gone), (None, None), "{gone}");
        }
        assert_eq!(both("ctrl k"), (Some(Deed::Search), Some(Deed::Search)));
    }
}
