//! How the panel stands: open or not, how wide, which tab. Kept in a cookie, so that the server's first page leaves
//! the right room and nothing jumps when the page wakes up.

use serde::{Deserialize, Serialize};

/// The narrowest panel, in pixels.
pub const WIDTH_MIN: u16 = 300;
/// The widest panel, in pixels.
pub const WIDTH_MAX: u16 = 720;

const WIDTH_FIRST: u16 = 360;

/// What the panel shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tab {
    /// The context blocks.
    #[default]
    Memory,
    /// Every branch.
    Tree,
    /// What the next call sends.
    Prompt,
}

impl Tab {
    /// All, from left to right.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Tree, Self::Prompt];

    /// What it is called.
    pub fn label(self) -> &'static str {
        match self {
            Self::Memory => "Memory",
            Self::Tree => "Tree",
            Self::Prompt => "Prompt",
        }
    }

    /// The tab that a key leads to; the ends join.
    pub fn after_key(self, key: &str) -> Option<Self> {
        let [first, middle, last] = Self::ALL;
        match (key, self) {
            ("ArrowRight", Self::Memory) | ("ArrowLeft", Self::Prompt) => Some(middle),
            ("ArrowRight", Self::Tree) | ("ArrowLeft", Self::Memory) | ("End", _) => Some(last),
            ("ArrowRight", Self::Prompt) | ("ArrowLeft", Self::Tree) | ("Home", _) => Some(first),
            (_, Self::Memory | Self::Tree | Self::Prompt) => None,
        }
    }
}

/// How the panel stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanelLayout {
    /// Whether it stands beside the chat.
    pub is_open: bool,
    /// How wide it is, in pixels.
    pub width: u16,
    /// What it shows.
    pub tab: Tab,
}

impl Default for PanelLayout {
    fn default() -> Self {
        Self { is_open: false, width: WIDTH_FIRST, tab: Tab::Memory }
    }
}

impl PanelLayout {
    /// Sets the width, as far as it is allowed.
    pub fn resize(&mut self, width: f64) {
        self.width = width.clamp(f64::from(WIDTH_MIN), f64::from(WIDTH_MAX)) as u16;
    }

    /// As the cookie keeps it.
    pub fn to_cookie(self) -> String {
        let open = if self.is_open { "open" } else { "closed" };
        format!("{open}-{}-{}", self.width, self.tab.label())
    }

    /// Reads the cookie; what cannot be read stays as it is at first.
    pub fn parse(cookie: &str) -> Self {
        let mut layout = Self::default();
        let mut parts = cookie.split('-');
        layout.is_open = parts.next() == Some("open");
        if let Some(width) = parts.next().and_then(|text| text.parse::<u16>().ok()) {
            layout.resize(f64::from(width));
        }
        let tab = parts.next().and_then(|name| Tab::ALL.into_iter().find(|tab| tab.label() == name));
        layout.tab = tab.unwrap_or_default();
        layout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_cookie_keeps_comes_back() {
        let layout = PanelLayout { is_open: true, width: 420, tab: Tab::Tree };
        assert_eq!(PanelLayout::parse(&layout.to_cookie()), layout);
        let check = |cookie: &str, expected: PanelLayout| {
            assert_eq!(PanelLayout::parse(cookie), expected, "{cookie}")
        };
        check("", PanelLayout::default());
        check("open-9-Zoo", PanelLayout { is_open: true, width: WIDTH_MIN, tab: Tab::Memory });
        check("open-65535-Prompt", PanelLayout { is_open: true, width: WIDTH_MAX, tab: Tab::Prompt });
        check("closed-abc", PanelLayout::default());
    }

    #[test]
    fn arrows_walk_the_tabs_and_the_ends_join() {
        let check =
            |from: Tab, key: &str, to: Option<Tab>| assert_eq!(from.after_key(key), to, "{from:?} {key}");
        for (from, right) in [(Tab::Memory, Tab::Tree), (Tab::Tree, Tab::Prompt), (Tab::Prompt, Tab::Memory)]
        {
            check(from, "ArrowRight", Some(right));
            check(right, "ArrowLeft", Some(from));
            check(from, "Home", Some(Tab::Memory));
            check(from, "End", Some(Tab::Prompt));
            check(from, "a", None);
        }
    }
}
