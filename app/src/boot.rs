//! What the server tells the page before anything else: where it lives, whom it talks to, how it looks.
//!
//! The server gives a [`Boot`] as context; the shell writes it into the document's head; the browser reads it from
//! there. Both sides therefore render the same first page. Nothing here looks at a clock or at the browser.

pub mod prefs;

use crate::context_panel::layout::PanelLayout;
use prefs::Prefs;
use serde::{Deserialize, Serialize};

/// Name of the `<meta>` element that carries the [`Boot`].
pub const BOOT_META: &str = "bough-boot";
/// Cookie with the chosen [`Theme`].
pub const THEME_COOKIE: &str = "bough_theme";
/// Cookie with the browser's offset from UTC, in minutes east.
pub const OFFSET_COOKIE: &str = "bough_offset";

/// Cookie with how the panel stands, as a [`PanelLayout`] writes itself.
pub const PANEL_COOKIE: &str = "bough_panel";

/// Cookie with how the reader wants the page, as [`Prefs`] write themselves.
pub const PREFS_COOKIE: &str = "bough_prefs";

/// Largest offset from UTC that any place on earth has, in minutes.
const OFFSET_MAX_MINUTES: i32 = 14 * 60;

/// The first facts of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boot {
    /// Path the whole product lives under: empty, or `/chat` without a slash at its end.
    pub base: String,
    /// The agent this page talks to.
    pub agent: String,
    /// The instance of that agent.
    pub instance: String,
    /// `provider/model` that answers unless a session says otherwise.
    pub model: String,
    /// Where the endpoint is whose first model answers, where no model was named: its host; else empty.
    #[serde(default)]
    pub endpoint: String,
    /// Light, dark, or as the system says.
    pub theme: Theme,
    /// The reader's offset from UTC in minutes east, as far as it is known.
    pub utc_offset_minutes: i32,
    /// How the panel stands.
    #[serde(default)]
    pub panel: PanelLayout,
    /// How the reader wants the page.
    #[serde(default)]
    pub prefs: Prefs,
    /// Whether somebody signed in to see this page, and can sign out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_signed_in: bool,
    /// When this page was made, in milliseconds since 1970, UTC.
    pub now: u64,
}

impl Boot {
    /// Facts of a page for the default agent, made at `now`.
    pub fn new(base: impl Into<String>, model: impl Into<String>, now: u64) -> Self {
        Self {
            base: base.into(),
            agent: "assistant".to_owned(),
            instance: "default".to_owned(),
            model: model.into(),
            endpoint: String::new(),
            theme: Theme::System,
            utc_offset_minutes: 0,
            panel: PanelLayout::default(),
            prefs: Prefs::default(),
            is_signed_in: false,
            now,
        }
    }

    /// Takes over what the browser told by cookies; `header` is the text of the `Cookie` header.
    #[must_use]
    pub fn with_cookies(mut self, header: &str) -> Self {
        if let Some(theme) = cookie(header, THEME_COOKIE).and_then(Theme::parse) {
            self.theme = theme;
        }
        if let Some(prefs) = cookie(header, PREFS_COOKIE) {
            self.prefs = Prefs::parse(prefs);
        }
        if let Some(panel) = cookie(header, PANEL_COOKIE) {
            self.panel = PanelLayout::parse(panel);
        }
        let offset = cookie(header, OFFSET_COOKIE).and_then(|text| text.parse::<i32>().ok());
        if let Some(offset) = offset.filter(|offset| offset.abs() <= OFFSET_MAX_MINUTES) {
            self.utc_offset_minutes = offset;
        }
        self
    }

    /// Path of the JSON API of this agent instance.
    pub fn api(&self) -> String {
        format!("{}/api/v1/agents/{}/{}", self.base, self.agent, self.instance)
    }

    /// Path of the socket of this agent instance.
    pub fn socket(&self) -> String {
        format!("{}/agents/{}/{}", self.base, self.agent, self.instance)
    }
}

/// How the page looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Dark ink on light paper.
    Light,
    /// Light ink on dark paper.
    Dark,
}

impl Theme {
    /// As it stands in the cookie and on the root element.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Reads the cookie's text.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::System, Self::Light, Self::Dark].into_iter().find(|theme| theme.as_str() == text)
    }

    /// The next one when a person presses the switch.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }
}

fn cookie<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let pairs = header.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.into_iter().find_map(|(key, value)| (key == name).then_some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, theme: Theme, offset: i32) {
        let boot = Boot::new("", "builtin/guide", 7).with_cookies(header);
        assert_eq!((boot.theme, boot.utc_offset_minutes), (theme, offset), "{header}");
    }

    #[test]
    fn cookies_set_theme_and_offset_and_nonsense_sets_nothing() {
        check("", Theme::System, 0);
        check("bough_theme=dark", Theme::Dark, 0);
        check("a=b; bough_theme=light; bough_offset=-480", Theme::Light, -480);
        check("bough_offset=845; bough_theme=neon", Theme::System, 0);
        check("bough_offset=9999999999999", Theme::System, 0);
        check("xbough_theme=dark", Theme::System, 0);
    }

    #[test]
    fn addresses_lie_under_the_base() {
        let boot = Boot::new("/chat", "m", 0);
        assert_eq!(boot.api(), "/chat/api/v1/agents/assistant/default");
        assert_eq!(boot.socket(), "/chat/agents/assistant/default");
    }
}
