//! Files on their way into a message: what a paste, a drop or the picker brought, before it is read.

use super::field::Field;
use crate::chat::composer_state::is_file_rather;
use leptos::ev::{ClipboardEvent, DragEvent};
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use web_sys::js_sys::Array;
use web_sys::{File, FileList, FilePropertyBag};

/// The name of a long text that was pasted.
pub const PASTED_NAME: &str = "Pasted text.txt";

/// A file that is not read yet.
#[derive(Clone)]
pub struct Incoming(pub SendWrapper<File>);

/// Files become attachments, and so does a text that is long; anything else is the browser's own work.
pub fn paste(field: Field, paste: &ClipboardEvent) {
    let Some(data) = paste.clipboard_data() else { return };
    if let Some(files) = data.files().filter(|files| files.length() > 0) {
        paste.prevent_default();
        return take(field, &files);
    }
    let text = data.get_data("text/plain").unwrap_or_default();
    if is_file_rather(&text)
        && let Some(file) = file_of(&text)
    {
        paste.prevent_default();
        put(field, vec![file]);
    }
}

/// Whether files are dragged.
pub fn has_files(drag: &DragEvent) -> bool {
    drag.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0))
}

/// Files were dropped.
pub fn drop_on(field: Field, drag: &DragEvent) {
    if let Some(files) = drag.data_transfer().and_then(|data| data.files()) {
        take(field, &files);
    }
}

/// Files were chosen.
pub fn take(field: Field, files: &FileList) {
    put(field, (0..files.length()).filter_map(|index| files.get(index)).collect());
}

fn put(field: Field, files: Vec<File>) {
    field.intake.update(|intake| intake.extend(files.into_iter().map(SendWrapper::new).map(Incoming)));
}

fn file_of(text: &str) -> Option<File> {
    let kind = FilePropertyBag::new();
    kind.set_type("text/plain");
    File::new_with_str_sequence_and_options(&Array::of1(&text.into()), PASTED_NAME, &kind).ok()
}
