//! Days as people write them in a search. Pure: the calendar is arithmetic.

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// The first moment (milliseconds since 1970, UTC) of a year `2026`, a month `2026-03` or a day `2026-03-05`; none for
/// anything else.
pub(crate) fn beginning_of(text: &str) -> Option<i64> {
    let mut pieces = text.split('-');
    let year = number(pieces.next()?, 4)?;
    let month = pieces.next().map_or(Some(1), |month| number(month, 2))?;
    let day = pieces.next().map_or(Some(1), |day| number(day, 2))?;
    let is_date =
        pieces.next().is_none() && (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
    is_date.then(|| days_before(year, month).saturating_add(day - 1).saturating_mul(DAY_MS))
}

fn number(text: &str, digits: usize) -> Option<i64> {
    let is_number = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

fn days_in(year: i64, month: i64) -> i64 {
    let next = if month == 12 { days_before(year + 1, 1) } else { days_before(year, month + 1) };
    next - days_before(year, month)
}

/// Days from 1970 to the first of a month. Years are counted from March, so that the leap day is the last one.
fn days_before(year: i64, month: i64) -> i64 {
    let (year, months) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days_of_months = (153 * months + 2) / 5;
    365 * year + leap_days + days_of_months - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_and_nonsense_is_none() {
        for (text, expected) in [
            ("1970", Some(0)),
            ("1970-01", Some(0)),
            ("1970-01-02", Some(DAY_MS)),
            ("1969-12-31", Some(-DAY_MS)),
            ("2000-03-01", Some(951_868_800_000)),
            ("2024-02-29", Some(1_709_164_800_000)),
            ("2026-11-30", Some(1_795_996_800_000)),
            ("9999-12-31", Some(253_402_214_400_000)),
            ("2023-02-29", None),
            ("2026-13", None),
            ("2026-00", None),
            ("2026-1", None),
            ("2026-01-32", None),
            ("2026-01-01-01", None),
            ("26", None),
            ("+026", None),
            ("", None),
            ("yesterday", None),
        ] {
            assert_eq!(beginning_of(text), expected, "{text}");
        }
    }
}
