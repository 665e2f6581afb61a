//! How long to wait before the next try: exponential with full jitter, so that the tabs of a restarted server do not
//! all come back in the same moment. Pure: the random number comes in.

/// Ceiling of the first wait.
pub const FIRST_MS: u64 = 800;
/// Ceiling of every wait.
pub const LONGEST_MS: u64 = 20_000;
/// Floor of every wait, so that a server that closes at once is not hammered.
pub const SHORTEST_MS: u64 = 250;

const _: () = assert!(SHORTEST_MS < FIRST_MS && FIRST_MS < LONGEST_MS);

/// The wait before try number `attempt` (from 1), for a `random` number from 0 to 1.
pub fn delay_ms(attempt: u32, random: f64) -> u64 {
    let doublings = attempt.saturating_sub(1).min(16);
    let ceiling = FIRST_MS.saturating_mul(1 << doublings).min(LONGEST_MS);
    let span = (ceiling - SHORTEST_MS) as f64;
    SHORTEST_MS + (span * random.clamp(0.0, 1.0)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_ceiling_and_spread_over_their_whole_span() {
        let check = |attempt, random, expected| assert_eq!(delay_ms(attempt, random), expected);
        check(1, 0.0, SHORTEST_MS);
        check(1, 1.0, 800);
        check(2, 1.0, 1_600);
        check(3, 0.5, 250 + 1_475);
        check(6, 1.0, 20_000);
        check(u32::MAX, 1.0, LONGEST_MS);
        check(u32::MAX, 0.0, SHORTEST_MS);
        check(0, 7.0, 800);
        check(1, f64::NAN, SHORTEST_MS);
    }
}
