//! How many files the process may have open: as many as the system lets it, and no more connections than fit below that.

use protocol::limits;

/// What share of the open files sockets may take; and connections, with what each of them may open to answer.
const SOCKET_SHARE: u64 = 2;
const CONNECTION_SHARE: u64 = 8;

/// How many of each there may be at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) sockets: usize,
    pub(crate) connections: usize,
}

impl Room {
    /// Below this many open files; none is for any number.
    fn below(files: Option<u64>) -> Self {
        let most = |limit: usize, share: u64| {
            let fitting = files.and_then(|files| usize::try_from(files / share).ok());
            fitting.map_or(limit, |fitting| fitting.clamp(1, limit))
        };
        Self {
            sockets: most(limits::SOCKETS_MAX, SOCKET_SHARE),
            connections: most(limits::CONNECTIONS_MAX, CONNECTION_SHARE),
        }
    }

    /// Says that there is no room for another socket, and why.
    pub(crate) fn no_socket(self) -> String {
        let cause = if self.sockets < limits::SOCKETS_MAX {
            "half of the open files that the system allows (ulimit -n)"
        } else {
            "SOCKETS_MAX"
        };
        format!("{} sockets are open, which is the limit ({cause})", self.sockets)
    }
}

/// Lets the process open as many files as the system allows, and says what fits.
pub(crate) fn make_room() -> Room {
    let files = raise();
    let room = Room::below(files);
    let Room { sockets, connections } = room;
    match files {
        Some(files) => tracing::info!(files, sockets, connections, "at most {files} files may be open"),
        None => tracing::info!(sockets, connections, "any number of files may be open"),
    }
    room
}

/// Raises the limit, and gives it as it is then; none where there is none.
#[cfg(unix)]
fn raise() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let found = getrlimit(Resource::Nofile);
    if found.current == found.maximum {
        return found.current;
    }
    let raised = Rlimit { current: found.maximum, maximum: found.maximum };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => found.maximum,
        Err(error) => {
            tracing::warn!("the limit of open files stays as it is: {error}");
            found.current
        }
    }
}

#[cfg(not(unix))]
fn raise() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_of_all_kinds_stay_below_the_open_files() {
        let whole = (limits::SOCKETS_MAX, limits::CONNECTIONS_MAX);
        let rows = [
            (None, whole),
            (Some(u64::MAX), whole),
            (Some(20_000), whole),
            (Some(8_192), whole),
            (Some(1_024), (512, 128)),
            (Some(256), (128, 32)),
            (Some(0), (1, 1)),
        ];
        for (files, (sockets, connections)) in rows {
            assert_eq!(Room::below(files), Room { sockets, connections }, "{files:?}");
        }
    }

    #[test]
    fn who_finds_no_room_is_told_whose_limit_it_is() {
        let text = Room { sockets: 512, connections: 1 }.no_socket();
        assert_eq!(
            text,
            "512 sockets are open, which is the limit (half of the open files that the system allows (ulimit -n))"
        );
        let text = Room::below(None).no_socket();
        assert_eq!(
            text,
            format!("{} sockets are open, which is the limit (SOCKETS_MAX)", limits::SOCKETS_MAX)
        );
    }

    #[cfg(unix)]
    #[test]
    fn the_limit_is_raised_as_far_as_the_system_allows() {
        use rustix::process::{Resource, getrlimit};
        let _room = make_room();
        let now = getrlimit(Resource::Nofile);
        assert_eq!(now.current, now.maximum);
        assert_eq!(raise(), now.maximum);
    }
}
