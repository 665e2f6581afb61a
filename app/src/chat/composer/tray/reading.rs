//! Reading files in the browser.

use futures::channel::oneshot;
use leptos::prelude::window;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Blob, FileReader};

/// The content of a file as a `data:` address; none if it cannot be read.
pub async fn data_address(file: &Blob) -> Option<String> {
    let reader = FileReader::new().ok()?;
    let (done, end) = oneshot::channel();
    let mut done = Some(done);
    let ended = Closure::<dyn FnMut()>::new(move || {
        if let Some(done) = done.take() {
            let _gone = done.send(());
        }
    });
    reader.set_onloadend(Some(ended.as_ref().unchecked_ref()));
    reader.read_as_data_url(file).ok()?;
    end.await.ok()?;
    reader.result().ok()?.as_string()
}

/// The text in a `data:` address of base64.
pub fn text_of(address: &str) -> Option<String> {
    let (_, data) = address.split_once(";base64,")?;
    let bytes = window().atob(data).ok()?;
    // Each letter of the answer is one byte.
    String::from_utf8(bytes.chars().map(|letter| letter as u8).collect()).ok()
}
