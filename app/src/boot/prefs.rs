//! How a reader wants the page to be. Kept in one cookie, so that the server's first page is right already.

use serde::{Deserialize, Serialize};

/// The narrowest sidebar, in pixels.
pub const SIDEBAR_MIN: u16 = 200;
/// The widest sidebar, in pixels.
pub const SIDEBAR_MAX: u16 = 440;

const SIDEBAR_FIRST: u16 = 264;

/// How close rows stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Density {
    /// With room.
    #[default]
    Comfortable,
    /// More on the screen.
    Compact,
}

/// How much moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Motion {
    /// As much as the system allows.
    #[default]
    System,
    /// Nothing.
    Still,
}

/// What sends a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SendKey {
    /// Enter; with Shift it breaks the line.
    #[default]
    Enter,
    /// Enter with Control or Command; alone it breaks the line.
    CommandEnter,
}

/// Where a new question stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum QuestionPlace {
    /// At the end, which is followed.
    #[default]
    End,
    /// At the top of the view; the answer grows below it.
    Top,
}

/// How an answer is told of that ended where nobody looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Alert {
    /// Not at all.
    #[default]
    None,
    /// By a notice of the system.
    Notice,
    /// By a sound.
    Sound,
    /// By both.
    Both,
}

impl Alert {
    /// Whether there is a notice.
    pub fn has_notice(self) -> bool {
        matches!(self, Self::Notice | Self::Both)
    }

    /// Whether anything is told.
    pub fn is_any(self) -> bool {
        self != Self::None
    }

    /// Whether there is a sound.
    pub fn has_sound(self) -> bool {
        matches!(self, Self::Sound | Self::Both)
    }
}

/// Whether keys mean something everywhere on the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shortcuts {
    /// They do.
    #[default]
    On,
    /// Only Escape does.
    Off,
}

/// How the list of chats stands, where there is room beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SidebarLayout {
    /// Whether it is there.
    pub is_open: bool,
    /// How wide it is, in pixels.
    pub width: u16,
}

impl Default for SidebarLayout {
    fn default() -> Self {
        Self { is_open: true, width: SIDEBAR_FIRST }
    }
}

/// All of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Prefs {
    /// How close rows stand.
    pub density: Density,
    /// How much moves.
    pub motion: Motion,
    /// What sends a message.
    pub send: SendKey,
    /// Where a new question stands.
    pub question: QuestionPlace,
    /// How an answer is told of that ended where nobody looks.
    pub alert: Alert,
    /// Whether keys mean something everywhere.
    pub shortcuts: Shortcuts,
    /// How the list of chats stands.
    pub sidebar: SidebarLayout,
}

impl Prefs {
    /// Reads the cookie; words that mean nothing change nothing.
    pub fn parse(cookie: &str) -> Self {
        let mut prefs = Self::default();
        for word in cookie.split('.') {
            match word {
                "compact" => prefs.density = Density::Compact,
                "still" => prefs.motion = Motion::Still,
                "command" => prefs.send = SendKey::CommandEnter,
                "top" => prefs.question = QuestionPlace::Top,
                "notice" => prefs.alert = Alert::Notice,
                "sound" => prefs.alert = Alert::Sound,
                "alert" => prefs.alert = Alert::Both,
                "keyless" => prefs.shortcuts = Shortcuts::Off,
                "folded" => prefs.sidebar.is_open = false,
                width => prefs.sidebar.read_width(width),
            }
        }
        prefs
    }

    /// As the cookie keeps it: a word for each thing that is not as at first.
    pub fn to_cookie(self) -> String {
        let mut words = vec![format!("w{}", self.sidebar.width)];
        let mut say = |is_so: bool, word: &str| words.extend(is_so.then(|| word.to_owned()));
        say(self.density == Density::Compact, "compact");
        say(self.motion == Motion::Still, "still");
        say(self.send == SendKey::CommandEnter, "command");
        say(self.question == QuestionPlace::Top, "top");
        say(self.alert == Alert::Notice, "notice");
        say(self.alert == Alert::Sound, "sound");
        say(self.alert == Alert::Both, "alert");
        say(self.shortcuts == Shortcuts::Off, "keyless");
        say(!self.sidebar.is_open, "folded");
        words.join(".")
    }

    /// As the root element says it to the styles: attributes and their values.
    pub fn attributes(self) -> [(&'static str, String); 4] {
        let density = if self.density == Density::Compact { "compact" } else { "comfortable" };
        let motion = if self.motion == Motion::Still { "still" } else { "system" };
        let sidebar = if self.sidebar.is_open { "open" } else { "folded" };
        [
            ("data-density", density.to_owned()),
            ("data-motion", motion.to_owned()),
            ("data-sidebar", sidebar.to_owned()),
            ("style", format!("--sidebar-width:{}px", self.sidebar.width)),
        ]
    }
}

impl From<String> for Prefs {
    fn from(cookie: String) -> Self {
        Self::parse(&cookie)
    }
}

impl From<Prefs> for String {
    fn from(prefs: Prefs) -> Self {
        prefs.to_cookie()
    }
}

impl SidebarLayout {
    /// Takes the cookie's word for the width.
    fn read_width(&mut self, word: &str) {
        if let Some(width) = word.strip_prefix('w').and_then(|width| width.parse::<u16>().ok()) {
            self.resize(f64::from(width));
        }
    }

    /// Sets the width, as far as it is allowed.
    pub fn resize(&mut self, width: f64) {
        self.width = width.clamp(f64::from(SIDEBAR_MIN), f64::from(SIDEBAR_MAX)) as u16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cookie: &str, expected: Prefs) {
        assert_eq!(Prefs::parse(cookie), expected, "{cookie}");
        assert_eq!(Prefs::parse(&expected.to_cookie()), expected);
    }

    #[test]
    fn what_the_cookie_keeps_comes_back_and_nonsense_changes_nothing() {
        let first = Prefs::default();
        check("", first);
        check("w264", first);
        check("neon.w.wide.w-", first);
        check("sound", Prefs { alert: Alert::Sound, ..first });
        check("notice", Prefs { alert: Alert::Notice, ..first });
        check("compact", Prefs { density: Density::Compact, ..first });
        check("w9", Prefs { sidebar: SidebarLayout { is_open: true, width: SIDEBAR_MIN }, ..first });
        let all = Prefs {
            density: Density::Compact,
            motion: Motion::Still,
            send: SendKey::CommandEnter,
            question: QuestionPlace::Top,
            alert: Alert::Both,
            shortcuts: Shortcuts::Off,
            sidebar: SidebarLayout { is_open: false, width: 300 },
        };
        check("w300.compact.still.command.top.alert.keyless.folded", all);
    }
}
