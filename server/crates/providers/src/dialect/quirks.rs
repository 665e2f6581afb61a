//! What servers that claim the dialect refuse. It is learned from their first refusal and remembered per
//! model, or per model and shape of an answer, so a refusal costs one extra request once.

use crate::http::Target;
use model::OutputSchema;
use protocol::limits;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One way to differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quirk {
    /// `stream_options` is unknown.
    NoUsageOption,
    /// The length limit is called `max_completion_tokens`.
    CompletionTokens,
    /// Reasoning must come back with the tool calls that it led to.
    EchoReasoning,
    /// Reasoning must not come back.
    HideReasoning,
    /// Messages of people and of the model must take turns.
    AlternatingRoles,
    /// The model cannot call tools.
    NoTools,
    /// The temperature cannot be chosen.
    NoTemperature,
    /// `top_p` cannot be chosen.
    NoTopP,
    /// The length of an answer cannot be limited.
    NoLengthLimit,
    /// Chance has no seed.
    NoSeed,
    /// An answer cannot be given a shape.
    NoOutputSchema,
    /// A shape is not kept to the letter.
    LooseSchema,
}

/// For how long a lesson holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// For whatever the model is asked.
    Model,
    /// For this shape of an answer: it is what it holds that was refused, and another one may be taken.
    Shape,
}

/// A refusal with all of these words teaches the quirk.
const LESSONS: [(&[&str], Quirk); 8] = [
    (&["stream_options"], Quirk::NoUsageOption),
    (&["include_usage"], Quirk::NoUsageOption),
    (&["max_completion_tokens"], Quirk::CompletionTokens),
    (&["roles must alternate"], Quirk::AlternatingRoles),
    (&["does not support tools"], Quirk::NoTools),
    (&["tools", "not supported by this model"], Quirk::NoTools),
    (&["no endpoints found that support tool use"], Quirk::NoTools),
    (&["grammar", "with tools"], Quirk::NoOutputSchema),
];

/// Parameters that shape an answer, and what their refusal teaches.
const SHAPING: [(&str, Quirk); 9] = [
    ("response_format", Quirk::NoOutputSchema),
    ("json_schema", Quirk::NoOutputSchema),
    ("output_config", Quirk::NoOutputSchema),
    ("output format", Quirk::NoOutputSchema),
    ("structured output", Quirk::NoOutputSchema),
    ("temperature", Quirk::NoTemperature),
    ("top_p", Quirk::NoTopP),
    ("max_tokens", Quirk::NoLengthLimit),
    ("seed", Quirk::NoSeed),
];
/// Words of a refusal that is about what stands in a shape, not about shapes.
const OF_A_SCHEMA: [&str; 5] =
    ["invalid schema", "invalid_json_schema", "format.schema", "response_schema", "json schema"];
/// What a server calls a parameter that it does not take, as opposed to one that is out of its range.
const UNWANTED: [&str; 10] = [
    "unsupported",
    "not supported",
    "not support",
    "unknown",
    "unrecognized",
    "deprecated",
    "not permitted",
    "not allowed",
    "extra field",
    "extra_forbidden",
];

/// The field that some must see and others must not.
const REASONING_FIELD: &str = "reasoning_content";

/// Everything known about one model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Quirks(BTreeSet<Quirk>);

impl Quirks {
    pub(super) fn has(&self, quirk: Quirk) -> bool {
        self.0.contains(&quirk)
    }

    pub(super) fn with(mut self, quirk: Quirk) -> Self {
        let opposite = match quirk {
            Quirk::EchoReasoning => Some(Quirk::HideReasoning),
            Quirk::HideReasoning => Some(Quirk::EchoReasoning),
            Quirk::NoUsageOption
            | Quirk::CompletionTokens
            | Quirk::AlternatingRoles
            | Quirk::NoTools
            | Quirk::NoTemperature
            | Quirk::NoTopP
            | Quirk::NoLengthLimit
            | Quirk::NoSeed
            | Quirk::NoOutputSchema
            | Quirk::LooseSchema => None,
        };
        self.0.retain(|known| Some(*known) != opposite);
        let _is_new = self.0.insert(quirk);
        self
    }

    /// What a refusal teaches that is not known yet. `body` is lower case.
    pub(super) fn lesson(&self, body: &str) -> Option<(Quirk, Reach)> {
        if let Some(quirk) = self.unwanted_schema(body) {
            return Some((quirk, Reach::Shape));
        }
        Some((self.lasting(body)?, Reach::Model))
    }

    fn lasting(&self, body: &str) -> Option<Quirk> {
        let fits = |(words, quirk): &&(&[&str], Quirk)| {
            !self.has(*quirk) && words.iter().all(|word| body.contains(word))
        };
        if let Some((_, quirk)) = LESSONS.iter().find(fits) {
            return Some(*quirk);
        }
        if let Some(quirk) = self.unwanted(body) {
            return Some(quirk);
        }
        let opposite =
            if self.has(Quirk::EchoReasoning) { Quirk::HideReasoning } else { Quirk::EchoReasoning };
        body.contains(REASONING_FIELD).then_some(opposite)
    }
}

impl Quirks {
    /// A shape that the server does not take, while it may take another one: it may take it less strictly, or in words.
    fn unwanted_schema(&self, body: &str) -> Option<Quirk> {
        let holds = |words: &[&str]| words.iter().any(|word| body.contains(word));
        if !holds(&OF_A_SCHEMA) || !holds(&UNWANTED) || self.has(Quirk::NoOutputSchema) {
            return None;
        }
        let may_be_loose = body.contains("response_format") && !self.has(Quirk::LooseSchema);
        Some(if may_be_loose { Quirk::LooseSchema } else { Quirk::NoOutputSchema })
    }

    /// A parameter that shapes the answer and that the refusal names as one that cannot be chosen. A number that is only
    /// out of its range is the person's to correct.
    fn unwanted(&self, body: &str) -> Option<Quirk> {
        if !UNWANTED.iter().any(|word| body.contains(word)) {
            return None;
        }
        let fits = |(name, quirk): &&(&str, Quirk)| !self.has(*quirk) && body.contains(name);
        SHAPING.iter().find(fits).map(|(_, quirk)| *quirk)
    }
}

/// What is known about the models of one provider.
#[derive(Debug, Default)]
pub(super) struct QuirkBook {
    initial: Quirks,
    learned: Mutex<Learned>,
}

#[derive(Debug, Default)]
struct Learned {
    models: BTreeMap<String, Quirks>,
    /// Shapes that were refused, the latest last.
    shapes: VecDeque<(Asked, Vec<Quirk>)>,
}

/// A model and the shape that is wanted of it.
#[derive(Debug, Clone, PartialEq)]
struct Asked {
    model: String,
    shape: Value,
}

impl Asked {
    fn of(model: &str, shape: Option<&OutputSchema>) -> Option<Self> {
        Some(Self { model: model.to_owned(), shape: shape?.schema.clone() })
    }
}

impl QuirkBook {
    /// `initial` holds for every model until one teaches otherwise.
    pub(super) fn new(initial: Quirks) -> Self {
        Self { initial, learned: Mutex::default() }
    }

    /// What is known of a model that shall answer in this shape, if in any.
    pub(super) fn of(&self, model: &str, shape: Option<&OutputSchema>) -> Quirks {
        let learned = self.lock();
        let known = learned.models.get(model).unwrap_or(&self.initial).clone();
        let Some(asked) = Asked::of(model, shape) else { return known };
        let of_shape = learned.shapes.iter().find(|(refused, _)| *refused == asked);
        of_shape
            .map(|(_, lessons)| lessons)
            .into_iter()
            .flatten()
            .fold(known, |known, quirk| known.with(*quirk))
    }

    pub(super) fn learn(
        &self,
        target: &Target,
        (model, shape): (&str, Option<&OutputSchema>),
        lessons: &[(Quirk, Reach)],
    ) {
        if lessons.is_empty() {
            return;
        }
        tracing::info!(
            provider = target.label(),
            model,
            ?lessons,
            "the model's server differs from the dialect"
        );
        let of = |reach| lessons.iter().filter(move |(_, lesson)| *lesson == reach).map(|(quirk, _)| *quirk);
        let mut learned = self.lock();
        let known = learned.models.get(model).unwrap_or(&self.initial).clone();
        let _older = learned.models.insert(model.to_owned(), of(Reach::Model).fold(known, Quirks::with));
        let of_shape: Vec<Quirk> = of(Reach::Shape).collect();
        if let Some(asked) = Asked::of(model, shape).filter(|_| !of_shape.is_empty()) {
            learned.remember(asked, of_shape);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Learned {
    /// A shape may be refused further than it was before.
    fn remember(&mut self, asked: Asked, mut lessons: Vec<Quirk>) {
        if let Some(at) = self.shapes.iter().position(|(known, _)| *known == asked) {
            let before = self.shapes.remove(at).map(|(_, before)| before).unwrap_or_default();
            lessons.extend(before.into_iter().filter(|quirk| !lessons.contains(quirk)).collect::<Vec<_>>());
        }
        if self.shapes.len() >= limits::REFUSED_SHAPES_MAX {
            let _oldest = self.shapes.pop_front();
        }
        self.shapes.push_back((asked, lessons));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_teach_and_nothing_is_learned_twice() {
        let none = Quirks::default();
        let echo = || Quirks::default().with(Quirk::EchoReasoning);
        let rows = [
            (none.clone(), "unknown parameter: stream_options", Some(Quirk::NoUsageOption)),
            (none.clone().with(Quirk::NoUsageOption), "unknown parameter: stream_options", None),
            (none.clone(), "use 'max_completion_tokens' instead", Some(Quirk::CompletionTokens)),
            (none.clone(), "conversation roles must alternate user/assistant", Some(Quirk::AlternatingRoles)),
            (none.clone(), "gemma does not support tools", Some(Quirk::NoTools)),
            (none.clone(), "reasoning_content is missing in message 3", Some(Quirk::EchoReasoning)),
            (echo(), "messages.1: extra field reasoning_content", Some(Quirk::HideReasoning)),
            (
                none.clone(),
                "unsupported value: 'temperature' does not support 0.2",
                Some(Quirk::NoTemperature),
            ),
            (none.clone(), "extra inputs are not permitted: top_p", Some(Quirk::NoTopP)),
            (none.clone(), "unknown name max_tokens", Some(Quirk::NoLengthLimit)),
            (none.clone(), "extra_forbidden: body.seed", Some(Quirk::NoSeed)),
            (none.clone(), "bad temperature", None),
            (none.clone(), "this response_format type is unsupported", Some(Quirk::NoOutputSchema)),
            (none.clone(), "output_config: extra inputs are not permitted", Some(Quirk::NoOutputSchema)),
            (none.clone(), "cannot use custom grammar constraints with tools.", Some(Quirk::NoOutputSchema)),
            (none, "invalid schema for response_format 'x': 'a' is missing", None),
        ];
        for (known, body, lesson) in rows {
            let lesson = lesson.map(|quirk| (quirk, Reach::Model));
            assert_eq!(known.lesson(body), lesson, "{body}");
        }
        assert_eq!(echo().with(Quirk::HideReasoning), Quirks::default().with(Quirk::HideReasoning));
    }

    #[test]
    fn a_shape_that_is_refused_says_nothing_of_others() {
        let (none, loose) = (Quirks::default(), Quirks::default().with(Quirk::LooseSchema));
        let openai = "invalid schema for response_format 'x': in context=('properties', 'a'), 'format' is not permitted.";
        let rows = [
            (none.clone(), openai, Some(Quirk::LooseSchema)),
            (loose.clone(), openai, Some(Quirk::NoOutputSchema)),
            (loose.with(Quirk::NoOutputSchema), openai, None),
            (
                none.clone(),
                "output_config.format.schema: for 'integer' type, property 'maximum' is not supported",
                Some(Quirk::NoOutputSchema),
            ),
            (
                none,
                "the provided json schema contains features not supported by xgrammar.",
                Some(Quirk::NoOutputSchema),
            ),
        ];
        for (known, body, lesson) in rows {
            assert_eq!(known.lesson(body), lesson.map(|quirk| (quirk, Reach::Shape)), "{body}");
        }
    }
}
