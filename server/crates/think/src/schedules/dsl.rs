//! How a schedule is written: `every 15 minutes`, `every day at 08:30 in Europe/Oslo`, `every weekday at 07:00`,
//! `every week on mon,thu at 18:00`.

use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;

/// Longest interval.
const INTERVAL_MAX_MS: u64 = 366 * 24 * 3_600_000;
const MINUTE_MS: u64 = 60_000;

/// A schedule that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    text: String,
    zone_name: Option<String>,
    pub(super) rule: Rule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rule {
    /// Every so many milliseconds.
    Interval(u64),
    /// On these days at this time.
    WallClock { days: Vec<Weekday>, time: Time, zone: TimeZone },
}

/// What is wrong with a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ScheduleError(String);

const DAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

impl Schedule {
    /// Reads a schedule. `timezone` is for one that names no zone itself.
    ///
    /// # Errors
    /// A sentence that says what is wrong and what could stand there.
    pub fn parse(text: &str, timezone: Option<&str>) -> Result<Self, ScheduleError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (words, own_zone) = match words.as_slice() {
            [rest @ .., "in", zone] => (rest, Some(*zone)),
            all => (all, None),
        };
        let zone_name = match (own_zone, timezone) {
            (Some(own), Some(other)) if own != other => {
                return wrong(format!("{text:?} names the zone {own}, and the task the zone {other}"));
            }
            (own, other) => own.or(other),
        };
        let rule = match words {
            ["every", count, unit] => interval(text, count, unit, zone_name)?,
            ["every", "day", "at", time] => wall_clock(text, &DAYS, time, zone_name)?,
            ["every", "weekday", "at", time] => wall_clock(text, &DAYS[..5], time, zone_name)?,
            ["every", "week", "on", days, "at", time] => {
                let days = weekdays(text, days)?;
                wall_clock(text, &days, time, zone_name)?
            }
            _ => {
                return wrong(format!(
                    "{text:?} is no schedule; write `every N minutes`, `every N hours`, `every day at HH:mm in ZONE`, \
                     `every weekday at HH:mm in ZONE` or `every week on mon,wed at HH:mm in ZONE`"
                ));
            }
        };
        Ok(Self { text: words_of(text), zone_name: zone_name.map(str::to_owned), rule })
    }

    /// As it was written, with single blanks.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What tells it from another one: its words and its zone.
    pub(super) fn identity(&self) -> String {
        format!("{} | {}", self.text, self.zone_name.as_deref().unwrap_or_default())
    }
}

fn words_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn wrong<T>(text: String) -> Result<T, ScheduleError> {
    Err(ScheduleError(text))
}

fn interval(text: &str, count: &str, unit: &str, zone: Option<&str>) -> Result<Rule, ScheduleError> {
    if zone.is_some() {
        return wrong(format!("{text:?} is the same in every time zone; leave the zone out"));
    }
    let number: u64 = match count.parse() {
        Ok(number) if number > 0 && count.bytes().all(|byte| byte.is_ascii_digit()) => number,
        _ => return wrong(format!("{text:?} needs a whole number from 1 up, not {count:?}")),
    };
    let unit_ms = match (unit, number) {
        ("minute", 1) | ("minutes", 2..) => MINUTE_MS,
        ("hour", 1) | ("hours", 2..) => 60 * MINUTE_MS,
        _ => return wrong(format!("{text:?} needs `minutes` or `hours`, or `1 minute` or `1 hour`")),
    };
    match number.checked_mul(unit_ms).filter(|interval| *interval <= INTERVAL_MAX_MS) {
        Some(interval) => Ok(Rule::Interval(interval)),
        None => wrong(format!("{text:?} is longer than a year")),
    }
}

fn wall_clock(
    text: &str,
    days: &[(&str, Weekday)],
    time: &str,
    zone: Option<&str>,
) -> Result<Rule, ScheduleError> {
    let Some(zone) = zone else {
        return wrong(format!("{text:?} needs a time zone: add `in ZONE`, for example `in Europe/Oslo`"));
    };
    let Ok(zone) = TimeZone::get(zone) else {
        return wrong(format!("{text:?} names the zone {zone:?}, which is not in the IANA database"));
    };
    let days = days.iter().map(|(_, day)| *day).collect();
    Ok(Rule::WallClock { days, time: clock_time(text, time)?, zone })
}

fn clock_time(text: &str, time: &str) -> Result<Time, ScheduleError> {
    let digits = |part: &str| (part.len() == 2).then(|| part.parse::<i8>().ok()).flatten();
    let parts = time.split_once(':').and_then(|(hour, minute)| Some((digits(hour)?, digits(minute)?)));
    let read = parts.and_then(|(hour, minute)| Time::new(hour, minute, 0, 0).ok());
    read.map_or_else(|| wrong(format!("{text:?} needs a time from 00:00 to 23:59, not {time:?}")), Ok)
}

fn weekdays(text: &str, list: &str) -> Result<Vec<(&'static str, Weekday)>, ScheduleError> {
    let mut days: Vec<(&'static str, Weekday)> = Vec::new();
    for word in list.split(',') {
        let Some(day) = DAYS.iter().find(|(name, _)| *name == word) else {
            return wrong(format!("{text:?} needs days such as mon,wed,fri, not {word:?}"));
        };
        if days.contains(day) {
            return wrong(format!("{text:?} names {word} twice"));
        }
        days.push(*day);
    }
    Ok(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_read_or_refused_with_the_reason() {
        let rows = [
            ("every 15 minutes", None, ""),
            ("every 1 hour", None, ""),
            ("every day at 08:30 in Europe/Oslo", None, ""),
            ("every day at 08:30", Some("Europe/Oslo"), ""),
            ("every day at 08:30 in Europe/Oslo", Some("Europe/Oslo"), ""),
            ("every weekday at 23:59 in UTC", None, ""),
            ("every  week on mon,wed at 00:00 in Asia/Tokyo", None, ""),
            ("", None, "is no schedule"),
            ("every noon", None, "is no schedule"),
            ("every day", None, "is no schedule"),
            ("every 0 minutes", None, "needs a whole number from 1 up, not \"0\""),
            ("every +5 minutes", None, "needs a whole number from 1 up, not \"+5\""),
            ("every 1.5 hours", None, "needs a whole number from 1 up, not \"1.5\""),
            ("every 1 minutes", None, "needs `minutes` or `hours`, or `1 minute` or `1 hour`"),
            ("every 2 hour", None, "needs `minutes` or `hours`, or `1 minute` or `1 hour`"),
            ("every 2 days", None, "needs `minutes` or `hours`, or `1 minute` or `1 hour`"),
            ("every 9000 hours", None, "is longer than a year"),
            ("every 18446744073709551615 hours", None, "is longer than a year"),
            ("every 5 minutes in UTC", None, "is the same in every time zone; leave the zone out"),
            ("every 5 minutes", Some("UTC"), "is the same in every time zone; leave the zone out"),
            ("every day at 08:30", None, "needs a time zone: add `in ZONE`, for example `in Europe/Oslo`"),
            (
                "every day at 08:30 in Mars/Base",
                None,
                "names the zone \"Mars/Base\", which is not in the IANA database",
            ),
            (
                "every day at 08:30 in UTC",
                Some("Europe/Oslo"),
                "names the zone UTC, and the task the zone Europe/Oslo",
            ),
            ("every day at 8:30 in UTC", None, "needs a time from 00:00 to 23:59, not \"8:30\""),
            ("every day at 24:00 in UTC", None, "needs a time from 00:00 to 23:59, not \"24:00\""),
            ("every day at 08:60 in UTC", None, "needs a time from 00:00 to 23:59, not \"08:60\""),
            ("every week on mon,mon at 08:00 in UTC", None, "names mon twice"),
            ("every week on monday at 08:00 in UTC", None, "needs days such as mon,wed,fri, not \"monday\""),
            ("every week on mon, at 08:00 in UTC", None, "needs days such as mon,wed,fri, not \"\""),
        ];
        for (text, zone, expected) in rows {
            let told = Schedule::parse(text, zone).err().map(|error| error.to_string()).unwrap_or_default();
            let told = told.strip_prefix(&format!("{text:?} ")).unwrap_or(&told);
            assert!(
                told == expected || (!expected.is_empty() && told.starts_with(expected)),
                "{text}: {told}"
            );
        }
    }
}
