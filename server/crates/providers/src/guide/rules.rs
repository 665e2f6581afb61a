//! What the guide answers to what: a table, read from the top.

use super::speech::Speech;
use super::title;
use super::tools::{self, Offer};
use model::arithmetic::{self, Expression};
use model::{ErrorClass, ModelError};
use protocol::ToolSpec;

const TOUR: &str = include_str!("tour.md");
const MARKDOWN: &str = include_str!("markdown.md");
const UNKNOWN: &str = include_str!("unknown.md");

/// How far it counts at most.
const COUNT_MAX: u32 = 10_000;
/// How much of a message it quotes.
const QUOTE_MAX_CHARS: usize = 200;

/// One request of a person.
struct Asked<'a> {
    /// As written, without blanks around it.
    text: &'a str,
    /// What comes after the words that chose the rule.
    rest: &'a str,
    offer: Offer<'a>,
}

/// Messages that begin with one of these words get this answer.
struct Rule {
    words: &'static [&'static str],
    rest: Rest,
    answer: fn(&Asked<'_>) -> Speech,
}

/// What may follow the words of a rule.
#[derive(PartialEq, Eq)]
enum Rest {
    /// Whatever the rule is about.
    Any,
    /// A few words of politeness; more make it a sentence about something else.
    Short,
}

const RULES: [Rule; 8] = [
    Rule {
        words: &["help", "tour", "hello", "hi", "?"],
        rest: Rest::Short,
        answer: |_| Speech::new().say(TOUR),
    },
    Rule {
        words: &["markdown", "table", "list", "code", "quote"],
        rest: Rest::Short,
        answer: |_| Speech::new().say(MARKDOWN),
    },
    Rule { words: &["reasoning", "reason", "think"], rest: Rest::Short, answer: |_| reasoning() },
    Rule { words: &["error", "failure", "fail"], rest: Rest::Short, answer: |_| failure() },
    Rule { words: &["count to", "count", "slow"], rest: Rest::Any, answer: count },
    Rule {
        words: &["remember that", "remember"],
        rest: Rest::Any,
        answer: |asked| tools::remember(asked.rest, &asked.offer),
    },
    Rule {
        words: &["search for", "search", "find"],
        rest: Rest::Any,
        answer: |asked| tools::search(asked.rest, &asked.offer),
    },
    Rule {
        words: &["approval", "approve", "danger"],
        rest: Rest::Short,
        answer: |asked| tools::danger(asked.rest, &asked.offer),
    },
];

/// How many words are a few.
const SHORT_MAX_WORDS: usize = 3;
/// Words before the ones that choose a rule.
const FILLERS: [&str; 13] = [
    "please",
    "can you",
    "could you",
    "show",
    "give",
    "try",
    "demonstrate",
    "me",
    "us",
    "an",
    "a",
    "some",
    "the",
];
/// What may stand before a calculation.
const CALCULATE: [&str; 4] = ["calculate", "compute", "what is", "how much is"];

/// The answer to a message, with these tools at hand.
pub(super) fn answer(text: &str, tools: &[ToolSpec], call_number: u64) -> Speech {
    let text = text.trim();
    let offer = Offer { tools, call_number };
    let wish = without_fillers(text);
    for rule in &RULES {
        let rest = rule.words.iter().find_map(|words| after_words(wish, words));
        let fits = |rest: &&str| rule.rest == Rest::Any || rest.split_whitespace().count() <= SHORT_MAX_WORDS;
        if let Some(rest) = rest.filter(fits) {
            return (rule.answer)(&Asked { text, rest, offer });
        }
    }
    let sum = sum(wish);
    match arithmetic::read(&sum).filter(|it| !matches!(it, Expression::Number(_))) {
        Some(expression) => tools::calculate(&sum, &expression, &offer),
        None => unknown(text),
    }
}

fn without_fillers(mut text: &str) -> &str {
    while let Some(rest) = FILLERS.iter().find_map(|filler| after_words(text, filler)) {
        text = rest;
    }
    text
}

/// What may be a calculation: `add 2 and 3` is one, too.
fn sum(text: &str) -> String {
    let plain = CALCULATE.iter().find_map(|words| after_words(text, words)).unwrap_or(text);
    let plain = plain.trim_end_matches(['?', '=', '.', ' ']);
    match after_words(plain, "add") {
        Some(numbers) => numbers.replace(" and ", " + ").replace(" to ", " + "),
        None => plain.to_owned(),
    }
}

/// What follows `words` at the beginning of `text`, if it begins with them, as whole words, in any case.
fn after_words<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let head = text.get(..words.len())?;
    let rest = text.get(words.len()..)?;
    let is_whole = !rest.starts_with(char::is_alphanumeric);
    (is_whole && head.eq_ignore_ascii_case(words))
        .then(|| rest.trim_start_matches([' ', ':', ',', '.', '!']).trim())
}

fn reasoning() -> Speech {
    Speech::new()
        .think(
            "The user wants to see how reasoning looks. I could explain it, but it is better to show it: this text \
             is sent as reasoning and not as the answer. The page folds it away and says how long it took.",
        )
        .say("The lines above came as **reasoning**. Open the fold to read them; they are kept with the message.")
}

fn failure() -> Speech {
    let text =
        "This is the error you asked for. Nothing is broken: what had arrived is kept, and Retry asks again.";
    Speech::new()
        .say("I will say half a sentence and then")
        .fail(ModelError::new(ErrorClass::Unavailable, text))
}

/// `slow` counts to 100, since a person who says it wants to see something long.
fn count(asked: &Asked<'_>) -> Speech {
    let digits: String = asked.rest.chars().take_while(char::is_ascii_digit).collect();
    let last = match digits.parse::<u32>() {
        Ok(last) if last > COUNT_MAX => {
            return Speech::new().say(&format!("I count to {COUNT_MAX} at most."));
        }
        Ok(last) => last,
        Err(_) if asked.rest.is_empty() => 100,
        Err(_) => return unknown(asked.text),
    };
    let numbers: Vec<String> = (1..=last).map(|number| number.to_string()).collect();
    Speech::new().say_slowly(numbers.join(" "))
}

fn unknown(text: &str) -> Speech {
    let quote = title::shorten(text, QUOTE_MAX_CHARS);
    let heard = if quote.is_empty() { String::new() } else { format!("You wrote:\n\n> {quote}\n\n") };
    Speech::new().say(&format!("{heard}{UNKNOWN}"))
}
