//! Which overlays stand on a path. Pure; positions are places on the path, or depths, which are the same.

/// The first and the last position an overlay stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span<P> {
    pub(crate) from: P,
    pub(crate) to: P,
}

impl<P: Ord> Span<P> {
    fn covers(&self, position: &P) -> bool {
        self.from <= *position && *position <= self.to
    }
}

/// The numbers of the overlays that stand, in path order.
///
/// The path is read from its root. Where an overlay begins, it stands, and reading goes on after its end; so what begins
/// inside it never stands. Of several that begin at one message, the one made last stands. `spans` are in the order they
/// were made; none is for an overlay whose ends are not both on the path.
pub(crate) fn fold<P: Ord + Copy>(spans: &[Option<Span<P>>]) -> Vec<usize> {
    let numbered = spans.iter().enumerate().filter_map(|(number, span)| Some((number, (*span)?)));
    let mut starts: Vec<(usize, Span<P>)> = numbered.filter(|(_, span)| span.from <= span.to).collect();
    starts.sort_by_key(|(number, span)| (span.from, std::cmp::Reverse(*number)));
    let mut standing = Vec::new();
    let mut last: Option<P> = None;
    for (number, span) in starts {
        if last.is_none_or(|last| last < span.from) {
            standing.push(number);
            last = Some(span.to);
        }
    }
    standing
}

/// Whether the overlays of which it is not known yet whether they are on the path can change nothing: each begins
/// inside one that stands, and would lose against it where both begin together.
pub(crate) fn is_settled<P: Ord + Copy>(known: &[Option<Span<P>>], unknown: &[(usize, Span<P>)]) -> bool {
    let standing = fold(known);
    let is_beaten = |number: usize, span: &Span<P>| {
        standing.iter().any(|winner| {
            let winning = known.get(*winner).copied().flatten();
            winning.is_some_and(|winning| {
                winning.covers(&span.from) && (winning.from < span.from || number < *winner)
            })
        })
    };
    unknown.iter().all(|(number, span)| is_beaten(*number, span))
}
