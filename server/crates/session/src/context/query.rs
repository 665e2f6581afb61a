//! What a person or a model types into a search, as an expression of the index. Nothing typed is an operator.

/// Words for the index, and pieces to be found as they stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// All must be found, in any order.
    words: Vec<String>,
    /// Pieces of scripts without blanks between words: the index holds a whole run of them as one word.
    pieces: Vec<String>,
}

impl Query {
    pub(crate) fn new(text: &str) -> Self {
        let mut query = Self::default();
        for token in text.split_whitespace() {
            let token: String = token.chars().filter(|c| !c.is_control()).collect();
            if token.chars().any(is_unspaced) {
                let is_said = |c: char| c.is_alphanumeric() || is_unspaced(c);
                let pieces = token.split(|c| !is_said(c)).filter(|piece| !piece.is_empty());
                query.pieces.extend(pieces.map(str::to_owned));
            } else if token.chars().any(char::is_alphanumeric) {
                query.words.push(token);
            }
        }
        query
    }

    /// Whether nothing is looked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.pieces.is_empty()
    }

    /// The expression of the index; none where no word is looked for.
    pub(crate) fn words(&self) -> Option<String> {
        let quoted = self.words.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\"")));
        (!self.words.is_empty()).then(|| quoted.collect::<Vec<_>>().join(" "))
    }

    /// The pieces as a JSON array.
    pub(crate) fn pieces(&self) -> String {
        serde_json::Value::from(self.pieces.clone()).to_string()
    }
}

/// Han, kana, hangul, Thai, Lao, Khmer, Myanmar: scripts whose words the index cannot tell apart.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1100}'..='\u{11ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::Query;

    #[test]
    fn nothing_typed_is_an_operator() {
        for (text, words, pieces) in [
            ("", None, "[]"),
            ("  () * \" -", None, "[]"),
            ("wrong-book", Some("\"wrong-book\""), "[]"),
            ("a OR b", Some("\"a\" \"OR\" \"b\""), "[]"),
            ("foo:bar* \"x", Some("\"foo:bar*\" \"\"\"x\""), "[]"),
            ("tea 緑茶 \0", Some("\"tea\""), r#"["緑茶"]"#),
            ("\"緑茶\"? 「お茶」、tea緑", None, r#"["緑茶","お茶","tea緑"]"#),
            ("ก่อน", None, r#"["ก่อน"]"#),
        ] {
            let query = Query::new(text);
            assert_eq!((query.words().as_deref(), query.pieces().as_str()), (words, pieces), "{text:?}");
            assert_eq!(query.is_empty(), words.is_none() && pieces == "[]");
        }
    }
}
