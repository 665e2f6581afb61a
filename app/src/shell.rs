//! The document around the page.

use crate::app::App;
use crate::boot::{BOOT_META, Boot};
use leptos::prelude::*;
use leptos_meta::{HashedStylesheet, MetaTags};

/// The whole document, as the server sends it. Needs [`Boot`] as context; all addresses in it begin with the base path.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    let boot = use_context::<Boot>().unwrap_or_else(|| Boot::new("", "", 0));
    let base = boot.base.clone();
    let [density, motion, sidebar, style] = boot.prefs.attributes().map(|(_, value)| value);
    let facts = serde_json::to_string(&boot).unwrap_or_default();
    view! {
        <!DOCTYPE html>
        <html
            lang="en"
            data-theme=boot.theme.as_str()
            data-density=density
            data-motion=motion
            data-sidebar=sidebar
            style=style
        >
            <head>
                {look(options.clone(), &base)}
                <meta name="referrer" content="no-referrer"/>
                <meta name=BOOT_META content=facts/>
                <HydrationScripts options root=base/>
                <MetaTags/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}

/// What the head of every document has, so that it looks like the product: its letters, its styles, its mark.
pub(crate) fn look(options: LeptosOptions, base: &str) -> impl IntoView {
    view! {
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content"/>
        <meta name="color-scheme" content="light dark"/>
        <link rel="icon" type="image/svg+xml" href=format!("{base}/favicon.svg")/>
        <link
            rel="preload"
            href=format!("{base}/fonts/inter-latin.woff2")
            r#as="font"
            r#type="font/woff2"
            crossorigin="anonymous"
        />
        <HashedStylesheet options root=base.to_owned() id="leptos"/>
    }
}
