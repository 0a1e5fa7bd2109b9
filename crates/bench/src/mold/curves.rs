//! Strong-scaling curves of codes that cut a cube into slabs, on machines of five shapes.

use onceflow_costs::scaling::ScalingCurve;
use onceflow_terminal::Failure;

use super::ours;

/// Most nodes of a curve.
pub(super) const MOST: u64 = 32;
/// Measured durations differ from the machine's own by this much (standard deviation).
const NOISE: f64 = 0.005;

/// A machine: cores of a node, and what moves data between and within nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct MachineShape {
    pub(super) cores: u64,
    /// How much slower a rank is when all cores of its node have one.
    crowding: f64,
    /// Share of exchanges of all work on one node.
    exchange: f64,
    /// Seconds for each rank.
    latency: f64,
    seed: u64,
}

/// Machines of five shapes, by their seeds.
pub(super) fn machines() -> Vec<MachineShape> {
    let cores = [24, 36, 40, 48, 64];
    let shape = |(seed, cores): (usize, u64)| {
        let mut random = Noise(seed as u64 + 1);
        MachineShape {
            cores,
            crowding: 0.15 + 0.35 * random.unit(),
            exchange: 0.02 + 0.06 * random.unit(),
            latency: 0.002 + 0.004 * random.unit(),
            seed: seed as u64,
        }
    };
    cores.into_iter().enumerate().map(shape).collect()
}

impl MachineShape {
    /// Ranks: the largest number of equal slabs that have a core each.
    pub(super) fn ranks(&self, planes: u64, nodes: u64) -> u64 {
        (1..=planes)
            .rev()
            .find(|ranks| planes.is_multiple_of(*ranks) && *ranks <= self.cores * nodes)
            .unwrap_or(1)
    }

    /// Seconds of a simulation of a cube with so many planes, without noise.
    fn seconds(&self, planes: u64, nodes: u64) -> f64 {
        let ranks = self.ranks(planes, nodes) as f64;
        let points = (planes * planes * planes) as f64;
        let work = 1.2e-6 * points * points.log2();
        let crowd = ranks / (self.cores * nodes) as f64;
        // Memory is shared: the last ranks of a node slow it most.
        let compute = work / ranks * (1.0 + self.crowding * crowd * crowd.sqrt());
        let exchange = self.exchange * 1.2e-6 * points / nodes as f64 * (1.0 - 1.0 / (nodes + 1) as f64);
        compute + exchange + self.latency * ranks
    }

    /// A measured curve on 1 to 32 nodes.
    pub(super) fn measured(&self, planes: u64) -> Result<ScalingCurve, Failure> {
        let mut noise = Noise(self.seed ^ (planes << 8));
        let point = |nodes: u64| (nodes, self.seconds(planes, nodes) * (1.0 + NOISE * noise.normal()));
        ScalingCurve::new((1..=MOST).map(point)).map_err(ours)
    }

    /// So many measured numbers of nodes: the beginnings of steps first, then, where `with_ends`, the last of each step, then
    /// the middles of the widest gaps.
    pub(super) fn chosen(&self, planes: u64, count: usize, with_ends: bool) -> Vec<u64> {
        let begins = |nodes: &u64| *nodes == 1 || self.ranks(planes, *nodes) != self.ranks(planes, nodes - 1);
        let mut chosen: Vec<u64> = (1..=MOST).filter(begins).chain([MOST]).collect();
        if with_ends {
            let ends: Vec<u64> = chosen.iter().map(|begin| begin - 1).filter(|end| *end > 0).collect();
            chosen.extend(ends);
        }
        chosen.sort_unstable();
        chosen.dedup();
        while chosen.len() > count {
            // Of too many, the one nearest to its neighbours is left out.
            let gap = |at: &usize| chosen[at + 1] as f64 / chosen[at - 1] as f64;
            let nearest = (1..chosen.len() - 1).min_by(|a, b| gap(a).total_cmp(&gap(b)));
            chosen.remove(nearest.unwrap_or(1));
        }
        while chosen.len() < count {
            let gap = |at: &usize| {
                if chosen[*at] - chosen[at - 1] > 1 {
                    chosen[*at] as f64 / chosen[at - 1] as f64
                } else {
                    0.0
                }
            };
            let Some(widest) = (1..chosen.len()).max_by(|a, b| gap(a).total_cmp(&gap(b))) else { break };
            chosen.insert(widest, u64::midpoint(chosen[widest - 1], chosen[widest]));
        }
        chosen
    }
}

/// Random numbers of the benchmark: SplitMix64.
#[derive(Clone, Debug)]
pub(super) struct Noise(pub(super) u64);

impl Noise {
    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Mean 0, standard deviation 1 (Box and Muller).
    fn normal(&mut self) -> f64 {
        let (radius, angle) = ((-2.0 * (1.0 - self.unit()).ln()).sqrt(), std::f64::consts::TAU * self.unit());
        radius * angle.cos()
    }
}
