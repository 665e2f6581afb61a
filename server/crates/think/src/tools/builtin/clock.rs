//! The tool `clock`: what time it is, which a model cannot know.

use crate::tools::{Reporter, TypedTool};
use db::Clock;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The tool; the time is that of the clock it is given.
#[derive(Debug, Clone)]
pub struct ClockTool(pub Arc<dyn Clock>);

/// Tells the current date and time. Call it whenever an answer depends on today or now.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Question {
    /// The IANA name of a time zone, for example Europe/Oslo; without it the time is in UTC.
    #[serde(default)]
    timezone: Option<String>,
}

/// The time.
#[derive(Debug, Serialize)]
pub struct Reading {
    /// With date, time and difference from UTC.
    time: String,
    weekday: String,
    timezone: String,
}

impl TypedTool for ClockTool {
    type Input = Question;
    type Output = Reading;
    const NAME: &'static str = "clock";

    async fn run(self: Arc<Self>, question: Question, _report: Reporter) -> Result<Reading, String> {
        let name = question.timezone.as_deref().map_or("UTC", str::trim);
        let zone = TimeZone::get(name).map_err(|_unknown| {
            format!("There is no time zone {name:?}; use an IANA name, such as America/New_York.")
        })?;
        let now = i64::try_from(self.0.now_ms()).ok().and_then(|now| Timestamp::from_millisecond(now).ok());
        let now = now.ok_or("The clock of this machine is wrong.")?.to_zoned_datetime(zone);
        Ok(Reading {
            time: now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            weekday: now.strftime("%A").to_string(),
            timezone: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::{ClockTool, typed};
    use serde_json::json;
    use std::sync::Arc;
    use testkit::FakeClock;

    #[tokio::test]
    async fn it_tells_the_time_of_its_clock_in_any_zone() {
        let tool = typed(ClockTool(Arc::new(FakeClock::at(1_780_000_000_000))));
        let reading =
            |time: &str, zone: &str| Ok(json!({ "time": time, "weekday": "Thursday", "timezone": zone }));
        let rows = [
            (json!({}), reading("2026-05-28T20:26:40+00:00", "UTC")),
            (json!({ "timezone": "Europe/Oslo" }), reading("2026-05-28T22:26:40+02:00", "Europe/Oslo")),
            (
                json!({ "timezone": "Mars/Olympus" }),
                Err("There is no time zone \"Mars/Olympus\"; use an IANA name, such as America/New_York."
                    .to_owned()),
            ),
        ];
        for (input, expected) in rows {
            assert_eq!(tool.run(input.clone()).await, expected, "{input}");
        }
    }
}
