//! A text that grows, as blocks: finished ones never change again, only the open one at the end does. Pure.
//!
//! Any way of cutting a text into pieces gives the same blocks once it is complete (a test tries many).

use super::lists::{goes_on, is_list};
use super::parse::{self, Definitions};
use mdstream::{MdStream, Options, TerminatorOptions, Update, terminate_markdown};
use std::collections::HashSet;

/// One block of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Stays the same while the block grows and when it is finished.
    pub id: u64,
    /// Its markdown, as it came.
    pub source: String,
    /// Whether more of it may come.
    pub growth: Growth,
    /// Counts the times that an earlier definition changed what the block means.
    pub revision: u32,
}

/// A text that grows.
#[derive(Debug)]
pub struct Document {
    stream: MdStream,
    /// The text that the stream has taken.
    text: String,
    is_complete: bool,
    finished: Vec<Block>,
    open: Option<Block>,
    /// A list that is finished unless the block after it turns out to be a part of it.
    held: Option<Block>,
    definitions: Definitions,
    /// Counts fresh starts, so that blocks of different texts never share an id.
    generation: u64,
}

/// Room for the ids of one generation.
const GENERATION: u64 = 1 << 32;

impl Default for Document {
    /// A text of which nothing has come.
    fn default() -> Self {
        Self {
            stream: stream(),
            text: String::new(),
            is_complete: false,
            finished: Vec::new(),
            open: None,
            held: None,
            definitions: Definitions::new(),
            generation: 0,
        }
    }
}

impl Document {
    /// Takes the text as it is now. A text that goes on where the last one ended costs only what is new.
    pub fn set(&mut self, text: &str, growth: Growth) {
        let fresh = text.strip_prefix(self.text.as_str()).filter(|more| more.is_empty() || !self.is_complete);
        let more = match fresh {
            Some(more) => more.to_owned(),
            None => {
                self.restart();
                text.to_owned()
            }
        };
        if !more.is_empty() || self.text.is_empty() {
            self.text.push_str(&more);
            let update = self.stream.append(&more);
            self.take(update);
        }
        if growth == Growth::Complete && !self.is_complete {
            self.is_complete = true;
            let update = self.stream.finalize();
            self.take(update);
        }
    }

    /// All blocks in order.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.finished.iter().chain(self.open.as_ref())
    }

    /// What `[name]: address` lines of the whole text say.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    fn restart(&mut self) {
        let generation = self.generation + 1;
        *self = Self { generation, ..Self::default() };
    }

    fn take(&mut self, update: Update) {
        if update.reset {
            self.finished.clear();
            self.held = None;
            self.definitions.clear();
            self.generation += 1;
        }
        let base = self.generation * GENERATION;
        let mut is_defining = false;
        for block in update.committed {
            is_defining |= parse::define(&block.raw, &mut self.definitions);
            self.finish(made(base, block, Growth::Complete));
        }
        let pending = update.pending.map(|block| made(base, block, Growth::Open));
        self.open = self.open_after(pending);
        if is_defining {
            self.revise(update.invalidated.iter().map(|id| base + id.0).collect());
        }
    }

    fn finish(&mut self, block: Block) {
        let whole = match self.held.take() {
            Some(held) if goes_on(&held.source, &block.source) => {
                Block { source: held.source + &block.source, ..held }
            }
            held => {
                self.finished.extend(held);
                block
            }
        };
        if is_list(&whole.source) {
            self.held = Some(whole);
        } else {
            self.finished.push(whole);
        }
    }

    /// What is open where `pending` comes after a list that is held.
    fn open_after(&mut self, pending: Option<Block>) -> Option<Block> {
        let more = pending.as_ref().map_or("", |block| block.source.as_str());
        match self.held.take() {
            Some(held) if !self.is_complete && goes_on(&held.source, more) => {
                let source = format!("{}{more}", held.source);
                let open = Block { source, growth: Growth::Open, ..held };
                self.held = Some(held);
                Some(open)
            }
            held => {
                self.finished.extend(held);
                pending
            }
        }
    }

    fn revise(&mut self, stale: HashSet<u64>) {
        for block in self.finished.iter_mut().chain(&mut self.held).filter(|block| stale.contains(&block.id))
        {
            block.revision += 1;
        }
    }
}

/// Whether more may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Growth {
    /// It may.
    Open,
    /// It will not.
    Complete,
}

fn made(base: u64, block: mdstream::Block, growth: Growth) -> Block {
    Block { id: base + block.id.0, source: block.raw, growth, revision: 0 }
}

/// An open block as it is shown: with half-typed marks closed. An open fence needs no closing, only that the beginning
/// of its closing line does not show up as code.
pub fn half_typed(source: &str) -> String {
    let start = source.trim_start();
    if !start.starts_with("```") && !start.starts_with("~~~") {
        return terminate_markdown(source, &marks());
    }
    let last = source.rsplit('\n').next().unwrap_or_default().trim();
    let is_fence_begun =
        last.len() < 3 && !last.is_empty() && last.chars().all(|char| matches!(char, '`' | '~'));
    let end = source.rfind('\n').filter(|_| is_fence_begun).map_or(source.len(), |end| end + 1);
    source.get(..end).unwrap_or(source).to_owned()
}

/// Which marks are closed. Dollar signs are not among them: what is a formula is decided elsewhere.
fn marks() -> TerminatorOptions {
    TerminatorOptions { katex_block: false, ..TerminatorOptions::default() }
}

fn stream() -> MdStream {
    MdStream::new(Options {
        reference_definitions: mdstream::ReferenceDefinitionsMode::Invalidate,
        terminator: marks(),
        ..Options::default()
    })
}

#[cfg(test)]
mod tests;
