//! The third region: what the model knows (Memory), every branch (Tree), and what the next call sends (Prompt).

pub mod frame;
pub mod layout;
pub mod memory;
pub mod prompt;
pub mod tree;

use crate::browser;
use layout::{PanelLayout, Tab};
use leptos::prelude::*;

/// The panel of a page. Copying is cheap; all copies are the same panel.
#[derive(Clone, Copy)]
pub struct Panel {
    /// How it stands.
    pub layout: RwSignal<PanelLayout>,
    /// Whether it lies open over the page, where there is no room beside it.
    pub drawer: RwSignal<bool>,
    /// Grows with each news of a block.
    pub block_news: RwSignal<u64>,
    /// Grows with each change of the messages.
    pub message_news: RwSignal<u64>,
}

impl Panel {
    /// A panel that stands as the reader left it.
    pub fn new(layout: PanelLayout) -> Self {
        Self {
            layout: RwSignal::new(layout),
            drawer: RwSignal::new(false),
            block_news: RwSignal::new(0),
            message_news: RwSignal::new(0),
        }
    }

    /// Opens or closes it.
    pub fn toggle(self, base: &str) {
        if browser::is_narrow() {
            browser::toggle_popover(frame::PANEL_ID);
        } else {
            browser::leave(frame::PANEL_ID, ".panel-toggle");
            self.change(base, |layout| layout.is_open = !layout.is_open);
        }
    }

    /// Shows a tab.
    pub fn show(self, tab: Tab, base: &str) {
        self.change(base, |layout| layout.tab = tab);
    }

    /// Opens it with a tab.
    pub fn reveal(self, tab: Tab, base: &str) {
        self.show(tab, base);
        if browser::is_narrow() {
            browser::toggle_popover(frame::PANEL_ID);
        } else {
            self.change(base, |layout| layout.is_open = true);
        }
    }

    /// Makes it wider or narrower.
    pub fn resize(self, width: f64, base: &str) {
        self.change(base, |layout| layout.resize(width));
    }

    fn change(self, base: &str, act: impl FnOnce(&mut PanelLayout)) {
        self.layout.update(act);
        browser::remember_panel(&self.layout.get_untracked().to_cookie(), base);
    }
}
