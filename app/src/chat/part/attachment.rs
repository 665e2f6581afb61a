//! Files and sources: a line that names them. Nothing is fetched until a person follows it.

use crate::chat::attachments::inline_image;
use crate::markdown::parse::allowed;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::live;
use leptos::prelude::*;
use protocol::Part;

/// A file or a source. The server shows the same.
#[component]
pub fn Attachment(
    /// The part.
    part: Signal<Part>,
) -> impl IntoView {
    let name = move || part.with(name);
    let link = move || match part.with(address) {
        Some(href) => view! {
            <a href=href target="_blank" rel="noopener noreferrer nofollow" dir="auto">{name()}</a>
        }
        .into_any(),
        None => view! { <span dir="auto">{name()}</span> }.into_any(),
    };
    let picture = part.with_untracked(|part| part.as_file().and_then(inline_image));
    if let Some(picture) = picture {
        let alt = part.with_untracked(self::name);
        return view! { <img class="picture" src=picture alt=alt loading="lazy"/> }.into_any();
    }
    let shape =
        if part.with_untracked(|part| matches!(part, Part::File(_))) { Shape::File } else { Shape::Link };
    view! {
        <p class="attachment">
            <Icon shape/>
            {live(move || Some(link()))}
        </p>
    }
    .into_any()
}

fn name(part: &Part) -> String {
    match part {
        Part::File(file) => file.filename.clone().unwrap_or_else(|| file.media_type.clone()),
        Part::SourceUrl(source) => source.title.clone().unwrap_or_else(|| source.url.clone()),
        Part::SourceDocument(source) => source.title.clone(),
        Part::Text(_)
        | Part::Reasoning(_)
        | Part::StepStart
        | Part::Data(_)
        | Part::Tool(_)
        | Part::Unknown(_) => String::new(),
    }
}

fn address(part: &Part) -> Option<String> {
    match part {
        Part::File(file) => allowed(&file.url),
        Part::SourceUrl(source) => allowed(&source.url),
        Part::SourceDocument(_)
        | Part::Text(_)
        | Part::Reasoning(_)
        | Part::StepStart
        | Part::Data(_)
        | Part::Tool(_)
        | Part::Unknown(_) => None,
    }
}
