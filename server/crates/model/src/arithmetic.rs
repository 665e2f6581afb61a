//! Arithmetic that models leave to others: `+ - * / % ^`, brackets, decimal numbers. Reading and computing are separate,
//! so that a tool may do the latter.

use serde_json::{Value, json};
use std::iter::Peekable;
use std::str::Chars;

/// How deep brackets, signs and powers may nest.
const DEPTH_MAX: usize = 50;

/// Something to compute.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// A number.
    Number(f64),
    /// What follows a minus.
    Negative(Box<Expression>),
    /// Two, and the sign between them.
    Pair(Box<Expression>, char, Box<Expression>),
}

impl Expression {
    /// The result; none where it is not finite.
    pub fn value(&self) -> Option<f64> {
        let value = match self {
            Self::Number(value) => *value,
            Self::Negative(inner) => -inner.value()?,
            Self::Pair(left, operator, right) => apply(left.value()?, *operator, right.value()?)?,
        };
        value.is_finite().then_some(value)
    }

    /// The two numbers, if this is their sum and nothing else.
    pub fn as_addition(&self) -> Option<(f64, f64)> {
        let Self::Pair(left, '+', right) = self else { return None };
        match (&**left, &**right) {
            (Self::Number(a), Self::Number(b)) => Some((*a, *b)),
            (Self::Number(_) | Self::Negative(_) | Self::Pair(..), _) => None,
        }
    }
}

fn apply(left: f64, operator: char, right: f64) -> Option<f64> {
    Some(match operator {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        '/' => left / right,
        '%' => left % right,
        '^' => left.powf(right),
        _ => return None,
    })
}

/// Reads a whole text; none if it is no calculation. A mere number is one.
pub fn read(text: &str) -> Option<Expression> {
    let mut reader = Reader { rest: text.chars().peekable(), depth: 0 };
    let expression = reader.sum()?;
    reader.peek().is_none().then_some(expression)
}

/// A result as JSON: whole numbers without a fraction, others without noise in the last places.
pub fn number(value: f64) -> Value {
    const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < WHOLE_MAX {
        return json!(value as i64);
    }
    let rounded = format!("{value:.10}").parse::<f64>();
    json!(rounded.ok().filter(|rounded| *rounded != 0.0).unwrap_or(value))
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    depth: usize,
}

impl Reader<'_> {
    /// The next character that is no blank, in its plain spelling.
    fn peek(&mut self) -> Option<char> {
        while self.rest.next_if(|letter| letter.is_whitespace()).is_some() {}
        self.rest.peek().map(|letter| match letter {
            '×' | '·' => '*',
            '÷' | ':' => '/',
            '−' => '-',
            plain => *plain,
        })
    }

    fn take(&mut self, wanted: &[char]) -> Option<char> {
        let found = self.peek().filter(|letter| wanted.contains(letter))?;
        let _taken = self.rest.next();
        Some(found)
    }

    fn sum(&mut self) -> Option<Expression> {
        let mut left = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            left = Expression::Pair(Box::new(left), operator, Box::new(self.product()?));
        }
        Some(left)
    }

    fn product(&mut self) -> Option<Expression> {
        let mut left = self.signed()?;
        while let Some(operator) = self.take(&['*', '/', '%']) {
            left = Expression::Pair(Box::new(left), operator, Box::new(self.signed()?));
        }
        Some(left)
    }

    fn signed(&mut self) -> Option<Expression> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let expression = match self.take(&['-', '+']) {
            Some('-') => Expression::Negative(Box::new(self.signed()?)),
            Some(_) => self.signed()?,
            None => self.power()?,
        };
        self.depth -= 1;
        Some(expression)
    }

    fn power(&mut self) -> Option<Expression> {
        let base = self.atom()?;
        match self.take(&['^']) {
            Some(operator) => Some(Expression::Pair(Box::new(base), operator, Box::new(self.signed()?))),
            None => Some(base),
        }
    }

    fn atom(&mut self) -> Option<Expression> {
        if self.take(&['(']).is_some() {
            let inner = self.sum()?;
            return self.take(&[')']).map(|_| inner);
        }
        let _blank = self.peek();
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(|letter| letter.is_ascii_digit() || *letter == '.') {
            digits.push(digit);
        }
        digits.parse().ok().map(Expression::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn arithmetic_follows_the_usual_rules() {
        let rows = [
            ("1+2*3", Some(7.0)),
            ("(1 + 2) × 3", Some(9.0)),
            ("2^3^2", Some(512.0)),
            ("-2^2", Some(-4.0)),
            ("10 / 4 - 1", Some(1.5)),
            ("7 % 4 % 2", Some(1.0)),
            ("2 * -3", Some(-6.0)),
            ("42", Some(42.0)),
            ("0.1 + 0.2", Some(0.1 + 0.2)),
            ("1 / 0", None),
            ("9^999^9", None),
        ];
        for (text, value) in rows {
            let expression = read(text).unwrap_or_else(|| panic!("{text} is a calculation"));
            assert_eq!(expression.value(), value, "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_calculations() {
        let deep = "(".repeat(10_000);
        for text in ["", "1 +", "(1 + 2", "tea + cake", "1 + 2 cups", "1..2 + 1", &deep, &"-".repeat(10_000)]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
