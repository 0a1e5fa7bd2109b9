//! Segmentation tile by tile against segmentation of the whole image.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;

use naive::plane;
use onceflow_kernels::nuclei::tiled::{self, Layer, Planes};
use onceflow_kernels::nuclei::{Parameters, SegmentationStatus, segment};
use onceflow_kernels::seams::SeamGrid;
use onceflow_kernels::{Connectivity, ON, Plane, View, Window};
use proptest::prelude::*;

/// Planes in memory, with a bound on windows.
struct Memory {
    colours: Plane<[u8; 3]>,
    layers: [Plane<u8>; 3],
    room: usize,
}

impl Memory {
    fn new(colours: View<'_, [u8; 3]>, room: usize) -> Self {
        // What nobody has written must not matter.
        let layer = || Plane::filled(77, colours.width(), colours.height());
        Self { colours: colours.to_plane(), layers: [layer(), layer(), layer()], room }
    }

    fn check(&self, window: Window) -> Result<(), Window> {
        if window.len() <= self.room { Ok(()) } else { Err(window) }
    }
}

impl Planes for Memory {
    type Error = Window;

    fn room(&self) -> usize {
        self.room
    }

    fn allow(&mut self, bytes: usize) -> Result<(), Window> {
        // There are fewer components than pixels, one more outside of holes, and vectors are up to twice as long as what
        // they hold.
        if bytes <= 4 * 72 * (self.colours.pixels().len() + 1) {
            Ok(())
        } else {
            panic!("{bytes} bytes are too many")
        }
    }

    fn colours(&mut self, window: Window) -> Result<Plane<[u8; 3]>, Window> {
        self.check(window).map(|()| window.of(self.colours.view()).to_plane())
    }

    fn read(&mut self, layer: Layer, window: Window) -> Result<Plane<u8>, Window> {
        self.check(window).map(|()| window.of(self.layers[layer as usize].view()).to_plane())
    }

    fn write(&mut self, layer: Layer, window: Window, pixels: View<'_, u8>) -> Result<(), Window> {
        assert_eq!((pixels.width(), pixels.height()), (window.width, window.height));
        self.check(window)?;
        let mut target = self.layers[layer as usize].view_mut();
        for (y, row) in pixels.rows().enumerate() {
            target.row_mut(window.top + y)[window.left..window.left + window.width].copy_from_slice(row);
        }
        Ok(())
    }
}

fn check(colours: View<'_, [u8; 3]>, grid: &SeamGrid, parameters: &Parameters) -> SegmentationStatus {
    let expected = segment(colours, parameters);
    let mut planes = Memory::new(colours, usize::MAX);
    let found = tiled::segment(&mut planes, grid, parameters).unwrap();
    assert_eq!((found.status, found.objects), (expected.status, expected.objects as u64));
    assert_eq!(planes.layers[Layer::Next as usize], expected.mask);
    let foreground = expected.mask.pixels().iter().filter(|pixel| **pixel != 0).count();
    assert_eq!(found.foreground, foreground as u64);
    found.status
}

fn spread(seed: u32, x: u32, y: u32) -> u32 {
    let mixed = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77) ^ seed;
    mixed.wrapping_mul(0xc2b2_ae3d).rotate_left(13).wrapping_mul(0x2545_f491) >> 16
}

/// Pink tissue with violet disks, some with bright middles, that touch each other, red disks and glass.
fn tissue(width: usize, height: usize, seed: u32, disks: u32) -> Plane<[u8; 3]> {
    let disk = |at: u32| {
        let random = |what: u32, below: u32| (spread(seed, at * 8 + what, 77) % below.max(1)) as i32;
        (random(0, width as u32), random(1, height as u32), 3 + random(2, 9), random(3, 8))
    };
    let disks: Vec<_> = (0..disks).map(disk).collect();
    plane(width, height, |x, y| {
        let noise = (spread(seed, x as u32, y as u32) % 24) as u8;
        let far = |u: i32, v: i32| (x as i32 - u).pow(2) + (y as i32 - v).pow(2);
        let over = disks.iter().find(|(u, v, r, _)| far(*u, *v) <= r * r);
        match over {
            Some((_, _, _, 0)) => [200 + noise, 20 + noise / 2, 30],
            Some((u, v, _, 1)) if far(*u, *v) <= 4 => [225, 180, 220],
            Some((_, _, _, 2)) => [130 + noise, 70, 150],
            Some(_) => [60 + 3 * noise, 40 + noise, 130],
            None if x + 2 * y < 40 => [240, 240, 242],
            None => [220 + noise, 160 + noise, 205],
        }
    })
}

fn connectivity() -> impl Strategy<Value = Connectivity> {
    prop_oneof![Just(Connectivity::Four), Just(Connectivity::Eight)]
}

fn parameters() -> impl Strategy<Value = Parameters> {
    let connectivities = (connectivity(), connectivity(), connectivity());
    let thresholds = (2.5..7.5f64, 2.5..7.5f64, 5i64..90, 2i64..60);
    let sizes = (2i64..40, 100i64..1500, 1i64..80, 2i64..40, 100i64..1500);
    (connectivities, thresholds, sizes, prop_oneof![9 => Just(220i64), 1 => 100i64..240]).prop_map(
        |((recon, fill, watershed), (t1, t2, g1, g2), (min, max, pl, min_seg, max_seg), bright)| Parameters {
            blue: bright,
            green: bright,
            red: bright,
            t1,
            t2,
            recon_connectivity: recon,
            fill_holes_connectivity: fill,
            g1,
            min_size: min,
            max_size: max,
            g2,
            min_size_pl: pl,
            watershed_connectivity: watershed,
            min_size_seg: min_seg,
            max_size_seg: max_seg,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn tissue_cut_into_squares(
        (width, height) in (1usize..300, 1usize..260),
        (seed, disks) in (any::<u32>(), 0u32..220),
        side in prop_oneof![Just(37usize), Just(64), Just(100), 5usize..300],
        parameters in parameters(),
    ) {
        check(tissue(width, height, seed, disks).view(), &SeamGrid::new(width, height, side), &parameters);
    }

    #[test]
    fn tissue_cut_anyhow(
        (width, height) in (1usize..160, 1usize..160),
        (seed, disks) in (any::<u32>(), 0u32..90),
        columns in prop::collection::vec(0usize..160, 0..7),
        rows in prop::collection::vec(0usize..160, 0..7),
        parameters in parameters(),
    ) {
        let grid = SeamGrid::with_cuts(width, height, &columns, &rows);
        check(tissue(width, height, seed, disks).view(), &grid, &parameters);
    }
}

#[test]
fn the_tissue_has_nuclei() {
    let image = tissue(300, 260, 3, 150);
    let parameters = Parameters { g1: 40, g2: 20, ..Parameters::default() };
    assert!(segment(image.view(), &parameters).objects > 20);
    assert_eq!(check(image.view(), &SeamGrid::new(300, 260, 37), &parameters), SegmentationStatus::Ok);
    let stripes = plane(200, 160, |x, y| if (x + y) % 23 < 6 { [60, 40, 130] } else { [225, 165, 210] });
    let wide = Parameters { max_size: 100_000, max_size_seg: 100_000, ..parameters };
    assert_eq!(check(stripes.view(), &SeamGrid::new(200, 160, 50), &wide), SegmentationStatus::Ok);
}

#[test]
fn every_ending_is_that_of_the_whole_image() {
    let image = tissue(90, 70, 5, 30);
    let grid = SeamGrid::new(90, 70, 32);
    let with =
        |bright, g1| Parameters { blue: bright, green: bright, red: bright, g1, ..Parameters::default() };
    assert_eq!(check(image.view(), &grid, &with(-1, 40)), SegmentationStatus::Background);
    assert_eq!(check(image.view(), &grid, &with(220, 255)), SegmentationStatus::NoCandidates);
    let glass = plane(90, 70, |x, y| if (x, y) < (6, 70) { [90, 40, 130] } else { [250; 3] });
    assert_eq!(check(glass.view(), &grid, &with(220, 40)), SegmentationStatus::BackgroundLikely);
    for (width, height) in [(0, 0), (0, 5), (5, 0), (1, 1)] {
        let image = Plane::filled([100, 50, 120], width, height);
        check(image.view(), &SeamGrid::new(width, height, 4), &Parameters::default());
    }
}

/// Windows are those of tiles with their halos and of objects; an object that has no room is refused.
#[test]
fn windows_stay_within_their_room() {
    let image = tissue(300, 260, 9, 60);
    let parameters = Parameters { g1: 40, g2: 20, ..Parameters::default() };
    let grid = SeamGrid::new(300, 260, 40);
    let mut planes = Memory::new(image.view(), 76 * 76);
    tiled::segment(&mut planes, &grid, &parameters).unwrap();
    assert_eq!(planes.layers[Layer::Next as usize], segment(image.view(), &parameters).mask);
    let bar = |x, y| {
        if (10..290).contains(&x) && (100..110).contains(&y) { [60, 40, 130] } else { [225, 165, 210] }
    };
    let wide = Parameters { max_size: 100_000, max_size_seg: 100_000, ..parameters };
    let long = plane(300, 260, bar);
    assert!(segment(long.view(), &wide).mask.pixels().contains(&ON));
    let refused = tiled::segment(&mut Memory::new(long.view(), 76 * 40), &SeamGrid::new(300, 260, 18), &wide);
    assert!(refused.is_err_and(|window| window.width > 280 && window.height < 20));
}
