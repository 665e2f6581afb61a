//! What is to be asked of the server, the latest first: who reads is there, and not where they scrolled past. Pure.

use protocol::{RenderPiece, limits};

/// Bytes of source that one request asks for.
const ASKED_MAX_BYTES: usize = limits::API_BODY_MAX_BYTES / 4;

/// Pieces that wait, and whether somebody asks for them.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Vec<RenderPiece>,
    is_asked: bool,
}

impl Queue {
    /// Lets a piece wait. Whether somebody must begin to ask.
    pub(super) fn push(&mut self, piece: RenderPiece) -> bool {
        self.waiting.push(piece);
        !std::mem::replace(&mut self.is_asked, true)
    }

    /// As many of the latest as one request may ask for; none when all have been taken, and then nobody asks.
    pub(super) fn take(&mut self) -> Option<Vec<RenderPiece>> {
        let mut bytes = 0;
        let latest = self.waiting.iter().rev().take(limits::RENDER_PIECES_MAX);
        let fits = latest.take_while(|piece| {
            bytes += piece.text.len();
            bytes <= ASKED_MAX_BYTES
        });
        let count = fits.count();
        self.is_asked = count > 0;
        let rest = self.waiting.len() - count;
        self.is_asked.then(|| self.waiting.drain(rest..).rev().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::RenderKind;

    fn piece(name: &str, bytes: usize) -> RenderPiece {
        RenderPiece {
            kind: RenderKind::Code,
            language: name.to_owned(),
            display: false,
            text: "x".repeat(bytes),
        }
    }

    fn taken(queue: &mut Queue) -> Option<usize> {
        queue.take().map(|pieces| pieces.len())
    }

    #[test]
    fn the_latest_is_asked_for_first_and_by_one() {
        let mut queue = Queue::default();
        assert!(queue.push(piece("a", 1)));
        assert!(!queue.push(piece("b", 1)));
        let names = queue.take().map(|pieces| pieces.into_iter().map(|piece| piece.language).collect());
        assert_eq!(names, Some(vec!["b".to_owned(), "a".to_owned()]));
        assert!(!queue.push(piece("c", 1)), "the one who asks is still there");
        assert_eq!((taken(&mut queue), taken(&mut queue)), (Some(1), None));
        assert!(queue.push(piece("d", 1)));
    }

    #[test]
    fn a_request_asks_for_no_more_than_the_server_takes() {
        let mut many = Queue::default();
        for _ in 0..limits::RENDER_PIECES_MAX + 2 {
            let _first = many.push(piece("", 1));
        }
        assert_eq!(taken(&mut many), Some(limits::RENDER_PIECES_MAX));
        assert_eq!((taken(&mut many), taken(&mut many)), (Some(2), None));
        let mut large = Queue::default();
        for _ in 0..6 {
            let _first = large.push(piece("", limits::RENDER_CODE_MAX_BYTES));
        }
        let fits = ASKED_MAX_BYTES / limits::RENDER_CODE_MAX_BYTES;
        assert_eq!((taken(&mut large), taken(&mut large)), (Some(fits), Some(6 - fits)));
    }
}
