//! Masks that trouble algorithms: each operation's time on them, divided by its time on tissue.

use onceflow_kernels::{
    Connectivity, Cpu, DistanceScratch, GreyScratch, Isa, ON, Plane, Runs, WatershedScratch, distance_into,
    fill_holes_into, filter_area_into, label_into, reconstruct_into, watershed_into,
};
use onceflow_terminal::Failure;

use super::clock::BenchClock;
use super::folder::PeerArray;
use super::operations::{KernelBench, MeasuredOperation};
use super::peers::PeerTime;
use super::tile::BenchTile;
use crate::figure::{BenchFigure, Goal};

/// How many times its time on tissue an operation may take.
const GOAL: f64 = 3.0;

/// Name, and whether a pixel at column and row of an image with this width and height belongs to it.
type MaskShape = (&'static str, fn(usize, usize, usize, usize) -> bool);

const SHAPES: [MaskShape; 4] = [
    ("spiral", spiral),
    ("comb", |x, y, _, height| x % 2 == 0 || y + 1 == height),
    ("checkerboard", |x, y, _, _| (x + y) % 2 == 0),
    // One pixel is outside, so that there are distances.
    ("full", |x, y, _, _| x + y > 0),
];

/// Rings one pixel wide, each cut open and tied to the next one.
fn spiral(x: usize, y: usize, width: usize, height: usize) -> bool {
    let ring = x.min(y).min(width - 1 - x).min(height - 1 - y);
    // The same place is a ring's cut, and between two rings it ties them.
    ring.is_multiple_of(2) != (x == ring && y == ring + 1)
}

/// An operation's time on a shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeTimes {
    operation: &'static str,
    shape: &'static str,
    milliseconds: f64,
}

/// Every shape under every operation that follows shapes; peers get them too.
pub(super) fn measure(bench: &KernelBench<'_>) -> Result<Vec<ShapeTimes>, Failure> {
    let mut found = Vec::new();
    for (shape, belongs) in SHAPES {
        let mask = paint(bench.tile, belongs);
        if let Some(folder) = bench.folder {
            folder.write(&format!("shape-{shape}"), PeerArray::Bytes(&mask))?;
        }
        let times = times(bench.tile, &mask, bench.clock);
        found.extend(times.map(|(operation, milliseconds)| ShapeTimes { operation, shape, milliseconds }));
    }
    Ok(found)
}

/// How many times longer than on tissue each takes, and the peers' times on the same shape.
pub(super) fn figures(
    times: &[ShapeTimes],
    natural: &[MeasuredOperation],
    peers: &[PeerTime],
) -> Vec<BenchFigure> {
    times.iter().flat_map(|time| multiple(time, natural).into_iter().chain(beside(time, peers))).collect()
}

fn multiple(time: &ShapeTimes, natural: &[MeasuredOperation]) -> Option<BenchFigure> {
    let ShapeTimes { operation, shape, milliseconds } = *time;
    let tissue = natural.iter().find(|measured| measured.name == operation)?.milliseconds;
    Some(BenchFigure {
        name: format!("{operation}: {shape}, times its time on tissue"),
        value: milliseconds / tissue,
        unit: "",
        goal: Some(Goal::AtMost(GOAL)),
        peer: None,
    })
}

fn beside(time: &ShapeTimes, peers: &[PeerTime]) -> Vec<BenchFigure> {
    let ShapeTimes { operation, shape, milliseconds } = *time;
    let name = format!("{operation}: {shape}");
    let same = peers.iter().filter(|peer| peer.operation == name);
    let figure = |peer: &PeerTime| {
        let tissue = peers.iter().find(|other| other.operation == operation && other.peer == peer.peer);
        let own = tissue.map(|tissue| BenchFigure {
            name: format!("{name}, {}: times its time on tissue", peer.peer),
            value: peer.milliseconds / tissue.milliseconds,
            unit: "",
            goal: None,
            peer: None,
        });
        let ours = BenchFigure {
            name: format!("{name} (peer: {})", peer.peer),
            value: milliseconds,
            unit: "ms",
            goal: None,
            peer: Some(peer.milliseconds),
        };
        own.into_iter().chain([ours])
    };
    same.flat_map(figure).collect()
}

fn paint(tile: &BenchTile, belongs: fn(usize, usize, usize, usize) -> bool) -> Plane<u8> {
    let mut mask = Plane::filled(0, tile.big.width(), tile.big.height());
    let (width, height) = (mask.width(), mask.height());
    for (at, pixel) in mask.pixels_mut().iter_mut().enumerate() {
        *pixel = if belongs(at % width, at / width, width, height) { ON } else { 0 };
    }
    mask
}

fn times(tile: &BenchTile, mask: &Plane<u8>, clock: BenchClock) -> [(&'static str, f64); 6] {
    [
        ("reconstruction", reconstruction(mask, clock)),
        ("fill holes", fill(mask, clock)),
        ("label", label(mask, clock)),
        ("label and filter by area", area(mask, clock)),
        ("distance", distance(mask, clock)),
        ("watershed", watershed(tile, mask, clock)),
    ]
}

/// From the first pixel to wherever a way leads.
fn reconstruction(mask: &Plane<u8>, clock: BenchClock) -> f64 {
    let (mut result, mut scratch) = (mask.clone(), GreyScratch::default());
    clock.least(|| {
        result.pixels_mut().fill(0);
        if let Some(first) = first(mask) {
            result.pixels_mut()[first] = ON;
        }
        reconstruct_into(Isa::best(), mask.view(), Connectivity::Eight, result.view_mut(), &mut scratch);
    })
}

fn first(mask: &Plane<u8>) -> Option<usize> {
    mask.pixels().iter().position(|pixel| *pixel != 0)
}

fn fill(mask: &Plane<u8>, clock: BenchClock) -> f64 {
    let (mut result, mut scratch) = (mask.clone(), Runs::default());
    let machine = Cpu::one_thread();
    clock.least(|| {
        fill_holes_into(machine, mask.view(), Connectivity::Four, result.view_mut(), &mut scratch);
    })
}

fn label(mask: &Plane<u8>, clock: BenchClock) -> f64 {
    let mut result = Plane::filled(0, mask.width(), mask.height());
    let (mut components, mut scratch) = (Vec::new(), Runs::default());
    let (machine, eight) = (Cpu::one_thread(), Connectivity::Eight);
    clock.least(|| {
        label_into(machine, mask.view(), eight, result.view_mut(), &mut components, &mut scratch);
    })
}

fn area(mask: &Plane<u8>, clock: BenchClock) -> f64 {
    let (mut result, mut scratch) = (mask.clone(), Runs::default());
    let (machine, eight) = (Cpu::one_thread(), Connectivity::Eight);
    clock.least(|| {
        filter_area_into(machine, mask.view(), 21, Some(1000), eight, result.view_mut(), &mut scratch);
    })
}

fn distance(mask: &Plane<u8>, clock: BenchClock) -> f64 {
    let mut result = Plane::filled(0.0, mask.width(), mask.height());
    let mut scratch = DistanceScratch::default();
    clock.least(|| distance_into(mask.view(), result.view_mut(), &mut scratch))
}

/// The outside is one basin, the first and the last pixel of the shape are two; the rest of the shape is flooded.
fn watershed(tile: &BenchTile, mask: &Plane<u8>, clock: BenchClock) -> f64 {
    let mut markers = Plane::filled(0, mask.width(), mask.height());
    let outside = markers.pixels_mut().iter_mut().zip(mask.pixels()).filter(|(_, pixel)| **pixel == 0);
    outside.for_each(|(marker, _)| *marker = 1);
    let last = mask.pixels().iter().rposition(|pixel| *pixel != 0);
    for (place, marker) in [(first(mask), 2), (last, 3)] {
        place.into_iter().for_each(|place| markers.pixels_mut()[place] = marker);
    }
    let (mut labels, mut scratch) = (markers.clone(), WatershedScratch::default());
    clock.least(|| {
        labels.pixels_mut().copy_from_slice(markers.pixels());
        watershed_into(tile.normalized.view(), labels.view_mut(), &mut scratch);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use onceflow_kernels::label;

    #[test]
    fn the_spiral_is_one_long_way_in_both_colours() {
        let side = 33;
        let at = |i: usize| if spiral(i % side, i / side, side, side) { ON } else { 0 };
        let mask = Plane::from_vec((0..side * side).map(at).collect(), side, side).unwrap();
        assert_eq!(label(mask.view(), Connectivity::Four).components.len(), 1);
        let outside = mask.pixels().iter().map(|pixel| !pixel).collect();
        let outside = Plane::from_vec(outside, side, side).unwrap();
        assert_eq!(label(outside.view(), Connectivity::Four).components.len(), 1);
    }
}
