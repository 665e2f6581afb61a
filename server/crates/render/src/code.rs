//! Colours for code: a grammar reads it line by line, each scope it names becomes one of ten classes.

mod classes;
mod languages;

use classes::Classes;
use protocol::{Run, limits};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use syntect::parsing::{ParseState, ScopeStack, SyntaxReference, SyntaxSet};
use syntect::util::LinesWithEndings;

/// Finds the colours of code.
pub(crate) struct Painter {
    unpacked: OnceLock<Unpacked>,
    /// How long one text may take.
    budget: Duration,
}

/// The colours of a text.
#[derive(Debug)]
pub(crate) struct Painted {
    /// Its runs.
    pub(crate) runs: Vec<Run>,
    /// Whether the time was enough for all of it.
    pub(crate) is_in_time: bool,
}

struct Unpacked {
    grammars: SyntaxSet,
    classes: Classes,
}

impl std::fmt::Debug for Painter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Painter").field("is_unpacked", &self.unpacked.get().is_some()).finish()
    }
}

impl Painter {
    /// A painter that works on one text for at most `budget`.
    pub(crate) fn new(budget: Duration) -> Self {
        Self { unpacked: OnceLock::new(), budget }
    }

    /// The runs of a text, in order. They end where the text is plain to its end: at once if nobody knows the language.
    pub(crate) fn runs(&self, language: &str, text: &str) -> Painted {
        let unpacked = self.unpacked.get_or_init(|| Unpacked {
            grammars: two_face::syntax::extra_newlines(),
            classes: Classes::default(),
        });
        match languages::grammar(&unpacked.grammars, language) {
            Some(grammar) if text.len() <= limits::RENDER_CODE_MAX_BYTES => {
                unpacked.paint(grammar, text, self.budget)
            }
            Some(_) | None => Painted { runs: Vec::new(), is_in_time: true },
        }
    }
}

impl Unpacked {
    fn paint(&self, grammar: &SyntaxReference, text: &str, budget: Duration) -> Painted {
        let begun = Instant::now();
        let mut is_in_time = true;
        let mut strokes = Strokes::default();
        let (mut state, mut stack) = (ParseState::new(grammar), ScopeStack::new());
        for line in LinesWithEndings::from(text) {
            is_in_time = begun.elapsed() < budget;
            let is_within = line.len() <= limits::RENDER_LINE_MAX_BYTES && is_in_time;
            if !is_within || !self.paint_line(line, &mut state, &mut stack, &mut strokes) {
                break;
            }
        }
        Painted { runs: strokes.finish(), is_in_time }
    }

    /// Whether the grammar could read the line.
    fn paint_line(
        &self,
        line: &str,
        state: &mut ParseState,
        stack: &mut ScopeStack,
        strokes: &mut Strokes,
    ) -> bool {
        let Ok(changes) = state.parse_line(line, &self.grammars) else { return false };
        let mut done = 0;
        for (at, change) in changes {
            strokes.add(at - done, self.classes.of(stack.as_slice()));
            done = at;
            if stack.apply(&change).is_err() {
                return false;
            }
        }
        strokes.add(line.len() - done, self.classes.of(stack.as_slice()));
        true
    }
}

/// Runs that are being put together.
#[derive(Debug, Default)]
struct Strokes {
    runs: Vec<Run>,
}

impl Strokes {
    fn add(&mut self, length: usize, class: usize) {
        match self.runs.last_mut() {
            _ if length == 0 => {}
            Some(Run(so_far, same)) if *same == class => *so_far += length,
            Some(_) | None => self.runs.push(Run(length, class)),
        }
    }

    fn finish(mut self) -> Vec<Run> {
        if self.runs.last().is_some_and(|Run(_, class)| *class == 0) {
            let _plain = self.runs.pop();
        }
        self.runs
    }
}
