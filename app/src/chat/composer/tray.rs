//! What is attached to the message that is being typed, and what is still being read.

mod chip;
pub mod reading;

use super::field::Field;
use super::intake::Incoming;
use crate::chat::attachments::{refusal, too_many};
use crate::client::Client;
use crate::ui::list::{List, item, items};
use crate::ui::when::{When, follow};
use chip::chip;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{Extra, FilePart};
use reading::data_address;
use send_wrapper::SendWrapper;

/// What is attached.
#[component]
pub fn Tray(field: Field) -> impl IntoView {
    let client = Client::expect();
    // One after the other: what comes meanwhile waits its turn.
    let is_busy = StoredValue::new(false);
    follow(move || {
        let next = field.intake.with(|intake| intake.first().cloned());
        if let Some(Incoming(file)) = next.filter(|_| !is_busy.get_value()) {
            is_busy.set_value(true);
            spawn_local(take_in(client, field, file, is_busy));
        }
    });
    let row = move |(place, file): (usize, FilePart)| {
        item(format!("{place}-{}", file.url.len()), move || chip(field, place, file))
    };
    let each = items(move || field.files.get().into_iter().enumerate().map(row).collect());
    let is_reading = Memo::new(move |_| field.intake.with(|intake| !intake.is_empty()));
    view! {
        <ul class="tray" aria-label="Attached">
            <List each/>
            <When is=is_reading>
                <li class="tray-note" role="status">"Reading…"</li>
            </When>
        </ul>
    }
}

/// Reads one file, and lets the next one come.
async fn take_in(client: Client, field: Field, file: SendWrapper<web_sys::File>, is_busy: StoredValue<bool>) {
    if let Err(text) = attach(field, &file).await {
        client.toasts().fail(&text);
    }
    let _left = is_busy.try_set_value(false);
    let _left = field.intake.try_update(|intake| drop(intake.drain(..intake.len().min(1))));
}

async fn attach(field: Field, file: &web_sys::File) -> Result<(), String> {
    let (name, size) = (file.name(), file.size() as u64);
    let attached = field.files.try_get_untracked().unwrap_or_default();
    let used: usize = attached.iter().map(|file| file.url.len()).sum();
    if let Some(text) = refusal(&name, size, used) {
        return Err(text);
    }
    if let Some(text) = too_many(attached.len() + 1) {
        return Err(text);
    }
    let url = data_address(file).await.ok_or_else(|| format!("{name} could not be read."))?;
    let media_type = match file.type_().as_str() {
        "" => "application/octet-stream".to_owned(),
        known => known.to_owned(),
    };
    let part =
        FilePart { media_type, url, filename: Some(name), provider_metadata: None, extra: Extra::new() };
    let mut files = field.files.try_get_untracked().unwrap_or_default();
    files.push(part);
    field.set_files(files);
    Ok(())
}
