//! Any tile equals the same rectangle of the whole image, byte for byte.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::sync::OnceLock;

use onceflow_synth::{MAX_SIDE, SynthError, Tissue, TissueTile};
use proptest::prelude::*;

/// A rectangle rendered at once, of which other tiles are parts.
struct Whole {
    tissue: Tissue,
    x: u64,
    y: u64,
    width: usize,
    height: usize,
    tile: TissueTile,
}

impl Whole {
    fn new(tissue: Tissue, x: u64, y: u64, width: usize, height: usize) -> Self {
        let tile = tissue.render(x, y, width, height).unwrap();
        Self { tissue, x, y, width, height, tile }
    }

    /// Cuts from the rendered rectangle what `render` is asked for.
    fn cut(&self, left: usize, top: usize, width: usize, height: usize) -> TissueTile {
        let rows = (top..top + height).map(|row| row * self.width + left);
        TissueTile {
            rgb: rows.clone().flat_map(|at| self.tile.rgb[3 * at..3 * (at + width)].to_vec()).collect(),
            labels: rows.flat_map(|at| self.tile.labels[at..at + width].to_vec()).collect(),
        }
    }

    fn check(&self, place: [u32; 4]) {
        let part = |number: u32, count: usize| number as usize % count;
        let (left, top) = (part(place[0], self.width), part(place[1], self.height));
        let width = 1 + part(place[2], (self.width - left).min(90));
        let height = 1 + part(place[3], (self.height - top).min(90));
        let tile = self.tissue.render(self.x + left as u64, self.y + top as u64, width, height).unwrap();
        assert!(tile == self.cut(left, top, width, height), "{width}x{height} at ({left}, {top})");
    }
}

/// A small image in full, and a rectangle within an image larger than memory.
fn wholes() -> &'static [Whole; 2] {
    static WHOLES: OnceLock<[Whole; 2]> = OnceLock::new();
    WHOLES.get_or_init(|| {
        let small = Tissue::new(611, 397, 4).unwrap();
        let vast = Tissue::new(2_000_000, 1_000_000, 9).unwrap();
        [Whole::new(small, 0, 0, 611, 397), Whole::new(vast, 999_900, 500_003, 400, 300)]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn tiles_equal_their_part_of_the_whole(place in any::<[u32; 4]>(), which in 0..2_usize) {
        wholes()[which].check(place);
    }

    #[test]
    fn no_request_panics(size in any::<[u64; 2]>(), at in any::<[u64; 2]>(), tile in any::<[u16; 2]>(), seed: u64) {
        if let Ok(tissue) = Tissue::new(size[0] % (4 * MAX_SIDE), size[1] % (4 * MAX_SIDE), seed) {
            let (width, height) = (usize::from(tile[0] % 9), usize::from(tile[1] % 9));
            let _ = tissue.render(at[0] % tissue.width(), at[1] % tissue.height(), width, height);
        }
    }
}

#[test]
fn a_vast_image_holds_tissue_far_from_its_corner() {
    assert!(wholes()[1].tile.labels.iter().any(|&label| label > 0));
}

#[test]
fn the_corners_of_the_largest_images_render() {
    for (width, height) in [(MAX_SIDE, 1), (1, MAX_SIDE), (1_500_000, 1_500_000)] {
        let tissue = Tissue::new(width, height, 1).unwrap();
        assert_eq!(tissue.render(width - 1, height - 1, 1, 1).unwrap().labels.len(), 1);
    }
}

#[test]
fn the_same_description_gives_the_same_bytes_and_another_seed_others() {
    let render = |seed| Tissue::new(96, 64, seed).unwrap().render(0, 0, 96, 64).unwrap();
    assert_eq!(render(1), render(1));
    assert_ne!(render(1).rgb, render(2).rgb);
    assert_ne!(render(1).labels, render(2).labels);
}

/// Bytes must be the same on every machine and from release to release.
#[test]
fn bytes_are_pinned() {
    let digests = wholes().each_ref().map(|whole| digest(&whole.tile));
    assert_eq!(digests, [0x1fcd_5330_d061_b31d, 0xbae0_9528_d833_fadc], "found {digests:#018x?}");
}

fn digest(tile: &TissueTile) -> u64 {
    let labels = tile.labels.iter().flat_map(|label| label.to_le_bytes());
    let step = |digest: u64, byte: u8| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    tile.rgb.iter().copied().chain(labels).fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn wrong_requests_are_refused_with_a_reason() {
    let refusal = |width, height| Tissue::new(width, height, 0).unwrap_err();
    assert_eq!(refusal(0, 5), SynthError::Side { axis: "width", found: 0 });
    assert_eq!(refusal(5, MAX_SIDE + 1), SynthError::Side { axis: "height", found: MAX_SIDE + 1 });
    assert!(matches!(refusal(MAX_SIDE, MAX_SIDE), SynthError::Labels { .. }));
    let tissue = Tissue::new(100_000, 100_000, 0).unwrap();
    for (x, y, width, height) in
        [(0, 0, 0, 1), (0, 0, 1, 0), (100_000, 0, 1, 1), (0, 99_999, 1, 2), (u64::MAX, 0, 1, 1)]
    {
        let refused = tissue.render(x, y, width, height);
        assert!(matches!(refused, Err(SynthError::Outside { .. })), "{x} {y} {width} {height}");
    }
    let refused = tissue.render(0, 0, 100_000, 100_000).unwrap_err();
    assert!(refused.to_string().contains("several tiles"), "{refused}");
}
