//! The pixels that are worked with, where they are not those of the file.

use onceflow_region::{Bounds, ImageInfo, ImageScale};

/// Fractions of the ratio.
const ONE: u64 = 1 << 32;

/// A resolution this near the wanted one is that resolution: scanners themselves are no better calibrated.
const NEAR: f64 = 0.01;

/// How many times pixels may grow or shrink: beyond it, a unit is wrong.
const MOST: f64 = 1024.0;

/// The grid of working pixels over an image: its size, and how many pixels of the whole image each is wide.
///
/// Numbers are exact: the same grid has the same pixels on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Working {
    /// Columns.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// Pixels of the whole image per working pixel, in 2^-32.
    ratio: u64,
    /// The scale that is read.
    pub(super) scale: usize,
    /// How many pixels of the whole image one of that scale is wide.
    pub(super) across: Downsample,
    /// How many it is high.
    pub(super) down: Downsample,
    /// Whether the scale has the working pixels already.
    pub(super) is_scale: bool,
}

/// A downsample as a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Downsample {
    pub(super) whole: u64,
    pub(super) scale: u64,
}

impl Working {
    /// The grid for an image of `found` micrometres per pixel to be worked with at `wanted`; `None` when one is more than
    /// a thousand times the other. A scale of the image within 1 % of it is taken as it is; otherwise the coarsest
    /// that is not coarser than wanted is read.
    pub fn new(info: &ImageInfo, found: f64, wanted: f64) -> Option<Working> {
        let ratio = wanted / found;
        if !(1.0 / MOST..=MOST).contains(&ratio) {
            return None;
        }
        let near = |scale: &usize| (downsample(info, *scale) / ratio - 1.0).abs() <= NEAR;
        match steady(info).find(near) {
            Some(scale) => Some(Working::of_scale(info, scale)),
            None => Some(Working::between(info, ratio)),
        }
    }

    /// The whole image as it is.
    pub fn whole(info: &ImageInfo) -> Working {
        Working::of_scale(info, 0)
    }

    /// Whether the working pixels are those of the whole image.
    pub fn is_whole(&self) -> bool {
        self.is_scale && self.scale == 0
    }

    /// Whether the working pixels are those of a scale that the file has.
    pub fn is_scale(&self) -> bool {
        self.is_scale
    }

    /// The scale that is read.
    pub fn scale(&self) -> usize {
        self.scale
    }

    /// Pixels of the whole image per working pixel.
    pub fn ratio(&self) -> f64 {
        self.ratio as f64 / ONE as f64
    }

    /// A box of the whole image in working pixels: its edges are moved to the nearest ones, and it keeps at least one
    /// pixel. `None` when it lies outside.
    pub fn bounds(&self, whole: &Bounds) -> Option<Bounds> {
        let (x, width) = self.along(whole.x(), whole.right(), self.width)?;
        let (y, height) = self.along(whole.y(), whole.bottom(), self.height)?;
        Bounds::plane(x, y, width, height)
    }

    fn along(&self, start: i64, end: i64, length: u64) -> Option<(i64, u64)> {
        let edge = |at: i64| u64::try_from(at).ok().map(|at| nearest(at, self.ratio).min(length));
        let (start, end) = (edge(start)?, edge(end)?);
        let start = start.min(length.checked_sub(1)?);
        Some((i64::try_from(start).ok()?, end.saturating_sub(start).max(1)))
    }

    /// Working pixels times this are pixels of the scale: a fraction.
    pub(super) fn step(&self, of_scale: Downsample) -> (u128, u128) {
        let (ratio, one) = (u128::from(self.ratio), u128::from(ONE));
        (ratio * u128::from(of_scale.scale), one * u128::from(of_scale.whole))
    }

    /// The same grid, to be read from the whole image.
    pub(super) fn of_whole(self) -> Working {
        let one = Downsample { whole: 1, scale: 1 };
        Working { scale: 0, across: one, down: one, is_scale: self.is_whole(), ..self }
    }

    /// Numbers that tell this grid from any other over the same image.
    pub(super) fn numbers(&self) -> [u64; 5] {
        [self.width, self.height, self.ratio, self.scale as u64, u64::from(self.is_scale)]
    }

    fn of_scale(info: &ImageInfo, scale: usize) -> Working {
        let [across, down] = downsamples(info, scale);
        let ratio = (u128::from(across.whole) * u128::from(ONE) / u128::from(across.scale.max(1))) as u64;
        let ImageScale { width, height, .. } =
            info.scales.get(scale).copied().unwrap_or(ImageScale::whole(info.width, info.height));
        Working { width, height, ratio, scale, across, down, is_scale: true }
    }

    fn between(info: &ImageInfo, ratio: f64) -> Working {
        let known = steady(info).map(|scale| (scale, downsample(info, scale)));
        let fine_enough = known.filter(|(_, downsample)| *downsample <= ratio);
        let scale = fine_enough.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(scale, _)| scale);
        let [across, down] = downsamples(info, scale);
        let ratio = (ratio * ONE as f64).round() as u64;
        let (width, height) = (nearest(info.width, ratio).max(1), nearest(info.height, ratio).max(1));
        Working { width, height, ratio, scale, across, down, is_scale: false }
    }
}

/// The working edge nearest to an edge of the whole image.
fn nearest(at: u64, ratio: u64) -> u64 {
    let (at, ratio) = (u128::from(at) * u128::from(ONE), u128::from(ratio.max(1)));
    u64::try_from((2 * at + ratio) / (2 * ratio)).unwrap_or(u64::MAX)
}

/// The scales whose pixels do not depend on the box that is read: a library shifts those of a downsample that is no whole
/// number.
fn steady(info: &ImageInfo) -> impl Iterator<Item = usize> + '_ {
    let shifts = |scale: &ImageScale| info.details.library.is_some() && scale.downsample.fract() != 0.0;
    info.scales.iter().enumerate().filter(move |(_, scale)| !shifts(scale)).map(|(at, _)| at)
}

/// How many pixels of the whole image one of a scale is wide, or high if that is more.
fn downsample(info: &ImageInfo, scale: usize) -> f64 {
    let [across, down] = downsamples(info, scale).map(|by| by.whole as f64 / by.scale as f64);
    across.max(down)
}

/// A scale whose sides are those of the image divided by a whole number, rounded up or down, was made by that number: its
/// last pixels were cut or filled, not stretched.
fn downsamples(info: &ImageInfo, scale: usize) -> [Downsample; 2] {
    let Some(found) = info.scales.get(scale) else { return [Downsample { whole: 1, scale: 1 }; 2] };
    let by = found.downsample.round().clamp(1.0, MOST * MOST) as u64;
    let is_cut = |whole: u64, side: u64| side == whole / by || side == whole.div_ceil(by);
    if is_cut(info.width, found.width) && is_cut(info.height, found.height) {
        return [Downsample { whole: by, scale: 1 }; 2];
    }
    let fraction = |whole: u64, scale: u64| Downsample { whole: whole.max(1), scale: scale.max(1) };
    [fraction(info.width, found.width), fraction(info.height, found.height)]
}

#[cfg(test)]
mod tests {
    use onceflow_region::{Details, Element};

    use super::*;

    fn info(width: u64, height: u64, scales: &[(u64, u64, f64)]) -> ImageInfo {
        let scale = |&(width, height, downsample): &(u64, u64, f64)| ImageScale { width, height, downsample };
        let mut all = vec![ImageScale::whole(width, height)];
        all.extend(scales.iter().map(scale));
        ImageInfo {
            format: "test".into(),
            width,
            height,
            channels: 3,
            element: Element::U8,
            um_per_pixel: None,
            scales: all,
            details: Details::default(),
        }
    }

    #[test]
    fn the_nearest_scale_serves_as_it_is_and_otherwise_the_coarsest_that_is_fine_enough() {
        let slide = info(4443, 3567, &[(2221, 1783, 2.0005), (1110, 891, 4.003)]);
        let grid = |wanted: f64| Working::new(&slide, 0.25, wanted).unwrap();
        assert!(grid(0.25).is_whole() && grid(0.2524).is_whole() && !grid(0.2526).is_whole());
        let half = grid(0.5);
        assert_eq!((half.width, half.height, half.scale, half.is_scale), (2221, 1783, 1, true));
        assert_eq!(half.ratio(), 2.0, "its last column was cut, not stretched");
        let between = grid(0.75);
        assert_eq!((between.width, between.height, between.scale, between.is_scale), (1481, 1189, 1, false));
        assert_eq!((grid(0.4).scale, grid(0.9).scale, grid(8.0).scale, grid(0.125).scale), (0, 1, 2, 0));
        assert_eq!((grid(0.125).width, grid(0.125).height), (8886, 7134));
        assert_eq!(Working::new(&slide, 0.25, 257.0), None);
        assert_eq!(Working::new(&slide, 0.25, f64::NAN), None);
        assert_eq!(Working::new(&slide, 0.0, 0.25), None);
    }

    #[test]
    fn scales_that_a_library_shifts_are_not_read() {
        let mut slide = info(4443, 3567, &[(2221, 1783, 2.0005), (1110, 891, 4.0)]);
        slide.details.library = Some("a library".into());
        let grid = |wanted: f64| Working::new(&slide, 0.25, wanted).unwrap();
        assert_eq!((grid(0.5).scale, grid(0.5).is_scale), (0, false));
        assert_eq!((grid(1.0).scale, grid(1.0).is_scale), (2, true));
    }

    #[test]
    fn boxes_keep_their_places_and_at_least_a_pixel() {
        let grid = Working::new(&info(1000, 600, &[]), 0.25, 0.5).unwrap();
        let bounds = |x, y, w, h| grid.bounds(&Bounds::plane(x, y, w, h).unwrap());
        assert_eq!(bounds(0, 0, 1000, 600), Bounds::plane(0, 0, 500, 300));
        assert_eq!(bounds(100, 50, 200, 101), Bounds::plane(50, 25, 100, 51));
        assert_eq!(bounds(999, 599, 1, 1), Bounds::plane(499, 299, 1, 1));
        assert_eq!(bounds(-1, 0, 1, 1), None);
    }
}
