//! Texts are read alike, however they are cut into pieces.

use super::{ScanError, Scanner, Shape};
use serde_json::Value;
use std::io::{self, Read};

/// Gives one byte at a time.
struct Drops<'a>(&'a [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.len().min(1).min(buffer.len());
        let (now, later) = self.0.split_at(length);
        buffer[..length].copy_from_slice(now);
        self.0 = later;
        Ok(length)
    }
}

/// Takes a text apart, one level deep, and tells what it found.
fn told(text: impl Read, most: usize) -> Result<String, ScanError> {
    let mut scanner = Scanner::new(text)?;
    let mut said = String::new();
    let shape = scanner.shape()?;
    if matches!(shape, Some(Shape::Object | Shape::List)) {
        let mut inside = scanner.enter()?;
        loop {
            let name = match shape {
                Some(Shape::Object) => scanner.next_name(&mut inside)?,
                _ => scanner.next_item(&mut inside)?.then(String::new),
            };
            let Some(name) = name else { break };
            let value = scanner.value(most)?.map(|value| String::from_utf8(value).unwrap());
            said += &format!("{name}={} ", value.as_deref().unwrap_or("(too long)"));
        }
    } else {
        scanner.skip()?;
    }
    scanner.end()?;
    Ok(said)
}

#[track_caller]
fn check(text: &str, expected: &str) {
    for told in [told(text.as_bytes(), 100), told(Drops(text.as_bytes()), 100)] {
        assert_eq!(told.unwrap_or_else(|error| error.to_string()), expected, "{text}");
    }
}

#[test]
fn values_are_taken_whole_and_mistakes_are_named_by_their_place() {
    check("{}", "");
    check(" [ ] ", "");
    check("\u{feff}[1]", "=1 ");
    check("7", "");
    check(
        r#"[1, -2.5e3 ,true,null,"a\\\"]{,",{"a":[{}]},[[]]]"#,
        r#"=1 =-2.5e3 =true =null ="a\\\"]{," ={"a":[{}]} =[[]] "#,
    );
    check(r#"{"a" : 1,"\u00e9\n":"x" }"#, "a=1 \u{e9}\n=\"x\" ");
    check(&format!("[\"{}\",2]", "x".repeat(200)), "=(too long) =2 ");
    check("", "it ends too early, after 0 bytes");
    check("[1", "it ends too early, after 2 bytes");
    check("[\"a", "it ends too early, after 3 bytes");
    check("[1,]", "at byte 3 there should be a value");
    check("[1 2]", "at byte 3 there should be a comma or an end");
    check("[1] 2", "at byte 4 there should be the end");
    check("[x]", "at byte 1 there should be a value");
    check("{1:2}", "at byte 1 there should be a name");
    check("{\"a\" 1}", "at byte 5 there should be a colon");
    check("nonsense", "");
}

#[test]
fn what_is_longer_than_the_buffer_is_the_same() {
    let long = Value::from("\u{1f333}\\\"".repeat(40_000)).to_string();
    let text = format!("[{long},{{\"k\":[{long}]}}]");
    assert_eq!(told(text.as_bytes(), usize::MAX).unwrap(), format!("={long} ={{\"k\":[{long}]}} "));
}
