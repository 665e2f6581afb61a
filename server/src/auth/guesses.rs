//! Wrong passwords: how long whoever gave them has to wait. Pure; times come in.
//!
//! A guess counts when it begins, so that many at once are not one; the right password takes its own back. Addresses are
//! counted one by one, networks of IPv6 as one, and all of them together, where guesses come from everywhere. Where somebody
//! has signed in from, only guesses of that address count: those of everywhere else would keep the owner out.

use protocol::limits;
use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};

/// Bits of an IPv6 address that name the network of one customer.
const NETWORK_BITS: u32 = 64;

/// How long to wait before the next try, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait(pub u64);

/// Wrong passwords of one origin, or of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    wrong: u32,
    last_at: u64,
}

/// All that were counted.
#[derive(Debug, Default)]
pub struct Guesses {
    of: HashMap<IpAddr, Count>,
    all: Count,
    /// Where the right password came from, the latest last.
    familiar: VecDeque<IpAddr>,
}

impl Guesses {
    /// Counts a try from `address` that begins at `now`, unless it comes too early.
    ///
    /// # Errors
    /// How long it has to wait.
    pub fn begin(&mut self, address: IpAddr, now: u64) -> Result<(), Wait> {
        let key = network(address);
        let own = self.of.get(&key).copied().unwrap_or_default();
        let wait = own.wait(now, limits::GUESSES_FREE, limits::GUESS_WAIT_MS);
        let of_all = match self.familiar.contains(&key) {
            true => 0,
            false => self.all.wait(now, limits::GUESSES_OF_ALL_FREE, limits::GUESS_OF_ALL_WAIT_MS),
        };
        match wait.max(of_all) {
            0 => {
                self.make_room(key, now);
                let _before = self.of.insert(key, own.and_one_more(now));
                self.all = self.all.and_one_more(now);
                Ok(())
            }
            wait => Err(Wait(wait)),
        }
    }

    /// It was the right password: this address begins anew.
    pub fn forgive(&mut self, address: IpAddr) {
        let key = network(address);
        self.familiar.retain(|familiar| *familiar != key);
        if self.familiar.len() >= limits::GUESSERS_FAMILIAR_MAX {
            let _oldest = self.familiar.pop_front();
        }
        self.familiar.push_back(key);
        let forgiven = self.of.remove(&key).map_or(0, |count| count.wrong);
        self.all.wrong = self.all.wrong.saturating_sub(forgiven);
    }

    /// It was no try: nothing was compared.
    pub fn take_back(&mut self, address: IpAddr) {
        if let Some(count) = self.of.get_mut(&network(address)) {
            count.wrong = count.wrong.saturating_sub(1);
        }
        self.all.wrong = self.all.wrong.saturating_sub(1);
    }

    fn make_room(&mut self, key: IpAddr, now: u64) {
        if self.of.len() < limits::GUESSERS_MAX || self.of.contains_key(&key) {
            return;
        }
        self.of.retain(|_, count| !count.is_forgotten(now));
        while self.of.len() >= limits::GUESSERS_MAX {
            let oldest = self.of.iter().min_by_key(|(_, count)| count.last_at).map(|(key, _)| *key);
            let Some(oldest) = oldest else { return };
            let _gone = self.of.remove(&oldest);
        }
    }
}

impl Count {
    fn wait(self, now: u64, free: u32, (first, longest): (u64, u64)) -> u64 {
        let Some(over) = self.wrong.checked_sub(free).filter(|_| !self.is_forgotten(now)) else { return 0 };
        let wait = first.saturating_mul(1 << over.min(32)).min(longest);
        // A clock that was set back makes nobody wait longer than this.
        self.last_at.saturating_add(wait).saturating_sub(now).min(wait)
    }

    fn and_one_more(self, now: u64) -> Self {
        let wrong = if self.is_forgotten(now) { 0 } else { self.wrong };
        Self { wrong: wrong.saturating_add(1), last_at: now }
    }

    fn is_forgotten(self, now: u64) -> bool {
        now.saturating_sub(self.last_at) >= limits::GUESSES_FORGOTTEN_MS
    }
}

fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let bits = u128::from(address) & (u128::MAX << (128 - NETWORK_BITS));
            IpAddr::V6(Ipv6Addr::from(bits))
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "192.0.2.1";

    /// Tries from addresses at times, and the wait each meets.
    #[track_caller]
    fn check(script: &[(&str, u64, u64)]) -> Guesses {
        let mut guesses = Guesses::default();
        for (step, (address, now, wait)) in script.iter().enumerate() {
            let met = guesses.begin(address.parse().unwrap(), *now).err().map_or(0, |Wait(wait)| wait);
            assert_eq!(met, *wait, "step {step}: {address} at {now}");
        }
        guesses
    }

    #[test]
    fn waits_double_and_end_at_a_quarter_of_an_hour() {
        let five = [(HERE, 0, 0); 5];
        let rest =
            [(HERE, 0, 1_000), (HERE, 400, 600), (HERE, 1_000, 0), (HERE, 1_000, 2_000), (HERE, 3_000, 0)];
        let mut guesses = check(&[&five[..], &rest].concat());
        let mut now = 3_000;
        for _ in 0..20 {
            let Err(Wait(wait)) = guesses.begin(HERE.parse().unwrap(), now) else { panic!("no wait") };
            assert!(wait <= limits::GUESS_WAIT_MS.1, "{wait}");
            now += wait;
            assert_eq!(guesses.begin(HERE.parse().unwrap(), now), Ok(()));
        }
        assert_eq!(guesses.begin(HERE.parse().unwrap(), now), Err(Wait(limits::GUESS_WAIT_MS.1)));
        // Nobody else waits for it.
        assert_eq!(guesses.begin("192.0.2.2".parse().unwrap(), now), Ok(()));
    }

    #[test]
    fn an_hour_or_the_right_password_begin_anew() {
        let six = [(HERE, 0, 0), (HERE, 0, 0), (HERE, 0, 0), (HERE, 0, 0), (HERE, 0, 0), (HERE, 0, 1_000)];
        let hour = limits::GUESSES_FORGOTTEN_MS;
        let _all = check(&[&six[..], &[(HERE, hour, 0), (HERE, hour, 0)]].concat());
        let mut guesses = check(&six);
        guesses.forgive(HERE.parse().unwrap());
        assert_eq!((guesses.begin(HERE.parse().unwrap(), 1), guesses.all.wrong), (Ok(()), 1));
        guesses.take_back(HERE.parse().unwrap());
        assert_eq!(guesses.all.wrong, 0);
    }

    #[test]
    fn a_network_is_one_address_and_both_ways_to_write_one_are_too() {
        let rows: Vec<_> = (0..5).map(|n| (["2001:db8::1", "2001:db8::2"][n % 2], 0, 0)).collect();
        let _all = check(&[&rows[..], &[("2001:db8::ffff:3", 0, 1_000), ("2001:db8:0:1::1", 0, 0)]].concat());
        let rows: Vec<_> = (0..5).map(|n| ([HERE, "::ffff:192.0.2.1"][n % 2], 0, 0)).collect();
        let _all = check(&[&rows[..], &[(HERE, 0, 1_000)]].concat());
    }

    #[test]
    fn guesses_from_everywhere_wait_too_but_never_long_and_are_not_remembered_without_end() {
        let mut guesses = Guesses::default();
        let address = |n: u32| IpAddr::from(n.to_be_bytes());
        for n in 0..limits::GUESSES_OF_ALL_FREE {
            assert_eq!(guesses.begin(address(n), 0), Ok(()));
        }
        assert_eq!(guesses.begin(address(999), 0), Err(Wait(250)));
        let mut now = 0;
        for n in 0..10_000 {
            now += limits::GUESS_OF_ALL_WAIT_MS.1;
            assert_eq!(guesses.begin(address(1_000 + n), now), Ok(()), "{n}");
        }
        assert!(guesses.of.len() <= limits::GUESSERS_MAX);
        assert_eq!(guesses.begin(address(7), now), Err(Wait(limits::GUESS_OF_ALL_WAIT_MS.1)));
        // A clock that is set back keeps nobody out.
        assert_eq!(guesses.begin(address(7), 0), Err(Wait(limits::GUESS_OF_ALL_WAIT_MS.1)));
    }
    #[test]
    fn where_somebody_signed_in_from_nobody_waits_for_guesses_from_elsewhere() {
        let mut guesses = Guesses::default();
        let address = |n: u32| IpAddr::from((0x0a00_0000 + n).to_be_bytes());
        let most = u32::try_from(limits::GUESSERS_FAMILIAR_MAX).unwrap();
        for n in 0..=most {
            assert_eq!(guesses.begin(address(n), 0), Ok(()));
            guesses.forgive(address(n));
        }
        for n in 1_000..1_000 + limits::GUESSES_OF_ALL_FREE {
            assert_eq!(guesses.begin(address(n), 0), Ok(()));
        }
        let waits = [most + 1, 0, 1, most].map(|n| guesses.begin(address(n), 0).err());
        assert_eq!(waits, [Some(Wait(250)), Some(Wait(250)), None, None]);
        // Whoever guesses there waits all the same.
        for _ in 1..limits::GUESSES_FREE {
            assert_eq!(guesses.begin(address(1), 0), Ok(()));
        }
        assert_eq!(guesses.begin(address(1), 0), Err(Wait(1_000)));
    }
}
