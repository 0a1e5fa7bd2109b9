//! The reference numbers of every part, in double precision and in the precision in which levels run.

use onceflow_kernels::Cpu;
use onceflow_kernels::registration::{
    Affine, Grid, LandmarkErrors, Lattice, LevelProblem, Precision, Pyramid, ScaledVolume, Similarities,
    Similarity, Transform, overlap, refine, similarities, warped,
};
use onceflow_region::{Pixels, VolumeGeometry};
use serde_json::Value;

use crate::cases::{Cases, close, grid, list, places, three};

/// What samples may be off in single precision, by the greatest number.
const SINGLE: f64 = 2e-5;

/// The fixed and the moving volume of the case `similarity`.
fn pair(cases: &Cases, masked: bool) -> (ScaledVolume, ScaledVolume) {
    let (case, masks) = (cases.case("similarity"), cases.case("masks"));
    let volume = |grid_name: &str, values: &str, mask: &str| {
        let mask = masked.then(|| cases.bytes(&masks, mask));
        ScaledVolume::from_parts(grid(&case[grid_name]), cases.singles(&case, values), mask).unwrap()
    };
    (volume("fixed", "fixed_values", "fixed_mask"), volume("moving", "moving_values", "moving_mask"))
}

fn similarity(word: &str, case: &Value) -> Similarity {
    let bins = case["bins"].as_u64().unwrap() as u32;
    match word {
        "nmi" => Similarity::Nmi { bins },
        "mi" => Similarity::Mi { bins },
        _ => Similarity::Ssd,
    }
}

fn problem<'a>(
    (fixed, moving): &'a (ScaledVolume, ScaledVolume),
    transform: &'a Transform,
    similarity: Similarity,
    bending: f64,
) -> LevelProblem<'a> {
    LevelProblem {
        fixed,
        moving,
        full: &transform.fixed,
        affine: transform.affine,
        lattice: transform.lattice,
        final_spacing: transform.lattice.delta,
        similarity,
        optimiser: Default::default(),
        tolerance: 1e-5,
        bending,
        step: 1.0,
    }
}

#[test]
fn transforms() {
    for cases in Cases::all() {
        let (case, transform) = (cases.case("transform"), cases.transform());
        let planes = 0..transform.fixed.size()[2];
        let made = transform.displacements(planes.clone(), Cpu::default());
        let moving = cases.named(&case, "places");
        let voxels = transform.fixed.voxels();
        let [width, height, _] = transform.fixed.size();
        let place = |at: usize| {
            transform.fixed.place([at % width, at / width % height, at / (width * height)].map(|i| i as f64))
        };
        // The displacement of the reference is the spline alone, ours is the whole map's.
        let found: Vec<f64> = (0..3)
            .flat_map(|axis| made.iter().flat_map(move |plane| plane[axis].clone()))
            .enumerate()
            .map(|(at, by)| by + place(at % voxels)[at / voxels])
            .collect();
        close("places", &found, &moving, 1e-10);
        let spline = cases.named(&case, "displacement");
        let bare = Transform { affine: Affine::IDENTITY, ..transform.clone() };
        let made = bare.displacements(planes.clone(), Cpu::default());
        let found: Vec<f64> =
            (0..3).flat_map(|axis| made.iter().flat_map(move |plane| plane[axis].clone())).collect();
        close("displacement", &found, &spline, 1e-10);
        for at in 0..voxels {
            let mapped = transform.map(place(at));
            assert!(mapped.inside);
            let expected: Vec<f64> = (0..3).map(|axis| moving[axis * voxels + at]).collect();
            close("place", &mapped.place, &expected, 1e-10);
        }
        let determinants = transform.determinants(planes, Cpu::default()).concat();
        close("jacobian", &determinants, &cases.named(&case, "jacobian"), 1e-10);
        let folded = determinants.iter().filter(|value| **value <= 0.0).count() as u64;
        assert_eq!(Some(folded), case["folded"].as_u64());
    }
}

#[test]
fn similarities_and_histograms() {
    for cases in Cases::all() {
        for masked in [false, true] {
            let (full, transform) = (cases.case("similarity"), cases.transform());
            let case = if masked { cases.case("masks") } else { full };
            let volumes = pair(&cases, masked);
            for (precision, tolerance) in [(Precision::Double, 1e-9), (Precision::Single, SINGLE)] {
                check_similarity(&cases, &case, &volumes, &transform, precision, tolerance, masked);
            }
        }
    }
}

fn check_similarity(
    cases: &Cases,
    case: &Value,
    volumes: &(ScaledVolume, ScaledVolume),
    transform: &Transform,
    precision: Precision,
    tolerance: f64,
    masked: bool,
) {
    for word in ["nmi", "mi", "ssd"] {
        let problem = problem(volumes, transform, similarity(word, case), 0.0);
        let found = problem.evaluate(&transform.coefficients, precision, Cpu::default()).unwrap();
        let expected = case[word].as_f64().unwrap();
        let sign = if word == "ssd" { 1.0 } else { -1.0 };
        close(word, &[sign * found.cost.similarity], &[expected], tolerance);
        assert_eq!(Some(found.cost.counted), case["count"].as_u64());
        let counted: Vec<u8> = found.counted.iter().map(|counted| u8::from(*counted)).collect();
        assert_eq!(counted, cases.bytes(case, "counted"));
        if let (Some(joint), false) = (&found.joint, masked) {
            let names = ["entropy_fixed", "entropy_warped", "entropy_joint"];
            let entropies = names.map(|name| case[name].as_f64().unwrap());
            close("entropies", &joint.entropies(), &entropies, tolerance);
            // The reference has the bin of the fixed value as the fastest index.
            let bins = joint.bins();
            let turned: Vec<f64> =
                (0..bins * bins).map(|at| joint.shares()[at % bins * bins + at / bins]).collect();
            close("joint histogram", &turned, &cases.named(case, "joint"), tolerance);
            close("warped", &found.warped, &cases.named(case, "warped"), tolerance);
        }
    }
}

#[test]
fn gradients() {
    for cases in Cases::all() {
        let (volumes, transform) = (pair(&cases, false), cases.transform());
        for word in ["ssd", "nmi", "mi"] {
            let case = cases.case(&format!("gradient-{word}"));
            let bending = case["bending"].as_f64().unwrap();
            let problem = problem(&volumes, &transform, similarity(word, &case), bending);
            for (precision, tolerance) in [(Precision::Double, 1e-9), (Precision::Single, SINGLE)] {
                let found = problem.evaluate(&transform.coefficients, precision, Cpu::default()).unwrap();
                close("cost", &[found.cost.total], &[case["cost"].as_f64().unwrap()], tolerance);
                close(word, &found.gradient, &cases.named(&case, "gradient"), tolerance);
            }
        }
    }
}

#[test]
fn bending_energies() {
    for cases in Cases::all() {
        let (case, transform) = (cases.case("bending"), cases.transform());
        let volumes = pair(&cases, false);
        let at = |weight: f64, coefficients: &[f64]| {
            let problem = problem(&volumes, &transform, Similarity::Ssd, weight);
            problem.evaluate(coefficients, Precision::Double, Cpu::default()).unwrap()
        };
        let (with, without) = (at(1.0, &transform.coefficients), at(0.0, &transform.coefficients));
        close("energy", &[with.cost.bending], &[case["energy"].as_f64().unwrap()], 1e-10);
        let difference: Vec<f64> = with.gradient.iter().zip(&without.gradient).map(|(a, b)| a - b).collect();
        close("gradient", &difference, &cases.named(&case, "gradient"), 1e-10);
        let linear = cases.named(&case, "linear");
        // A linear field may move the volumes apart: the energy is asked with volumes that always overlap.
        let energy = linear_energy(&transform, &linear, &volumes);
        assert!(energy < case["linear_energy_below"].as_f64().unwrap(), "{energy:e}");
    }
}

fn linear_energy(transform: &Transform, linear: &[f64], volumes: &(ScaledVolume, ScaledVolume)) -> f64 {
    let full = *volumes.1.grid();
    let geometry = VolumeGeometry { spacing: full.spacing().map(|side| 50.0 * side), ..*full.geometry() };
    let wide =
        Grid::new(full.size(), VolumeGeometry { origin: [-300.0, -300.0, -500.0], ..geometry }).unwrap();
    let moving = ScaledVolume::from_parts(wide, volumes.1.values().to_vec(), None).unwrap();
    let pair = (volumes.0.clone(), moving);
    let problem = problem(&pair, transform, Similarity::Ssd, 1.0);
    problem.evaluate(linear, Precision::Double, Cpu::default()).unwrap().cost.bending
}

#[test]
fn pyramids() {
    for cases in Cases::all() {
        let case = cases.case("pyramid");
        let size = three(&case["full"]["shape"]);
        let grid = Grid::new(size, VolumeGeometry::default()).unwrap();
        let full = ScaledVolume::from_parts(grid, cases.singles(&case, "full"), None).unwrap();
        let pyramid = Pyramid::new(full, 3, Cpu::default());
        let spacings: Vec<Vec<f64>> = case["spacing"].as_array().unwrap().iter().map(list).collect();
        for (level, name) in [(3, "full"), (2, "half"), (1, "quarter")] {
            let step = pyramid.level(level).unwrap();
            assert_eq!(step.grid().size(), three(&case[name]["shape"]));
            assert_eq!(step.grid().spacing(), *spacings[3 - level as usize]);
            let found: Vec<f64> = step.values().iter().map(|value| f64::from(*value)).collect();
            close(name, &found, &cases.named(&case, name), 2e-7);
        }
    }
}

#[test]
fn refinements() {
    for cases in Cases::all() {
        let case = cases.case("refine");
        let spacing = <[f64; 3]>::try_from(list(&case["spacing"])).unwrap();
        let geometry = VolumeGeometry { spacing, ..VolumeGeometry::default() };
        let grid = Grid::new(three(&case["size"]), geometry).unwrap();
        let lattice = |name: &str| Lattice::new(&grid, case[name].as_f64().unwrap()).unwrap();
        let (from, to) = (lattice("coarse_delta"), lattice("fine_delta"));
        assert_eq!(to.counts, three(&case["fine"]["shape"])[..3]);
        let made = refine(&from, &cases.named(&case, "coarse"), &to);
        close("refined", &made, &cases.named(&case, "fine"), 1e-12);
    }
}

#[test]
fn overlaps() {
    for cases in Cases::all() {
        let case = cases.case("metrics");
        let (a, b) = (cases.bytes(&case, "labels_a"), cases.bytes(&case, "labels_b"));
        let found = overlap(&Pixels::U8(a), &Pixels::U8(b)).unwrap();
        for label in &found.labels {
            let expected = case["dice"][label.label.to_string()].as_f64().unwrap();
            close("dice", &[label.dice], &[expected], 1e-12);
        }
        assert_eq!(found.labels.len(), case["dice"].as_object().unwrap().len());
        close("mean", &[found.dice.unwrap()], &[case["mean_dice"].as_f64().unwrap()], 1e-12);
    }
}

#[test]
fn landmarks() {
    for cases in Cases::all() {
        let (case, transform) = (cases.case("metrics"), cases.transform());
        let (from, to) = (places(&case["landmarks"]), places(&case["targets"]));
        let found = LandmarkErrors::of(&transform, &from, &to).unwrap();
        let mapped: Vec<f64> = found.mapped.iter().flat_map(|mapped| mapped.place).collect();
        close("mapped", &mapped, places(&case["mapped"]).as_flattened(), 1e-10);
        close("errors", &found.errors, &list(&case["landmark_errors"]), 1e-10);
        close("mean", &[found.mean], &[case["mean_landmark_error"].as_f64().unwrap()], 1e-10);
        assert_eq!(found.outside, 0);
    }
}

#[test]
fn warped_volumes() {
    for cases in Cases::all() {
        let (case, transform) = (cases.case("similarity"), cases.transform());
        let moving = grid(&case["moving"]);
        let values = Pixels::F32(cases.singles(&case, "moving_values"));
        let found = warped(&transform, &moving, &values, None, Some(0.0), Cpu::default()).unwrap();
        let Pixels::F32(found) = found else { panic!("{:?}", found.element()) };
        let found: Vec<f64> = found.into_iter().map(f64::from).collect();
        close("warped", &found, &cases.named(&case, "warped"), 1e-7);
        let found = similarities_of(&cases, &transform);
        for (name, found) in [("nmi", found.nmi), ("mi", found.mi), ("ssd", found.ssd)] {
            close(name, &[found], &[case[name].as_f64().unwrap()], SINGLE);
        }
    }
}

fn similarities_of(cases: &Cases, transform: &Transform) -> Similarities {
    let (fixed, moving) = pair(cases, false);
    let bins = cases.case("similarity")["bins"].as_u64().unwrap() as u32;
    similarities(transform, &fixed, &moving, bins, Cpu::default()).unwrap()
}
