//! How a model chooses its words, as a person types it. Pure.

use serde_json::{Map, Value};

/// One thing that can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Knob {
    /// Its name on the wire.
    pub name: &'static str,
    /// What it is called.
    pub label: &'static str,
    /// What may be typed.
    pub range: Range,
}

/// What may be typed for a knob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// A number from 0 to this many hundredths.
    Hundredths(u16),
    /// A whole number from this one on.
    Whole(u64),
}

/// All that can be set.
pub const KNOBS: [Knob; 4] = [
    Knob { name: "temperature", label: "Temperature", range: Range::Hundredths(200) },
    Knob { name: "topP", label: "Top P", range: Range::Hundredths(100) },
    Knob { name: "maxOutputTokens", label: "Longest answer (tokens)", range: Range::Whole(1) },
    Knob { name: "seed", label: "Seed", range: Range::Whole(0) },
];

impl Knob {
    /// What was typed, as a number for the wire; none where nothing was typed.
    ///
    /// # Errors
    /// What may be typed.
    pub fn read(self, typed: &str) -> Result<Option<Value>, String> {
        let typed = typed.trim().replace(',', ".");
        if typed.is_empty() {
            return Ok(None);
        }
        match self.range {
            Range::Hundredths(most) => {
                let most = f64::from(most) / 100.0;
                let number = typed.parse::<f64>().ok().filter(|number| (0.0..=most).contains(number));
                let number = number.ok_or_else(|| format!("{}: a number from 0 to {most}", self.label))?;
                Ok(Some(Value::from(number)))
            }
            Range::Whole(least) => {
                let number = typed.parse::<u64>().ok().filter(|number| *number >= least);
                let number = number.ok_or_else(|| format!("{}: a whole number from {least}", self.label))?;
                Ok(Some(Value::from(number)))
            }
        }
    }

    /// What is set, as a person reads it.
    pub fn shown(self, sampling: &Value) -> String {
        sampling.get(self.name).filter(|value| value.is_number()).map(Value::to_string).unwrap_or_default()
    }
}

/// What is sent for these texts, one per knob: `null` where none is set.
///
/// # Errors
/// What may be typed in the first field that holds something else.
pub fn sampling_of(typed: &[String]) -> Result<Value, String> {
    let mut set = Map::new();
    for (knob, typed) in KNOBS.into_iter().zip(typed) {
        if let Some(value) = knob.read(typed)? {
            let _new = set.insert(knob.name.to_owned(), value);
        }
    }
    Ok(if set.is_empty() { Value::Null } else { Value::Object(set) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(typed: [&str; 4], expected: Result<Value, &str>) {
        let typed = typed.map(str::to_owned);
        assert_eq!(sampling_of(&typed), expected.map_err(str::to_owned));
    }

    #[test]
    fn what_is_typed_is_checked_and_nothing_is_null() {
        check(["", " ", "", ""], Ok(Value::Null));
        check(
            ["0,7", "", "4096", "0"],
            Ok(json!({ "temperature": 0.7, "maxOutputTokens": 4096, "seed": 0 })),
        );
        check(["2.5", "", "", ""], Err("Temperature: a number from 0 to 2"));
        check(["", "x", "", ""], Err("Top P: a number from 0 to 1"));
        check(["", "", "0", ""], Err("Longest answer (tokens): a whole number from 1"));
        check(["", "", "", "-1"], Err("Seed: a whole number from 0"));
        check(["NaN", "", "", ""], Err("Temperature: a number from 0 to 2"));
    }

    #[test]
    fn what_is_set_is_shown() {
        let set = json!({ "temperature": 0.5, "seed": 7, "topP": null });
        assert_eq!(KNOBS.map(|knob| knob.shown(&set)), ["0.5", "", "", "7"].map(str::to_owned));
        assert_eq!(KNOBS.map(|knob| knob.shown(&Value::Null)), ["", "", "", ""].map(str::to_owned));
    }
}
