//! A piece of a text on the screen that is left as it is for as long as it says the same: what is finished in the open
//! block keeps its elements, its colours and what a person did with it while the rest is written.

use leptos::prelude::*;
use leptos::tachys::html::attribute::Attribute;
use leptos::tachys::html::attribute::any_attribute::AnyAttribute;
use leptos::tachys::hydration::Cursor;
use leptos::tachys::renderer::types;
use leptos::tachys::view::any_view::AnyViewState;
use leptos::tachys::view::{Position, PositionState};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Where the signals of kept pieces live: the block they stand in, which outlives each look at its text.
#[derive(Clone)]
pub(super) struct Home(WeakOwner);

impl Home {
    /// Makes the place that is being built the home of what is built in it.
    pub(super) fn provide() {
        if let Some(owner) = Owner::current() {
            provide_context(Self(owner.downgrade()));
        }
    }
}

/// What makes a piece.
type Make = Box<dyn FnOnce() -> AnyView + Send>;

/// A piece.
struct Kept {
    /// Stands for what it says.
    print: u64,
    make: Make,
}

/// A piece that stands on the screen. The view goes before what it is made of.
struct Standing {
    print: u64,
    view: AnyViewState,
    owner: Owner,
}

/// What `make` gives of `said`, made again only when that is another than it was.
pub(super) fn kept<S: Hash + Send + 'static>(
    said: S,
    make: impl FnOnce(S) -> AnyView + Send + 'static,
) -> AnyView {
    let mut hasher = DefaultHasher::new();
    said.hash(&mut hasher);
    Kept { print: hasher.finish(), make: Box::new(move || make(said)) }.into_any()
}

fn owner() -> Owner {
    let home = use_context::<Home>().and_then(|home| home.0.upgrade());
    home.map_or_else(Owner::new, |home| home.child())
}

impl Render for Kept {
    type State = Standing;

    fn build(self) -> Standing {
        let owner = owner();
        let view = owner.with(|| (self.make)().build());
        Standing { print: self.print, view, owner }
    }

    fn rebuild(self, state: &mut Standing) {
        if self.print != state.print {
            state.print = self.print;
            state.owner.with_cleanup(|| (self.make)().rebuild(&mut state.view));
        }
    }
}

impl AddAnyAttr for Kept {
    type Output<A: Attribute> = Self;

    fn add_any_attr<A: Attribute>(self, _attr: A) -> Self {
        self
    }
}

impl RenderHtml for Kept {
    type AsyncOutput = Self;
    type Owned = Self;
    const MIN_LENGTH: usize = 0;

    fn dry_resolve(&mut self) {}

    async fn resolve(self) -> Self {
        self
    }

    fn to_html_with_buf(
        self,
        buf: &mut String,
        position: &mut Position,
        escape: bool,
        mark_branches: bool,
        extra_attrs: Vec<AnyAttribute>,
    ) {
        (self.make)().to_html_with_buf(buf, position, escape, mark_branches, extra_attrs);
    }

    fn hydrate<const FROM_SERVER: bool>(self, cursor: &Cursor, position: &PositionState) -> Standing {
        let owner = owner();
        let view = owner.with(|| (self.make)().hydrate::<FROM_SERVER>(cursor, position));
        Standing { print: self.print, view, owner }
    }

    fn into_owned(self) -> Self {
        self
    }
}

impl Mountable for Standing {
    fn unmount(&mut self) {
        self.view.unmount();
    }

    fn mount(&mut self, parent: &types::Element, marker: Option<&types::Node>) {
        self.view.mount(parent, marker);
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        self.view.insert_before_this(child)
    }

    fn elements(&self) -> Vec<types::Element> {
        self.view.elements()
    }
}
