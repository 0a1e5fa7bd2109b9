//! The bending energy of a lattice of coefficients, and its gradient.

use super::Lattice;
use crate::Cpu;
use crate::cpu::isa::versions;

/// Three-point rows at a lattice point: value, first and second derivative by spacings.
const ROWS: [[f64; 3]; 3] = [[1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0], [-0.5, 0.0, 0.5], [1.0, -2.0, 1.0]];

/// Derivatives along x, y and z, and how often each counts.
const KINDS: [([usize; 3], f64); 6] = [
    ([2, 0, 0], 1.0),
    ([0, 2, 0], 1.0),
    ([1, 1, 0], 2.0),
    ([1, 0, 1], 2.0),
    ([0, 1, 1], 2.0),
    ([0, 0, 2], 1.0),
];

/// The energy, and its gradient by each coefficient times `weight`, which is added to `gradient` when there is one.
pub(crate) fn bending(
    lattice: &Lattice,
    coefficients: &[f64],
    final_spacing: f64,
    gradient: Option<(&mut [f64], f64)>,
    cpu: Cpu,
) -> f64 {
    let points = lattice.points();
    let inner: f64 = lattice.counts.iter().map(|count| (count - 2) as f64).product();
    let scale = final_spacing * final_spacing / lattice.delta.powi(4) / inner;
    let parts: Vec<_> = match gradient {
        Some((gradient, weight)) => {
            gradient.chunks_mut(points).map(|part| Some((part, 2.0 * scale * weight))).collect()
        }
        None => (0..3).map(|_| None).collect(),
    };
    let cpu = if points < SMALL { Cpu { isa: cpu.isa, ..Cpu::one_thread() } } else { cpu };
    let items = coefficients.chunks(points).zip(parts).collect();
    let energies = cpu.run(items, |(part, gradient): (&[f64], Option<(&mut [f64], f64)>)| {
        component(cpu.isa, lattice.counts, part, gradient)
    });
    scale * energies.iter().sum::<f64>()
}

/// Below this many points threads cost more than they save.
const SMALL: usize = 1 << 13;

versions! {
    /// The unscaled energy of one component.
    fn component(counts: [usize; 3], values: &[f64], gradient: Option<(&mut [f64], f64)>) -> f64 {
        let mut energy = 0.0;
        let mut derived: Vec<Vec<f64>> = Vec::with_capacity(6);
        for (orders, factor) in KINDS {
            let made = derivative(counts, values, orders);
            energy += factor * made.iter().map(|value| value * value).sum::<f64>();
            if gradient.is_some() {
                derived.push(made);
            }
        }
        if let Some((gradient, weight)) = gradient {
            for ((orders, factor), made) in KINDS.iter().zip(derived) {
                spread(counts, made, *orders, factor * weight, gradient);
            }
        }
        energy
    }
}

/// A derivative at the inner points; 0 at the outer ones.
#[inline(always)]
fn derivative(counts: [usize; 3], values: &[f64], orders: [usize; 3]) -> Vec<f64> {
    let strides = [1, counts[0], counts[0] * counts[1]];
    let mut made = values.to_vec();
    for axis in 0..3 {
        made = filter(&made, strides[axis], ROWS[orders[axis]]);
    }
    clear_border(counts, &mut made);
    made
}

/// The transpose of [`derivative`], added.
#[inline(always)]
fn spread(counts: [usize; 3], made: Vec<f64>, orders: [usize; 3], factor: f64, target: &mut [f64]) {
    let strides = [1, counts[0], counts[0] * counts[1]];
    let mut made = made;
    for axis in 0..3 {
        let [a, b, c] = ROWS[orders[axis]];
        made = filter(&made, strides[axis], [c, b, a]);
    }
    target.iter_mut().zip(&made).for_each(|(target, value)| *target += factor * value);
}

/// Three points along an axis. What lies beyond the ends of all values counts as 0; neighbours across the ends of rows are
/// read too, which matters only where the border is cleared, or was cleared before.
#[inline(always)]
fn filter(values: &[f64], stride: usize, [a, b, c]: [f64; 3]) -> Vec<f64> {
    let length = values.len();
    let mut made = vec![0.0; length];
    if length <= 2 * stride {
        return made;
    }
    let inner = length - 2 * stride;
    let (before, here, after) =
        (&values[..inner], &values[stride..][..inner], &values[2 * stride..][..inner]);
    for (at, target) in made[stride..][..inner].iter_mut().enumerate() {
        *target = a * before[at] + b * here[at] + c * after[at];
    }
    for at in 0..stride {
        made[at] = b * values[at] + c * values[at + stride];
        let end = length - stride + at;
        made[end] = a * values[end - stride] + b * values[end];
    }
    made
}

#[inline(always)]
fn clear_border(counts: [usize; 3], values: &mut [f64]) {
    let [x, y, z] = counts;
    for (row, values) in values.chunks_exact_mut(x).enumerate() {
        let (j, k) = (row % y, row / y);
        if j == 0 || j + 1 == y || k == 0 || k + 1 == z {
            values.fill(0.0);
        } else {
            values[0] = 0.0;
            values[x - 1] = 0.0;
        }
    }
}

/// Bytes that it allocates.
pub(crate) fn bytes(lattice: &Lattice, cpu: Cpu) -> u64 {
    8 * 8 * lattice.points() as u64 * (cpu.threads.get() as u64).min(3)
}
