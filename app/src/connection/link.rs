//! What the tab's socket is at, and what to do about it: pure, told of events with the time and a random number.
//!
//! The count of tries starts again only after a socket has stayed open for a while, so a server that accepts and
//! closes is not asked for ever at full speed. A hidden tab does not try; a tab that is looked at tries at once.

use super::backoff;

/// How long a socket must have been open to count as a success.
pub const STABLE_MS: u64 = 5_000;
/// A tab that was hidden for longer asks whether its socket is alive.
pub const DOUBT_AFTER_HIDDEN_MS: u64 = 15_000;

/// What the socket is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkState {
    /// The first try of this page; nothing is wrong yet.
    Starting,
    /// Another try.
    Connecting,
    /// Open.
    Live {
        /// When it opened.
        since: u64,
    },
    /// Closed; the next try comes by itself.
    Waiting {
        /// When it comes.
        until: u64,
    },
    /// The server knows nobody here: whoever it was has to sign in again. Nothing is tried by itself.
    SignedOut,
}

impl LinkState {
    /// Whether there was a connection, or a try, and there is none now.
    pub fn is_lost(self) -> bool {
        match self {
            Self::Starting | Self::Live { .. } => false,
            Self::Connecting | Self::Waiting { .. } | Self::SignedOut => true,
        }
    }
}

/// Something that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkEvent {
    /// The socket is open.
    Opened,
    /// The socket closed, or never opened.
    Closed,
    /// It closed because whoever opened it may no longer be here, or nobody may open one.
    SignedOut,
    /// The wait is over.
    TimeUp,
    /// The network is back.
    Online,
    /// The tab is looked at again.
    Shown,
    /// The tab is not looked at any more.
    Hidden,
    /// A person wants a try now.
    Asked,
    /// Another session is looked at: its socket is wanted, and nothing is wrong with the old one.
    Moved,
}

/// What to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkAction {
    /// Nothing.
    None,
    /// Open a socket.
    Connect,
    /// Tell of [`LinkEvent::TimeUp`] after this many milliseconds.
    Wait(u64),
    /// Ask the server for a sign of life, and take silence for a closed socket.
    Probe,
}

/// The state of the socket with what decides about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    state: LinkState,
    attempt: u32,
    hidden_since: Option<u64>,
}

impl Default for Link {
    /// Before the first try.
    fn default() -> Self {
        Self { state: LinkState::Starting, attempt: 0, hidden_since: None }
    }
}

impl Link {
    /// What the socket is at.
    pub fn state(&self) -> LinkState {
        self.state
    }

    /// Takes an event that happened at `now`; `random` is a number from 0 to 1.
    pub fn on(&mut self, event: LinkEvent, now: u64, random: f64) -> LinkAction {
        match event {
            LinkEvent::Opened => {
                self.state = LinkState::Live { since: now };
                LinkAction::None
            }
            LinkEvent::Closed => self.wait(now, random),
            LinkEvent::SignedOut => {
                self.state = LinkState::SignedOut;
                LinkAction::None
            }
            LinkEvent::TimeUp => match self.state {
                LinkState::Waiting { until } if until > now => LinkAction::Wait(until - now),
                LinkState::Waiting { .. } if self.hidden_since.is_none() => self.connect(),
                LinkState::Waiting { .. }
                | LinkState::Starting
                | LinkState::Connecting
                | LinkState::SignedOut
                | LinkState::Live { .. } => LinkAction::None,
            },
            LinkEvent::Hidden => {
                self.hidden_since = Some(now);
                LinkAction::None
            }
            LinkEvent::Shown => {
                let hidden_ms = self.hidden_since.take().map_or(0, |since| now.saturating_sub(since));
                let is_doubtful = hidden_ms > DOUBT_AFTER_HIDDEN_MS;
                self.hurry(if is_doubtful { LinkAction::Probe } else { LinkAction::None })
            }
            LinkEvent::Online if self.state == LinkState::SignedOut => LinkAction::None,
            LinkEvent::Online => self.hurry(LinkAction::Probe),
            LinkEvent::Asked => self.hurry(LinkAction::None),
            LinkEvent::Moved => {
                self.state = match self.state {
                    LinkState::Starting | LinkState::Live { .. } => LinkState::Starting,
                    LinkState::Connecting | LinkState::Waiting { .. } | LinkState::SignedOut => {
                        LinkState::Connecting
                    }
                };
                LinkAction::Connect
            }
        }
    }

    fn wait(&mut self, now: u64, random: f64) -> LinkAction {
        if let LinkState::Waiting { .. } | LinkState::SignedOut = self.state {
            return LinkAction::None;
        }
        if let LinkState::Live { since } = self.state
            && now.saturating_sub(since) >= STABLE_MS
        {
            self.attempt = 0;
        }
        self.attempt = self.attempt.saturating_add(1);
        let wait_ms = backoff::delay_ms(self.attempt, random);
        self.state = LinkState::Waiting { until: now + wait_ms };
        LinkAction::Wait(wait_ms)
    }

    fn connect(&mut self) -> LinkAction {
        self.state = LinkState::Connecting;
        LinkAction::Connect
    }

    /// Cuts a wait short, also that for a new sign-in, which may have been made in another tab; an open socket gets
    /// `when_live`.
    fn hurry(&mut self, when_live: LinkAction) -> LinkAction {
        match self.state {
            LinkState::Waiting { .. } | LinkState::SignedOut => self.connect(),
            LinkState::Live { .. } => when_live,
            LinkState::Starting | LinkState::Connecting => LinkAction::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LinkAction::{Connect, None, Probe, Wait};
    use super::LinkEvent::{Asked, Closed, Hidden, Moved, Online, Opened, Shown, SignedOut, TimeUp};
    use super::*;

    /// Events with their times, and the action each must lead to; jitter is always at its ceiling.
    #[track_caller]
    fn check(script: &[(LinkEvent, u64, LinkAction)]) {
        let mut link = Link::default();
        for (step, (event, now, expected)) in script.iter().enumerate() {
            assert_eq!(link.on(*event, *now, 1.0), *expected, "step {step}: {event:?}");
        }
    }

    #[test]
    fn a_lost_socket_is_tried_again_after_growing_waits() {
        check(&[
            (Opened, 0, None),
            (Closed, 10, Wait(800)),
            (TimeUp, 400, Wait(410)),
            (TimeUp, 810, Connect),
            (Closed, 820, Wait(1_600)),
            (Closed, 821, None),
            (TimeUp, 2_420, Connect),
            (Closed, 2_430, Wait(3_200)),
        ]);
    }

    #[test]
    fn only_a_socket_that_stayed_open_starts_the_count_again() {
        check(&[
            (Closed, 0, Wait(800)),
            (TimeUp, 800, Connect),
            (Opened, 800, None),
            (Closed, 900, Wait(1_600)),
        ]);
        check(&[
            (Closed, 0, Wait(800)),
            (TimeUp, 800, Connect),
            (Opened, 800, None),
            (Closed, 5_800, Wait(800)),
        ]);
    }

    #[test]
    fn a_hidden_tab_rests_and_a_shown_one_tries_at_once() {
        check(&[(Closed, 0, Wait(800)), (Hidden, 10, None), (TimeUp, 800, None), (Shown, 9_000, Connect)]);
        check(&[(Closed, 0, Wait(800)), (Online, 5, Connect), (Online, 6, None)]);
        check(&[(Closed, 0, Wait(800)), (Asked, 5, Connect)]);
    }

    #[test]
    fn a_socket_that_may_have_died_in_its_sleep_is_asked() {
        check(&[(Opened, 0, None), (Hidden, 10, None), (Shown, 5_000, None)]);
        check(&[(Opened, 0, None), (Hidden, 10, None), (Shown, 60_000, Probe)]);
        check(&[(Opened, 0, None), (Online, 60_000, Probe), (Asked, 60_001, None)]);
    }

    #[test]
    fn who_is_signed_out_is_not_tried_for_until_somebody_looks() {
        let mut link = Link::default();
        for (event, expected) in [
            (Opened, None),
            (SignedOut, None),
            (Closed, None),
            (TimeUp, None),
            (Online, None),
            (Hidden, None),
            (TimeUp, None),
        ] {
            assert_eq!(link.on(event, 1, 1.0), expected, "{event:?}");
        }
        assert_eq!(link.state(), LinkState::SignedOut);
        assert_eq!(link.on(Shown, 100_000, 1.0), Connect);
        // Nobody signed in meanwhile: the server says so once more.
        assert_eq!(link.on(Closed, 100_001, 1.0), Wait(800));
        assert_eq!((link.on(SignedOut, 100_002, 1.0), link.on(TimeUp, 200_000, 1.0)), (None, None));
        assert_eq!(link.on(Moved, 200_001, 1.0), Connect);
    }

    #[test]
    fn another_session_gets_its_socket_without_an_alarm() {
        let mut link = Link::default();
        assert_eq!(link.on(Opened, 0, 0.0), None);
        assert_eq!((link.on(Moved, 1, 0.0), link.state()), (Connect, LinkState::Starting));
        assert_eq!(link.on(Closed, 2, 1.0), Wait(800));
        assert_eq!((link.on(Moved, 3, 0.0), link.state()), (Connect, LinkState::Connecting));
    }
}
