//! Times, counts and durations as people read them. Pure: the reader's offset from UTC comes in.

/// Of a minute.
pub const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: i64 = 24 * 60;

/// The time of day, as `14:02`.
pub fn clock(moment: u64, offset_minutes: i32) -> String {
    let minutes = (moment as i64).div_euclid(MINUTE_MS) + i64::from(offset_minutes);
    let of_day = minutes.rem_euclid(DAY_MINUTES);
    format!("{:02}:{:02}", of_day / 60, of_day % 60)
}

/// The day, as `15 Jun`.
pub fn day(moment: u64, offset_minutes: i32) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let minutes = (moment as i64).div_euclid(MINUTE_MS) + i64::from(offset_minutes);
    let (_year, month, day) = date(minutes.div_euclid(DAY_MINUTES).max(0) as u64);
    let month = MONTHS.get(month.saturating_sub(1) as usize).copied().unwrap_or_default();
    format!("{day} {month}")
}

/// A moment for machines, as `2026-06-15T12:00:00Z`.
pub fn iso(moment: u64) -> String {
    let seconds = moment / 1000;
    let (year, month, day) = date(seconds / 86_400);
    let of_day = seconds % 86_400;
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", of_day / 3600, of_day / 60 % 60, of_day % 60)
}

/// So many of what takes an s, as `1 chat` or `3 chats`.
pub fn counted(count: u64, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}

/// A count of tokens, as `412 tokens` or `12.4k tokens`.
pub fn tokens(count: u64) -> String {
    match count {
        0..10_000 => counted(count, "token"),
        10_000..1_000_000 => format!("{}k tokens", tenths(count, 1_000)),
        _ => format!("{}M tokens", tenths(count, 1_000_000)),
    }
}

/// A count of tokens without the word, as `412` or `12.4k`.
pub fn count(count: u64) -> String {
    let words = tokens(count);
    words.split(' ').next().unwrap_or_default().to_owned()
}

/// A size, as `412 bytes`, `12.4 kB` or `3.1 MB`.
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} bytes"),
        1_000..1_000_000 => format!("{} kB", tenths(count, 1_000)),
        _ => format!("{} MB", tenths(count, 1_000_000)),
    }
}

/// A duration, as `0.4 s`, `3.1 s`, `42 s` or `2 min 5 s`; never as nothing at all.
pub fn duration(ms: u64) -> String {
    match ms.max(100) {
        ms @ 0..10_000 => format!("{} s", tenths(ms, 1_000)),
        10_000..60_000 => format!("{} s", ms / 1_000),
        _ => format!("{} min {} s", ms / 60_000, ms / 1_000 % 60),
    }
}

/// The model's own name of `provider/model`; what an endpoint will list first is called after the endpoint
/// until then.
pub fn model(name: &str, endpoint: &str) -> String {
    match (name, endpoint) {
        (protocol::FIRST_LISTED, "") => "first model listed".to_owned(),
        (protocol::FIRST_LISTED, endpoint) => format!("first model of {endpoint}"),
        (name, _) => name.rsplit_once('/').map_or(name, |(_, model)| model).to_owned(),
    }
}

fn tenths(count: u64, unit: u64) -> String {
    let tenths = (count * 10 + unit / 2) / unit;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Days since 1970 to a date of the Gregorian calendar (the era arithmetic of Howard Hinnant's `civil_from_days`).
fn date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_the_readers_own() {
        // 2026-06-15T23:30:00Z.
        const LATE: u64 = 1_781_566_200_000;
        assert_eq!((day(LATE, 0), day(LATE, 60)), ("15 Jun".to_owned(), "16 Jun".to_owned()));
    }

    #[test]
    fn moments_are_shown_in_the_readers_time_and_told_in_utc() {
        let check = |moment, offset, shown: &str, told: &str| {
            assert_eq!((clock(moment, offset).as_str(), iso(moment).as_str()), (shown, told));
        };
        check(0, 0, "00:00", "1970-01-01T00:00:00Z");
        check(0, -480, "16:00", "1970-01-01T00:00:00Z");
        check(1_781_524_925_000, 330, "17:32", "2026-06-15T12:02:05Z");
        check(1_709_164_799_000, 60, "00:59", "2024-02-28T23:59:59Z");
        check(1_709_164_800_000, 0, "00:00", "2024-02-29T00:00:00Z");
        check(951_868_800_000, 0, "00:00", "2000-03-01T00:00:00Z");
    }

    #[test]
    fn counts_and_durations_are_short() {
        let check = |got: String, expected: &str| assert_eq!(got, expected);
        check(tokens(1), "1 token");
        check(tokens(412), "412 tokens");
        check(tokens(12_440), "12.4k tokens");
        check(tokens(2_000_000), "2.0M tokens");
        check(count(12_440), "12.4k");
        check(bytes(412), "412 bytes");
        check(bytes(12_440), "12.4 kB");
        check(bytes(3_100_000), "3.1 MB");
        check(duration(0), "0.1 s");
        check(duration(90), "0.1 s");
        check(duration(3_140), "3.1 s");
        check(duration(42_700), "42 s");
        check(duration(125_000), "2 min 5 s");
        check(model("ollama/qwen3:8b", "localhost:1234"), "qwen3:8b");
        check(model("openai/default", "localhost:1234"), "first model of localhost:1234");
        check(model("openai/default", ""), "first model listed");
    }
}
