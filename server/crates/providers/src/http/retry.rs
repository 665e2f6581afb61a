//! When to try again: only failures that may pass, only so often, and never sooner than the provider allows.

use crate::entropy::Entropy;
use model::ModelError;
use protocol::limits;
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;

/// How often, and how long to wait in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Calls after the first one.
    pub retries: u32,
    /// The first wait, doubled each time; the actual one lies between half of it and all of it.
    pub base: Duration,
    /// No wait is longer. A provider that asks for more is not tried again.
    pub longest: Duration,
    /// A call that failed only after so long is not repeated: a person has waited long enough to be told.
    pub patience: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: limits::PROVIDER_RETRIES_DEFAULT,
            base: Duration::from_millis(limits::PROVIDER_RETRY_MS.0),
            longest: Duration::from_millis(limits::PROVIDER_RETRY_MS.1),
            patience: Duration::from_millis(limits::PROVIDER_RETRY_PATIENCE_MS),
        }
    }
}

impl RetryPolicy {
    /// How long to wait after `failures` failed calls; none where another call makes no sense.
    fn wait(&self, failures: u32, error: &ModelError, random: u64) -> Option<Duration> {
        if failures > self.retries || !error.class.is_transient() {
            return None;
        }
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        let full = self.base.saturating_mul(doubled).min(self.longest);
        let share = 0.5 + 0.5 * (random as f64 / u64::MAX as f64);
        let own = full.mul_f64(share);
        let asked = error.retry_after.unwrap_or_default();
        (asked <= self.longest).then(|| own.max(asked))
    }
}

/// Calls `attempt` until it works or [`RetryPolicy`] gives up; the last error stands. Dropping the future stops all.
pub(crate) async fn retrying<T, Attempt, Going>(
    policy: RetryPolicy,
    entropy: &Entropy,
    mut attempt: Attempt,
) -> Result<T, ModelError>
where
    Attempt: FnMut() -> Going,
    Going: Future<Output = Result<T, ModelError>>,
{
    let mut failures = 0;
    loop {
        let begun = Instant::now();
        let error = match attempt().await {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        if begun.elapsed() > policy.patience {
            return Err(error);
        }
        failures += 1;
        let Some(wait) = policy.wait(failures, &error, entropy.draw()) else { return Err(error) };
        tracing::debug!(class = ?error.class, failures, wait_ms = wait.as_millis(), "model call failed, will retry");
        tokio::time::sleep(wait).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ErrorClass;

    const SECOND: Duration = Duration::from_secs(1);

    fn error(class: ErrorClass, retry_after: Option<u64>) -> ModelError {
        ModelError { retry_after: retry_after.map(Duration::from_secs), ..ModelError::new(class, "no") }
    }

    fn policy(retries: u32) -> RetryPolicy {
        RetryPolicy { retries, base: 2 * SECOND, longest: 5 * SECOND, patience: 9 * SECOND }
    }

    /// How many calls are made and how many seconds pass when every call fails like this, after `takes` seconds.
    async fn play(failure: ModelError, retries: u32, takes: u32) -> (u32, u64) {
        let (mut calls, begun) = (0, Instant::now());
        let result: Result<(), _> = retrying(policy(retries), &Entropy::fixed(u64::MAX), || {
            calls += 1;
            let failure = failure.clone();
            async move {
                tokio::time::sleep(takes * SECOND).await;
                Err(failure)
            }
        })
        .await;
        assert_eq!(result, Err(failure));
        (calls, begun.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn only_what_may_pass_is_tried_again_and_waits_grow_to_a_cap() {
        use ErrorClass::{Auth, BadRequest, ContextOverflow, RateLimited, Timeout, Unavailable};
        let rows = [
            (error(Unavailable, None), 0, (1, 0)),
            (error(Unavailable, None), 2, (3, 2 + 4)),
            (error(Timeout, None), 4, (5, 2 + 4 + 5 + 5)),
            (error(RateLimited, Some(3)), 2, (3, 3 + 4)),
            (error(RateLimited, Some(6)), 2, (1, 0)),
            (error(Auth, None), 2, (1, 0)),
            (error(BadRequest, Some(1)), 2, (1, 0)),
            (error(ContextOverflow, None), 2, (1, 0)),
        ];
        for (failure, retries, expected) in rows {
            assert_eq!(play(failure.clone(), retries, 0).await, expected, "{failure:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_failure_that_took_too_long_stands() {
        let late = error(ErrorClass::Timeout, None);
        assert_eq!(play(late.clone(), 1, 9).await, (2, 9 + 2 + 9));
        assert_eq!(play(late, 1, 10).await, (1, 10));
    }

    #[test]
    fn chance_halves_a_wait_at_most() {
        let wait = |random| policy(1).wait(1, &error(ErrorClass::Timeout, None), random);
        assert_eq!((wait(0), wait(u64::MAX)), (Some(SECOND), Some(2 * SECOND)));
    }

    #[tokio::test(start_paused = true)]
    async fn success_ends_it() {
        let mut answers = [Ok("done"), Err(error(ErrorClass::Connection, None))].to_vec();
        let attempt = || std::future::ready(answers.pop().expect("two calls are enough"));
        let result = retrying(RetryPolicy::default(), &Entropy::fixed(0), attempt).await;
        assert_eq!(result, Ok("done"));
    }
}
