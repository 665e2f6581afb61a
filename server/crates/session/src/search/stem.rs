//! Porter's algorithm (1980): what the forms of an English word have in common. Pure.
//!
//! Words with letters other than a to z, and those of one or two letters, are their own stem.

/// The stem of a word in lower case.
pub(crate) fn stem(word: &str) -> String {
    if word.len() < 3 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let mut stemmer = Stemmer { word: word.to_owned() };
    stemmer.plurals();
    stemmer.past_and_progressive();
    stemmer.final_y();
    stemmer.replace_suffix(&STEP_2);
    stemmer.replace_suffix(&STEP_3);
    stemmer.drop_suffix();
    stemmer.tidy_up();
    stemmer.word
}

type Rules = [(&'static str, &'static str)];

const STEP_2: [(&str, &str); 20] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const STEP_3: [(&str, &str); 7] = [
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const STEP_4: [&str; 19] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize",
];

struct Stemmer {
    word: String,
}

impl Stemmer {
    /// Step 1a.
    fn plurals(&mut self) {
        if self.word.ends_with("sses") || self.word.ends_with("ies") {
            self.shorten(2);
        } else if self.word.ends_with('s') && !self.word.ends_with("ss") {
            self.shorten(1);
        }
    }

    /// Step 1b.
    fn past_and_progressive(&mut self) {
        if let Some(head) = self.word.strip_suffix("eed") {
            if measure(head) > 0 {
                self.shorten(1);
            }
            return;
        }
        let head = self.word.strip_suffix("ed").or_else(|| self.word.strip_suffix("ing"));
        let Some(head) = head.filter(|head| has_vowel(head)) else { return };
        self.word.truncate(head.len());
        if ["at", "bl", "iz"].iter().any(|end| self.word.ends_with(end))
            || (measure(&self.word) == 1 && ends_like_hop(&self.word))
        {
            self.word.push('e');
        } else if ends_doubled(&self.word) && !self.word.ends_with(['l', 's', 'z']) {
            self.shorten(1);
        }
    }

    /// Step 1c.
    fn final_y(&mut self) {
        if self.word.strip_suffix('y').is_some_and(has_vowel) {
            self.shorten(1);
            self.word.push('i');
        }
    }

    /// Steps 2 and 3: the rule of the longest suffix that fits is the only one that is asked.
    fn replace_suffix(&mut self, rules: &Rules) {
        let fitting = rules.iter().filter(|(suffix, _)| self.word.ends_with(suffix));
        let Some((suffix, other)) = fitting.max_by_key(|(suffix, _)| suffix.len()) else { return };
        let Some(head) = self.word.strip_suffix(suffix) else { return };
        if measure(head) > 0 {
            self.word = format!("{head}{other}");
        }
    }

    /// Step 4.
    fn drop_suffix(&mut self) {
        let fitting = STEP_4.iter().filter(|suffix| self.word.ends_with(**suffix));
        let Some(suffix) = fitting.max_by_key(|suffix| suffix.len()) else { return };
        let Some(head) = self.word.strip_suffix(suffix) else { return };
        if measure(head) > 1 && (*suffix != "ion" || head.ends_with(['s', 't'])) {
            self.word.truncate(head.len());
        }
    }

    /// Step 5.
    fn tidy_up(&mut self) {
        if let Some(head) = self.word.strip_suffix('e') {
            let measure = measure(head);
            if measure > 1 || (measure == 1 && !ends_like_hop(head)) {
                self.shorten(1);
            }
        }
        if self.word.ends_with("ll") && measure(&self.word) > 1 {
            self.shorten(1);
        }
    }

    fn shorten(&mut self, letters: usize) {
        self.word.truncate(self.word.len().saturating_sub(letters));
    }
}

/// Which letters are vowels: `y` is one after a consonant.
fn vowels(word: &str) -> impl Iterator<Item = bool> + '_ {
    word.bytes().scan(None, |before, letter| {
        let is_vowel = match letter {
            b'a' | b'e' | b'i' | b'o' | b'u' => true,
            b'y' => *before == Some(false),
            _ => false,
        };
        *before = Some(is_vowel);
        Some(is_vowel)
    })
}

fn has_vowel(word: &str) -> bool {
    vowels(word).any(|is_vowel| is_vowel)
}

/// How often a consonant follows a vowel: Porter's m.
fn measure(word: &str) -> usize {
    let mut was_vowel = false;
    vowels(word).filter(|is_vowel| std::mem::replace(&mut was_vowel, *is_vowel) && !*is_vowel).count()
}

/// Ends with consonant, vowel, consonant, the last not w, x or y.
fn ends_like_hop(word: &str) -> bool {
    let kinds: Vec<bool> = vowels(word).collect();
    kinds.ends_with(&[false, true, false]) && !word.ends_with(['w', 'x', 'y'])
}

fn ends_doubled(word: &str) -> bool {
    let mut last = word.bytes().rev().zip(vowels(word).collect::<Vec<_>>().into_iter().rev());
    matches!((last.next(), last.next()), (Some((a, false)), Some((b, _))) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_word_meet() {
        for (stem_of, words) in [
            ("fridai", "friday fridays"),
            ("deploi", "deploy deploys deployed deploying"),
            ("deploy", "deployment deployments"),
            ("caress", "caress caresses"),
            ("poni", "pony ponies poni"),
            ("feed", "feed"),
            ("agre", "agree agreed agreeing"),
            ("hop", "hop hops hopped hopping"),
            ("hope", "hope hopes hoping"),
            ("fall", "fall falling falls"),
            ("relat", "relate relational relating"),
            ("condit", "condition conditional"),
            ("gener", "general generalization generalize generator"),
            ("oper", "operate operator operational"),
            ("sky", "sky"),
            ("cri", "cried cries"),
            ("control", "control controller controlling"),
            ("roll", "roll rolling"),
            ("probat", "probate"),
            ("rate", "rate"),
            ("ceas", "cease"),
            ("adopt", "adoption"),
            ("onion", "onion"),
        ] {
            for word in words.split(' ') {
                assert_eq!(stem(word), stem_of, "{word}");
            }
        }
        for word in ["", "is", "be", "été", "2nd", "今", "as"] {
            assert_eq!(stem(word), word);
        }
    }
}
