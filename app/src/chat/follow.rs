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
    is_pinned: bool,
    last: Option<Position>,
    news: News,
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
        Self { is_pinned: true, last: None, news: News::None }
    }
}

impl Follow {
    /// Whether what arrives moves the view.
    pub fn is_pinned(&self) -> bool {
        self.is_pinned
    }

    /// Whether something came below that nobody has seen.
    pub fn news(&self) -> News {
        self.news
    }

    /// Something came at the end.
    pub fn arrived(&mut self) {
        if !self.is_pinned {
            self.news = News::Unseen;
        }
    }

    /// The box was scrolled, by a person or by us. We only ever scroll down, so upward is a person, also while the
    /// content grows; but a box whose content shrank or whose height grew is pushed by the browser, which says nothing.
    pub fn scrolled(&mut self, now: Position) {
        let before = self.last.replace(now);
        let unpushed = before.filter(|before| before.content <= now.content && before.view >= now.view);
        let is_upward = unpushed.is_some_and(|before| now.top < before.top - UPWARD_PX);
        if is_upward && now.to_end() > UPWARD_PX {
            self.is_pinned = false;
        } else if now.to_end() <= NEAR_END_PX {
            self.jump();
        }
    }

    /// Something changed its size, and this is where the box stands since. A box that has been pushed by that and
    /// grows again before anybody hears of it has not been moved by a person.
    pub fn laid_out(&mut self, now: Position) {
        self.last = Some(now);
    }

    /// A person moves upward by wheel, touch or key, before anything has scrolled.
    pub fn pulled_up(&mut self, now: Position) {
        if now.content > now.view {
            self.is_pinned = false;
        }
    }

    /// A person wants the end.
    pub fn jump(&mut self) {
        self.is_pinned = true;
        self.news = News::None;
    }
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
}
