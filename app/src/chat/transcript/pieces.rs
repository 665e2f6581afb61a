//! Earlier messages in pieces, each so small that a browser puts it on the screen within a frame.

use protocol::{Message, Transcript};

/// Messages of a piece: what a slow machine builds within a frame or two.
const PIECE: usize = 4;

/// A stretch of a path in pieces, in their order: the one that stands last is put on the screen first, and has what
/// stands beside the messages of all of them.
pub fn pieces(stretch: Transcript) -> Vec<Transcript> {
    let stored = |message: &Message| {
        stretch.overlays.iter().find(|fold| fold.id == message.id).map_or(1, |fold| fold.hidden)
    };
    let mut earlier = stretch.earlier;
    let (short, whole) = stretch.messages.split_at(stretch.messages.len() % PIECE);
    let short = Some(short).filter(|short| !short.is_empty());
    let mut pieces = Vec::new();
    for messages in short.into_iter().chain(whole.chunks(PIECE)) {
        pieces.push(Transcript { messages: messages.to_vec(), earlier, ..Transcript::default() });
        earlier += messages.iter().map(stored).sum::<u64>();
    }
    let last = pieces.pop().unwrap_or_default();
    let Transcript { messages, earlier, .. } = last;
    let earlier = if messages.is_empty() { stretch.earlier } else { earlier };
    pieces.push(Transcript { messages, earlier, ..stretch });
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{OverlayInfo, Role};

    fn stretch(count: usize, earlier: u64) -> Transcript {
        let messages = (0..count).map(|number| Message::text(format!("m{number}"), Role::User, "")).collect();
        Transcript { messages, earlier, pinned: vec!["m0".into()], ..Transcript::default() }
    }

    /// What is before each piece, its messages, and what stands beside them.
    fn told(stretch: Transcript) -> Vec<(u64, String, usize)> {
        let tell = |piece: Transcript| {
            let ids: Vec<String> = piece.messages.iter().map(|message| message.id.to_string()).collect();
            (piece.earlier, ids.join(" "), piece.pinned.len())
        };
        pieces(stretch).into_iter().map(tell).collect()
    }

    #[test]
    fn a_stretch_is_put_on_the_screen_from_its_end() {
        let piece = |earlier: u64, ids: &str, pinned: usize| (earlier, ids.to_owned(), pinned);
        let (first, second) = (piece(7, "m0 m1", 0), piece(9, "m2 m3 m4 m5", 0));
        assert_eq!(told(stretch(10, 7)), [first, second, piece(13, "m6 m7 m8 m9", 1)]);
        assert_eq!(told(stretch(4, 0)), [piece(0, "m0 m1 m2 m3", 1)]);
        assert_eq!(told(stretch(0, 3)), [piece(3, "", 1)]);
    }

    #[test]
    fn a_summary_counts_as_all_that_it_stands_for() {
        let overlays = vec![OverlayInfo {
            id: "m0".into(),
            from: "a".into(),
            to: "b".into(),
            hidden: 5,
            tokens_before: 9,
            tokens_after: 1,
            created_at: 1,
        }];
        let before: Vec<u64> =
            told(Transcript { overlays, ..stretch(5, 2) }).into_iter().map(|(before, ..)| before).collect();
        assert_eq!(before, [2, 7]);
    }
}
