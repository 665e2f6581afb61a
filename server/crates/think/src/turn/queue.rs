//! Whose turn is it, and is a result still wanted: a serial queue with generations. Pure.

use std::collections::VecDeque;

/// Advances with every reset; what belongs to an older one is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Generation(u64);

/// Turns in the order they were accepted, at most one of them running.
#[derive(Debug)]
pub struct TurnQueue<T> {
    generation: Generation,
    waiting: VecDeque<T>,
    running: Option<Generation>,
}

impl<T> Default for TurnQueue<T> {
    fn default() -> Self {
        Self { generation: Generation::default(), waiting: VecDeque::new(), running: None }
    }
}

impl<T> TurnQueue<T> {
    /// The generation that new turns belong to.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// Puts a turn at the end.
    pub fn enqueue(&mut self, turn: T) {
        self.waiting.push_back(turn);
    }

    /// Starts the next turn; none while one is running or when nothing waits.
    pub fn start_next(&mut self) -> Option<T> {
        self.start_next_if(|_any| true)
    }

    /// Starts the next turn if it is ready; those behind it do not overtake it.
    pub fn start_next_if(&mut self, is_ready: impl FnOnce(&T) -> bool) -> Option<T> {
        if self.running.is_some() || !self.waiting.front().is_some_and(is_ready) {
            return None;
        }
        let turn = self.waiting.pop_front()?;
        self.running = Some(self.generation);
        Some(turn)
    }

    /// The running turn ended, however it did; the next one may start.
    pub fn finish(&mut self) {
        self.running = None;
    }

    /// Whether the running turn's results are still wanted: it runs, and no reset came since it started.
    pub fn is_current(&self) -> bool {
        self.running == Some(self.generation)
    }

    /// Makes everything accepted so far stale and gives back what never started. The running turn goes on until it
    /// notices.
    pub fn reset(&mut self) -> Vec<T> {
        self.generation.0 += 1;
        self.waiting.drain(..).collect()
    }

    /// Takes one waiting turn out.
    pub fn remove(&mut self, is_meant: impl FnMut(&T) -> bool) -> Option<T> {
        let index = self.waiting.iter().position(is_meant)?;
        self.waiting.remove(index)
    }

    /// The turns that wait, first first.
    pub fn waiting(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.waiting.iter()
    }

    /// Running and waiting turns of a generation.
    pub fn count(&self, generation: Generation) -> usize {
        let waiting = if generation == self.generation { self.waiting.len() } else { 0 };
        waiting + usize::from(self.running == Some(generation))
    }

    /// Nothing runs and nothing waits.
    pub fn is_idle(&self) -> bool {
        self.running.is_none() && self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // TK-052
    #[test]
    fn reset_makes_waiting_turns_stale_and_lets_the_running_one_end() {
        let mut queue = TurnQueue::default();
        for turn in ["t1", "t2", "t3"] {
            queue.enqueue(turn);
        }
        let old = queue.generation();
        assert_eq!(queue.start_next(), Some("t1"));
        assert_eq!(queue.count(old), 3);
        assert_eq!(queue.reset(), ["t2", "t3"]);
        assert!(!queue.is_current());
        assert_eq!(queue.count(old), 1);
        queue.enqueue("t4");
        assert_eq!(queue.start_next(), None, "t1 has not ended");
        queue.finish();
        assert_eq!(queue.count(old), 0);
        assert_eq!(queue.start_next(), Some("t4"));
        assert!(queue.is_current());
    }

    // TK-053
    #[test]
    fn an_ended_turn_frees_the_slot_however_it_ended() {
        let mut queue = TurnQueue::default();
        queue.enqueue(1);
        queue.enqueue(2);
        assert_eq!(queue.start_next(), Some(1));
        queue.finish();
        assert_eq!(queue.start_next(), Some(2));
        queue.enqueue(3);
        queue.finish();
        assert!(!queue.is_idle());
        assert_eq!(queue.start_next(), Some(3));
        queue.finish();
        assert!(queue.is_idle());
    }

    #[test]
    fn a_turn_that_is_not_ready_holds_the_line() {
        let mut queue = TurnQueue::default();
        queue.enqueue("a");
        queue.enqueue("b");
        assert_eq!(queue.start_next_if(|turn| *turn == "b"), None);
        assert_eq!(queue.start_next_if(|turn| *turn == "a"), Some("a"));
    }

    #[test]
    fn a_waiting_turn_can_be_taken_out() {
        let mut queue = TurnQueue::default();
        queue.enqueue("a");
        queue.enqueue("b");
        assert_eq!(queue.remove(|turn| *turn == "b"), Some("b"));
        assert_eq!(queue.remove(|turn| *turn == "b"), None);
        assert_eq!(queue.waiting().collect::<Vec<_>>(), [&"a"]);
    }
}
