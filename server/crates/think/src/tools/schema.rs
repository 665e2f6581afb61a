//! Whether arguments fit a JSON schema, in words a model can act on. Pure.
//!
//! Keywords that are not known here demand nothing: the tool itself has the last word.

use serde_json::{Map, Value};

/// Problems that are told at once.
const PROBLEMS_MAX: usize = 5;
/// Schemas within schemas that are looked into; what is deeper fits.
const DEPTH_MAX: usize = 32;

/// What is wrong with arguments; none if they fit.
pub(crate) fn misfit(tool: &str, schema: &Value, input: &Value) -> Option<String> {
    let problems = unfit(schema, input)?;
    Some(format!("The arguments do not fit the tool {tool:?}: {problems}."))
}

/// What is wrong with a value, without a full stop; none if it fits.
pub(crate) fn unfit(schema: &Value, input: &Value) -> Option<String> {
    let mut check = Check { root: schema, problems: Vec::new() };
    check.value(schema, input, &At { path: String::new(), depth: 0 });
    let told: Vec<&str> = check.problems.iter().take(PROBLEMS_MAX).map(String::as_str).collect();
    let more = check.problems.len().saturating_sub(PROBLEMS_MAX);
    let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
    (!told.is_empty()).then(|| format!("{}{rest}", told.join("; ")))
}

struct Check<'a> {
    root: &'a Value,
    problems: Vec<String>,
}

/// Where in the arguments and how deep in the schema.
struct At {
    path: String,
    depth: usize,
}

impl At {
    fn field(&self, key: &str) -> Self {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Self { path, depth: self.depth + 1 }
    }

    fn item(&self, index: usize) -> Self {
        Self { path: format!("{}[{index}]", self.path), depth: self.depth + 1 }
    }

    fn deeper(&self) -> Self {
        Self { path: self.path.clone(), depth: self.depth + 1 }
    }

    fn name(&self) -> &str {
        if self.path.is_empty() { "the whole" } else { &self.path }
    }
}

impl<'a> Check<'a> {
    fn value(&mut self, schema: &'a Value, input: &Value, at: &At) {
        let Value::Object(schema) = schema else {
            if *schema == Value::Bool(false) {
                self.problem(at, "must not be there");
            }
            return;
        };
        if at.depth > DEPTH_MAX {
            return;
        }
        if let Some(named) = schema.get("$ref").and_then(Value::as_str).and_then(|name| self.named(name)) {
            self.value(named, input, &at.deeper());
        }
        self.combined(schema, input, at);
        if !self.kind(schema, input, at) {
            return;
        }
        self.choice(schema, input, at);
        match input {
            Value::Object(fields) => self.fields(schema, fields, at),
            Value::Array(items) => self.items(schema, items, at),
            Value::String(text) => self.range(schema, (text.chars().count() as f64, LENGTH), at),
            Value::Number(number) => self.range(schema, (number.as_f64().unwrap_or_default(), NUMBER), at),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn named(&self, name: &str) -> Option<&'a Value> {
        self.root.pointer(name.strip_prefix('#')?)
    }

    /// `allOf` demands everything; of `anyOf` and `oneOf` one must fit, and the nearest one says what is wrong.
    fn combined(&mut self, schema: &'a Map<String, Value>, input: &Value, at: &At) {
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.value(part, input, &at.deeper());
        }
        for choices in ["anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()) {
            let tried = choices.iter().map(|choice| {
                let mut check = Check { root: self.root, problems: Vec::new() };
                check.value(choice, input, &at.deeper());
                check.problems
            });
            let nearest = tried.min_by_key(|problems| (problems.len(), std::cmp::Reverse(depth(problems))));
            self.problems.extend(nearest.unwrap_or_default());
        }
    }

    /// Whether the value is of a kind that is allowed.
    fn kind(&mut self, schema: &Map<String, Value>, input: &Value, at: &At) -> bool {
        let kinds: Vec<&str> = match schema.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => return true,
        };
        let is_fitting = kinds.iter().any(|kind| is_of(kind, input));
        if !is_fitting {
            self.problem(at, &format!("must be {}, not {}", kinds.join(" or "), kind_of(input)));
        }
        is_fitting
    }

    fn choice(&mut self, schema: &Map<String, Value>, input: &Value, at: &At) {
        let one = schema.get("const").map(std::slice::from_ref);
        let Some(allowed) = one.or_else(|| schema.get("enum")?.as_array().map(Vec::as_slice)) else { return };
        if !allowed.contains(input) {
            let allowed: Vec<String> = allowed.iter().take(20).map(Value::to_string).collect();
            self.problem(at, &format!("must be one of {}", allowed.join(", ")));
        }
    }

    fn fields(&mut self, schema: &'a Map<String, Value>, fields: &Map<String, Value>, at: &At) {
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for key in required.filter_map(Value::as_str).filter(|key| !fields.contains_key(*key)) {
            self.problem(&at.field(key), "is missing");
        }
        let known = schema.get("properties").and_then(Value::as_object);
        for (key, value) in fields {
            let field = known.and_then(|known| known.get(key)).or_else(|| schema.get("additionalProperties"));
            match field {
                Some(Value::Bool(false)) => self.problem(&at.field(key), "is unknown"),
                Some(field) => self.value(field, value, &at.field(key)),
                None => {}
            }
        }
    }

    fn items(&mut self, schema: &'a Map<String, Value>, items: &[Value], at: &At) {
        self.range(schema, (items.len() as f64, ITEMS), at);
        if let Some(each) = schema.get("items") {
            for (index, item) in items.iter().enumerate() {
                self.value(each, item, &at.item(index));
            }
        }
    }

    fn range(&mut self, schema: &Map<String, Value>, (size, words): (f64, Range), at: &At) {
        let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
        if let Some(least) = limit(words.least).filter(|least| size < *least) {
            self.problem(at, &format!("must {} at least {least}{}", words.verb, words.unit));
        }
        if let Some(most) = limit(words.most).filter(|most| size > *most) {
            self.problem(at, &format!("must {} at most {most}{}", words.verb, words.unit));
        }
    }

    fn problem(&mut self, at: &At, text: &str) {
        self.problems.push(format!("{} {text}", at.name()));
    }
}

/// The keywords of a range, and how it is told.
struct Range {
    least: &'static str,
    most: &'static str,
    verb: &'static str,
    unit: &'static str,
}

const NUMBER: Range = Range { least: "minimum", most: "maximum", verb: "be", unit: "" };
const LENGTH: Range = Range { least: "minLength", most: "maxLength", verb: "have", unit: " characters" };
const ITEMS: Range = Range { least: "minItems", most: "maxItems", verb: "have", unit: " items" };

/// How far into the arguments a choice fitted before it failed.
fn depth(problems: &[String]) -> usize {
    problems.iter().map(|problem| problem.matches(['.', '[']).count()).max().unwrap_or_default()
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        kind => kind == kind_of(value),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(schema: &Value, input: &Value, expected: &str) {
        let told = misfit("t", schema, input).unwrap_or_default();
        let told = told.strip_prefix("The arguments do not fit the tool \"t\": ").unwrap_or(&told);
        assert_eq!(told, expected, "{schema} {input}");
    }

    #[test]
    fn what_does_not_fit_is_named_with_its_place() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": { "type": "integer", "minimum": 1, "maximum": 9 },
                "b": { "type": ["string", "null"], "maxLength": 3 },
                "c": { "type": "array", "items": { "$ref": "#/$defs/leaf" }, "minItems": 1 },
                "d": { "enum": ["x", "y"] },
                "e": { "anyOf": [{ "type": "null" }, { "type": "object", "required": ["f"] }] },
                "g": false,
            },
            "required": ["a"],
            "additionalProperties": false,
            "$defs": { "leaf": { "type": "object", "properties": { "n": { "type": "number" } } } },
        });
        let rows = [
            (json!({ "a": 1 }), ""),
            (json!({ "a": 2.0, "b": null, "c": [{ "n": 0.5 }], "d": "x", "e": { "f": 1 } }), ""),
            (json!({}), "a is missing."),
            (json!({ "a": "1" }), "a must be integer, not string."),
            (json!({ "a": 0 }), "a must be at least 1."),
            (json!({ "a": 1.5 }), "a must be integer, not number."),
            (json!({ "a": 1, "b": "long" }), "b must have at most 3 characters."),
            (json!({ "a": 1, "b": 7 }), "b must be string or null, not number."),
            (json!({ "a": 1, "c": [] }), "c must have at least 1 items."),
            (json!({ "a": 1, "c": [{}, { "n": "x" }] }), "c[1].n must be number, not string."),
            (json!({ "a": 1, "d": "z" }), "d must be one of \"x\", \"y\"."),
            (json!({ "a": 1, "e": {} }), "e.f is missing."),
            (json!({ "a": 1, "g": 1, "h": 1 }), "g is unknown; h is unknown."),
            (json!([]), "the whole must be object, not array."),
        ];
        for (input, expected) in rows {
            check(&schema, &input, expected);
        }
    }

    #[test]
    fn schemas_that_demand_nothing_or_turn_in_circles_fit_everything() {
        let circle = json!({ "$ref": "#" });
        for schema in [json!({}), json!(true), json!({ "type": 7, "later": {} }), circle] {
            check(&schema, &json!({ "a": 1 }), "");
        }
        let many = json!({ "required": ["a", "b", "c", "d", "e", "f", "g"] });
        let told = "a is missing; b is missing; c is missing; d is missing; e is missing; and 2 more.";
        check(&many, &json!({}), told);
    }
}
