//! What of a chat nobody sees before somebody acts. Its code comes in one file, with the first of it that is wanted.

use super::compare::{Compared, beside};
use super::composer::ComposerDeeds;
use super::composer::field::Field;
use super::composer::recalled::Recalled;
use super::composer::suggest::Suggest;
use super::composer::tray::Tray;
use super::gap::GapLine;
use super::left_behind::LeftBehind;
use super::memory_write::MemoryWrite;
use super::message::editing::Editing;
use super::message::editor::Editor;
use super::message::fold::body::FoldBody;
use super::message::more::menu::MoreMenu;
use super::message::waiting::Waiting;
use super::part::agent::AgentBody;
use super::part::agent::foot::AgentFoot;
use super::part::approval::options::ApprovalOptions;
use super::part::memory::MemoryDeeds;
use super::part::reasoning::timer::Timer;
use super::queue::chips::Chips;
use super::rows::fold_failure::FoldFailure;
use super::scroller::{place::Scroller, seek::Seek, top, way::Way};
use super::signals::Chat;
use crate::ui::lazy::{Fetched, Later, fetch};
use crate::ui::menu::MenuHandle;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use protocol::{MessageId, OverlayInfo, Part, ToolVerdict};

/// What is wanted.
#[derive(Clone)]
pub enum Extra {
    /// A message in a field.
    Editor(Editing),
    /// What can be done with a summary.
    Fold(Editing, Signal<Option<OverlayInfo>>),
    /// That a summary could not be written.
    FoldFailure(Chat, String),
    /// What else can be done with a message.
    More(Editing, MenuHandle),
    /// The messages that wait.
    Queue(Chat),
    /// The way to a message.
    Seek(Chat, Scroller, MessageId),
    /// The place where messages are missing.
    Gap(Chat),
    /// What stands on other versions of a message.
    LeftBehind(Chat, MessageId),
    /// Suggestions for what is being typed.
    Suggest(Field),
    /// What can be done with a message that was recalled.
    Recalled(Field, ComposerDeeds),
    /// What is attached.
    Tray(Field),
    /// What another agent was asked and answered.
    AgentBody(Signal<Part>),
    /// What another agent does, and the way to its chat.
    AgentFoot(Signal<Part>),
    /// What can be done with a change of memory.
    Memory(MemoryWrite),
    /// How long a model thinks.
    Timer(Signal<Part>),
    /// For whom a message waits.
    Waiting(Editing),
    /// Versions of a message side by side, or the models that shall make some.
    Compare(Chat, Compared),
    /// What else may be said to a tool that asks.
    Approval(Signal<Part>, Callback<ToolVerdict>),
}

/// Shows it as soon as its code is there.
pub fn extra(what: Extra) -> AnyView {
    view! { <Later fetch=fetch(move || load(what.clone()))/> }.into_any()
}

/// Brings older messages of a chat.
pub fn bring_earlier(way: Way, chat: Chat) {
    spawn_local(async move {
        // What does not arrive is asked for again with the next wish.
        let _arrived = bring(way, chat).await;
    });
}

/// Puts the last question at the top of the view.
pub fn put_at_top(scroller: Scroller, chat: Chat) {
    spawn_local(async move {
        // What does not arrive leaves the view where it is.
        let _arrived = put(scroller, chat).await;
    });
}

#[wasm_split(chat, wasm_split_path = leptos::wasm_split, fallible)]
fn put(scroller: Scroller, chat: Chat) -> Result<(), SplitLoaderError> {
    top::put(scroller, &chat);
    Ok(())
}

#[wasm_split(chat, wasm_split_path = leptos::wasm_split, fallible)]
fn bring(way: Way, chat: Chat) -> Result<(), SplitLoaderError> {
    way.go(chat);
    Ok(())
}

#[wasm_split(chat, wasm_split_path = leptos::wasm_split, fallible)]
fn load(what: Extra) -> Fetched {
    Ok(ViewFn::from(move || build(what.clone())))
}

fn build(what: Extra) -> AnyView {
    match what {
        Extra::Editor(editing) => view! { <Editor editing/> }.into_any(),
        Extra::Fold(editing, fold) => view! { <FoldBody editing fold/> }.into_any(),
        Extra::FoldFailure(chat, reason) => view! { <FoldFailure chat reason/> }.into_any(),
        Extra::More(editing, menu) => view! { <MoreMenu editing menu/> }.into_any(),
        Extra::Queue(chat) => view! { <Chips chat/> }.into_any(),
        Extra::Seek(chat, scroller, message) => view! { <Seek chat scroller message/> }.into_any(),
        Extra::Gap(chat) => view! { <GapLine chat/> }.into_any(),
        Extra::LeftBehind(chat, message) => view! { <LeftBehind chat message/> }.into_any(),
        Extra::Suggest(field) => view! { <Suggest field/> }.into_any(),
        Extra::Recalled(field, deeds) => view! { <Recalled field deeds/> }.into_any(),
        Extra::Tray(field) => view! { <Tray field/> }.into_any(),
        Extra::Approval(part, send) => view! { <ApprovalOptions part send/> }.into_any(),
        Extra::Compare(chat, what) => beside(chat, what),
        Extra::Timer(part) => view! { <Timer part/> }.into_any(),
        Extra::Waiting(editing) => view! { <Waiting editing/> }.into_any(),
        Extra::AgentBody(part) => view! { <AgentBody part/> }.into_any(),
        Extra::AgentFoot(part) => view! { <AgentFoot part/> }.into_any(),
        Extra::Memory(write) => view! { <MemoryDeeds write/> }.into_any(),
    }
}
