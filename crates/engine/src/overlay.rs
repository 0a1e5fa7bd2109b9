//! What was found, drawn on the image: outlines, and with a truth where the two agree.

use onceflow_kernels::View;
use onceflow_region::{Dense, Pixels, RegionError, rgb8};

use crate::view::labels;
use crate::{EngineError, objects};

/// What a pixel is to the result and to the truth.
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

    /// Its colour: none of stained tissue, and apart for people who see few colours.
    pub fn colour(self) -> [u8; 3] {
        match self {
            Self::Both => [0, 220, 130],
            Self::OnlyTruth => [0, 180, 255],
            Self::OnlyFound => [255, 170, 0],
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

    fn of(found: u32, truth: u32) -> Option<Self> {
        match (found != 0, truth != 0) {
            (true, true) => Some(Self::Both),
            (false, true) => Some(Self::OnlyTruth),
            (true, false) => Some(Self::OnlyFound),
            (false, false) => None,
        }
    }
}

/// Outlines without a truth.
const OUTLINE: [u8; 3] = [255, 240, 0];

/// The image with the outlines of the objects of a mask or label image; with a truth the pixels of both are tinted by
/// whether they agree, and the outlines of both are drawn.
///
/// # Errors
/// When the three are not of one size, or one is not what its name says.
pub fn overlay(image: &Dense, found: &Dense, truth: Option<&Dense>) -> Result<Dense, EngineError> {
    let mut picture = rgb8(image).map_err(impossible)?;
    let found = objects(found).map_err(impossible)?;
    let truth = truth.map(objects).transpose().map_err(impossible)?;
    let size = (image.width(), image.height());
    if [Some(&found), truth.as_ref()]
        .into_iter()
        .flatten()
        .any(|plane| (plane.width(), plane.height()) != size)
    {
        return Err(EngineError::Internal("an overlay of images of different sizes".into()));
    }
    let view = labels(&found).ok_or_else(no_labels)?;
    picture = match truth.as_ref().map(|truth| labels(truth).ok_or_else(no_labels)).transpose()? {
        None => draw(picture, |x, y| outlined(view, x, y).then_some(Ink::solid(OUTLINE)))?,
        Some(truth) => draw(picture, |x, y| agreement_ink(view, truth, x, y))?,
    };
    Ok(picture)
}

/// A colour and how much of it covers the image, of 256.
struct Ink {
    colour: [u8; 3],
    cover: u16,
}

impl Ink {
    fn solid(colour: [u8; 3]) -> Self {
        Self { colour, cover: 256 }
    }

    fn over(&self, below: [u8; 3]) -> [u8; 3] {
        let mix = |ink: u8, below: u8| {
            (u16::from(ink) * self.cover / 256 + u16::from(below) * (256 - self.cover) / 256) as u8
        };
        std::array::from_fn(|channel| mix(self.colour[channel], below[channel]))
    }
}

/// How much of a tint covers the inside of objects: the tissue stays visible.
const TINT: u16 = 90;

fn agreement_ink(found: View<'_, u32>, truth: View<'_, u32>, x: usize, y: usize) -> Option<Ink> {
    let agreement = Agreement::of(found.at(x, y), truth.at(x, y))?;
    let outline = outlined(found, x, y) || outlined(truth, x, y);
    Some(Ink { colour: agreement.colour(), cover: if outline { 256 } else { TINT } })
}

/// Whether a pixel is of an object and beside another one or none; the border of the image is no outline.
fn outlined(labels: View<'_, u32>, x: usize, y: usize) -> bool {
    let here = labels.at(x, y);
    let (right, below) = (x + 1 < labels.width(), y + 1 < labels.height());
    here != 0
        && (x > 0 && labels.at(x - 1, y) != here
            || right && labels.at(x + 1, y) != here
            || y > 0 && labels.at(x, y - 1) != here
            || below && labels.at(x, y + 1) != here)
}

fn draw(picture: Dense, ink: impl Fn(usize, usize) -> Option<Ink>) -> Result<Dense, EngineError> {
    let (width, height) = (picture.width(), picture.height());
    let Pixels::U8(mut values) = picture.into_pixels() else { return Err(no_labels()) };
    let (pixels, _) = values.as_chunks_mut::<3>();
    for (position, pixel) in pixels.iter_mut().enumerate() {
        if let Some(ink) = ink(position % width, position / width) {
            *pixel = ink.over(*pixel);
        }
    }
    Dense::new(width, height, 3, Pixels::U8(values)).map_err(impossible)
}

fn no_labels() -> EngineError {
    EngineError::Internal("an overlay of what is neither labels nor colours".into())
}

fn impossible(error: RegionError) -> EngineError {
    EngineError::Internal(error.to_string())
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
        assert_eq!(drawn(&found, Some(&truth)), ["~~f..", "~bbt.", "fbbt.", ".ttt."]);
    }

    #[test]
    fn sizes_must_be_equal() {
        let image = Dense::new(2, 1, 1, Pixels::U8(vec![0; 2])).unwrap();
        assert!(overlay(&image, &plane(&["100"]), None).is_err());
    }
}
