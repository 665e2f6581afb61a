//! The sign-in page: made by the server alone, whole without script, in the look that the browser's cookies ask for.

use crate::boot::Boot;
use crate::shell::look;
use crate::ui::logo::Logo;
use leptos::prelude::*;

/// What differs from one sign-in page to the next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoginWords {
    /// The address that it leads to.
    pub next: String,
    /// Why it is shown again.
    pub error: Option<String>,
}

/// The whole document. The name of the user, which is always the same, is there for keepers of passwords.
pub fn login_page(options: LeptosOptions, boot: Boot, words: LoginWords) -> impl IntoView {
    let LoginWords { next, error } = words;
    let describes = error.is_some().then_some("login-error");
    let base = boot.base.clone();
    let [density, motion, _, style] = boot.prefs.attributes().map(|(_, value)| value);
    let (title, is_wrong) =
        if error.is_some() { ("Not signed in · Bough", "true") } else { ("Sign in · Bough", "false") };
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=boot.theme.as_str() data-density=density data-motion=motion style=style>
            <head>
                {look(options, &base)}
                <meta name="robots" content="noindex"/>
                <title>{title}</title>
            </head>
            <body>
                <main class="login">
                    <form class="login-form" method="post" action=format!("{base}/login")>
                        <Logo/>
                        <h1>"Sign in to Bough"</h1>
                        {error.map(|error| view! { <p id="login-error" class="refused" role="alert">{error}</p> })}
                        <input type="hidden" name="next" value=next/>
                        <input type="text" name="username" value="bough" autocomplete="username" hidden/>
                        <label for="password">"Password"</label>
                        <input
                            id="password"
                            class="login-field"
                            type="password"
                            name="password"
                            autocomplete="current-password"
                            aria-describedby=describes
                            aria-invalid=is_wrong
                            required
                            autofocus
                        />
                        <button type="submit" class="button is-main">"Sign in"</button>
                    </form>
                </main>
            </body>
        </html>
    }
}
