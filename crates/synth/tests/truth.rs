//! The truth is sound and the picture shows it: nuclei are whole, dark, sometimes touching, and blood is red.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::collections::BTreeMap;

use onceflow_synth::{Tissue, TissueTile};

const SIDE: usize = 1000;

fn tile(seed: u64) -> TissueTile {
    Tissue::new(SIDE as u64, SIDE as u64, seed).unwrap().render(0, 0, SIDE, SIDE).unwrap()
}

/// The pixels of each nucleus.
fn nuclei(tile: &TissueTile) -> BTreeMap<u32, Vec<usize>> {
    let mut nuclei: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, &label) in tile.labels.iter().enumerate().filter(|&(_, &label)| label > 0) {
        nuclei.entry(label).or_default().push(index);
    }
    nuclei
}

/// How many pixels of the same label can be reached from the first one through sides.
fn connected(labels: &[u32], first: usize) -> usize {
    let (mut seen, mut open) = (vec![first], vec![first]);
    while let Some(at) = open.pop() {
        for next in neighbours(at).filter(|&next| labels[next] == labels[first]) {
            if !seen.contains(&next) {
                seen.push(next);
                open.push(next);
            }
        }
    }
    seen.len()
}

fn neighbours(at: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (at % SIDE, at / SIDE);
    let left = (x > 0).then(|| at - 1);
    let right = (x + 1 < SIDE).then_some(at + 1);
    let up = (y > 0).then(|| at - SIDE);
    let down = (y + 1 < SIDE).then_some(at + SIDE);
    [left, right, up, down].into_iter().flatten()
}

#[test]
fn a_label_is_one_nucleus_of_bounded_extent() {
    let tile = tile(3);
    let nuclei = nuclei(&tile);
    let cells = (SIDE.div_ceil(24) + 4).pow(2) as u32;
    for (&label, pixels) in &nuclei {
        let extent = |part: fn(usize) -> usize| {
            let places = || pixels.iter().map(|&at| part(at));
            places().max().unwrap() - places().min().unwrap()
        };
        assert!(label <= cells, "label {label} of {cells} cells");
        assert!(extent(|at| at % SIDE) < 80 && extent(|at| at / SIDE) < 80, "nucleus {label}");
    }
    let whole = nuclei.values().filter(|pixels| connected(&tile.labels, pixels[0]) == pixels.len()).count();
    assert!(whole * 100 >= nuclei.len() * 97, "{whole} of {} nuclei are in one piece", nuclei.len());
}

#[test]
fn some_nuclei_touch_and_most_do_not() {
    let tile = tile(4);
    let touches = |&at: &usize| neighbours(at).any(|next| ![0, tile.labels[at]].contains(&tile.labels[next]));
    let nuclei = nuclei(&tile);
    let share =
        nuclei.values().filter(|pixels| pixels.iter().any(touches)).count() as f64 / nuclei.len() as f64;
    assert!((0.08..0.5).contains(&share), "{share} of the nuclei touch another");
}

#[test]
fn nuclei_are_darker_in_red_than_what_surrounds_them_and_vary() {
    let tile = tile(5);
    let mean = |pixels: &[usize]| {
        pixels.iter().map(|&at| f64::from(tile.rgb[3 * at])).sum::<f64>() / pixels.len() as f64
    };
    let outside: Vec<usize> = (0..SIDE * SIDE).filter(|&at| tile.labels[at] == 0).collect();
    let mut inside: Vec<f64> = nuclei(&tile).values().map(|pixels| mean(pixels)).collect();
    inside.sort_by(f64::total_cmp);
    let (tenth, ninetieth) = (inside[inside.len() / 10], inside[inside.len() * 9 / 10]);
    assert!(mean(&outside) - ninetieth > 40.0, "outside {}, pale nuclei {ninetieth}", mean(&outside));
    assert!(ninetieth - tenth > 35.0, "nuclei from {tenth} to {ninetieth}");
}

#[test]
fn vessels_hold_blood_that_the_red_rule_finds() {
    let tile = tile(4);
    let red =
        tile.rgb.chunks_exact(3).filter(|p| u32::from(p[0]) > 5 * u32::from(p[1]) && p[0] > p[2]).count();
    assert!((500..50_000).contains(&red), "{red} pixels of blood");
}

#[test]
fn small_images_are_tissue_and_large_ones_show_bare_glass_too() {
    for seed in 0..20 {
        let tile = Tissue::new(200, 200, seed).unwrap().render(0, 0, 200, 200).unwrap();
        assert!(tile.labels.iter().any(|&label| label > 0), "seed {seed}");
    }
    let tissue = Tissue::new(100_000, 100_000, 2).unwrap();
    let bare = |i: u64| {
        let tile = tissue.render(i % 20 * 5000, i / 20 * 5000, 6, 6).unwrap();
        tile.rgb.iter().all(|&value| value > 220)
    };
    let share = (0..400).filter(|&i| bare(i)).count() as f64 / 400.0;
    assert!((0.2..0.6).contains(&share), "{share} bare");
}
