//! A field to search in, and the list of what it finds. The focus stays in the field; arrows walk through the
//! list, Enter and a click take what is there.

use super::when::{When, click, follow, key, live};
use crate::browser;
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Input;
use leptos::prelude::*;

/// What a picker offers and does. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Pick {
    /// Its name among all pickers: the ids of its elements begin with it.
    pub name: &'static str,
    /// What its field is for.
    pub label: &'static str,
    /// The place of the option that Enter takes.
    pub place: RwSignal<usize>,
    /// How many options there are.
    pub count: Signal<usize>,
    /// Something was typed.
    pub type_text: Callback<String>,
    /// The option at a place is taken.
    pub take: Callback<usize>,
}

impl Pick {
    /// The option at a place, with what it shows.
    pub fn option(self, place: usize, shown: AnyView) -> AnyView {
        option(self.id_of(place), place, self.place.into(), shown)
    }

    fn id_of(self, place: usize) -> String {
        format!("{}-{place}", self.name)
    }

    /// Whether a key of the field meant something.
    fn press(self, press: &KeyboardEvent) -> bool {
        let pressed = press.key();
        if browser::key_press(press, &pressed).is_input_method() {
            return false;
        }
        let here = self.place.get_untracked();
        if let Some(next) = after_key(&pressed, here, self.count.get_untracked()) {
            self.place.set(next);
            request_animation_frame(move || browser::reveal(&self.id_of(next)));
        } else if pressed == "Enter" {
            self.take.run(here);
        } else {
            return false;
        }
        true
    }
}

/// The field and its list.
#[component]
pub fn Picker(
    /// What it offers and does.
    pick: Pick,
    /// The options, each made by [`Pick::option`].
    options: ViewFn,
    /// What is said where there are none.
    #[prop(into)]
    note: Signal<Option<String>>,
    /// The field is there and has the focus.
    #[prop(into)]
    ready: Callback<()>,
) -> impl IntoView {
    let node = NodeRef::<Input>::new();
    follow(move || {
        if let Some(field) = node.get() {
            ready.run(());
            let _focused = field.focus();
        }
    });
    let on_key = move |press: KeyboardEvent| {
        if pick.press(&press) {
            press.prevent_default();
        }
    };
    let on_click = move |click: MouseEvent| {
        browser::number_at(&click, "data-place").into_iter().for_each(|place| pick.take.run(place));
    };
    let typed =
        move |_| pick.type_text.run(node.get_untracked().map(|field| field.value()).unwrap_or_default());
    let has_some = Memo::new(move |_| pick.count.get() > 0);
    let list_id = format!("{}-list", pick.name);
    view! {
        <input
            class="palette-field"
            node_ref=node
            type="text"
            role="combobox"
            dir="auto"
            autocomplete="off"
            aria-label=pick.label
            placeholder=pick.label
            aria-expanded=live(move || has_some.get().to_string())
            aria-controls=list_id.clone()
            aria-activedescendant=live(move || has_some.get().then(|| pick.id_of(pick.place.get())))
            on:input=typed
            on:keydown=key(on_key)
        />
        <div id=list_id class="palette-list" role="listbox" aria-label="Found" hidden=live(move || !has_some.get()) on:click=click(on_click)>
            {live(move || Some(options.run()))}
        </div>
        <When is=Memo::new(move |_| note.with(Option::is_some))>
            <p class="panel-note" role="status">{live(move || note.get().unwrap_or_default())}</p>
        </When>
    }
}

/// The option at a place of a list whose field keeps the focus; `here` is the place that Enter takes.
pub fn option(id: String, place: usize, here: Signal<usize>, shown: AnyView) -> AnyView {
    let is_here = Memo::new(move |_| here.get() == place);
    view! {
        <div
            id=id
            class="palette-option"
            class:is-here=live(move || is_here.get())
            role="option"
            aria-selected=live(move || is_here.get().to_string())
            data-place=place.to_string()
        >
            {shown}
        </div>
    }
    .into_any()
}

/// The place that a key leads to among `count`; the ends join.
pub fn after_key(key: &str, place: usize, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    match key {
        "ArrowDown" if place >= last => Some(0),
        "ArrowDown" => Some(place + 1),
        "ArrowUp" => Some(place.checked_sub(1).unwrap_or(last)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_walk_and_the_ends_join() {
        let check = |key: &str, place: usize, next: Option<usize>| {
            assert_eq!(after_key(key, place, 3), next, "{key}")
        };
        check("ArrowDown", 0, Some(1));
        check("ArrowDown", 2, Some(0));
        check("ArrowUp", 0, Some(2));
        check("ArrowUp", 2, Some(1));
        check("x", 0, None);
        assert_eq!(after_key("ArrowDown", 0, 0), None);
    }
}
