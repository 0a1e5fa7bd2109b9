//! An image seen at another resolution: each working pixel is computed when it is read, and is the same in every box.

mod axis;
mod mean;
mod working;

use std::sync::Arc;

use onceflow_region::source::{check_read, dense};
use onceflow_region::{
    Access, Bounds, Dense, Details, Digest, Digester, Element, ImageInfo, ImageScale, Pixels, Source,
    SourceError, map_values,
};

pub use working::Working;

use axis::{ResampleAxis, Taps};

/// The most bytes of the finer scale that are read at once.
const STRIP: u64 = 8 << 20;

/// An image at a working resolution.
///
/// Colours of smaller pixels are averaged by area and those of larger ones are interpolated, in whole numbers throughout;
/// labels are those of the pixel in which the centre of the working pixel lies.
#[derive(Debug)]
pub struct Resampled {
    source: Arc<dyn Source>,
    working: Working,
    how: How,
    info: ImageInfo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// The pixels of a scale as they are.
    Scale,
    Mean,
    Nearest,
}

impl Resampled {
    /// Colours or grey values at a working resolution of `um_per_pixel`.
    ///
    /// # Errors
    /// When the values are not of 8 or 16 bits.
    pub fn colours(
        source: Arc<dyn Source>,
        working: Working,
        um_per_pixel: Option<f64>,
    ) -> Result<Resampled, SourceError> {
        let element = source.info().element;
        if !working.is_scale && !matches!(element, Element::U8 | Element::U16) {
            return Err(SourceError::Content {
                file: source.info().format.clone(),
                expected: "values of 8 or 16 bits, which can be resampled".into(),
                found: element.to_string(),
                todo: "export it with 8 bits per colour",
            });
        }
        let how = if working.is_scale { How::Scale } else { How::Mean };
        Ok(Resampled::new(source, working, how, um_per_pixel))
    }

    /// Labels or a mask over the whole image, on the grid that the image is worked with.
    pub fn labels(source: Arc<dyn Source>, working: Working) -> Resampled {
        // Labels have no scales of their own: those of another file say nothing about theirs.
        Resampled::new(source, working.of_whole(), How::Nearest, None)
    }

    fn new(source: Arc<dyn Source>, working: Working, how: How, um_per_pixel: Option<f64>) -> Resampled {
        let of = source.info();
        let info = ImageInfo {
            format: of.format.clone(),
            width: working.width,
            height: working.height,
            channels: of.channels,
            element: of.element,
            um_per_pixel,
            scales: vec![ImageScale::whole(working.width, working.height)],
            details: Details::default(),
        };
        Resampled { source, working, how, info }
    }

    /// The grid.
    pub fn working(&self) -> &Working {
        &self.working
    }

    fn axes(&self) -> [ResampleAxis; 2] {
        let scale = self.source.info().scale_bounds(self.working.scale);
        let length = |side: fn(&Bounds) -> u64| scale.as_ref().map_or(1, side).max(1);
        [
            ResampleAxis { step: self.working.step(self.working.across), length: length(Bounds::width) },
            ResampleAxis { step: self.working.step(self.working.down), length: length(Bounds::height) },
        ]
    }

    /// Makes the rows of a box from strips of the scale, each as high as the bytes of one read allow.
    fn strips(&self, bounds: &Bounds, mut make: impl FnMut(&Strip<'_>)) -> Result<(), SourceError> {
        let [across, down] = self.axes();
        let taps = |axis: ResampleAxis, start: i64, length: u64| -> Vec<Taps> {
            let start = start.unsigned_abs();
            (start..start.saturating_add(length)).map(|at| self.taps(axis, at)).collect()
        };
        let columns = taps(across, bounds.x(), bounds.width());
        let rows = taps(down, bounds.y(), bounds.height());
        let (left, right) = ends(&columns);
        let of = self.source.info();
        let row_bytes = (right - left).saturating_mul(u64::from(of.channels) * of.element.bytes()).max(1);
        let mut rest = rows.as_slice();
        while let Some(first) = rest.first() {
            let fits = |taps: &&Taps| (taps.end() - first.first).saturating_mul(row_bytes) <= STRIP;
            let count = rest.iter().take_while(fits).count().max(1);
            let (now, later) = rest.split_at(count);
            let (top, bottom) = ends(now);
            let place = |at: u64| i64::try_from(at).unwrap_or(i64::MAX);
            let strip = Bounds::plane(place(left), place(top), right - left, bottom - top);
            let pixels = self.source.read_scale(self.working.scale, strip.unwrap_or(*bounds))?;
            make(&Strip { pixels: &pixels, columns: &columns, rows: now, left, top });
            rest = later;
        }
        Ok(())
    }

    fn taps(&self, axis: ResampleAxis, at: u64) -> Taps {
        match self.how {
            How::Nearest => Taps { first: axis.nearest(at), weights: vec![1] },
            _ => axis.taps(at),
        }
    }
}

/// A strip of a scale and the working pixels that are made of it.
pub(super) struct Strip<'a> {
    pixels: &'a Dense,
    columns: &'a [Taps],
    rows: &'a [Taps],
    /// Where the strip begins in the scale.
    left: u64,
    top: u64,
}

/// From the first pixel that is taken to the one after the last.
fn ends(taps: &[Taps]) -> (u64, u64) {
    let (first, last) = (taps.first(), taps.last());
    (first.map_or(0, |taps| taps.first), last.map_or(0, Taps::end))
}

impl Source for Resampled {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        let name = &self.info.format;
        let [_, _, width, height] = check_read(name, &self.info, 0, &bounds)?;
        if self.how == How::Scale {
            return self.source.read_scale(self.working.scale, bounds);
        }
        let mut made: Option<Pixels> = None;
        self.strips(&bounds, |strip| {
            let rows = if self.how == How::Mean { mean::mean(strip) } else { nearest(strip) };
            match &mut made {
                None => made = Some(rows),
                Some(made) => made.append(rows),
            }
        })?;
        let pixels = made.unwrap_or(Pixels::U8(Vec::new()));
        dense(name, [width, height], self.info.channels as usize, pixels)
    }

    fn access(&self) -> Access {
        self.source.access()
    }

    /// What the file holds, and the grid.
    fn digest(&self) -> Result<Digest, SourceError> {
        let mut digester = Digester::new("onceflow image 2026-11 resampled v1");
        digester.bytes(&self.source.digest()?.0);
        digester.number(self.how as u64);
        self.working.numbers().iter().for_each(|number| digester.number(*number));
        Ok(digester.finish())
    }
}

/// The values in which the centres of the working pixels lie.
fn nearest(strip: &Strip<'_>) -> Pixels {
    let (width, channels) = (strip.pixels.width(), strip.pixels.channels());
    map_values!(strip.pixels.pixels(), values => {
        let mut made = Vec::with_capacity(strip.rows.len() * strip.columns.len() * channels);
        for row in strip.rows {
            let start = (row.first - strip.top) as usize * width;
            for column in strip.columns {
                let pixel = (start + (column.first - strip.left) as usize) * channels;
                made.extend_from_slice(&values[pixel..pixel + channels]);
            }
        }
        made
    })
}

#[cfg(test)]
mod tests;
