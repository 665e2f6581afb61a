//! The headers of a request, and what those of a refusal say about the next one.

use crate::now::Now;
use model::{ErrorClass, ModelError, ModelRequest, Purpose};
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, DATE, HOST, HeaderMap, HeaderName,
    HeaderValue, RETRY_AFTER, TRANSFER_ENCODING,
};
use serde_json::{Map, Value};
use std::time::{Duration, SystemTime};

const PURPOSE: HeaderName = HeaderName::from_static("x-bough-purpose");
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// What nobody but the client itself sets: what frames the request, and the key of the provider.
const RESERVED: [HeaderName; 7] =
    [AUTHORIZATION, API_KEY, HOST, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING, CONNECTION];

/// The headers of a request.
///
/// # Errors
/// One of its own cannot be sent.
pub(super) fn of(request: &ModelRequest) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    let _none = headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    let word = match request.purpose {
        Purpose::Chat => None,
        Purpose::Title => Some("title"),
        Purpose::Summary => Some("summary"),
    };
    if let Some(word) = word {
        let _none = headers.insert(PURPOSE, HeaderValue::from_static(word));
    }
    for (name, value) in &request.headers {
        let read = (name.parse::<HeaderName>().ok(), value.parse::<HeaderValue>().ok());
        let (Some(name), Some(value)) = read else { return Err(unfit(name, "is no header")) };
        if RESERVED.contains(&name) {
            return Err(unfit(name.as_str(), "belongs to the connection or to the key"));
        }
        let _usual = headers.insert(name, value);
    }
    Ok(headers)
}

/// The value may be a secret.
fn unfit(name: &str, why: &str) -> ModelError {
    ModelError::new(ErrorClass::BadRequest, format!("The header {name:?} cannot be sent: it {why}."))
}

/// A body with further fields. Objects of one name are joined, anything else is replaced.
pub(super) fn with_options(body: String, options: &Map<String, Value>) -> String {
    if options.is_empty() {
        return body;
    }
    let Ok(mut fields) = serde_json::from_str::<Map<String, Value>>(&body) else { return body };
    for (name, value) in options {
        match (fields.get_mut(name), value) {
            (Some(Value::Object(known)), Value::Object(more)) => known.extend(more.clone()),
            (_, value) => drop(fields.insert(name.clone(), value.clone())),
        }
    }
    Value::Object(fields).to_string()
}

/// How long a refusal asks to wait: milliseconds, seconds, or until a date. A date is counted from the server's own
/// clock where it tells the time, since ours may differ.
pub(super) fn retry_after(headers: &HeaderMap, now: &Now) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let date = |name: &str| httpdate::parse_http_date(text(name)?).ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1_000.0).or_else(|| number(RETRY_AFTER.as_str()));
    if let Some(seconds) = seconds {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = date(RETRY_AFTER.as_str())?;
    let from = date(DATE.as_str()).unwrap_or_else(|| SystemTime::UNIX_EPOCH + now.since_epoch());
    Some(until.duration_since(from).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    type Given<'a> = &'a [(&'a str, &'a str)];

    fn headers(rows: Given<'_>) -> HeaderMap {
        let header = |(name, value): &(&str, &str)| (name.parse().unwrap(), value.parse().unwrap());
        rows.iter().map(header).collect::<Vec<(HeaderName, HeaderValue)>>().into_iter().collect()
    }

    #[test]
    fn a_wait_is_a_number_or_a_date() {
        let (seven, five) = ("Mon, 30 Nov 2026 12:00:07 GMT", "Mon, 30 Nov 2026 12:00:05 GMT");
        let rows: [(Given, Option<u64>); 11] = [
            (&[("retry-after", "3")], Some(3_000)),
            (&[("retry-after", " 1.5 ")], Some(1_500)),
            (&[("retry-after-ms", "250"), ("retry-after", "3")], Some(250)),
            (&[("retry-after", seven), ("date", five)], Some(2_000)),
            (&[("retry-after", five), ("date", seven)], Some(0)),
            // Without the server's time ours counts: it is 12:00:00.
            (&[("retry-after", seven)], Some(7_000)),
            (&[("retry-after", "Monday, 30-Nov-26 12:00:07 GMT")], Some(7_000)),
            (&[("retry-after", "Mon Nov 30 12:00:07 2026")], Some(7_000)),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "-1")], None),
            (&[], None),
        ];
        let now = Now::new(|| 1_796_040_000_000);
        for (given, expected) in rows {
            assert_eq!(retry_after(&headers(given), &now), expected.map(Duration::from_millis), "{given:?}");
        }
    }

    #[test]
    fn own_headers_are_added_and_the_connections_are_not_theirs() {
        let of = |name: &str, value: &str| {
            let own = BTreeMap::from([(name.to_owned(), value.to_owned())]);
            of(&ModelRequest { headers: own, ..ModelRequest::default() })
        };
        let accept = ("accept", "text/event-stream");
        assert_eq!(of("X-Trace", "a b"), Ok(headers(&[accept, ("x-trace", "a b")])));
        assert_eq!(of("accept", "a/b"), Ok(headers(&[("accept", "a/b")])));
        for (name, value) in [("x trace", "a"), ("x-trace", "a\nb"), ("Authorization", "a"), ("host", "a")] {
            let error = of(name, value).unwrap_err();
            assert_eq!(error.class, ErrorClass::BadRequest, "{name}");
            assert!(error.message.to_lowercase().contains(&name.to_lowercase()), "{}", error.message);
        }
    }

    #[test]
    fn further_fields_join_the_body() {
        let with =
            |options: Value| with_options(r#"{"a":1,"b":{"c":2}}"#.into(), options.as_object().unwrap());
        assert_eq!(with(json!({})), r#"{"a":1,"b":{"c":2}}"#);
        assert_eq!(with(json!({ "b": { "d": 3 }, "e": 4 })), r#"{"a":1,"b":{"c":2,"d":3},"e":4}"#);
        assert_eq!(with(json!({ "a": { "f": 5 }, "b": null })), r#"{"a":{"f":5},"b":null}"#);
    }
}
