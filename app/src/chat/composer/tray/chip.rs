//! One attachment: a small picture or a name, and a way to take it away.

use crate::browser;
use crate::chat::attachments::{inline_image, size_of};
use crate::chat::composer::COMPOSER_ID;
use crate::chat::composer::field::Field;
use crate::chat::composer::intake::PASTED_NAME;
use crate::chat::composer::tray::reading::text_of;
use crate::chat::transcript::Words;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::click;
use leptos::prelude::*;
use protocol::FilePart;

/// One attachment.
pub fn chip(field: Field, place: usize, file: FilePart) -> AnyView {
    let name = file.filename.clone().unwrap_or_else(|| file.media_type.clone());
    let picture = inline_image(&file).map(|source| view! { <img src=source alt=""/> }.into_any());
    let is_picture = picture.is_some();
    let take_away = move || {
        let mut files = field.files.get_untracked();
        if place < files.len() {
            drop(files.remove(place));
        }
        field.set_files(files);
        browser::focus(COMPOSER_ID);
    };
    let is_pasted = file.filename.as_deref() == Some(PASTED_NAME);
    let size = size_of(&file);
    let as_text = is_pasted.then(|| {
        let insert = click(move |_| {
            if let Some(text) = text_of(&file.url) {
                take_away();
                field.put_back(Words::text(text));
            }
        });
        view! { <button type="button" class="text-button is-strong" on:click=insert>"Put into the message"</button> }
            .into_any()
    });
    let remove = format!("Remove {name}");
    view! {
        <li class="attached" class:is-picture=is_picture>
            {picture.unwrap_or_else(|| view! { <Icon shape=Shape::File/> }.into_any())}
            <span class="attached-name" dir="auto">{name}</span>
            <span class="attached-size">{size}</span>
            {as_text}
            <button type="button" class="icon-button" aria-label=remove on:click=click(move |_| take_away())>
                <Icon shape=Shape::Close/>
            </button>
        </li>
    }
    .into_any()
}
