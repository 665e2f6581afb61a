//! An address that no page has.

use crate::chat::absent::Absent;
use crate::status;
use leptos::prelude::*;

#[component]
pub fn NoSuchPage() -> impl IntoView {
    status::not_found();
    view! { <Absent what="There is no page at this address."/> }
}
