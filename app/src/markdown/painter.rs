//! Who turns markdown into views. The code for that is large and nobody needs it to read what the server has already
//! drawn, so it is fetched once the page is awake; texts are painted when it is there, one after the other, the last of
//! the page first.

use super::document::Growth;
use super::drawings::Drawings;
use super::text::MarkdownText;
use crate::browser;
use crate::ui::when::{click, follow, live};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use std::sync::Arc;

/// A text, and whether more may come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Growing {
    /// So far.
    pub text: String,
    /// Whether more may come.
    pub growth: Growth,
}

/// Makes the view of a text.
type Paint = Arc<dyn Fn(Signal<Growing>) -> AnyView + Send + Sync>;

/// The one painter of a page.
#[derive(Clone, Copy)]
pub struct Painter {
    /// Path the product lives under.
    base: StoredValue<String>,
    paint: StoredValue<Option<Paint>>,
    stage: StoredValue<Stage>,
    /// Texts that wait for the painter.
    waiting: StoredValue<Vec<RwSignal<Option<Paint>>>>,
}

/// Whether this is the code that runs in a browser. Known to the compiler, so that the painter is not part of what the
/// page loads first.
const IN_BROWSER: bool = cfg!(target_family = "wasm");

/// How far the painter's code has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Away,
    Coming,
}

impl Painter {
    /// Gives the page its painter, which comes when the page is awake.
    pub fn provide(base: String) {
        let painter = Self {
            base: StoredValue::new(base),
            paint: StoredValue::new(None),
            stage: StoredValue::new(Stage::Away),
            waiting: StoredValue::new(Vec::new()),
        };
        provide_context(painter);
        follow(move || painter.come());
    }

    /// The one of this page.
    pub fn expect() -> Self {
        expect_context()
    }

    /// What paints a text that is new on the page: at once if the code is there, else when its turn comes.
    fn paints(self) -> RwSignal<Option<Paint>> {
        let paints = RwSignal::new(self.paint.get_value());
        follow(move || {
            if paints.with_untracked(Option::is_none) {
                self.waiting.update_value(|waiting| waiting.push(paints));
                self.come();
            }
        });
        paints
    }

    /// Fetches the code, unless it is on its way. If it does not arrive, the next new text asks again; until then what
    /// was not painted is readable as it was written.
    fn come(self) {
        if self.stage.get_value() == Stage::Coming {
            return;
        }
        self.stage.set_value(Stage::Coming);
        spawn_local(async move {
            if let Ok(paint) = painter(self.base.get_value()).await {
                self.hand_out(paint).await;
            }
            self.stage.set_value(Stage::Away);
        });
    }

    async fn hand_out(self, paint: Paint) {
        self.paint.set_value(Some(Arc::clone(&paint)));
        while let Some(text) = self.waiting.try_update_value(Vec::pop).flatten() {
            // The text may have left the screen in the meantime.
            let _left = text.try_set(Some(Arc::clone(&paint)));
            TimeoutFuture::new(0).await;
        }
    }
}

#[wasm_split(markdown, wasm_split_path = leptos::wasm_split, fallible)]
fn painter(base: String) -> Result<Paint, SplitLoaderError> {
    let drawings = Drawings::new(&base);
    Ok(Arc::new(move |source| painted(source, Some(drawings.clone()))))
}

fn painted(source: Signal<Growing>, drawings: Option<Drawings>) -> AnyView {
    view! { <MarkdownText source drawings/> }.into_any()
}

/// A text of markdown. The server shows it whole.
#[component]
pub fn Markdown(
    /// The text as it grows.
    source: Signal<Growing>,
) -> impl IntoView {
    let paints = Painter::expect().paints();
    view! {
        {live(move || {
            Some(match paints.get() {
                Some(paint) => paint(source),
                None if IN_BROWSER => unpainted(source),
                None => painted(source, None),
            })
        })}
    }
}

/// Stands where the server's text stands, and leaves that as it is; what is new is shown as it was written. The buttons
/// that copy code are the server's, and work already.
fn unpainted(source: Signal<Growing>) -> AnyView {
    let copy = click(|click| browser::copy_beside(&click));
    view! { <div class="prose" inner_html=live(move || as_written(&source.read().text)) on:click=copy></div> }
        .into_any()
}

/// A text as markup that shows just that text, line by line.
fn as_written(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('\n', "<br>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_painted_yet_is_text_and_no_markup() {
        assert_eq!(
            as_written("a < b &amp; <img onerror=x>\n\n*c*"),
            "a &lt; b &amp;amp; &lt;img onerror=x><br><br>*c*"
        );
        assert_eq!(as_written(""), "");
    }
}
