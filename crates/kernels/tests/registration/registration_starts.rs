//! Affine starts.

use onceflow_kernels::Cpu;
use onceflow_kernels::registration::{Affine, AffineSearch, Optimiser, Pyramid, Similarity, Start, initial};

use crate::scenes::{STRAIGHT, TURNED, blobs, grid, volume};

fn search(similarity: Similarity) -> AffineSearch {
    AffineSearch { similarity, optimiser: Optimiser::Lbfgs, tolerance: 1e-5 }
}

#[test]
fn an_affine_map_is_found() {
    let map = Affine([[0.97, 0.12, 0.0, 3.0], [-0.1, 1.04, 0.05, -2.5], [0.02, 0.0, 0.95, 4.0]]);
    let fixed = volume(grid([34, 36, 33], [1.6, 1.5, 1.75], STRAIGHT), |place| blobs(map.apply(place)));
    let moving = volume(grid([48, 44, 46], [1.5; 3], TURNED), blobs);
    let (fixed, moving) = (Pyramid::new(fixed, 3, Cpu::default()), Pyramid::new(moving, 3, Cpu::default()));
    for similarity in [Similarity::default(), Similarity::Ssd] {
        let found = initial(Start::Affine, &fixed, &moving, search(similarity), Cpu::default()).unwrap();
        let worst = (0..27).map(|at| {
            let place = [at % 3, at / 3 % 3, at / 9].map(|step| 12.0 * (step as f64 - 1.0));
            let (one, other) = (found.apply(place), map.apply(place));
            (0..3).map(|axis| (one[axis] - other[axis]).abs()).fold(0.0, f64::max)
        });
        let worst = worst.fold(0.0, f64::max);
        assert!(worst < 0.6, "{similarity}: {worst} mm, {found:?}");
    }
}

#[test]
fn centres_and_moments() {
    let apart = Affine::translation([7.0, -6.0, 5.0]);
    let fixed = volume(grid([40, 40, 40], [1.5; 3], STRAIGHT), blobs);
    let moving = volume(grid([52, 50, 48], [1.5; 3], STRAIGHT), |place| {
        blobs(Affine::translation([-7.0, 6.0, -5.0]).apply(place))
    });
    let (fixed, moving) = (Pyramid::new(fixed, 2, Cpu::default()), Pyramid::new(moving, 2, Cpu::default()));
    let of = |start| initial(start, &fixed, &moving, search(Similarity::Ssd), Cpu::default()).unwrap();
    assert_eq!(of(Start::Identity), Affine::IDENTITY);
    assert_eq!(of(Start::Given(apart)), apart);
    let centres = of(Start::Centres).apply([0.0; 3]);
    assert!(centres.iter().all(|part| part.abs() < 1e-9), "{centres:?}");
    let moments = of(Start::Moments).apply([0.0; 3]);
    assert!(
        moments.iter().zip([7.0, -6.0, 5.0]).all(|(found, expected)| (found - expected).abs() < 0.3),
        "{moments:?}"
    );
}
