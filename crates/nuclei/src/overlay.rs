//! Results drawn on the image: outlines, and the agreement with a truth.

use onceflow_kernels::View;
use onceflow_kernels::dense::labels;
use onceflow_region::{Dense, Pixels, RegionError, rgb8};

use crate::NucleiError;
use crate::labels::objects;

/// Whether a pixel belongs to objects of the result, of the truth, or of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// In both.
    Both,
    /// Only in the truth.
    OnlyTruth,
    /// Only in the result.
    OnlyFound,
}

impl Agreement {
    /// All of them, in the order of a legend.
    pub const ALL: [Self; 3] = [Self::Both, Self::OnlyTruth, Self::OnlyFound];

    /// Its colour: not a colour of stained tissue, and distinct for colour-blind readers.
    pub fn colour(self) -> [u8; 3] {
        match self {
            Self::Both => BOTH,
            Self::OnlyTruth => ONLY_TRUTH,
            Self::OnlyFound => ONLY_FOUND,
        }
    }

    /// Its words in a legend.
    pub fn words(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::OnlyTruth => "only the truth",
            Self::OnlyFound => "only found",
        }
    }

    fn of(found: bool, truth: bool) -> Option<Self> {
        match (found, truth) {
            (true, true) => Some(Self::Both),
            (false, true) => Some(Self::OnlyTruth),
            (true, false) => Some(Self::OnlyFound),
            (false, false) => None,
        }
    }
}

const BOTH: [u8; 3] = [0, 220, 130];
const ONLY_TRUTH: [u8; 3] = [0, 180, 255];
const ONLY_FOUND: [u8; 3] = [255, 170, 0];

/// Outlines without a truth.
const OUTLINE: [u8; 3] = [255, 240, 0];

/// The image with the outlines of the objects of a mask or label image; with a truth the pixels of both are tinted by
/// whether they agree, and the outlines of both are drawn.
///
/// # Errors
/// When the three are not of one size, or one is not what its name says.
pub fn overlay(image: &Dense, found: &Dense, truth: Option<&Dense>) -> Result<Dense, NucleiError> {
    let picture = rgb8(image).map_err(impossible)?;
    let found = objects(found).map_err(impossible)?;
    let truth = truth.map(objects).transpose().map_err(impossible)?;
    let size = (image.width(), image.height());
    let planes = [Some(&found), truth.as_ref()];
    if planes.into_iter().flatten().any(|plane| (plane.width(), plane.height()) != size) {
        return Err(NucleiError::internal("an overlay of images of different sizes"));
    }
    let found = labels(&found).ok_or_else(no_labels)?;
    let truth = truth.as_ref().map(|truth| labels(truth).ok_or_else(no_labels)).transpose()?;
    let Pixels::U8(mut values) = picture.into_pixels() else { return Err(no_labels()) };
    draw(values.as_chunks_mut().0, OverlayRows { found, truth, first: 0 });
    Dense::new(size.0, size.1, 3, Pixels::U8(values)).map_err(impossible)
}

/// The drawing of [`overlay`] without the image: a small PNG file, transparent outside the drawing.
///
/// # Errors
/// When the two are not of one size, or one is not what its name says.
pub fn marks(found: &Dense, truth: Option<&Dense>) -> Result<Vec<u8>, NucleiError> {
    let found = objects(found).map_err(impossible)?;
    let truth = truth.map(objects).transpose().map_err(impossible)?;
    let size = (found.width(), found.height());
    if truth.as_ref().is_some_and(|truth| (truth.width(), truth.height()) != size) {
        return Err(NucleiError::internal("an overlay of images of different sizes"));
    }
    let found = labels(&found).ok_or_else(no_labels)?;
    let truth = truth.as_ref().map(|truth| labels(truth).ok_or_else(no_labels)).transpose()?;
    let drawn = OverlayRows { found, truth, first: 0 };
    let places = (0..size.1).flat_map(|y| (0..size.0).map(move |x| (x, y)));
    let inks = places.map(|(x, y)| drawn.ink(x, y).map_or(Some(0), Ink::number));
    let inks: Option<Vec<u8>> = inks.collect();
    let inks = inks.ok_or_else(|| NucleiError::internal("an overlay with an unknown ink"))?;
    transparent(size, &inks).map_err(|error| NucleiError::internal(error.to_string()))
}

/// Numbers of inks as a PNG file with a palette; 0 is transparent. Half a byte a pixel and no filter make it smaller than whole bytes
/// with filters and the best compression, in a twelfth of the time.
fn transparent((width, height): (usize, usize), inks: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let side = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side(width), side(height));
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Four);
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_filter(png::Filter::NoFilter);
    let cover = |cover: u16| cover.min(255) as u8;
    let colours = std::iter::once([0; 3]).chain(Ink::ALL.iter().map(|ink| ink.colour));
    let covers = std::iter::once(0).chain(Ink::ALL.iter().map(|ink| cover(ink.cover)));
    encoder.set_palette(colours.flatten().collect::<Vec<u8>>());
    encoder.set_trns(covers.collect::<Vec<u8>>());
    let mut writer = encoder.write_header()?;
    let half_bytes = |pair: &[u8]| pair[0] << 4 | pair.get(1).copied().unwrap_or_default();
    let rows = inks.chunks(width.max(1)).flat_map(|row| row.chunks(2).map(half_bytes));
    writer.write_image_data(&rows.collect::<Vec<u8>>())?;
    writer.finish()?;
    Ok(bytes)
}

/// The labels drawn on some rows of an image, with one row above and below inside the image.
#[derive(Clone, Copy)]
pub(crate) struct OverlayRows<'a, T> {
    pub(crate) found: View<'a, T>,
    pub(crate) truth: Option<View<'a, u32>>,
    /// The row of the labels that is the first of the picture.
    pub(crate) first: usize,
}

/// Draws on pixels, row by row; returns which of them are outlines.
pub(crate) fn draw<T: Copy + PartialEq + Default>(
    pixels: &mut [[u8; 3]],
    drawn: OverlayRows<'_, T>,
) -> Vec<bool> {
    let width = drawn.found.width().max(1);
    let mut outlines = vec![false; pixels.len()];
    for (position, (pixel, outline)) in pixels.iter_mut().zip(&mut outlines).enumerate() {
        if let Some(ink) = drawn.ink(position % width, position / width + drawn.first) {
            *pixel = ink.over(*pixel);
            *outline = ink.cover == SOLID;
        }
    }
    outlines
}

impl<T: Copy + PartialEq + Default> OverlayRows<'_, T> {
    fn ink(&self, x: usize, y: usize) -> Option<Ink> {
        let outline = outlined(self.found, x, y);
        let Some(truth) = self.truth else {
            return outline.then_some(Ink { colour: OUTLINE, cover: SOLID });
        };
        let agreement = Agreement::of(self.found.at(x, y) != T::default(), truth.at(x, y) != 0)?;
        let outline = outline || outlined(truth, x, y);
        Some(Ink { colour: agreement.colour(), cover: if outline { SOLID } else { TINT } })
    }
}

/// A colour, and its opacity in 256ths.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Ink {
    colour: [u8; 3],
    cover: u16,
}

impl Ink {
    /// All inks.
    const ALL: [Self; 7] = [
        Self { colour: OUTLINE, cover: SOLID },
        Self { colour: BOTH, cover: SOLID },
        Self { colour: ONLY_TRUTH, cover: SOLID },
        Self { colour: ONLY_FOUND, cover: SOLID },
        Self { colour: BOTH, cover: TINT },
        Self { colour: ONLY_TRUTH, cover: TINT },
        Self { colour: ONLY_FOUND, cover: TINT },
    ];

    /// Its index among all, from 1.
    fn number(self) -> Option<u8> {
        Self::ALL.iter().position(|ink| *ink == self).map(|index| index as u8 + 1)
    }

    fn over(&self, below: [u8; 3]) -> [u8; 3] {
        let mix = |ink: u8, below: u8| {
            (u16::from(ink) * self.cover / 256 + u16::from(below) * (256 - self.cover) / 256) as u8
        };
        std::array::from_fn(|channel| mix(self.colour[channel], below[channel]))
    }
}

/// The opacity of outlines.
const SOLID: u16 = 256;

/// The opacity inside objects, which leaves the tissue visible.
const TINT: u16 = 90;

/// Whether a pixel of an object has a neighbour outside the object; the border of the image is not an outline.
fn outlined<T: Copy + PartialEq + Default>(labels: View<'_, T>, x: usize, y: usize) -> bool {
    let here = labels.at(x, y);
    let (right, below) = (x + 1 < labels.width(), y + 1 < labels.height());
    here != T::default()
        && (x > 0 && labels.at(x - 1, y) != here
            || right && labels.at(x + 1, y) != here
            || y > 0 && labels.at(x, y - 1) != here
            || below && labels.at(x, y + 1) != here)
}

fn no_labels() -> NucleiError {
    NucleiError::internal("an overlay of pixels that are neither labels nor colours")
}

fn impossible(error: RegionError) -> NucleiError {
    NucleiError::internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(rows: &[&str]) -> Dense {
        let pixels = rows.concat().bytes().map(|digit| u32::from(digit - b'0')).collect();
        Dense::new(rows[0].len(), rows.len(), 1, Pixels::U32(pixels)).unwrap()
    }

    /// A black image, drawn on, as letters.
    fn drawn(found: &[&str], truth: Option<&[&str]>) -> Vec<String> {
        let (width, height) = (found[0].len(), found.len());
        let image = Dense::new(width, height, 1, Pixels::U8(vec![0; width * height])).unwrap();
        let picture = overlay(&image, &plane(found), truth.map(plane).as_ref()).unwrap();
        let inks = [(OUTLINE, 'o'), (Agreement::Both.colour(), 'b'), (Agreement::OnlyTruth.colour(), 't')];
        let inks: Vec<_> =
            inks.into_iter().chain([(Agreement::OnlyFound.colour(), 'f'), ([0; 3], '.')]).collect();
        let letter =
            |pixel: &[u8; 3]| inks.iter().find(|(ink, _)| ink == pixel).map_or('~', |(_, letter)| *letter);
        let letters: Vec<char> = picture.as_u8().unwrap().as_chunks::<3>().0.iter().map(letter).collect();
        letters.chunks(width).map(|row| row.iter().collect()).collect()
    }

    #[test]
    fn outlines_part_objects_that_touch_and_the_image_ends_without_one() {
        let found = ["11122", "11122", "11122", "00000"];
        assert_eq!(drawn(&found, None), ["..oo.", "..oo.", "ooooo", "....."]);
    }

    #[test]
    fn agreement_has_three_colours() {
        let found = ["11100", "11100", "11100", "00000"];
        let truth = ["00000", "03330", "03330", "03330"];
        assert_eq!(drawn(&found, Some(&truth)), ["~~f..", "~bbt.", "fbbt.", ".t~t."]);
    }

    #[test]
    fn marks_over_the_image_are_the_overlay() {
        let found = ["11100", "11100", "11100", "00000"];
        let truth = ["00000", "03330", "03330", "03330"];
        for truth in [None, Some(truth.as_slice().try_into().map(plane_of).unwrap())] {
            let black = Dense::new(5, 4, 1, Pixels::U8(vec![0; 20])).unwrap();
            let expected = overlay(&black, &plane(&found), truth.as_ref()).unwrap();
            let file = marks(&plane(&found), truth.as_ref()).unwrap();
            let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
            decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
            let mut reader = decoder.read_info().unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            let expected = expected.as_u8().unwrap().as_chunks::<3>().0;
            for (pixel, expected) in pixels.as_chunks::<4>().0.iter().zip(expected) {
                let near = |a: u8, b: u8| {
                    let mixed = f64::from(a) * f64::from(pixel[3]) / 255.0;
                    (mixed - f64::from(b)).abs() <= 2.0
                };
                assert!((0..3).all(|c| near(pixel[c], expected[c])), "{pixel:?} {expected:?}");
            }
        }
    }

    fn plane_of(rows: [&str; 4]) -> Dense {
        plane(&rows)
    }

    #[test]
    fn sizes_must_be_equal() {
        let image = Dense::new(2, 1, 1, Pixels::U8(vec![0; 2])).unwrap();
        assert!(overlay(&image, &plane(&["100"]), None).is_err());
    }
}
