//! What the server has drawn: colours of code, formulas, diagrams, each known by its source. What comes near the view
//! and is not known yet is asked for, all that a moment needs in one request, and shown as its source until it comes.

mod queue;
mod sight;

use crate::api;
use crate::backend::told;
use crate::ui::when::{follow, memo};
use gloo_net::http::Method;
use gloo_timers::future::TimeoutFuture;
use leptos::html::ElementType;
use leptos::prelude::*;
use leptos::reactive::owner::ArcStoredValue;
use leptos::task::spawn_local;
use protocol::{Drawing, Pieces, RenderPiece};
use queue::Queue;
use send_wrapper::SendWrapper;
use sight::Sight;
use std::collections::HashMap;
use std::sync::Arc;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// How long is waited for more to ask for, in milliseconds.
const GATHER_MS: u32 = 16;
/// So many are put on the screen at once, and then nothing for so long, in milliseconds.
const SHOWN_AT_ONCE: usize = 6;
const SHOW_EVERY_MS: u32 = 8;
/// Drawings that are remembered; views keep their own.
const KNOWN_MAX: usize = 2_000;

/// The drawing of a piece that stands at `place`, from when it comes near the view. None on the server.
pub fn drawing_at<E>(piece: Option<RenderPiece>, place: NodeRef<E>) -> Signal<Option<Drawing>>
where
    E: ElementType + 'static,
    E::Output: JsCast + Clone + 'static,
{
    let (Some(drawings), Some(piece)) = (use_context::<Drawings>(), piece) else {
        return Signal::stored(None);
    };
    let shown = RwSignal::new(drawings.known(&piece));
    follow(move || {
        let element = place.get().filter(|_| shown.with_untracked(Option::is_none));
        let Some(element) = element else { return };
        let (drawings, piece) = (drawings.clone(), piece.clone());
        let sight = drawings.clone();
        sight.when_near(element.unchecked_ref(), move || {
            let _left = shown.try_set(Some(drawings.want(&piece)));
        });
    });
    memo(move || shown.get().and_then(|drawn| drawn.get())).into()
}

/// A drawing that may still come.
type Drawn = ArcRwSignal<Option<Drawing>>;

/// All drawings of a page, in the browser only. Clones are the same.
#[derive(Clone)]
pub struct Drawings {
    url: Arc<str>,
    known: ArcStoredValue<HashMap<RenderPiece, Drawn>>,
    asked: ArcStoredValue<Queue>,
    sight: SendWrapper<Sight>,
}

impl Drawings {
    /// None are known; the server is asked below `base`.
    pub fn new(base: &str) -> Self {
        Self {
            url: format!("{base}/api/v1/render").into(),
            known: ArcStoredValue::new(HashMap::new()),
            asked: ArcStoredValue::new(Queue::default()),
            sight: SendWrapper::new(Sight::default()),
        }
    }

    /// The drawing of a piece, if there is one.
    fn known(&self, piece: &RenderPiece) -> Option<Drawn> {
        self.known.read_value().get(piece).cloned()
    }

    /// Asks for the drawing of a piece, unless it is known or on its way.
    fn want(&self, piece: &RenderPiece) -> Drawn {
        if let Some(drawn) = self.known(piece) {
            return drawn;
        }
        let drawn = Drawn::new(None);
        let mut known = self.known.write_value();
        if known.len() >= KNOWN_MAX {
            // Those that are on their way have views that wait for them.
            known.retain(|_, drawn| drawn.with_untracked(Option::is_none));
        }
        let _new = known.insert(piece.clone(), drawn.clone());
        drop(known);
        if self.asked.write_value().push(piece.clone()) {
            let drawings = self.clone();
            spawn_local(async move { drawings.ask().await });
        }
        drawn
    }

    /// Does something when an element first comes near the view, unless the caller's place in the page is gone then.
    fn when_near(&self, element: &Element, act: impl FnOnce() + 'static) {
        let watch = self.sight.watch(element, Box::new(act));
        let kept = SendWrapper::new(((*self.sight).clone(), watch));
        on_cleanup(move || kept.0.forget(&kept.1));
    }

    /// Asks until nothing is left to be asked for.
    async fn ask(&self) {
        loop {
            TimeoutFuture::new(GATHER_MS).await;
            let Some(pieces) = self.asked.write_value().take() else { return };
            let body = serde_json::to_value(Pieces { pieces: pieces.clone() }).ok();
            let answer = api::text(Method::POST, self.url.to_string(), body).await.ok();
            let drawings = answer.and_then(|text| told::read::<Pieces<Drawing>>(&text));
            self.show(&pieces, drawings.map(|answer| answer.pieces).unwrap_or_default()).await;
        }
    }

    /// Shows what has come, few at once so that a reader can go on. What has not come is asked for again when it next
    /// comes on the screen.
    async fn show(&self, pieces: &[RenderPiece], drawings: Vec<Drawing>) {
        let mut drawings = drawings.into_iter();
        for (number, piece) in pieces.iter().enumerate() {
            if number > 0 && number % SHOWN_AT_ONCE == 0 {
                TimeoutFuture::new(SHOW_EVERY_MS).await;
            }
            match (drawings.next(), self.known(piece)) {
                (Some(drawing), Some(drawn)) => drawn.set(Some(drawing)),
                (None, _) => drop(self.known.write_value().remove(piece)),
                (Some(_), None) => {}
            }
        }
    }
}
