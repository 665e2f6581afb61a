//! Puts a new question at the top of the view, with room below it for the answer.

use super::place::Scroller;
use crate::browser;
use crate::chat::follow::{Follow, room_for};
use crate::chat::signals::Chat;
use crate::chat::transcript::Speaker;
use leptos::prelude::*;
use protocol::MessageId;

/// Room above the question, in pixels.
const ABOVE_PX: f64 = 12.0;

/// Frames of the screen in which it is held in its place while what stands around it is laid out.
const HOLD_FRAMES: u32 = 6;

/// Puts the last question there.
pub fn put(scroller: Scroller, chat: &Chat) {
    // Until it is there nothing moves.
    scroller.follow.update(Follow::rest);
    let question = last_question(chat);
    request_animation_frame(move || {
        let _there = question.map(|question| hold(scroller, question, HOLD_FRAMES));
    });
}

fn hold(scroller: Scroller, question: MessageId, frames: u32) {
    let Some((top, position)) = scroller.place_in(&browser::row_id(question.as_str())) else { return };
    let top = (top - ABOVE_PX).max(0.0);
    let room = scroller.room.get_value();
    let wanted = room_for(top, position, room);
    scroller.keep_room(wanted);
    scroller.scroll_to(top);
    if let Some(now) = scroller.position() {
        scroller.follow.update(|follow| follow.put_at_top(now));
    }
    if frames > 0 {
        request_animation_frame(move || {
            // Whoever has moved meanwhile reads something else.
            if scroller.follow.try_with_untracked(Follow::is_away) == Some(false) {
                hold(scroller, question, frames - 1);
            }
        });
    }
}

fn last_question(chat: &Chat) -> Option<MessageId> {
    let rows = chat.order().get_untracked();
    let heads = rows.iter().rev().filter_map(|key| chat.row(key));
    let mut heads = heads.map(|row| row.head.with_untracked(|head| (head.speaker, head.id.clone())));
    heads.find(|(speaker, _)| *speaker == Speaker::Person).map(|(_, id)| id)
}
