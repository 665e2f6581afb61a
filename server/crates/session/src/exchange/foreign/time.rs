//! Times as other products write them, in milliseconds since 1970; 0 where there is none.

use serde_json::Value;

/// Seconds, or milliseconds where the number is too large for seconds.
pub(super) fn seconds(value: Option<&Value>) -> i64 {
    /// The year 5138 in seconds; 1973 in milliseconds.
    const SECONDS_MAX: f64 = 100_000_000_000.0;
    let number = value.and_then(Value::as_f64).filter(|number| number.is_finite() && *number > 0.0);
    let number = number.unwrap_or_default();
    let ms = if number < SECONDS_MAX { number * 1_000.0 } else { number };
    whole(ms)
}

#[expect(clippy::cast_possible_truncation, reason = "a time that is too large becomes the largest there is")]
fn whole(ms: f64) -> i64 {
    ms.round() as i64
}

/// `2024-05-01T12:34:56.789Z`, also with `+00:00`, or without a fraction.
pub(super) fn iso(value: Option<&Value>) -> i64 {
    value.and_then(Value::as_str).and_then(parse).unwrap_or_default()
}

fn parse(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let mut date = date.split('-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let clock = time.get(..8)?;
    let mut clock = clock.split(':').map(str::parse::<i64>);
    let (hour, minute, second) = (clock.next()?.ok()?, clock.next()?.ok()?, clock.next()?.ok()?);
    let fraction = time.get(8..)?.strip_prefix('.').unwrap_or_default();
    let fraction: String = fraction.chars().take_while(char::is_ascii_digit).take(3).collect();
    let ms: i64 = format!("{fraction:0<3}").parse().unwrap_or_default();
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(seconds * 1_000 + ms)
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, month) = (year / 400, (month + 9) % 12);
    let of_era = year - era * 400;
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_written() {
        for (text, ms) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2024-02-29T12:34:56.789012Z", 1_709_210_096_789),
            ("2024-03-01 00:00:00.5+00:00", 1_709_251_200_500),
            ("2024-13-01T00:00:00Z", 0),
            ("soon", 0),
        ] {
            assert_eq!(iso(Some(&text.into())), ms, "{text}");
        }
        for (number, ms) in [(1_709_210_096.789, 1_709_210_096_789), (1_709_210_096_789.0, 1_709_210_096_789)]
        {
            assert_eq!(seconds(Some(&number.into())), ms);
        }
        assert_eq!(seconds(None), 0);
    }
}
