//! The password: what it may be, and its Argon2id hash, which is all that is kept of it.

use argon2::password_hash::PasswordVerifier;
use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, Version};
use protocol::limits;
use std::fmt;

/// Memory of one hash in KiB: the first of OWASP's equal choices for Argon2id (19 MiB, 2 passes, 1 lane).
const MEMORY_KIB: u32 = 19 * 1024;
/// Passes over that memory.
const PASSES: u32 = 2;
/// Lanes of that memory.
const LANES: u32 = 1;

/// A password that can be set.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

/// Why a text is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadPassword {
    /// Too few characters.
    #[error("a password has at least {} characters (PASSWORD_MIN_CHARS)", limits::PASSWORD_MIN_CHARS)]
    TooShort,
    /// Too many bytes.
    #[error("a password has at most {} bytes (PASSWORD_MAX_BYTES)", limits::PASSWORD_MAX_BYTES)]
    TooLong,
    /// What nobody can type into the field of a page.
    #[error("a password is one line without control characters")]
    Control,
}

impl Password {
    /// Takes a text as it was typed.
    ///
    /// # Errors
    /// [`BadPassword`].
    pub fn new(text: &str) -> Result<Self, BadPassword> {
        if text.len() > limits::PASSWORD_MAX_BYTES {
            return Err(BadPassword::TooLong);
        }
        if text.chars().count() < limits::PASSWORD_MIN_CHARS {
            return Err(BadPassword::TooShort);
        }
        if text.chars().any(char::is_control) {
            return Err(BadPassword::Control);
        }
        Ok(Self(text.to_owned()))
    }

    /// Takes a file's text or a line: the end of the line does not count.
    ///
    /// # Errors
    /// [`BadPassword`].
    pub fn of_line(text: &str) -> Result<Self, BadPassword> {
        let text = text.strip_suffix('\n').unwrap_or(text);
        Self::new(text.strip_suffix('\r').unwrap_or(text))
    }

    /// Its hash with new salt, in PHC's form. Slow on purpose.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn hash(&self) -> Result<String, argon2::password_hash::Error> {
        Ok(hasher()?.hash_password(self.0.as_bytes())?.to_string())
    }

    /// Whether a hash is its. Slow on purpose.
    ///
    /// # Errors
    /// As [`is_right`].
    pub fn is_of(&self, hash: &str) -> Result<bool, argon2::password_hash::Error> {
        is_right(&self.0, hash)
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(••••)")
    }
}

/// Whether what was typed is the password of this hash. It takes as long for every wrong answer, whatever its length.
///
/// # Errors
/// The stored text is no hash.
pub fn is_right(typed: &str, hash: &str) -> Result<bool, argon2::password_hash::Error> {
    let hash = PasswordHash::new(hash)?;
    Ok(Argon2::default().verify_password(typed.as_bytes(), &hash).is_ok())
}

fn hasher() -> Result<Argon2<'static>, argon2::password_hash::Error> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_one_line_of_bearable_length() {
        let long = "é".repeat(limits::PASSWORD_MAX_BYTES / 2);
        for (text, expected) in [
            ("1234567", Err(BadPassword::TooShort)),
            ("12345678", Ok("12345678")),
            ("ключ-ключ", Ok("ключ-ключ")),
            (" blanks count ", Ok(" blanks count ")),
            (&long, Ok(&long)),
            (&format!("{long}x"), Err(BadPassword::TooLong)),
            ("two\nlines!", Err(BadPassword::Control)),
            ("nul\0nul\0nul", Err(BadPassword::Control)),
        ] {
            assert_eq!(Password::new(text), expected.map(|text: &str| Password(text.to_owned())), "{text:?}");
        }
        let line = |text| Password::of_line(text).map(|password| password.0);
        assert_eq!(line("from a file\r\n"), Ok("from a file".to_owned()));
        assert_eq!(line("from a file\n\n"), Err(BadPassword::Control));
    }

    #[test]
    fn only_the_password_itself_fits_its_hash_and_no_two_hashes_are_alike() {
        let password = Password::new("correct horse").unwrap();
        let (hash, other) = (password.hash().unwrap(), password.hash().unwrap());
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_ne!(hash, other);
        for (typed, expected) in
            [("correct horse", true), ("Correct horse", false), ("correct horse ", false), ("", false)]
        {
            assert_eq!(is_right(typed, &hash), Ok(expected), "{typed:?}");
        }
        assert!(is_right("correct horse", "plain").is_err());
        assert_eq!(format!("{password:?}"), "Password(••••)");
    }
}
