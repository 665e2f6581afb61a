//! When a schedule is due next: computed, never counted through. Pure.

use super::dsl::{Rule, Schedule};
use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

impl Schedule {
    /// The first time after `now_ms`. An interval keeps to the grid of the time it was due `last_ms`, which is when it
    /// was made for the first run; times that were missed are left out.
    ///
    /// A wall clock that skips the time on a day (in spring) strikes as much later; one that shows it twice (in autumn)
    /// strikes the first time.
    pub fn next(&self, last_ms: u64, now_ms: u64) -> u64 {
        match &self.rule {
            Rule::Interval(every) => {
                let missed = now_ms.saturating_sub(last_ms) / every;
                last_ms.saturating_add((missed + 1).saturating_mul(*every))
            }
            Rule::WallClock { days, time, zone } => {
                wall_clock(days, *time, zone, now_ms).unwrap_or(u64::MAX / 2)
            }
        }
    }
}

/// None beyond the end of the calendar only.
fn wall_clock(days: &[Weekday], time: Time, zone: &TimeZone, now_ms: u64) -> Option<u64> {
    let now = Timestamp::from_millisecond(i64::try_from(now_ms).ok()?).ok()?;
    let today = now.to_zoned_datetime(zone.clone()).date();
    // A clock that was put back can show a time of yesterday again; a week later the same day comes at the latest.
    let candidates = (-1..=8).filter_map(|offset: i64| today.checked_add(offset.days()).ok());
    let due = candidates.filter(|date| days.contains(&date.weekday())).filter_map(|date| {
        let at = zone.to_ambiguous_timestamp(date.to_datetime(time)).compatible().ok()?;
        u64::try_from(at.as_millisecond()).ok()
    });
    due.filter(|due| *due > now_ms).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(text: &str) -> u64 {
        u64::try_from(text.parse::<Timestamp>().unwrap().as_millisecond()).unwrap()
    }

    /// A schedule, the time it was due last (empty: now), now, and the time it must be due next.
    type Row<'a> = (&'a str, &'a str, &'a str, &'a str);

    fn check(rows: &[Row<'_>]) {
        for (text, last, now, expected) in rows.iter().copied() {
            let last = if last.is_empty() { now } else { last };
            let schedule = Schedule::parse(text, None).unwrap();
            let next = schedule.next(ms(last), ms(now));
            let told = Timestamp::from_millisecond(i64::try_from(next).unwrap()).unwrap().to_string();
            assert_eq!(told, expected, "{text} after {now}");
        }
    }

    #[test]
    fn the_next_time_is_on_the_grid_and_on_the_right_day() {
        check(&[
            // Due at 08:00, woken at 10:30.
            ("every 1 hour", "2026-06-01T08:00:00Z", "2026-06-01T10:30:00Z", "2026-06-01T11:00:00Z"),
            ("every 1 hour", "2026-06-01T08:00:00Z", "2026-06-01T11:00:00Z", "2026-06-01T12:00:00Z"),
            ("every 15 minutes", "2026-06-01T08:00:00Z", "2026-06-01T08:00:00Z", "2026-06-01T08:15:00Z"),
            // A clock that was put back does not move the grid.
            ("every 1 hour", "2026-06-01T08:00:00Z", "2026-06-01T07:00:00Z", "2026-06-01T09:00:00Z"),
            ("every day at 08:30 in Europe/Oslo", "", "2026-06-01T06:29:00Z", "2026-06-01T06:30:00Z"),
            ("every day at 08:30 in Europe/Oslo", "", "2026-06-01T06:30:00Z", "2026-06-02T06:30:00Z"),
            ("every day at 00:30 in Europe/Oslo", "", "2026-06-01T21:00:00Z", "2026-06-01T22:30:00Z"),
            // Friday evening to Monday morning.
            ("every weekday at 08:00 in Europe/Oslo", "", "2026-06-05T18:00:00Z", "2026-06-08T06:00:00Z"),
            (
                "every week on mon,wed at 08:00 in Europe/Oslo",
                "",
                "2026-06-01T06:00:00Z",
                "2026-06-03T06:00:00Z",
            ),
            ("every week on mon at 08:00 in Europe/Oslo", "", "2026-06-01T06:00:00Z", "2026-06-08T06:00:00Z"),
        ]);
    }

    #[test]
    fn clocks_that_are_put_forward_or_back_strike_once() {
        check(&[
            // Spring: 02:30 does not exist on 29 March 2026 and strikes at 03:30.
            ("every day at 02:30 in Europe/Oslo", "", "2026-03-28T12:00:00Z", "2026-03-29T01:30:00Z"),
            ("every day at 02:30 in Europe/Oslo", "", "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"),
            // Autumn: 02:30 comes twice on 25 October 2026; the first counts, and only that.
            ("every day at 02:30 in Europe/Oslo", "", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"),
            ("every day at 02:30 in Europe/Oslo", "", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
            // New York's clocks change at another time.
            ("every day at 02:30 in America/New_York", "", "2026-03-08T00:00:00Z", "2026-03-08T07:30:00Z"),
            // A day that a zone left out altogether: Samoa, 30 December 2011.
            ("every day at 12:00 in Pacific/Apia", "", "2011-12-29T22:00:00Z", "2011-12-30T22:00:00Z"),
        ]);
    }
}
