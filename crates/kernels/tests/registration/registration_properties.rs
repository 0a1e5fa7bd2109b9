//! What must hold for any volumes: gradients are those of the cost, refinement keeps the field, known fields are found.

use std::ops::ControlFlow;

use onceflow_kernels::Cpu;
use onceflow_kernels::registration::{
    Ended, Folding, Grid, Lattice, LevelProblem, LevelRun, NoOverlap, Optimiser, Precision, ScaledVolume,
    Similarity, Transform, refine, warped, warped_labels,
};
use onceflow_region::Pixels;

use crate::scenes::{Pair, STRAIGHT, Stream, blobs, grid, random, volume};

const MEASURES: [Similarity; 3] =
    [Similarity::Nmi { bins: 32 }, Similarity::Mi { bins: 48 }, Similarity::Ssd];

/// The mean distance of two transforms in mm where the volume has content.
fn error(found: &Transform, truth: &Transform, fixed: &ScaledVolume) -> f64 {
    let [width, height, _] = found.fixed.size();
    let (mut sum, mut count) = (0.0, 0.0);
    for (at, _) in fixed.values().iter().enumerate().filter(|(_, value)| **value > 0.1) {
        let index = [at % width, at / width % height, at / (width * height)].map(|i| i as f64);
        let place = found.fixed.place(index);
        let (one, other) = (found.map(place).place, truth.map(place).place);
        sum += (0..3).map(|axis| (one[axis] - other[axis]).powi(2)).sum::<f64>().sqrt();
        count += 1.0;
    }
    sum / count
}

#[test]
fn gradients_are_differences_of_the_cost() {
    let pair = Pair::new([24, 21, 18], 3);
    for similarity in MEASURES {
        let problem = pair.problem(11.0, similarity);
        let coefficients = random(*pair.fixed.grid(), 11.0, 0.8, 9).coefficients;
        let cost = |coefficients: &[f64]| {
            problem.evaluate(coefficients, Precision::Double, Cpu::default()).unwrap().cost
        };
        let found = problem.evaluate(&coefficients, Precision::Double, Cpu::default()).unwrap();
        let greatest = found.gradient.iter().fold(0.0f64, |greatest, part| greatest.max(part.abs()));
        let mut stream = Stream(77);
        for _ in 0..12 {
            let at = (stream.next() * coefficients.len() as f64) as usize;
            let moved = |by: f64| {
                let mut moved = coefficients.clone();
                moved[at] += by;
                cost(&moved)
            };
            let (low, high) = (moved(-1e-6), moved(1e-6));
            if low.counted != high.counted {
                continue;
            }
            let difference = (high.total - low.total) / 2e-6;
            let off = (difference - found.gradient[at]).abs() / greatest;
            assert!(off < 2e-6, "{similarity}, {at}: {difference} is not {}", found.gradient[at]);
        }
    }
}

#[test]
fn single_precision_is_close_to_double() {
    let pair = Pair::new([33, 30, 28], 4);
    for similarity in MEASURES {
        let problem = pair.problem(9.0, similarity);
        let coefficients = random(*pair.fixed.grid(), 9.0, 1.0, 2).coefficients;
        let of = |precision| problem.evaluate(&coefficients, precision, Cpu::default()).unwrap();
        let (single, double) = (of(Precision::Single), of(Precision::Double));
        assert!((single.cost.total - double.cost.total).abs() < 1e-5 * double.cost.total.abs());
        let greatest = double.gradient.iter().fold(0.0f64, |greatest, part| greatest.max(part.abs()));
        let off = single.gradient.iter().zip(&double.gradient).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-3 * greatest, "{similarity}");
    }
}

#[test]
fn refinement_leaves_the_field_unchanged() {
    for (size, delta) in [([17, 30, 12], 13.0), ([40, 9, 22], 8.5), ([5, 4, 6], 40.0)] {
        let coarse = random(grid(size, [1.0, 1.5, 0.7], STRAIGHT), delta, 3.0, 8);
        let lattice = Lattice::new(&coarse.fixed, delta / 2.0).unwrap();
        let coefficients = refine(&coarse.lattice, &coarse.coefficients, &lattice);
        let fine = Transform { lattice, coefficients, ..coarse.clone() };
        let planes = 0..size[2];
        let of = |transform: &Transform| transform.displacements(planes.clone(), Cpu::default()).into_iter();
        for (one, other) in of(&coarse).flatten().zip(of(&fine).flatten()) {
            assert!(one.iter().zip(&other).all(|(one, other)| (one - other).abs() < 1e-12));
        }
        assert_eq!(refine(&fine.lattice, &fine.coefficients, &fine.lattice), fine.coefficients);
    }
}

#[test]
fn known_fields_are_found() {
    let pair = Pair::new([36, 40, 32], 12);
    let still = random(*pair.fixed.grid(), 16.0, 0.0, 1);
    let before = error(&still, &pair.truth, &pair.fixed);
    for (similarity, optimiser) in MEASURES
        .map(|similarity| (similarity, Optimiser::Lbfgs))
        .into_iter()
        .chain([(Similarity::Ssd, Optimiser::Cg), (Similarity::Ssd, Optimiser::Descent)])
    {
        let problem = LevelProblem { optimiser, bending: 0.001, ..pair.problem(16.0, similarity) };
        let start = vec![0.0; problem.lattice.coefficients()];
        let mut run = LevelRun::new(problem, start, Cpu::default()).unwrap();
        run.run(60, &mut |_| ControlFlow::Continue(()));
        let coefficients = run.coefficients().to_vec();
        let found = Transform { coefficients, ..still.clone() };
        let after = error(&found, &pair.truth, &pair.fixed);
        assert!(after < 0.3 * before, "{similarity} {optimiser}: {before} to {after}");
        let planes = 0..found.fixed.size()[2];
        assert_eq!(Folding::of(found.determinants(planes, Cpu::default()).concat()).folded, 0);
        assert!(run.trace().windows(2).all(|rows| rows[1].cost.total < rows[0].cost.total));
    }
}

#[test]
fn there_and_back_is_nearly_nothing() {
    // Both directions of a known field: one registration undoes the other where there is content.
    let pair = Pair::new([36, 40, 32], 21);
    let solve = |fixed: &ScaledVolume, moving: &ScaledVolume| {
        let problem =
            LevelProblem { fixed, moving, full: fixed.grid(), ..pair.problem(16.0, Similarity::Ssd) };
        let lattice = Lattice::new(fixed.grid(), 16.0).unwrap();
        let problem = LevelProblem { lattice, bending: 0.001, ..problem };
        let mut run = LevelRun::new(problem, vec![0.0; lattice.coefficients()], Cpu::default()).unwrap();
        run.run(80, &mut |_| ControlFlow::Continue(()));
        let coefficients = run.coefficients().to_vec();
        Transform { fixed: *fixed.grid(), affine: problem.affine, lattice, coefficients }
    };
    let (there, back) = (solve(&pair.fixed, &pair.moving), solve(&pair.moving, &pair.fixed));
    let [width, height, _] = pair.fixed.grid().size();
    let (mut moved, mut returned, mut count) = (0.0, 0.0, 0.0);
    for (at, _) in pair.fixed.values().iter().enumerate().filter(|(_, value)| **value > 0.3) {
        let place = pair
            .fixed
            .grid()
            .place([at % width, at / width % height, at / (width * height)].map(|i| i as f64));
        let there = there.map(place).place;
        let home = back.map(there).place;
        let apart =
            |other: [f64; 3]| (0..3).map(|axis| (place[axis] - other[axis]).powi(2)).sum::<f64>().sqrt();
        (moved, returned, count) = (moved + apart(there), returned + apart(home), count + 1.0);
    }
    assert!(count > 500.0 && returned < 0.35 * moved, "{} {}", moved / count, returned / count);
}

#[test]
fn volumes_apart_are_refused() {
    let pair = Pair::new([24, 21, 18], 3);
    let far = onceflow_kernels::registration::Affine::translation([90.0, 0.0, 0.0]);
    let problem = LevelProblem { affine: far, ..pair.problem(11.0, Similarity::Ssd) };
    let start = vec![0.0; problem.lattice.coefficients()];
    let Err(NoOverlap { counted, of, apart }) = LevelRun::new(problem, start, Cpu::default()) else {
        panic!()
    };
    assert!(counted == 0 && of == 24 * 21 * 18 && (apart - 90.0).abs() < 1e-9);
}

#[test]
fn a_volume_that_fits_already_stays() {
    let scene = volume(grid([20, 22, 24], [1.5; 3], STRAIGHT), blobs);
    let pair = Pair {
        fixed: scene.clone(),
        moving: scene,
        truth: random(grid([20, 22, 24], [1.5; 3], STRAIGHT), 9.0, 0.0, 1),
    };
    let problem = pair.problem(9.0, Similarity::Ssd);
    let start = vec![0.0; problem.lattice.coefficients()];
    let mut run = LevelRun::new(problem, start.clone(), Cpu::default()).unwrap();
    // Equal grids lose no border to rounding.
    assert_eq!(run.cost().counted, 20 * 22 * 24);
    let ended = run.run(5, &mut |_| ControlFlow::Continue(()));
    assert!(ended == Some(Ended::Flat) || ended == Some(Ended::Stalled), "{ended:?}");
    assert_eq!(run.coefficients(), start);
}

#[test]
fn whole_numbers_keep_their_type() {
    let fixed = grid([10, 9, 8], [1.0; 3], STRAIGHT);
    let moved = onceflow_kernels::registration::Affine::translation([0.5, 0.0, 0.0]);
    let transform = Transform::affine(fixed, moved, Lattice::new(&fixed, 4.0).unwrap());
    let values: Vec<i16> = (0..720).map(|at| [-3, 4, 5][at % 3]).collect();
    let Some(Pixels::I16(found)) =
        warped(&transform, &fixed, &Pixels::I16(values.clone()), None, None, Cpu::default())
    else {
        panic!()
    };
    for at in 0..720 {
        let expected = match at % 10 {
            9 => -3,
            _ => (f64::from(values[at] + values[at + 1]) / 2.0).round_ties_even() as i16,
        };
        assert_eq!(found[at], expected, "{at}");
    }
    let labels: Vec<u16> = (0..720).map(|at| 60_000 + at as u16 % 7).collect();
    let still = Transform::affine(fixed, onceflow_kernels::registration::Affine::IDENTITY, transform.lattice);
    let found = warped_labels(&still, &fixed, &Pixels::U16(labels.clone()), Cpu::default());
    assert_eq!(found, Some(Pixels::U16(labels)));
    assert_eq!(warped_labels(&still, &fixed, &Pixels::U8(vec![1]), Cpu::default()), None);
}

#[test]
fn folds_are_held_off() {
    // Without bending, noise tears a field apart: the guard keeps every place the right side out.
    let pair = Pair::new([30, 28, 26], 5);
    let mut stream = Stream(4);
    let mut noise = |grid: Grid| {
        let values = (0..grid.voxels()).map(|_| stream.next() as f32).collect();
        ScaledVolume::scale(grid, &Pixels::F32(values), None, None).unwrap().volume
    };
    let (fixed, noise) = (noise(*pair.fixed.grid()), noise(*pair.moving.grid()));
    let problem =
        LevelProblem { fixed: &fixed, moving: &noise, bending: 0.0, ..pair.problem(6.0, Similarity::Ssd) };
    let mut run = LevelRun::new(problem, vec![0.0; problem.lattice.coefficients()], Cpu::default()).unwrap();
    run.run(60, &mut |_| ControlFlow::Continue(()));
    let state = run.state();
    assert!(state.trace().iter().any(near_fold), "nothing came near a fold");
    let transform = Transform {
        fixed: *problem.full,
        affine: problem.affine,
        lattice: problem.lattice,
        coefficients: state.coefficients().to_vec(),
    };
    let found = Folding::of(transform.determinants(0..26, Cpu::default()).concat());
    assert!(found.share() < 1e-3 && found.least > -0.1, "{found:?}");
}

/// Whether the guard costs something: without bending it is all that the cost has beside the similarity.
fn near_fold(row: &onceflow_kernels::registration::TraceRow) -> bool {
    row.cost.total > row.cost.similarity
}

#[test]
fn the_guard_has_the_gradient_of_its_cost() {
    let pair = Pair::new([24, 21, 18], 3);
    let problem = LevelProblem { bending: 0.0, ..pair.problem(6.0, Similarity::Ssd) };
    let coefficients = random(*pair.fixed.grid(), 6.0, 12.0, 31).coefficients;
    let folding =
        |coefficients: &[f64]| problem.evaluate(coefficients, Precision::Double, Cpu::default()).unwrap();
    let found = folding(&coefficients);
    assert!(found.folding > 1e-3, "{} {:?}", found.folding, found.cost);
    let mut stream = Stream(3);
    let mut asked = 0;
    while asked < 8 {
        let at = (stream.next() * coefficients.len() as f64) as usize;
        let moved = |by: f64| {
            let mut moved = coefficients.clone();
            moved[at] += by;
            folding(&moved).cost
        };
        let (low, high) = (moved(-1e-6), moved(1e-6));
        if low.counted == high.counted {
            let difference = (high.total - low.total) / 2e-6;
            let scale = found.gradient.iter().fold(0.0f64, |greatest, part| greatest.max(part.abs()));
            assert!(
                (difference - found.gradient[at]).abs() < 1e-5 * scale,
                "{difference} {}",
                found.gradient[at]
            );
            asked += 1;
        }
    }
}
