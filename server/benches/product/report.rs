//! One line for each measurement, printed when it is known.

use std::time::Duration;

/// What was asked for, and where lines go.
pub(crate) struct Report {
    wanted: Option<String>,
}

impl Report {
    pub(crate) fn new(wanted: Option<String>) -> Self {
        println!("{:<58} {:>24}   aim", "what", "measured");
        Self { wanted }
    }

    pub(crate) fn wants(&self, scene: &str) -> bool {
        self.wanted.as_deref().is_none_or(|wanted| scene.contains(wanted))
    }

    pub(crate) fn line(&self, what: &str, measured: &str, aim: &str) {
        println!("{what:<58} {measured:>24}   {aim}");
    }
}

/// The value below which `share` of all lie.
pub(crate) fn percentile(values: &mut [Duration], share: f64) -> Duration {
    values.sort_unstable();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index of a short list")]
    #[expect(clippy::cast_precision_loss, reason = "an index of a short list")]
    let at = ((values.len() as f64 * share) as usize).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or_default()
}

/// Milliseconds with two digits behind the point.
pub(crate) fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
