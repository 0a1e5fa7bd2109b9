//! Boxes around boxes: a packed tree over pieces in the order of the curve, which leaves out what a query does not meet.

use std::ops::Range;

use crate::{Bounds, Span};

/// Boxes around 16 pieces each, boxes around 16 of those, and so on to one box around all.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    count: usize,
    /// The boxes of each level, the lowest first.
    levels: Vec<Vec<Bounds>>,
}

const CHILDREN: usize = 16;

impl Tree {
    pub(super) fn over(boxes: impl Iterator<Item = Bounds>) -> Tree {
        let leaves: Vec<Bounds> = boxes.collect();
        let mut tree = Tree { count: leaves.len(), levels: Vec::new() };
        let mut level = around(&leaves);
        while level.len() > 1 {
            let next = around(&level);
            tree.levels.push(level);
            level = next;
        }
        tree.levels.push(level);
        tree
    }

    /// The pieces that meet a box, as stretches of their order, none of which touch.
    pub(super) fn stretches<'a>(
        &self,
        query: &Bounds,
        bounds: impl Fn(usize) -> &'a Bounds,
    ) -> Vec<Range<usize>> {
        let mut search = TreeSearch { tree: self, query, bounds, found: Vec::new() };
        if self.count > 0 && !query.is_empty() {
            search.descend(self.levels.len(), 0);
        }
        search.found
    }
}

/// A query on its way down the tree.
struct TreeSearch<'t, F> {
    tree: &'t Tree,
    query: &'t Bounds,
    bounds: F,
    found: Vec<Range<usize>>,
}

impl<'a, F: Fn(usize) -> &'a Bounds> TreeSearch<'_, F> {
    /// Looks at the boxes within a box of a level; those of level 0 are the pieces.
    fn descend(&mut self, level: usize, index: usize) {
        let below = level - 1;
        let count = if below == 0 { self.tree.count } else { self.tree.levels[below - 1].len() };
        let wide = CHILDREN.pow(below as u32);
        for child in index * CHILDREN..((index + 1) * CHILDREN).min(count) {
            let shown = if below == 0 { (self.bounds)(child) } else { &self.tree.levels[below - 1][child] };
            match compare(self.query, shown) {
                Stands::Apart => {}
                Stands::Across if below > 0 => self.descend(below, child),
                _ => add(&mut self.found, child * wide..((child + 1) * wide).min(self.tree.count)),
            }
        }
    }
}

/// How a box stands to the box of a query.
enum Stands {
    Apart,
    Across,
    Within,
}

/// Both boxes have positions. Every axis is looked at, which is faster than to stop early.
fn compare(query: &Bounds, shown: &Bounds) -> Stands {
    let axis = |query: Span, shown: Span| {
        let meets = query.start() < shown.end() && shown.start() < query.end();
        (meets, query.start() <= shown.start() && shown.end() <= query.end())
    };
    let (x, y) = (axis(query.columns(), shown.columns()), axis(query.rows(), shown.rows()));
    let (z, time) = (axis(query.z(), shown.z()), axis(query.time(), shown.time()));
    match (x.0 & y.0 & z.0 & time.0, x.1 & y.1 & z.1 & time.1) {
        (false, _) => Stands::Apart,
        (true, false) => Stands::Across,
        (true, true) => Stands::Within,
    }
}

/// Boxes around the boxes of a level.
fn around(level: &[Bounds]) -> Vec<Bounds> {
    let hull = |boxes: &[Bounds]| boxes.iter().copied().reduce(|a, b| a.hull(&b));
    level.chunks(CHILDREN).filter_map(hull).collect()
}

fn add(found: &mut Vec<Range<usize>>, stretch: Range<usize>) {
    match found.last_mut() {
        Some(last) if last.end == stretch.start => last.end = stretch.end,
        _ => found.push(stretch),
    }
}
