//! Buckets filled one after the other up to a bound, with whatever takes most work away from what is left.

use std::collections::HashMap;

use super::super::Buckets;
use super::super::work::MergeWork;
use super::starts::related;

/// Instances up to which it is worth its time, which grows with their square: with more, stretches of the order fill
/// buckets well enough.
const MOST_INSTANCES: usize = 2_000;

/// Smaller bounds that are tried after the search.
const TRIES: u32 = 16;

/// Buckets for so many workers, within the smallest bound for which filling needs no more; none where it would take long.
pub(super) fn filled_for(work: &MergeWork, workers: usize, least: f64, most: f64) -> Option<Buckets> {
    if work.len() > MOST_INSTANCES {
        return None;
    }
    let (mut low, mut high) = (least, most);
    let mut best = None;
    while high - low > high * 1e-3 {
        let bound = low + (high - low) / 2.0;
        match filled(work, bound, workers) {
            Some(found) => (high, best) = (bound, Some(found)),
            None => low = bound,
        }
    }
    // A smaller bound may do where a larger one did not: what is left over is a matter of luck.
    let smaller = |step: u32| high - (high - least) * f64::from(step) / f64::from(2 * TRIES);
    (1..=TRIES).rev().find_map(|step| filled(work, smaller(step), workers)).or(best)
}

/// Buckets within a bound; none when more would be needed.
fn filled(work: &MergeWork, bound: f64, most: usize) -> Option<Buckets> {
    let mut groups: Vec<InstanceGroup> =
        related(work).iter().map(|places| InstanceGroup::new(work, places.to_vec(), bound)).collect();
    let mut buckets = Buckets::default();
    while !groups.is_empty() {
        if buckets.len() == most {
            return None;
        }
        let mut bucket = Vec::new();
        let mut room = bound;
        let beside = Beside::new(&groups);
        while let Some((group, piece)) = best_piece(&groups, &beside, room, bucket.is_empty()) {
            room -= piece.cost;
            let rest = groups[group].without(&piece, &mut bucket);
            if rest.is_empty() {
                groups.swap_remove(group);
            } else {
                groups[group] = InstanceGroup::new(work, rest, bound);
            }
        }
        buckets.push(bucket);
    }
    Some(buckets)
}

/// Of all pieces that fit the room the one that takes most work away, together with the best that fits beside it. The first
/// one of a bucket comes from the dearest group, so that no dear ones are left in the end.
fn best_piece(
    groups: &[InstanceGroup],
    beside: &Beside,
    room: f64,
    first: bool,
) -> Option<(usize, BucketPiece)> {
    let dearest = (0..groups.len()).max_by(|a, b| groups[*a].cost.total_cmp(&groups[*b].cost))?;
    let asked = if first { dearest..dearest + 1 } else { 0..groups.len() };
    let fitting = |group: usize| groups[group].within(room).iter().map(move |piece| (group, *piece));
    let ranked = asked.flat_map(fitting).map(|found| {
        let next = beside.most(room - found.1.cost, first);
        (found.1.gone + next, found)
    });
    ranked.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, found)| found)
}

/// What can be taken away at most within a room.
struct Beside(Vec<(f64, f64)>);

impl Beside {
    fn new(groups: &[InstanceGroup]) -> Self {
        let mut all: Vec<(f64, f64)> =
            groups.iter().flat_map(|group| &group.pieces).map(|piece| (piece.cost, piece.gone)).collect();
        all.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.total_cmp(&one.1)));
        let mut best = f64::NEG_INFINITY;
        all.retain(|(_, gone)| {
            let better = *gone > best;
            best = best.max(*gone);
            better
        });
        Self(all)
    }

    fn one(&self, room: f64) -> f64 {
        let fitting = self.0.partition_point(|(cost, _)| *cost <= room);
        fitting.checked_sub(1).map_or(0.0, |last| self.0[last].1)
    }

    fn most(&self, room: f64, two: bool) -> f64 {
        if !two {
            return self.one(room);
        }
        let fitting = self.0.partition_point(|(cost, _)| *cost <= room);
        self.0[..fitting].iter().map(|(cost, gone)| gone + self.one(room - cost)).fold(0.0, f64::max)
    }
}

/// How often each node is needed.
type NodeNeeds = HashMap<u32, u32>;

/// Instances that share something.
struct InstanceGroup {
    places: Vec<u32>,
    cost: f64,
    /// Its pieces, from the cheapest on.
    pieces: Vec<BucketPiece>,
}

/// Neighbours in a group.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BucketPiece {
    start: usize,
    end: usize,
    /// What it costs by itself.
    cost: f64,
    /// What its group costs less without it.
    gone: f64,
}

impl InstanceGroup {
    fn new(work: &MergeWork, places: Vec<u32>, bound: f64) -> Self {
        let cost = work.cost(&places);
        let mut needed = NodeNeeds::default();
        for (node, _) in places.iter().flat_map(|place| work.needs(*place)) {
            *needed.entry(node).or_insert(0) += 1;
        }
        let from = |start| pieces(work, &places, start, bound, &needed);
        let mut pieces: Vec<BucketPiece> = (0..places.len()).flat_map(from).collect();
        pieces.sort_by(|one, other| one.cost.total_cmp(&other.cost));
        Self { pieces, places, cost }
    }

    fn within(&self, room: f64) -> &[BucketPiece] {
        &self.pieces[..self.pieces.partition_point(|piece| piece.cost <= room)]
    }

    /// Puts the piece's places into a bucket and gives the others.
    fn without(&self, piece: &BucketPiece, bucket: &mut Vec<u32>) -> Vec<u32> {
        bucket.extend(&self.places[piece.start..piece.end]);
        [&self.places[..piece.start], &self.places[piece.end..]].concat()
    }
}

/// The pieces within a bound that begin at a place; `needed` says how many places of the group need a node.
fn pieces(
    work: &MergeWork,
    places: &[u32],
    start: usize,
    bound: f64,
    needed: &NodeNeeds,
) -> Vec<BucketPiece> {
    let mut found = Vec::new();
    let mut met = NodeNeeds::default();
    let (mut cost, mut gone) = (0.0, 0.0);
    for (at, place) in places.iter().enumerate().skip(start) {
        for (node, price) in work.needs(*place) {
            let times = met.entry(node).or_insert(0);
            *times += 1;
            cost += if *times == 1 { price } else { 0.0 };
            gone += if needed.get(&node) == Some(times) { price } else { 0.0 };
        }
        if cost > bound {
            break;
        }
        found.push(BucketPiece { start, end: at + 1, cost, gone });
    }
    found
}
