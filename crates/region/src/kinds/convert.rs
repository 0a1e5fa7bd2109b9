//! What an image file gives, turned into what the pipeline works with: 8-bit colour, or labels.

use crate::{Dense, Pixels, RegionError};

/// An 8-bit colour image: grey becomes three equal channels, of 16 bits the upper 8 are taken, and real numbers from 0
/// to 1 become the nearest of 0 to 255.
///
/// # Errors
/// When the values are whole numbers of 32 bits, or real numbers that are not between 0 and 1.
pub fn rgb8(image: &Dense) -> Result<Dense, RegionError> {
    let values = match image.pixels() {
        Pixels::U8(values) => values.clone(),
        Pixels::U16(values) => values.iter().map(|value| (value >> 8) as u8).collect(),
        Pixels::F32(values) => {
            values.iter().map(|value| brightness(f64::from(*value))).collect::<Result<_, _>>()?
        }
        Pixels::F64(values) => values.iter().map(|value| brightness(*value)).collect::<Result<_, _>>()?,
        _ => return Err(no_colours(image)),
    };
    let colours =
        if image.channels() == 3 { values } else { values.iter().flat_map(|&grey| [grey; 3]).collect() };
    Dense::new(image.width(), image.height(), 3, Pixels::U8(colours))
}

/// The same of an image that is of no other use: one that has such pixels already stays where it is.
///
/// # Errors
/// As [`rgb8`].
pub fn into_rgb8(image: Dense) -> Result<Dense, RegionError> {
    match image.pixels() {
        Pixels::U8(_) if image.channels() == 3 => Ok(image),
        _ => rgb8(&image),
    }
}

fn brightness(value: f64) -> Result<u8, RegionError> {
    if (0.0..=1.0).contains(&value) {
        Ok((value * 255.0 + 0.5) as u8)
    } else {
        Err(RegionError::Range { found: value })
    }
}

fn no_colours(image: &Dense) -> RegionError {
    RegionError::Kind {
        expected: "an image with 8 or 16 bits per value, or real numbers from 0 to 1",
        channels: image.channels(),
        element: image.element(),
        todo: "export it with 8 bits per colour",
    }
}

/// Labels as a file gave them.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelPlane {
    /// One `u32` per pixel; 0 is the background.
    pub plane: Dense,
    /// Whether it is only a mask: at most one value beside 0, so touching objects cannot be told apart by it.
    pub mask: bool,
}

/// Labels from grey values of 8, 16 or 32 bits, or from 8-bit colours that are grey or use red alone.
///
/// # Errors
/// When the values are not whole numbers from 0 on, or the image is coloured.
pub fn labels(image: &Dense) -> Result<LabelPlane, RegionError> {
    let values = match (image.pixels(), image.channels()) {
        (Pixels::U8(values), 3) => one_channel(values, image.width())?,
        (Pixels::U8(values), 1) => values.iter().map(|&value| u32::from(value)).collect(),
        (Pixels::U16(values), 1) => values.iter().map(|&value| u32::from(value)).collect(),
        (Pixels::U32(values), 1) => values.clone(),
        _ => return Err(no_labels(image)),
    };
    let mask = is_mask(&values);
    Ok(LabelPlane { plane: Dense::new(image.width(), image.height(), 1, Pixels::U32(values))?, mask })
}

fn no_labels(image: &Dense) -> RegionError {
    RegionError::Kind {
        expected: "labels: one channel of 8, 16 or 32 bits, or 8-bit colours that are grey or red",
        channels: image.channels(),
        element: image.element(),
        todo: "save the labels as an 8- or 16-bit grey image",
    }
}

/// Red, when it is all there is to know: the channels are equal everywhere, or the other two are empty everywhere.
fn one_channel(values: &[u8], width: usize) -> Result<Vec<u32>, RegionError> {
    let pixels = || values.chunks_exact(3);
    if pixels().any(|pixel| pixel[1] != 0 || pixel[2] != 0) {
        let coloured = |pixel: &[u8]| pixel[0] != pixel[1] || pixel[1] != pixel[2];
        if let Some((index, pixel)) = pixels().enumerate().find(|(_, pixel)| coloured(pixel)) {
            let (red, green, blue) = (pixel[0], pixel[1], pixel[2]);
            return Err(RegionError::Coloured { x: index % width, y: index / width, red, green, blue });
        }
    }
    Ok(pixels().map(|pixel| u32::from(pixel[0])).collect())
}

fn is_mask(values: &[u32]) -> bool {
    let mut labelled = values.iter().filter(|&&value| value != 0);
    let first = labelled.next();
    labelled.all(|value| Some(value) == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(channels: usize, pixels: Pixels) -> Dense {
        Dense::new(pixels.len() / channels, 1, channels, pixels).unwrap()
    }

    #[test]
    fn what_is_no_colour_becomes_one_or_is_refused() {
        let grey = rgb8(&image(1, Pixels::U8(vec![1, 9]))).unwrap();
        assert_eq!(grey.as_u8(), Some(&[1, 1, 1, 9, 9, 9][..]));
        let colour = image(3, Pixels::U8(vec![1, 2, 3]));
        assert_eq!(rgb8(&colour).unwrap(), colour);
        let wide = rgb8(&image(3, Pixels::U16(vec![0, 255, 256]))).unwrap();
        assert_eq!(wide.as_u8(), Some(&[0, 0, 1][..]));
        let wide = rgb8(&image(3, Pixels::U16((0..3).map(|value| value * 100 * 257).collect()))).unwrap();
        assert_eq!(wide.as_u8(), Some(&[0, 100, 200][..]), "what eight bits became is what they were");
        let real = rgb8(&image(3, Pixels::F32(vec![0.0, 0.5, 1.0]))).unwrap();
        assert_eq!(real.as_u8(), Some(&[0, 128, 255][..]));
        for value in [-0.001, 1.001, f64::NAN, f64::INFINITY] {
            let refused = rgb8(&image(1, Pixels::F64(vec![0.0, value])));
            assert!(matches!(refused, Err(RegionError::Range { .. })), "{value}");
        }
        let error = rgb8(&image(3, Pixels::U32(vec![1, 2, 3]))).unwrap_err().to_string();
        assert_eq!(
            error,
            "expected an image with 8 or 16 bits per value, or real numbers from 0 to 1, found 3 channel(s) of u32; \
             export it with 8 bits per colour"
        );
    }

    #[test]
    fn labels_and_masks_are_told_apart() {
        let read = |channels, pixels| {
            let found = labels(&image(channels, pixels)).unwrap();
            (found.plane.as_u32().unwrap().to_vec(), found.mask)
        };
        assert_eq!(read(1, Pixels::U16(vec![0, 300, 2])), (vec![0, 300, 2], false));
        assert_eq!(read(1, Pixels::U8(vec![0, 255, 255])), (vec![0, 255, 255], true));
        assert_eq!(read(3, Pixels::U8(vec![0, 0, 0, 7, 7, 7])), (vec![0, 7], true));
        assert_eq!(read(3, Pixels::U8(vec![4, 0, 0, 7, 0, 0])), (vec![4, 7], false));
        assert_eq!(read(1, Pixels::U32(vec![0, 0])), (vec![0, 0], true));
    }

    #[test]
    fn colours_and_reals_are_no_labels() {
        let error = labels(&image(3, Pixels::U8(vec![0, 0, 0, 1, 2, 3]))).unwrap_err();
        assert!(matches!(error, RegionError::Coloured { x: 1, y: 0, red: 1, green: 2, blue: 3 }));
        assert!(labels(&image(1, Pixels::F32(vec![0.0]))).is_err());
    }
}
