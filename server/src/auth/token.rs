//! Tokens: what stands for a sign-in, or lets a program in. 256 random bits that nobody can guess, so that their SHA-256
//! is all that is kept: who reads the file cannot sign in with it, and no comparison can be timed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// Bytes of a token.
const TOKEN_BYTES: usize = 32;
/// Characters of a token.
const TOKEN_CHARS: usize = 43;
/// What a program's token begins with, so that people and scanners of leaked keys know it when they see it.
const PROGRAM_PREFIX: &str = "bough_";

/// A token. It is shown to its owner once.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// What is kept of a token.
#[derive(Clone, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl Token {
    /// A new one for a browser.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn for_browser() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// A new one for a program.
    ///
    /// # Errors
    /// As [`Token::for_browser`].
    pub fn for_program() -> Result<Self, getrandom::Error> {
        Ok(Self(format!("{PROGRAM_PREFIX}{}", Self::for_browser()?.0)))
    }

    /// The text itself, for the cookie or for its owner.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
    pub fn digest(&self) -> Digest {
        digest(&self.0)
    }
}

impl Digest {
    /// Of the text of a cookie, if a browser's token can be such a text.
    pub fn of_browser(text: &str) -> Option<Self> {
        is_token(text).then(|| digest(text))
    }

    /// Of what follows `Bearer`, if a program's token can be such a text.
    pub fn of_program(text: &str) -> Option<Self> {
        text.strip_prefix(PROGRAM_PREFIX).is_some_and(is_token).then(|| digest(text))
    }

    /// For the store.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(••••)")
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(••••)")
    }
}

fn digest(text: &str) -> Digest {
    Digest(Sha256::digest(text.as_bytes()).into())
}

fn is_token(text: &str) -> bool {
    let is_of_it = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    text.len() == TOKEN_CHARS && text.bytes().all(is_of_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_are_found_by_what_is_kept_of_them() {
        let (browser, program) = (Token::for_browser().unwrap(), Token::for_program().unwrap());
        assert_ne!(browser, Token::for_browser().unwrap());
        assert_eq!(Digest::of_browser(browser.expose()), Some(browser.digest()));
        assert_eq!(Digest::of_program(program.expose()), Some(program.digest()));
        // Neither is taken for the other.
        assert_eq!(Digest::of_browser(program.expose()), None);
        assert_eq!(Digest::of_program(browser.expose()), None);
        assert_eq!(format!("{browser:?} {:?}", browser.digest()), "Token(••••) Digest(••••)");
    }

    #[test]
    fn what_no_token_can_be_is_not_looked_for() {
        let token = "A".repeat(TOKEN_CHARS);
        assert!(Digest::of_browser(&token).is_some());
        for text in ["", "x", &token[1..], &format!("{token}A"), &format!("{}é", &token[2..]), "' OR 1=1 --"]
        {
            assert_eq!((Digest::of_browser(text), Digest::of_program(text)), (None, None), "{text}");
        }
    }
}
