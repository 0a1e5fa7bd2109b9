//! What tiles make together, against the same operation on the whole image.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;

use naive::images::{Strided, mask, shapes, spiral, strided};
use naive::plane;
use onceflow_kernels::nuclei::{SplitScratch, split, split_object};
use onceflow_kernels::seams::{Areas, Holes, Numbering, Reconstruction, SeamGrid, Selection, uncut_objects};
use onceflow_kernels::{
    Connectivity, GreyScratch, GreyValue, ON, Objects, Plane, StructuringElement, View, Window, fill_holes,
    filter_area, label, open, reconstruct, select,
};
use proptest::prelude::*;

const BOTH: [Connectivity; 2] = [Connectivity::Four, Connectivity::Eight];

/// Lays tiles side by side; the windows of a grid must cover every pixel once.
fn assemble<T: Copy + Default>(grid: &SeamGrid, mut tile: impl FnMut(usize, Window) -> Plane<T>) -> Plane<T> {
    let image = grid.image();
    let mut whole = Plane::filled(T::default(), image.width, image.height);
    let mut covered = 0;
    for at in 0..grid.len() {
        let window = grid.window(at);
        put(&mut whole, window, tile(at, window).view());
        covered += window.len();
    }
    assert_eq!(covered, image.len());
    whole
}

fn put<T: Copy>(whole: &mut Plane<T>, window: Window, part: View<'_, T>) {
    let mut target = whole.view_mut();
    for (y, row) in part.rows().enumerate() {
        target.row_mut(window.top + y)[window.left..window.left + window.width].copy_from_slice(row);
    }
}

fn check_masks(grid: &SeamGrid, mask: View<'_, u8>, seeds: View<'_, u8>) {
    for connectivity in BOTH {
        check_areas(grid, mask, connectivity);
        check_holes(grid, mask, connectivity);
        check_selection(grid, mask, seeds, connectivity);
        check_labels(grid, mask, connectivity);
    }
}

fn check_areas(grid: &SeamGrid, mask: View<'_, u8>, connectivity: Connectivity) {
    let mut areas = Areas::new(grid, connectivity);
    (0..grid.len()).for_each(|tile| areas.visit(grid.window(tile).of(mask)));
    let merged = areas.merged();
    let components = label(mask, connectivity).components;
    assert_eq!(merged.pixels(), components.iter().map(|component| component.area).sum::<u64>());
    for (lowest, end) in [(2, Some(5)), (3, None), (-4, Some(20)), (0, Some(-1)), (30, Some(400))] {
        let found = assemble(grid, |tile, window| merged.filter(tile, window.of(mask), lowest, end));
        assert_eq!(found, filter_area(mask, lowest, end, connectivity));
        let kept = components.iter().map(|component| component.area as i64);
        let kept = kept.filter(|area| lowest <= *area && end.is_none_or(|end| *area < end));
        assert_eq!(merged.count(lowest, end), kept.count() as u64);
    }
}

fn check_holes(grid: &SeamGrid, mask: View<'_, u8>, connectivity: Connectivity) {
    let mut holes = Holes::new(grid, connectivity);
    (0..grid.len()).for_each(|tile| holes.visit(grid.window(tile).of(mask)));
    let merged = holes.merged();
    let found = assemble(grid, |tile, window| merged.fill(tile, window.of(mask)));
    assert_eq!(found, fill_holes(mask, connectivity));
}

fn check_selection(grid: &SeamGrid, mask: View<'_, u8>, seeds: View<'_, u8>, connectivity: Connectivity) {
    let mut selection = Selection::new(grid, connectivity);
    for tile in 0..grid.len() {
        selection.visit(grid.window(tile).of(mask), grid.window(tile).of(seeds));
    }
    let merged = selection.merged();
    let found = assemble(grid, |tile, window| merged.select(tile, window.of(mask)));
    assert_eq!(found, select(mask, seeds, connectivity));
}

fn check_labels(grid: &SeamGrid, mask: View<'_, u8>, connectivity: Connectivity) {
    let mut numbering = Numbering::new(grid, connectivity);
    (0..grid.len()).for_each(|tile| numbering.visit(grid.window(tile).of(mask)));
    let (found, numbered) = (numbering.clone().cut(), numbering.merged());
    let expected = label(mask, connectivity);
    assert_eq!(numbered.components(), expected.components);
    assert_eq!(assemble(grid, |tile, window| numbered.labels(tile, window.of(mask))), expected.plane);
    let mut tiles = vec![std::collections::HashSet::new(); expected.components.len()];
    for tile in 0..grid.len() {
        let labels = grid.window(tile).of(expected.plane.view());
        labels.rows().flatten().filter(|label| **label != 0).for_each(|label| {
            tiles[*label as usize - 1].insert(tile);
        });
    }
    let cut = expected.components.iter().zip(tiles).filter(|(_, tiles)| tiles.len() > 1);
    assert!(found.iter().eq(cut.map(|(component, _)| component)));
}

/// Settles tile by tile; between visits there is nothing but the image itself.
fn reconstruct_tiled<T: GreyValue>(
    grid: &SeamGrid,
    marker: View<'_, T>,
    mask: View<'_, T>,
    connectivity: Connectivity,
) -> Plane<T> {
    let mut image = marker.to_plane();
    let mut waiting = Reconstruction::new(grid, connectivity);
    let mut scratch = GreyScratch::default();
    while let Some(tile) = waiting.next_tile() {
        let (own, around) = (grid.window(tile), grid.around(tile, 1));
        let mut part = around.of(image.view()).to_plane();
        waiting.settle(tile, around.of(mask), part.view_mut(), &mut scratch);
        let (left, top) = (own.left - around.left, own.top - around.top);
        put(&mut image, own, part.view().crop(left, top, own.width, own.height).unwrap());
    }
    image
}

fn check_reconstruction(grid: &SeamGrid, marker: View<'_, u8>, mask: View<'_, u8>) {
    for connectivity in BOTH {
        let expected = reconstruct(marker, mask, connectivity);
        assert_eq!(reconstruct_tiled(grid, marker, mask, connectivity), expected);
        let [marker, mask, expected] = [marker, mask, expected.view()]
            .map(|view| plane(view.width(), view.height(), |x, y| f32::from(view.at(x, y)) / 3.0));
        assert_eq!(reconstruct_tiled(grid, marker.view(), mask.view(), connectivity), expected);
    }
}

fn check_halos(grid: &SeamGrid, image: View<'_, u8>) {
    for (element, halo) in [(StructuringElement::Cross3, 2), (StructuringElement::Disk19, 18)] {
        let found = assemble(grid, |tile, own| {
            let around = grid.around(tile, halo);
            let opened = open(around.of(image), element);
            let (left, top) = (own.left - around.left, own.top - around.top);
            opened.view().crop(left, top, own.width, own.height).unwrap().to_plane()
        });
        assert_eq!(found, open(image, element));
    }
}

/// Objects that no seam cuts are parted in their tile, the others in windows of their own.
fn check_objects(
    grid: &SeamGrid,
    colours: View<'_, [u8; 3]>,
    mask: View<'_, u8>,
    connectivity: Connectivity,
) {
    let mut numbering = Numbering::new(grid, Connectivity::Eight);
    (0..grid.len()).for_each(|tile| numbering.visit(grid.window(tile).of(mask)));
    let (cut, numbered) = (numbering.clone().cut(), numbering.merged());
    let mut found = plane(mask.width(), mask.height(), |x, y| if mask.at(x, y) == 0 { 0 } else { ON });
    let mut whole = 0;
    for tile in 0..grid.len() {
        let around = grid.around(tile, 1);
        let uncut = uncut_objects(grid, tile, around.of(mask));
        whole += Objects::of(uncut.view(), Connectivity::Eight).len();
        let parted = split(around.of(colours), uncut.view(), connectivity);
        for at in (0..uncut.pixels().len()).filter(|at| uncut.pixels()[*at] != parted.pixels()[*at]) {
            let (x, y) = (around.left + at % around.width, around.top + at / around.width);
            found.pixels_mut()[y * mask.width() + x] = 0;
        }
    }
    let objects = Objects::of(mask, Connectivity::Eight);
    assert_eq!(whole + cut.len(), objects.len());
    let mut scratch = SplitScratch::default();
    for object in (0..objects.len()).filter(|object| grid.cuts(&numbered.components()[*object])) {
        let window = objects.window(object);
        let mut alone = vec![0; window.len()];
        objects.paint(object, window, &mut alone);
        let alone = View::new(&alone, window.width, window.height).unwrap();
        for &(x, y) in split_object(window.of(colours), alone, connectivity, &mut scratch) {
            found.pixels_mut()[(window.top + y) * mask.width() + window.left + x] = 0;
        }
    }
    assert_eq!(found, split(colours, mask, connectivity));
}

fn spread(seed: u32, x: usize, y: usize) -> u32 {
    let mixed = (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca77) ^ seed;
    mixed.wrapping_mul(0xc2b2_ae3d).rotate_left(13).wrapping_mul(0x2545_f491) >> 16
}

fn seeds_on(mask: View<'_, u8>, seed: u32, rarity: u32) -> Plane<u8> {
    let is_seed = |x, y| spread(seed, x, y).is_multiple_of(rarity);
    plane(mask.width(), mask.height(), |x, y| if is_seed(x, y) { ON } else { 0 })
}

/// Where an image is cut: nowhere, everywhere, anywhere.
fn cuts() -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
    let some = || {
        prop_oneof![
            1 => Just(vec![]),
            1 => Just((0..70).collect::<Vec<_>>()),
            6 => prop::collection::vec(0..70usize, 0..6),
        ]
    };
    (some(), some())
}

fn grid(image: View<'_, u8>, (columns, rows): &(Vec<usize>, Vec<usize>)) -> SeamGrid {
    SeamGrid::with_cuts(image.width(), image.height(), columns, rows)
}

/// Giant components and holes: combs, rings in rings, spirals and their backgrounds, checkerboards.
fn giants() -> Vec<Plane<u8>> {
    let on = |set: bool| if set { ON } else { 0 };
    let mut all = shapes();
    let winding = spiral(61);
    all.push(plane(61, 61, |x, y| ON - winding.view().at(x, y)));
    all.push(winding);
    all.push(plane(60, 50, |x, y| on((x + y) % 2 == 0)));
    all.push(plane(60, 50, |x, y| on(x % 2 == 0 || y == 49)));
    all.push(plane(60, 50, |x, y| on(y % 2 == 0 || x == 59)));
    all.push(plane(60, 50, |x, y| on(x.min(59 - x).min(y).min(49 - y) % 4 < 2)));
    all.push(plane(60, 50, |x, y| on(x.min(59 - x).min(y).min(49 - y) % 3 == 1)));
    all.push(plane(60, 50, |x, y| on((x * 7 + y * 3) % 11 < 5)));
    all.push(plane(60, 50, |x, y| on(x.abs_diff(y) == 3 || x + y == 40)));
    all
}

#[test]
fn shapes_that_trouble_algorithms_in_squares() {
    for shape in giants() {
        for side in [1, 2, 3, 7, 16, 37, 100] {
            let grid = SeamGrid::new(shape.width(), shape.height(), side);
            let seeds = seeds_on(shape.view(), 5, 40);
            check_masks(&grid, shape.view(), seeds.view());
            check_reconstruction(&grid, seeds.view(), shape.view());
            check_halos(&grid, shape.view());
        }
    }
}

/// One seed at the end of the path reaches the other end, through every tile many times.
#[test]
fn a_value_winds_through_a_spiral() {
    let mask = spiral(61);
    let marker = plane(61, 61, |x, y| if (x, y) == (0, 0) { ON } else { 0 });
    for side in [1, 5, 20, 30, 61] {
        let grid = SeamGrid::new(61, 61, side);
        let found = reconstruct_tiled(&grid, marker.view(), mask.view(), Connectivity::Four);
        assert_eq!(found, mask, "{side}");
    }
}

#[test]
fn a_grid_has_tiles_of_the_size_asked() {
    let grid = SeamGrid::new(10, 7, 4);
    let window = |left, top, width, height| Window { left, top, width, height };
    assert_eq!((grid.len(), grid.window(0), grid.window(5)), (6, window(0, 0, 4, 4), window(8, 4, 2, 3)));
    assert_eq!((grid.around(4, 2), grid.around(4, usize::MAX)), (window(2, 2, 8, 5), grid.image()));
    assert!(grid.neighbours(0).eq([1, 3, 4]) && grid.neighbours(4).eq([0, 1, 2, 3, 5]));
    assert_eq!(SeamGrid::new(10, 7, 0), SeamGrid::new(10, 7, 1));
    assert_eq!((SeamGrid::new(0, 0, 4).len(), SeamGrid::new(0, 9, 4).image()), (1, window(0, 0, 0, 9)));
    assert_eq!(SeamGrid::with_cuts(9, 9, &[4, 0, 9, 4, 12, 2], &[]).len(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_masks_cut_anyhow(mask in mask(), cuts in cuts(), seed in any::<u32>(), rarity in 1u32..60) {
        let view = mask.view();
        let seeds = seeds_on(view, seed, rarity);
        check_masks(&grid(view, &cuts), view, seeds.view());
    }

    #[test]
    fn giants_cut_anyhow(which in 0..giants().len(), cuts in cuts(), seed in any::<u32>(), rarity in 1u32..300) {
        let shape = &giants()[which];
        let seeds = seeds_on(shape.view(), seed, rarity);
        check_masks(&grid(shape.view(), &cuts), shape.view(), seeds.view());
    }

    #[test]
    fn grey_images_cut_anyhow(mask in strided(any::<u8>()), cuts in cuts(), seed in any::<u32>()) {
        check_grey(&mask, &cuts, seed);
    }

    #[test]
    fn flat_images_cut_anyhow(mask in strided(0u8..4), cuts in cuts(), seed in any::<u32>()) {
        check_grey(&mask, &cuts, seed);
    }

    #[test]
    fn objects_cut_anyhow(
        (width, height) in (1usize..70, 1usize..70),
        disks in prop::collection::vec((0..70i32, 0..70i32, 1..12i32), 0..12),
        (cuts, seed, levels) in (cuts(), any::<u32>(), 1u32..9),
    ) {
        let inside = |x: i32, y: i32| disks.iter().any(|&(u, v, r)| (x - u).pow(2) + (y - v).pow(2) <= r * r);
        let mask = plane(width, height, |x, y| if inside(x as i32, y as i32) { ON } else { 0 });
        let colours = plane(width, height, |x, y| [0, 1, 2].map(|c| (spread(seed ^ c, x, y) % levels * 20) as u8));
        for connectivity in BOTH {
            check_objects(&grid(mask.view(), &cuts), colours.view(), mask.view(), connectivity);
        }
    }
}

/// The marker may be above its mask.
fn check_grey(mask: &Strided<u8>, cuts: &(Vec<usize>, Vec<usize>), seed: u32) {
    let view = mask.view();
    let marker = plane(view.width(), view.height(), |x, y| {
        let value = spread(seed, x, y);
        if value.is_multiple_of(3) { (value >> 4) as u8 } else { 0 }
    });
    check_reconstruction(&grid(view, cuts), marker.view(), view);
    check_halos(&grid(view, cuts), view);
}
