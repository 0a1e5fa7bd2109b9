//! The search for the smallest attributes: a minimum cut, and a search over what barriers forbid.
//!
//! Without barriers the smallest attributes are one minimum cut. A barrier forbids that its maker and one of its readers join
//! both, which a cut cannot say. So the cut is found without that rule, which gives a lower bound; where the rule is
//! broken, either the maker stays out, or it joins and all readers stay out.

use super::minimise::entering;
use super::network::{ENDLESS, FlowNetwork, FlowState, NetworkBuilder};
use super::{AttributeGraph, AttributeSet};

/// When a block may join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JoinRule {
    /// Always: the target is only identified by what enters.
    Identify,
    /// When all its readers have joined (C3): then it need not run when the result is known.
    Skip,
}

/// More edges are not looked at, over all cuts together; then the best attributes so far are given with a bound.
const MOST_WORK: usize = 400_000_000;

const START: usize = 0;
const END: usize = 1;
const BLOCKS: usize = 2;

/// A barrier whose maker could join with a reader: the maker, and the readers.
struct BarrierConflict {
    maker: usize,
    readers: Vec<usize>,
}

/// A block that is decided, and whether it joins.
type JoinDecision = (usize, bool);

struct AttributeSearch<'a> {
    graph: &'a AttributeGraph,
    network: FlowNetwork,
    root: FlowState,
    /// For each block the edges that keep it out, and that make it join.
    switches: Vec<[usize; 2]>,
    conflicts: Vec<BarrierConflict>,
    work: usize,
}

/// The best attributes, and a number of bytes that none can be below.
pub(super) fn search(graph: &AttributeGraph, rule: JoinRule) -> (AttributeSet, u64) {
    let mut search = AttributeSearch::new(graph, rule);
    if !search.network.augment(&mut search.root, START, END) {
        // Only the target may join, which it always can.
        let initial = entering(graph, &graph.is_target());
        let bytes = initial.bytes;
        return (initial, bytes);
    }
    search.run()
}

impl<'a> AttributeSearch<'a> {
    fn new(graph: &'a AttributeGraph, rule: JoinRule) -> Self {
        let (above, is_target) = (graph.above(), graph.is_target());
        let blocks = graph.blocks.len();
        let mut edges = NetworkBuilder::default();
        let may_join = may_join(graph, rule, &above, &is_target);
        let switch = |block: usize| {
            let out = if may_join[block] { 0 } else { ENDLESS };
            let joins = if is_target[block] { ENDLESS } else { 0 };
            [edges.edge(START, BLOCKS + block, out), edges.edge(BLOCKS + block, END, joins)]
        };
        let switches = (0..blocks).map(switch).collect();
        for (number, variable) in graph.variables.iter().enumerate() {
            let within = variable.from.is_some_and(|from| is_target[from]);
            if within || !variable.to.iter().any(|to| above[*to]) {
                continue;
            }
            let value = BLOCKS + blocks + number;
            let maker = variable.from.filter(|_| !variable.barrier).map_or(START, |from| BLOCKS + from);
            edges.edge(maker, value, variable.bytes);
            for reader in variable.to.iter().filter(|to| above[**to]) {
                edges.edge(value, BLOCKS + reader, ENDLESS);
            }
        }
        if rule == JoinRule::Skip {
            // A reader that stays out keeps the maker out.
            for (maker, reader) in pairs(graph).filter(|(maker, _)| above[*maker] && !is_target[*maker]) {
                edges.edge(BLOCKS + reader, BLOCKS + maker, ENDLESS);
            }
        }
        let (network, root) = edges.finish(BLOCKS + blocks + graph.variables.len());
        let conflicts = conflicts(graph, &may_join, &is_target);
        Self { graph, network, root, switches, conflicts, work: 0 }
    }

    /// Depth first, the choice that keeps the maker out before the other.
    fn run(mut self) -> (AttributeSet, u64) {
        let mut best: Option<AttributeSet> = None;
        let mut open: Vec<(u64, Vec<JoinDecision>)> = vec![(self.root.flow(), Vec::new())];
        while let Some((bound, decisions)) = open.pop() {
            if best.as_ref().is_some_and(|best| best.bytes < bound) {
                continue;
            }
            if self.work > MOST_WORK && best.is_some() {
                let least = open.iter().map(|(bound, _)| *bound).chain([bound]).min().unwrap_or(bound);
                return self.given_up(best, least);
            }
            let Some((flow, inside)) = self.cut(&decisions) else { continue };
            if best.as_ref().is_some_and(|best| !can_be_better(best, flow, self.count(&inside))) {
                continue;
            }
            match self.broken(&inside) {
                None => best = Some(entering(self.graph, &inside)),
                Some(conflict) => {
                    let [out, joins] = choices(&self.conflicts[conflict], &decisions);
                    open.extend([(flow, joins), (flow, out)]);
                }
            }
        }
        let least = best.as_ref().map_or(0, |best| best.bytes);
        self.given_up(best, least)
    }

    fn given_up(&self, best: Option<AttributeSet>, bound: u64) -> (AttributeSet, u64) {
        let best = best.unwrap_or_else(|| entering(self.graph, &self.graph.is_target()));
        let bound = bound.min(best.bytes);
        (best, bound)
    }

    /// The minimum cut with decisions, and the blocks on the target's side; none when they contradict each other.
    fn cut(&mut self, decisions: &[JoinDecision]) -> Option<(u64, Vec<bool>)> {
        let mut state = self.root.clone();
        for (block, joins) in decisions {
            state.open(self.switches[*block][usize::from(*joins)]);
        }
        self.work += self.network.size();
        if !self.network.augment(&mut state, START, END) {
            return None;
        }
        let side = self.network.end_side(&state, END);
        Some((state.flow(), side[BLOCKS..BLOCKS + self.graph.blocks.len()].to_vec()))
    }

    fn count(&self, inside: &[bool]) -> usize {
        inside.iter().filter(|inside| **inside).count() - self.graph.target.len()
    }

    /// The first barrier whose maker and reader both joined.
    fn broken(&self, inside: &[bool]) -> Option<usize> {
        let is_broken = |conflict: &BarrierConflict| {
            inside[conflict.maker] && conflict.readers.iter().any(|r| inside[*r])
        };
        self.conflicts.iter().position(is_broken)
    }
}

/// Whether what a cut leads to can be smaller, or as small and nearer the target.
fn can_be_better(best: &AttributeSet, bytes: u64, joined: usize) -> bool {
    (bytes, joined) < (best.bytes, best.joined.len())
}

fn choices(conflict: &BarrierConflict, decisions: &[JoinDecision]) -> [Vec<JoinDecision>; 2] {
    let with = |more: Vec<JoinDecision>| decisions.iter().copied().chain(more).collect();
    let readers = conflict.readers.iter().map(|reader| (*reader, false));
    [with(vec![(conflict.maker, false)]), with(readers.chain([(conflict.maker, true)]).collect())]
}

/// Makers with the blocks that read from them.
fn pairs(graph: &AttributeGraph) -> impl Iterator<Item = (usize, usize)> {
    let of = |variable: &'_ super::GraphVariable| {
        let to = variable.to.clone();
        variable.from.into_iter().flat_map(move |from| to.clone().into_iter().map(move |to| (from, to)))
    };
    graph.variables.iter().flat_map(of)
}

/// Whether each block may join at all.
fn may_join(graph: &AttributeGraph, rule: JoinRule, above: &[bool], is_target: &[bool]) -> Vec<bool> {
    let mut may = above.to_vec();
    for variable in graph.variables.iter().filter(|variable| variable.barrier) {
        let Some(maker) = variable.from.filter(|from| !is_target[*from]) else { continue };
        // With C3 all readers of a maker join with it, which a barrier forbids.
        let never = match rule {
            JoinRule::Identify => variable.to.iter().any(|to| is_target[*to]),
            JoinRule::Skip => !variable.to.is_empty(),
        };
        may[maker] &= !never;
    }
    may
}

fn conflicts(graph: &AttributeGraph, may_join: &[bool], is_target: &[bool]) -> Vec<BarrierConflict> {
    let conflict = |variable: &super::GraphVariable| {
        let maker = variable.from.filter(|from| may_join[*from] && !is_target[*from])?;
        let readers: Vec<usize> = variable.to.iter().copied().filter(|to| may_join[*to]).collect();
        (!readers.is_empty()).then_some(BarrierConflict { maker, readers })
    };
    graph.variables.iter().filter(|variable| variable.barrier).filter_map(conflict).collect()
}
