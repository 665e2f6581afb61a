//! Server-sent events out of bytes that arrive in any pieces. Pure: no socket, no clock.
//!
//! It follows the HTML standard's rules for event streams, with two differences. An event that ends with the stream
//! instead of a blank line is given out by [`SseDecoder::finish`], since providers forget the blank line. And an event
//! has a largest size, so that no stranger's server decides how much memory we use.
//!
//! Bytes become text only when an event is whole, so a letter that is split between two reads is never damaged.

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// Its `event` field; empty if it has none.
    pub(crate) name: String,
    /// Its `data` lines, joined by newlines.
    pub(crate) data: String,
}

/// An event is larger than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventTooLarge;

/// Takes bytes, gives events.
#[derive(Debug)]
pub(crate) struct SseDecoder {
    limit: usize,
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    position: Position,
}

/// What the next byte may be besides itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// The first line may begin with a byte order mark.
    Start,
    Anywhere,
    /// A line feed now belongs to the carriage return before it.
    AfterCarriageReturn,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl SseDecoder {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), name: Vec::new(), data: Vec::new(), position: Position::Start }
    }

    /// Takes the next bytes and appends the events that they complete.
    pub(crate) fn push(&mut self, mut bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), EventTooLarge> {
        if self.position == Position::AfterCarriageReturn && !bytes.is_empty() {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            self.position = Position::Anywhere;
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (head, rest) = bytes.split_at(end);
            self.check_size(head.len())?;
            self.end_line(head, events);
            bytes = self.after_line_end(rest);
        }
        self.check_size(bytes.len())?;
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// The event that the end of the stream completes, if there is one.
    pub(crate) fn finish(mut self) -> Option<SseEvent> {
        let mut events = Vec::new();
        self.end_line(b"", &mut events);
        self.end_event(&mut events);
        events.pop()
    }

    fn check_size(&self, more: usize) -> Result<(), EventTooLarge> {
        let size = self.data.len() + self.name.len() + self.line.len() + more;
        (size <= self.limit).then_some(()).ok_or(EventTooLarge)
    }

    fn after_line_end<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        self.position = Position::Anywhere;
        match rest {
            [b'\r'] => {
                self.position = Position::AfterCarriageReturn;
                b""
            }
            [b'\r', b'\n', after @ ..] | [_, after @ ..] => after,
            [] => b"",
        }
    }

    /// Reads the kept beginning of a line and `tail` as one line.
    fn end_line(&mut self, tail: &[u8], events: &mut Vec<SseEvent>) {
        if self.line.is_empty() {
            self.read_line(tail, events);
            return;
        }
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(tail);
        self.read_line(&line, events);
        line.clear();
        self.line = line;
    }

    fn read_line(&mut self, mut line: &[u8], events: &mut Vec<SseEvent>) {
        if self.position == Position::Start {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
            self.position = Position::Anywhere;
        }
        if line.is_empty() {
            return self.end_event(events);
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => self.name = value.to_vec(),
            // A comment (no field name), or a field that has no meaning here.
            _ => {}
        }
    }

    fn end_event(&mut self, events: &mut Vec<SseEvent>) {
        let name = std::mem::take(&mut self.name);
        let mut data = std::mem::take(&mut self.data);
        if data.pop().is_some() {
            events.push(SseEvent { name: to_text(name), data: to_text(data) });
        }
    }
}

fn to_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{EventTooLarge, SseDecoder, SseEvent};

    const LIMIT: usize = 1_000;

    /// The data of all events, for pieces of each given size, which must not matter.
    fn decode(bytes: &[u8]) -> Vec<SseEvent> {
        let in_pieces = |size: usize| {
            let (mut decoder, mut events) = (SseDecoder::new(LIMIT), Vec::new());
            for piece in bytes.chunks(size) {
                decoder.push(piece, &mut events).expect("small events");
            }
            events.extend(decoder.finish());
            events
        };
        let whole = in_pieces(bytes.len().max(1));
        for size in [1, 2, 3, 7] {
            assert_eq!(in_pieces(size), whole, "pieces of {size}");
        }
        whole
    }

    #[track_caller]
    fn check(stream: &[u8], expected: &[&str]) {
        let data: Vec<_> = decode(stream).into_iter().map(|event| event.data).collect();
        assert_eq!(data, expected, "{}", String::from_utf8_lossy(stream));
    }

    // G01, G03, G05
    #[test]
    fn streams_of_all_kinds_are_read() {
        check(b"", &[]);
        check(b"data: a\n\ndata: b\n\n", &["a", "b"]);
        check(b"data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
        check(b"data: a\r\rdata: b\r\r", &["a", "b"]);
        check(b"data:a\n\ndata:  b\n\n", &["a", " b"]);
        check(b": OPENROUTER PROCESSING\n\n:\n\ndata: : x\n\n: keep\ndata: a\n\n", &[": x", "a"]);
        check(b"data: {\ndata: }\n\n", &["{\n}"]);
        check(b"data\n\n", &[""]);
        check(b"id: 1\nretry: 5\nnonsense\ndata: a\n\n", &["a"]);
        check("data: 🌳木é\n\n".as_bytes(), &["🌳木é"]);
        check(b"\xef\xbb\xbfdata: a\n\n", &["a"]);
    }

    #[test]
    fn the_end_of_the_stream_ends_an_event() {
        check(b"data: a\n\ndata: [DONE]", &["a", "[DONE]"]);
        check(b"data: a\n", &["a"]);
        check(b"data: a\r", &["a"]);
        check(b"event: x\n", &[]);
    }

    #[test]
    fn broken_letters_break_only_themselves() {
        check(b"data: \xff\n\ndata: b\n\n", &["\u{fffd}", "b"]);
        check(b"data: a\xf0\x9f", &["a\u{fffd}"]);
    }

    #[test]
    fn events_have_names() {
        let event = |name: &str, data: &str| SseEvent { name: name.into(), data: data.into() };
        let events = decode(b"event: error\ndata: {}\n\nevent: dropped\n\ndata: x\n\n");
        assert_eq!(events, [event("error", "{}"), event("", "x")]);
    }

    #[test]
    fn an_event_has_a_largest_size_however_it_is_cut() {
        let push = |stream: &[u8], size: usize| {
            let (mut decoder, mut events) = (SseDecoder::new(LIMIT), Vec::new());
            stream.chunks(size).try_for_each(|piece| decoder.push(piece, &mut events)).map(|()| events.len())
        };
        let line = |count: usize| [b"data: ".as_slice(), &b"x".repeat(count), b"\n"].concat();
        let fits = [line(900), b"\n".to_vec(), line(900), b"\n".to_vec()].concat();
        let rows = [(line(1_100), 1), (line(400).repeat(3), 400), (b"x".repeat(1_100), 7)];
        for size in [1, 10, 5_000] {
            assert_eq!(push(&fits, size), Ok(2));
        }
        for (stream, size) in rows {
            assert_eq!(push(&stream, size), Err(EventTooLarge), "pieces of {size}");
        }
    }
}
