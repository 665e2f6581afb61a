//! The compaction that comes with the crate: a model summarises the middle of a conversation, and what was summarised
//! before goes into the new summary.

use crate::compaction::plan::{Protect, Seen, plan, summary_tokens};
use crate::compaction::prompt::{Piece, first, pieces, update};
use crate::context::BoxError;
use crate::tokens::estimate_text;
use async_trait::async_trait;
use protocol::{Message, MessageId};
use std::collections::HashSet;
use std::ops::Range;

#[cfg(test)]
mod tests;

/// Answers a prompt with a summary; in earnest a language model.
#[async_trait]
pub trait Summarise: Send + Sync {
    /// The answer to `prompt`, or why there is none. Dropping the future gives up.
    async fn summarise(&self, prompt: &str) -> Result<String, BoxError>;
}

/// Decides what a summary shall stand for, and writes it.
#[async_trait]
pub trait Compact: Send + Sync {
    /// None where there is nothing worth it. Changes nothing itself; dropping the future gives up.
    async fn compact(&self, input: CompactionInput<'_>) -> Result<Option<Draft>, BoxError>;
}

/// What is known of a path that may be compacted.
#[derive(Debug, Clone, Copy)]
pub struct CompactionInput<'a> {
    /// The path as it is read now, with the messages that stand for earlier summaries.
    pub history: &'a [Message],
    /// What each of them counts.
    pub tokens: &'a [u64],
    /// Messages that no summary may stand for.
    pub pinned: &'a HashSet<MessageId>,
    /// How many tokens the whole path should stay below, where that is known.
    pub room: Option<u64>,
}

/// A summary that shall stand for a range of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// First message of the range as it is read now; a summary's id means the beginning of what it stands for.
    pub from: MessageId,
    /// Last message of the range; a summary's id means the end of what it stands for.
    pub to: MessageId,
    /// The summary.
    pub summary: String,
    /// Where the range really begins.
    pub start: Start,
}

/// Where the range of a draft begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Start {
    /// Where the first overlay begins that stands on the path before the range ends, if there is one: a summary made
    /// from all that is read speaks for what was summarised before, too.
    #[default]
    FirstOverlay,
    /// Where the draft says.
    Here,
}

/// Tokens one prompt may take.
const PROMPT_TOKENS: u64 = 24_000;
const PROMPT_TOKENS_MIN: u64 = 1_000;
/// Parts of the room: what is protected at the end, what a summary may take, what a new one must be worth.
const TAIL_OF_ROOM: (u64, u64) = (2, 5);
const SUMMARY_OF_ROOM: u64 = 5;
const WORTH_OF_ROOM: u64 = 20;

/// [`Compact`] by asking for summaries of the middle of a conversation.
#[derive(Debug, Clone)]
pub struct SummaryCompaction<S> {
    summarise: S,
    protect: Protect,
    prompt_tokens: u64,
}

impl<S> SummaryCompaction<S> {
    /// Protects three messages at the beginning, and two or 20,000 tokens at the end.
    pub fn new(summarise: S) -> Self {
        Self { summarise, protect: Protect::default(), prompt_tokens: PROMPT_TOKENS }
    }

    /// Protects something else.
    #[must_use]
    pub fn protect(mut self, protect: Protect) -> Self {
        self.protect = protect;
        self
    }

    /// Gives a prompt another ceiling, such as a model with a small window needs. Longer conversations take several
    /// prompts.
    #[must_use]
    pub fn prompt_tokens(mut self, tokens: u64) -> Self {
        self.prompt_tokens = tokens.max(PROMPT_TOKENS_MIN);
        self
    }

    /// The same protection, but leaving room for a summary.
    fn protect_within(&self, room: Option<u64>) -> Protect {
        let (part, of) = TAIL_OF_ROOM;
        let most = room.map_or(u64::MAX, |room| room.saturating_mul(part) / of);
        Protect { tail_tokens: self.protect.tail_tokens.min(most), ..self.protect }
    }
}

#[async_trait]
impl<S: Summarise> Compact for SummaryCompaction<S> {
    async fn compact(&self, input: CompactionInput<'_>) -> Result<Option<Draft>, BoxError> {
        let seen = Seen { messages: input.history, tokens: input.tokens, pinned: input.pinned };
        let Some(range) = plan(seen, self.protect_within(input.room)) else { return Ok(None) };
        let new_tokens = seen.new_tokens(range.clone());
        if input.room.is_some_and(|room| new_tokens < room / WORTH_OF_ROOM) {
            return Ok(None);
        }
        let prompt_tokens = input.room.map_or(self.prompt_tokens, |room| self.prompt_tokens.min(room));
        let middle = Middle::of(input.history, range, prompt_tokens.max(PROMPT_TOKENS_MIN));
        let Some((from, to)) = middle.ends() else { return Ok(None) };
        let most = input.room.map_or(u64::MAX, |room| room / SUMMARY_OF_ROOM);
        let summary = self.summarise(&middle, summary_tokens(new_tokens).min(most)).await?;
        Ok(summary.map(|summary| Draft { from, to, summary, start: Start::Here }))
    }
}

impl<S: Summarise> SummaryCompaction<S> {
    /// None where an answer is blank: a summary of nothing must not hide anything.
    async fn summarise(&self, middle: &Middle<'_>, tokens: u64) -> Result<Option<String>, BoxError> {
        let mut summary = middle.previous.clone();
        for piece in &middle.pieces {
            let prompt = if summary.trim().is_empty() {
                first(&piece.turns, tokens)
            } else {
                update(&clipped(&summary, middle.previous_max), &piece.turns, tokens)
            };
            summary = self.summarise.summarise(&prompt).await?;
            if summary.trim().is_empty() {
                return Ok(None);
            }
        }
        Ok(Some(summary))
    }
}

/// What is to be summarised.
struct Middle<'a> {
    messages: &'a [Message],
    /// Earlier summaries, to be brought up to date.
    previous: String,
    /// Tokens of them that a prompt may show.
    previous_max: u64,
    /// The rest, as the prompts show it.
    pieces: Vec<Piece>,
}

impl<'a> Middle<'a> {
    /// Half of a prompt is for earlier summaries. Where they take more, they are summarised with everything else.
    fn of(history: &'a [Message], range: Range<usize>, prompt_tokens: u64) -> Self {
        let half = prompt_tokens / 2;
        let all = history.get(range).unwrap_or_default();
        let is_summary = |message: &&Message| message.id.is_overlay();
        let new = || all.iter().filter(|message| !is_summary(message));
        let mut pieces = self::pieces(new(), half);
        // The last message that the prompts show, counted with the summaries between.
        let shown = pieces.last().map_or(0, |piece| piece.shown);
        let last =
            all.iter().enumerate().filter(|(_, message)| !is_summary(message)).nth(shown.saturating_sub(1));
        let end = if shown == new().count() { all.len() } else { last.map_or(0, |(last, _)| last + 1) };
        let mut messages = all.get(..end).filter(|_| shown > 0).unwrap_or_default();
        let summaries: Vec<String> = messages.iter().filter(is_summary).map(Message::plain_text).collect();
        let mut previous = summaries.join("\n\n");
        if estimate_text(&previous) > half {
            previous = String::new();
            pieces = self::pieces(messages.iter(), half);
            messages = messages.get(..pieces.last().map_or(0, |piece| piece.shown)).unwrap_or_default();
        }
        Self { messages, previous, previous_max: half, pieces }
    }

    fn ends(&self) -> Option<(MessageId, MessageId)> {
        Some((self.messages.first()?.id.clone(), self.messages.last()?.id.clone()))
    }
}

/// A summary that fits a prompt, whatever a model has answered.
fn clipped(summary: &str, max_tokens: u64) -> String {
    let mut units = usize::try_from(max_tokens.saturating_mul(4)).unwrap_or(usize::MAX);
    let mut kept = crate::truncate::head(summary, units);
    while estimate_text(kept) > max_tokens && units > 1 {
        units /= 2;
        kept = crate::truncate::head(summary, units);
    }
    kept.to_owned()
}
