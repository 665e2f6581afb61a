//! What each key does, in words, and which keys a reader may choose instead. Pure. Comes late.

use super::keys::{Binding, DEFAULTS, Deed, chord_of};
use crate::chat::composer_state::KeyPress;

/// One line of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What is done, where other keys may be chosen for it.
    pub deed: Option<Deed>,
    /// Its usual keys, as [`chord_of`] writes them.
    pub keys: &'static str,
    /// What they do.
    pub what: &'static str,
}

const fn entry(deed: Deed, keys: &'static str, what: &'static str) -> Entry {
    Entry { deed: Some(deed), keys, what }
}

const fn fixed(keys: &'static str, what: &'static str) -> Entry {
    Entry { deed: None, keys, what }
}

/// All of them.
pub const ENTRIES: [Entry; 18] = [
    entry(Deed::Search, "Ctrl K", "Search and commands"),
    entry(Deed::NewChat, "Ctrl Shift O", "New chat"),
    entry(Deed::Sidebar, "Ctrl Shift S", "Show or hide the list of chats"),
    entry(Deed::Panel, "Ctrl Shift E", "Memory, tree and prompt"),
    entry(Deed::Settings, "Ctrl .", "Settings"),
    entry(Deed::Help, "Ctrl /", "This list; also ?"),
    entry(Deed::Compose, "Shift Escape", "Go to the message box"),
    fixed("Escape", "Stop the answer"),
    entry(Deed::CopyAnswer, "Ctrl Shift C", "Copy the last answer"),
    entry(Deed::CopyCode, "Ctrl Shift ;", "Copy the last piece of code"),
    entry(Deed::First, "Ctrl ArrowUp", "Beginning of the chat"),
    entry(Deed::Last, "Ctrl ArrowDown", "End of the chat"),
    entry(Deed::DeleteChat, "Ctrl Shift Backspace", "Move the chat to the trash"),
    fixed("F2", "Rename the chat that has the focus in the list"),
    fixed("ArrowUp ArrowDown", "Walk through the list of chats"),
    fixed("Shift ArrowUp ArrowDown", "Choose several of them; Space chooses one"),
    fixed("Ctrl A", "Choose all chats of the list"),
    fixed("Delete", "Move the chosen chats to the trash"),
];

/// Keys with Ctrl or Command that browsers, systems and fields keep for themselves.
const KEPT: [&str; 51] = [
    "R",
    "Shift R",
    "T",
    "Shift T",
    "N",
    "Shift N",
    "W",
    "Shift W",
    "L",
    "F",
    "Shift F",
    "G",
    "Shift G",
    "P",
    "Shift P",
    "Q",
    "Shift Q",
    "A",
    "C",
    "V",
    "Shift V",
    "X",
    "Z",
    "Shift Z",
    "Y",
    "S",
    "O",
    "U",
    "D",
    "H",
    "J",
    "Shift I",
    "Shift J",
    "Shift Delete",
    "+",
    "-",
    "=",
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "Tab",
    "Shift Tab",
    "F4",
    "F5",
];

/// Function keys that browsers keep for themselves.
const KEPT_FUNCTIONS: [&str; 7] = ["F1", "F3", "F5", "F6", "F7", "F11", "F12"];

/// Keys that move or write in a text, with Ctrl too.
const WRITING: [&str; 10] =
    ["Enter", "Backspace", "Delete", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown", " "];

/// Whether only keys that modify others are held.
pub fn is_incomplete(key: &str) -> bool {
    matches!(key, "Control" | "Shift" | "Alt" | "Meta" | "AltGraph" | "CapsLock" | "Dead" | "Process")
}

/// The keys of something, where the reader may have chosen others.
pub fn keys_of(entry: Entry, chosen: &[Binding]) -> String {
    let own = chosen.iter().find(|(deed, _)| Some(*deed) == entry.deed);
    own.map_or_else(|| entry.keys.to_owned(), |(_, keys)| keys.clone())
}

/// What was pressed, as keys for a deed.
///
/// # Errors
/// Why it cannot be, for people.
pub fn judge(press: &KeyPress<'_>, deed: Deed, chosen: &[Binding]) -> Result<String, String> {
    let chord = chord_of(press);
    if press.alt {
        return Err("Keys with Alt write letters on many keyboards.".to_owned());
    }
    let bare = chord.strip_prefix("Ctrl ");
    let is_kept = bare.is_some_and(|bare| KEPT.contains(&bare)) || KEPT_FUNCTIONS.contains(&chord.as_str());
    if is_kept {
        return Err(format!("{} belongs to the browser.", shown(&chord, plain)));
    }
    let is_function = press.key.len() > 1 && press.key.starts_with('F');
    if bare.is_none() && !is_function {
        return Err("Hold Ctrl or Command as well, or take a function key.".to_owned());
    }
    if WRITING.contains(&press.key) && chord != "Ctrl Shift Backspace" {
        return Err("That moves or writes in a text.".to_owned());
    }
    match taken_by(&chord, deed, chosen) {
        Some(what) => Err(format!("{} is taken: {what}.", shown(&chord, plain))),
        None => Ok(chord),
    }
}

/// What else these keys do.
fn taken_by(chord: &str, deed: Deed, chosen: &[Binding]) -> Option<&'static str> {
    let others = ENTRIES.into_iter().filter(|entry| entry.deed != Some(deed));
    others.into_iter().find(|entry| keys_of(*entry, chosen) == chord).map(|entry| entry.what)
}

/// The signs of most keyboards.
pub fn plain(key: &str) -> &str {
    key
}

/// The signs of Apple's keyboards.
pub fn apple(key: &str) -> &str {
    match key {
        "Ctrl" => "⌘",
        "Shift" => "⇧",
        other => other,
    }
}

/// Keys as a reader knows them, with a space between; `sign` is for those that keyboards write differently.
pub fn shown(keys: &str, sign: fn(&str) -> &str) -> String {
    let key = |key: &str| match key {
        "ArrowUp" => "↑".to_owned(),
        "ArrowDown" => "↓".to_owned(),
        "Backspace" => "⌫".to_owned(),
        "Escape" => "Esc".to_owned(),
        "Delete" => "Del".to_owned(),
        other => sign(other).to_owned(),
    };
    keys.split(' ').map(key).collect::<Vec<_>>().join(" ")
}

/// The keys as the browser keeps them.
pub fn write(chosen: &[Binding]) -> String {
    let line = |(deed, keys): &Binding| {
        let usual = DEFAULTS.iter().find(|(known, _)| known == deed).map_or("", |(_, keys)| keys);
        format!("{usual}={keys}")
    };
    chosen.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The same, read; what means nothing is left out.
pub fn read(kept: &str) -> Vec<Binding> {
    let line = |line: &str| {
        let (usual, keys) = line.split_once('=')?;
        let (deed, _) = DEFAULTS.iter().find(|(_, known)| *known == usual)?;
        (!keys.is_empty()).then(|| (*deed, keys.to_owned()))
    };
    kept.lines().filter_map(line).collect()
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

    #[test]
    fn the_list_says_what_the_keys_are() {
        for entry in ENTRIES {
            let is_usual = entry.deed.is_none_or(|deed| DEFAULTS.contains(&(deed, entry.keys)));
            assert!(is_usual, "{entry:?}");
        }
    }

    #[test]
    fn only_free_keys_can_be_chosen() {
        let chosen = [(Deed::Search, "Ctrl Shift Y".to_owned())];
        let check = |keys: &str, expected: Result<&str, &str>| {
            let judged = judge(&press(keys), Deed::NewChat, &chosen);
            assert_eq!(judged, expected.map(str::to_owned).map_err(str::to_owned), "{keys}");
        };
        check("ctrl b", Ok("Ctrl B"));
        check("ctrl shift X", Ok("Ctrl Shift X"));
        check("ctrl shift O", Ok("Ctrl Shift O"));
        check("ctrl k", Ok("Ctrl K"));
        check("F9", Ok("F9"));
        check("ctrl r", Err("Ctrl R belongs to the browser."));
        check("ctrl shift R", Err("Ctrl Shift R belongs to the browser."));
        check("F5", Err("F5 belongs to the browser."));
        check("ctrl 3", Err("Ctrl 3 belongs to the browser."));
        check("ctrl shift Y", Err("Ctrl Shift Y is taken: Search and commands."));
        check("ctrl shift S", Err("Ctrl Shift S is taken: Show or hide the list of chats."));
        check("F2", Err("F2 is taken: Rename the chat that has the focus in the list."));
        check("x", Err("Hold Ctrl or Command as well, or take a function key."));
        check("ctrl Enter", Err("That moves or writes in a text."));
        check("ctrl alt k", Err("Keys with Alt write letters on many keyboards."));
    }

    #[test]
    fn what_is_kept_comes_back_and_nonsense_is_left_out() {
        let chosen = vec![(Deed::NewChat, "Ctrl B".to_owned()), (Deed::Help, "F9".to_owned())];
        assert_eq!(read(&write(&chosen)), chosen);
        assert_eq!(read("x\n=Ctrl B\nCtrl K=\nCtrl Q=Ctrl B"), []);
    }
}
