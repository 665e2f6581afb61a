//! Whether the view follows what arrives: only while it stands at the end. Pure: positions come in as numbers.

/// So near to the end counts as the end (fractions of pixels, zoom).
const NEAR_END_PX: f64 = 24.0;
/// So many views before the beginning count as near: messages need some time to come.
const NEAR_START_VIEWS: f64 = 3.0;
/// So much upward counts as a person's move.
const UPWARD_PX: f64 = 1.0;

/// Positions of a scrolled box, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    /// How far it is scrolled down.
    pub top: f64,
    /// Height of its content.
    pub content: f64,
    /// Height of what can be seen.
    pub view: f64,
}

impl Position {
    fn to_end(self) -> f64 {
        self.content - self.view - self.top
    }

    /// Whether a person who goes on upward is soon at the beginning of what is here.
    pub fn is_near_start(self) -> bool {
        self.top < NEAR_START_VIEWS * self.view && self.content > self.view
    }
}

/// Whether the view follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Follow {
    hold: Hold,
    last: Option<Position>,
    news: News,
}

/// What the view keeps in sight.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Hold {
    /// The end, wherever it goes.
    End,
    /// A question at its top, this far from the beginning; what is answered grows below it.
    Question(f64),
    /// What a person reads.
    Place,
}

/// Whether something came below that nobody has seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum News {
    /// Nothing.
    #[default]
    None,
    /// Something.
    Unseen,
}

impl Default for Follow {
    /// A session opens at its end.
    fn default() -> Self {
        Self { hold: Hold::End, last: None, news: News::None }
    }
}

impl Follow {
    /// Whether what arrives moves the view.
    pub fn is_pinned(&self) -> bool {
        self.hold == Hold::End
    }

    /// Whether the end is out of sight.
    pub fn is_away(&self) -> bool {
        match self.hold {
            Hold::End => false,
            Hold::Place => true,
            Hold::Question(_) => self.last.is_some_and(|last| last.to_end() > NEAR_END_PX),
        }
    }

    /// Whether something came below that nobody has seen.
    pub fn news(&self) -> News {
        self.news
    }

    /// Something came at the end.
    pub fn arrived(&mut self) {
        if self.is_away() {
            self.news = News::Unseen;
        }
    }

    /// The box was scrolled, by a person or by us. We only ever scroll down, so upward is a person, also while the
    /// content grows; but a box whose content shrank or whose height grew is pushed by the browser, which says nothing.
    pub fn scrolled(&mut self, now: Position) {
        let before = self.last.replace(now);
        let unpushed = before.filter(|before| before.content <= now.content && before.view >= now.view);
        let is_upward = unpushed.is_some_and(|before| now.top < before.top - UPWARD_PX);
        let is_at_end = now.to_end() <= NEAR_END_PX;
        // A question at the top of the view may stand at the end without anybody having gone there.
        let is_wanted = match self.hold {
            Hold::End | Hold::Place => true,
            Hold::Question(_) => before.is_some_and(|before| now.top > before.top + UPWARD_PX),
        };
        if is_upward && now.to_end() > UPWARD_PX {
            self.hold = Hold::Place;
        } else if is_at_end && is_wanted {
            self.jump();
        }
    }

    /// Something changed its size, and this is where the box stands since. A box that has been pushed by that and
    /// grows again before anybody hears of it has not been moved by a person.
    pub fn laid_out(&mut self, now: Position) {
        self.last = Some(now);
    }

    /// Nothing moves the view until it is said what it keeps in sight.
    pub fn rest(&mut self) {
        self.hold = Hold::Place;
    }

    /// A question was put at the top of the view, which stands at `now`.
    pub fn put_at_top(&mut self, now: Position) {
        *self = Self { hold: Hold::Question(now.top), last: Some(now), news: News::None };
    }

    /// Something changed its size while a question stands at the top: how much room there must be below all that was
    /// said, where there is `room` now, and where the question stands. None where no question stands there.
    pub fn room_below(&mut self, now: Position, room: f64) -> Option<(f64, f64)> {
        let Hold::Question(top) = self.hold else { return None };
        let wanted = room_for(top, now, room);
        self.last = Some(Position { top: now.top.max(top), content: now.content - room + wanted, ..now });
        Some((wanted, top))
    }

    /// A person moves upward by wheel, touch or key, before anything has scrolled.
    pub fn pulled_up(&mut self, now: Position) {
        if now.content > now.view {
            self.hold = Hold::Place;
        }
    }

    /// A person wants the end.
    pub fn jump(&mut self) {
        self.hold = Hold::End;
        self.news = News::None;
    }
}

/// The room below all that was said, so that what stands at `top` can be at the top of the view.
pub fn room_for(top: f64, now: Position, room: f64) -> f64 {
    (top + now.view - (now.content - room)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(top: f64, content: f64) -> Position {
        Position { top, content, view: 500.0 }
    }

    #[test]
    fn j03_any_upward_move_stops_following_and_the_end_starts_it_again() {
        let mut follow = Follow::default();
        let mut check = |position: Position, expected: bool| {
            follow.scrolled(position);
            assert_eq!(follow.is_pinned(), expected, "{position:?}");
        };
        check(at(500.0, 1000.0), true);
        check(at(490.0, 1000.0), false);
        check(at(490.0, 1200.0), false);
        check(at(600.0, 1200.0), false);
        check(at(690.0, 1200.0), true);
    }

    #[test]
    fn j03_a_move_upward_counts_while_the_content_grows() {
        let mut follow = Follow::default();
        follow.scrolled(at(500.0, 1000.0));
        follow.scrolled(at(450.0, 1040.0));
        assert!(!follow.is_pinned());
    }

    #[test]
    fn what_comes_while_somebody_reads_above_is_news_until_the_end_is_seen() {
        let mut follow = Follow::default();
        let mut check = |act: fn(&mut Follow), expected: News| {
            act(&mut follow);
            assert_eq!(follow.news(), expected);
        };
        check(Follow::arrived, News::None);
        check(|follow| follow.pulled_up(at(500.0, 1000.0)), News::None);
        check(Follow::arrived, News::Unseen);
        check(|follow| follow.scrolled(at(400.0, 1000.0)), News::Unseen);
        check(|follow| follow.scrolled(at(500.0, 1000.0)), News::None);
    }

    #[test]
    fn the_beginning_is_near_when_few_views_stand_above() {
        let check = |top: f64, content: f64, expected: bool| {
            assert_eq!(at(top, content).is_near_start(), expected, "{top} of {content}");
        };
        check(0.0, 4000.0, true);
        check(1499.0, 4000.0, true);
        check(1500.0, 4000.0, false);
        check(0.0, 400.0, false);
    }

    #[test]
    fn content_that_shrinks_is_no_move_of_a_person() {
        let mut follow = Follow::default();
        follow.scrolled(at(500.0, 1000.0));
        follow.scrolled(at(300.0, 800.0));
        assert!(follow.is_pinned());
        follow.scrolled(at(300.0, 1800.0));
        assert!(follow.is_pinned(), "what arrived has not been followed yet");
    }

    #[test]
    fn content_that_shrinks_and_grows_before_the_scroll_is_told_is_no_move_of_a_person() {
        let check = |shrunk: Option<Position>, expected: bool| {
            let mut follow = Follow::default();
            follow.scrolled(at(500.0, 1000.0));
            shrunk.into_iter().for_each(|shrunk| follow.laid_out(shrunk));
            follow.scrolled(at(400.0, 1050.0));
            assert_eq!(follow.is_pinned(), expected, "{shrunk:?}");
        };
        check(None, false);
        check(Some(at(400.0, 900.0)), true);
        check(Some(at(500.0, 1010.0)), false);
    }

    #[test]
    fn pulling_counts_at_once_where_there_is_something_to_scroll() {
        let mut follow = Follow::default();
        follow.pulled_up(at(0.0, 400.0));
        assert!(follow.is_pinned());
        follow.pulled_up(at(500.0, 1000.0));
        assert!(!follow.is_pinned());
        follow.jump();
        assert!(follow.is_pinned());
    }

    #[test]
    fn a_question_at_the_top_stays_there_while_its_answer_grows() {
        let mut follow = Follow::default();
        follow.put_at_top(at(900.0, 1400.0));
        let mut grow = |content: f64, room: f64, expected: (f64, bool)| {
            let (wanted, top) = follow.room_below(at(900.0, content), room).expect("it stands there");
            assert_eq!((wanted, follow.is_away(), top), (expected.0, expected.1, 900.0), "{content}");
            assert!(!follow.is_pinned());
        };
        grow(1400.0, 400.0, (400.0, false));
        grow(1700.0, 400.0, (100.0, false));
        grow(1600.0, 100.0, (0.0, true));
        // Less below the question: the browser has pushed it down, and it is put back.
        let pushed = follow.room_below(at(880.0, 1380.0), 0.0);
        assert_eq!(pushed, Some((20.0, 900.0)));
        follow.scrolled(at(900.0, 1400.0));
        assert!(!follow.is_pinned() && !follow.is_away());
        let _grown = follow.room_below(at(900.0, 1600.0), 20.0);
        follow.scrolled(at(900.0, 1600.0));
        assert!(!follow.is_pinned(), "nobody went to the end");
        follow.scrolled(at(1100.0, 1600.0));
        assert!(follow.is_pinned(), "somebody did");
        assert_eq!(follow.room_below(at(1100.0, 1600.0), 0.0), None);
    }

    #[test]
    fn whoever_goes_up_from_a_question_at_the_top_keeps_their_place() {
        let mut follow = Follow::default();
        follow.put_at_top(at(900.0, 1400.0));
        follow.scrolled(at(900.0, 1400.0));
        assert!(!follow.is_pinned() && !follow.is_away());
        follow.scrolled(at(700.0, 1400.0));
        assert!(follow.is_away());
        assert_eq!(follow.room_below(at(700.0, 1500.0), 400.0), None);
    }
}
