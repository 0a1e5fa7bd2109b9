//! Random bounds, levels, workers and policies.

use onceflow_reuse::Level;
use onceflow_runtime::{Crew, Expected, Policy, TaskOrder};
use proptest::prelude::*;

use super::{Bounds, Dice};

pub fn bounds() -> impl Strategy<Value = Bounds> {
    let sizes = (1usize..5, 0usize..9, 0usize..5);
    (sizes, any::<bool>(), any::<bool>()).prop_map(|((stages, rows, parts), failures, never)| Bounds {
        stages,
        rows,
        parts,
        failures,
        never,
    })
}

pub fn levels() -> impl Strategy<Value = Level> {
    prop::sample::select(Level::PLANNED.to_vec())
}

pub fn workers() -> impl Strategy<Value = usize> {
    prop::sample::select(vec![1usize, 2, 8])
}

pub const PLENTY: u64 = 1 << 40;

pub fn policies() -> impl Strategy<Value = Policy> {
    let orders = [
        TaskOrder::Reservation,
        TaskOrder::FirstCome,
        TaskOrder::ActivePaths(1),
        TaskOrder::ActivePaths(3),
        TaskOrder::Speedup,
    ];
    (prop::sample::select(orders.to_vec()), any::<bool>(), any::<bool>())
        .prop_map(|(order, locality, prefetch)| Policy { order, locality, prefetch })
}

/// A crew of CPUs and perhaps GPUs, of which a seed says what tasks gain.
pub fn crew(seed: u64, tasks: usize) -> Crew {
    let mut dice = Dice(seed);
    let (cpus, gpus) = (1 + dice.roll(4), dice.roll(3));
    let mut expected = |_| Expected {
        speedup: dice.chance(80).then(|| 0.5 + dice.roll(40) as f64 / 2.0),
        transfer_share: dice.roll(10) as f64 / 10.0,
        seconds_per_pixel: (1 + dice.roll(9)) as f64,
    };
    Crew { cpus, gpus, expected: (0..tasks).map(&mut expected).collect() }
}
