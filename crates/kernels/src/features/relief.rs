//! Intensities, gradients and edges of one grey picture under a region.

use super::Logarithms;
use super::histogram::{ByteHistogram, ValueMoments};
use super::runs::PixelSpan;
use crate::View;
use crate::edges::gradient_into;
use crate::edges::{Canny, EDGE};

/// Thresholds of Canny's edges.
const WEAK: u16 = 70;
const STRONG: u16 = 90;

/// How many pixels around a region are read to find its edges: those on which the edge at a pixel depends directly. Edges
/// that lead to it from further away are not followed.
pub(crate) const MARGIN: usize = 4;

/// Reusable memory and tables for measuring grey images.
#[derive(Clone, Debug)]
pub(crate) struct Lens {
    pub(crate) logarithms: Logarithms,
    histograms: [ByteHistogram; 3],
    gradient: Vec<u8>,
    canny: Canny,
}

/// Runs of pixels and their offset in an image.
#[derive(Clone, Copy)]
pub(crate) struct PlacedRuns<'a> {
    pub(crate) runs: &'a [PixelSpan],
    pub(crate) left: usize,
    pub(crate) top: usize,
}

impl PlacedRuns<'_> {
    /// Row, first column, and column after the last of each run in the image.
    pub(crate) fn spans(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        self.runs.iter().map(|run| (self.top + run.y, self.left + run.start, self.left + run.end))
    }

    fn area(&self) -> usize {
        self.runs.iter().map(|run| run.end - run.start).sum()
    }
}

impl Lens {
    pub(crate) fn new() -> Self {
        Self {
            logarithms: Logarithms::new(),
            histograms: std::array::from_fn(|_| ByteHistogram::new()),
            gradient: Vec::new(),
            canny: Canny::default(),
        }
    }

    /// Moments of red, green and blue.
    pub(crate) fn colours(
        &mut self,
        picture: View<'_, [u8; 3]>,
        region: PlacedRuns<'_>,
    ) -> [ValueMoments; 3] {
        self.histograms.iter_mut().for_each(ByteHistogram::clear);
        let [red, green, blue] = &mut self.histograms;
        for (y, start, end) in region.spans() {
            for pixel in &picture.row(y)[start..end] {
                red.add(pixel[0]);
                green.add(pixel[1]);
                blue.add(pixel[2]);
            }
        }
        std::array::from_fn(|channel| self.histograms[channel].moments(&self.logarithms))
    }

    /// Moments of grey values.
    pub(crate) fn intensity(&mut self, picture: View<'_, u8>, region: PlacedRuns<'_>) -> ValueMoments {
        self.moments_of(region, |y| picture.row(y))
    }

    /// Moments of the gradient, the number of edge pixels, and their fraction; edges are those of the image as given.
    pub(crate) fn relief(&mut self, picture: View<'_, u8>, region: PlacedRuns<'_>) -> [f64; 8] {
        let mut gradient = std::mem::take(&mut self.gradient);
        gradient_into(picture, &mut gradient);
        let width = picture.width();
        let moments = self.moments_of(region, |y| &gradient[y * width..(y + 1) * width]);
        self.gradient = gradient;
        self.canny.find(picture, WEAK, STRONG);
        let edges = |(y, start, end): (usize, usize, usize)| {
            self.canny.row(y)[start..end].iter().filter(|state| **state == EDGE).count()
        };
        let edges = region.spans().map(edges).sum::<usize>() as f64;
        let [mean, std, entropy, energy, skewness, kurtosis] = moments.gradient_values();
        let share = edges / region.area() as f64;
        let edges = if region.area() == 0 { f64::NAN } else { edges };
        [mean, std, entropy, energy, skewness, kurtosis, edges, share]
    }

    fn moments_of<'a>(&mut self, region: PlacedRuns<'_>, row: impl Fn(usize) -> &'a [u8]) -> ValueMoments {
        let [histogram, ..] = &mut self.histograms;
        histogram.clear();
        for (y, start, end) in region.spans() {
            row(y)[start..end].iter().for_each(|value| histogram.add(*value));
        }
        histogram.moments(&self.logarithms)
    }
}
