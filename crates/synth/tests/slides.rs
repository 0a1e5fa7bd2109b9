//! Slides differ in stain, and in the density and the size of their nuclei; images of one slide do not.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use onceflow_synth::Tissue;

const SIDE: usize = 500;

/// Mean colours, number of nuclei and mean area.
#[derive(Clone, Copy, Debug)]
struct Seen {
    red: f64,
    nuclei: f64,
    area: f64,
}

/// The means over some places of a slide; of no slide for `None`.
fn seen(slide: Option<u64>) -> Seen {
    let places = [1, 2, 3, 4, 5, 6].map(|seed| {
        let tissue = Tissue::new(SIDE as u64, SIDE as u64, seed).unwrap();
        let tissue = slide.map_or(tissue.clone(), |slide| tissue.of_slide(slide));
        assert_eq!(tissue.slide(), slide);
        let tile = tissue.render(0, 0, SIDE, SIDE).unwrap();
        let mut areas: HashMap<u32, usize> = HashMap::new();
        tile.labels
            .iter()
            .filter(|label| **label != 0)
            .for_each(|label| *areas.entry(*label).or_default() += 1);
        let red = tile.rgb.iter().step_by(3).map(|red| f64::from(*red)).sum::<f64>();
        (red / (SIDE * SIDE) as f64, areas.len() as f64, areas.values().sum::<usize>() as f64)
    });
    let sum = |of: fn(&(f64, f64, f64)) -> f64| places.iter().map(of).sum::<f64>();
    let (red, nuclei, pixels) = (sum(|p| p.0) / 6.0, sum(|p| p.1), sum(|p| p.2));
    Seen { red, nuclei, area: pixels / nuclei }
}

#[test]
fn slides_shift_stain_density_and_size() {
    let slides: Vec<Seen> = (0..8).map(|slide| seen(Some(slide))).collect();
    let range = |of: fn(&Seen) -> f64| {
        let values = slides.iter().map(of);
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
        (high - low) / of(&seen(None))
    };
    assert!(range(|seen| seen.red) > 0.03, "{slides:?}");
    assert!(range(|seen| seen.nuclei) > 0.2, "{slides:?}");
    assert!(range(|seen| seen.area) > 0.2, "{slides:?}");
}

#[test]
fn a_tile_of_a_slide_equals_that_part_of_the_whole() {
    let tissue = Tissue::new(300, 200, 4).unwrap().of_slide(9);
    let (whole, part) = (tissue.render(0, 0, 300, 200).unwrap(), tissue.render(120, 70, 90, 60).unwrap());
    for y in 0..60 {
        let (from, to) = ((70 + y) * 300 + 120, y * 90);
        assert_eq!(whole.labels[from..from + 90], part.labels[to..to + 90]);
        assert_eq!(whole.rgb[3 * from..3 * (from + 90)], part.rgb[3 * to..3 * (to + 90)]);
    }
    assert_ne!(
        tissue.render(0, 0, 300, 200),
        Tissue::new(300, 200, 4).unwrap().of_slide(8).render(0, 0, 300, 200)
    );
}
