//! Which messages a summary should stand for: those between a protected beginning and a protected end, never half of a
//! call and its results, never a pinned message. Pure.

use protocol::{Message, MessageId, Part, Role};
use std::collections::HashSet;
use std::ops::Range;

#[cfg(test)]
mod tests;

/// What a summary leaves alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protect {
    /// Messages at the beginning.
    pub head: usize,
    /// Tokens at the end; messages that exceed it are not protected, except the last one.
    pub tail_tokens: u64,
    /// Messages at the end, however long they are.
    pub min_tail: usize,
}

impl Default for Protect {
    fn default() -> Self {
        Self { head: 3, tail_tokens: 20_000, min_tail: 2 }
    }
}

/// The least a summary may take.
const SUMMARY_MIN: u64 = 100;

/// How many tokens the summary of so many should take.
pub(crate) fn summary_tokens(middle: u64) -> u64 {
    SUMMARY_MIN.max(middle / 5)
}

/// A path as it is seen, with what each message counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) messages: &'a [Message],
    pub(crate) tokens: &'a [u64],
    pub(crate) pinned: &'a HashSet<MessageId>,
}

impl Seen<'_> {
    /// What the messages of a range count that are no summaries yet.
    pub(crate) fn new_tokens(&self, range: Range<usize>) -> u64 {
        let messages = self.messages.get(range.clone()).unwrap_or_default();
        let counted = messages.iter().zip(self.tokens.get(range).unwrap_or_default());
        counted.filter(|(message, _)| !message.id.is_overlay()).map(|(_, tokens)| *tokens).sum()
    }

    fn has_new(&self, range: &Range<usize>) -> bool {
        let messages = self.messages.get(range.clone()).unwrap_or_default();
        messages.iter().any(|message| !message.id.is_overlay())
    }
}

/// The positions a summary should stand for: of the runs between the protected ends that hold no pinned message, the
/// one with most that is not summarised yet. Earlier summaries in it are to be merged.
pub(crate) fn plan(seen: Seen<'_>, protect: Protect) -> Option<Range<usize>> {
    let count = seen.messages.len();
    if count <= protect.head.saturating_add(protect.min_tail) {
        return None;
    }
    let groups = Groups::of(seen.messages);
    // What follows a summary inside the protected beginning would otherwise be summarised by nobody.
    let overlay = seen.messages.iter().take(protect.head).position(|message| message.id.is_overlay());
    let start = overlay.unwrap_or_else(|| groups.forward(protect.head));
    let cut = tail_start(seen.tokens, start, protect.tail_tokens);
    let least = count.saturating_sub(protect.min_tail);
    let end = groups.backward(if least >= start { cut.min(least) } else { cut });
    let mut best: Option<(u64, Range<usize>)> = None;
    for run in runs(&seen, &groups, start..end) {
        let tokens = seen.new_tokens(run.clone());
        if seen.has_new(&run) && best.as_ref().is_none_or(|(most, _)| tokens > *most) {
            best = Some((tokens, run));
        }
    }
    best.map(|(_, run)| run)
}

/// Where the protected end begins.
fn tail_start(tokens: &[u64], start: usize, budget: u64) -> usize {
    let (mut kept, mut first) = (0_u64, tokens.len());
    for (position, more) in tokens.iter().enumerate().skip(start).rev() {
        kept = kept.saturating_add(*more);
        if kept > budget && first < tokens.len() {
            break;
        }
        first = position;
    }
    first
}

/// The parts of a range between pinned messages.
fn runs(seen: &Seen<'_>, groups: &Groups, range: Range<usize>) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = range.start;
    for (position, message) in seen.messages.iter().enumerate().take(range.end).skip(range.start) {
        if seen.pinned.contains(&message.id) {
            let group = groups.around(position);
            runs.push(start..group.start.max(start));
            start = start.max(group.end);
        }
    }
    runs.push(start..range.end.max(start));
    runs.retain(|run| !run.is_empty());
    runs
}

/// Messages that belong together: one that calls tools and those after it that hold results of its calls.
#[derive(Debug)]
pub(crate) struct Groups {
    groups: Vec<Range<usize>>,
    count: usize,
}

impl Groups {
    pub(crate) fn of(messages: &[Message]) -> Self {
        let calls: Vec<HashSet<&str>> = messages.iter().map(call_ids).collect();
        let mut groups: Vec<Range<usize>> = Vec::new();
        for (first, message) in messages.iter().enumerate() {
            let is_inside = groups.last().is_some_and(|group| first < group.end);
            let mut related = calls.get(first).cloned().unwrap_or_default();
            if is_inside || message.role != Role::Assistant || related.is_empty() {
                continue;
            }
            let mut end = first + 1;
            while let Some(ids) = calls.get(end).filter(|ids| !ids.is_disjoint(&related)) {
                related.extend(ids);
                end += 1;
            }
            if end > first + 1 {
                groups.push(first..end);
            }
        }
        Self { groups, count: messages.len() }
    }

    /// The group of a message, or the message alone.
    fn around(&self, position: usize) -> Range<usize> {
        let group = self.groups.iter().find(|group| group.contains(&position));
        group.cloned().unwrap_or(position..position + 1)
    }

    /// The border at `position`, or after the group that it would split.
    pub(crate) fn forward(&self, position: usize) -> usize {
        self.split_by(position).map_or(position, |group| group.end)
    }

    /// The border at `position`, or before the group that it would split.
    pub(crate) fn backward(&self, position: usize) -> usize {
        self.split_by(position).map_or(position, |group| group.start)
    }

    fn split_by(&self, position: usize) -> Option<&Range<usize>> {
        let is_split = |group: &&Range<usize>| group.start < position && position < group.end;
        self.groups.iter().find(is_split).filter(|_| position < self.count)
    }
}

/// The calls a message makes or answers.
fn call_ids(message: &Message) -> HashSet<&str> {
    message.parts.iter().filter_map(call_id).collect()
}

/// The call that a part makes or answers, also where it is a tool part of another system that we cannot read.
pub(crate) fn call_id(part: &Part) -> Option<&str> {
    match part {
        Part::Tool(tool) => Some(tool.call.tool_call_id.as_str()),
        Part::Unknown(value) => {
            let kind = value.get("type")?.as_str()?;
            let is_tool = kind == "dynamic-tool" || kind.starts_with("tool-");
            value.get("toolCallId")?.as_str().filter(|_| is_tool)
        }
        Part::Text(_)
        | Part::Reasoning(_)
        | Part::File(_)
        | Part::SourceUrl(_)
        | Part::SourceDocument(_)
        | Part::StepStart
        | Part::Data(_) => None,
    }
}
