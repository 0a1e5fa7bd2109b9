//! Pixels that a program made: of the right size, and of a type that loses nothing.

use std::path::Path;

use onceflow_region::{Dense, Element, Pixels};
use onceflow_study::RegionKind;

/// Pixels of a kind on a part of so many columns and rows, converted to the type of the kind.
pub(super) fn checked(path: &Path, kind: RegionKind, (width, height): (u64, u64)) -> Result<Dense, String> {
    let unreadable = |error: onceflow_region::SourceError| {
        format!("expected a {kind} as TIFF or PNG, found a file that cannot be read so: {error}")
    };
    let source = onceflow_imageio::open(path).map_err(unreadable)?;
    let info = source.info();
    if (info.width, info.height) != (width, height) {
        return Err(format!(
            "expected {width} x {height} pixels, found {} x {}; the part with what it sees around itself keeps its size",
            info.width, info.height
        ));
    }
    let channels = channels(kind);
    if info.channels as usize != channels {
        return Err(format!("expected {channels} values per pixel for a {kind}, found {}", info.channels));
    }
    if !elements(kind).contains(&info.element) {
        let known: Vec<String> = elements(kind).iter().map(ToString::to_string).collect();
        return Err(format!(
            "expected pixels of type {} for a {kind}, found {}",
            known.join(" or "),
            info.element
        ));
    }
    let bounds = info.bounds().ok_or("expected an image, found one without a box")?;
    let dense = source.read(bounds).map_err(unreadable)?;
    let pixels = converted(dense.into_pixels(), kind)?;
    Dense::new(width as usize, height as usize, channels, pixels).map_err(|error| error.to_string())
}

/// Values per pixel.
pub(super) fn channels(kind: RegionKind) -> usize {
    if kind == RegionKind::Rgb8 { 3 } else { 1 }
}

/// Types that convert to the kind without loss, first its own type; negative values are refused where it has no sign.
pub(super) fn elements(kind: RegionKind) -> &'static [Element] {
    use Element::{F32, F64, I8, I16, I32, U8, U16, U32};
    match kind {
        RegionKind::Rgb8 | RegionKind::U8 | RegionKind::Mask => &[U8],
        RegionKind::U16 => &[U16, U8],
        RegionKind::I32 => &[I32, I16, I8, U16, U8],
        RegionKind::Labels => &[U32, I32, U16, U8],
        RegionKind::F32 => &[F32],
        RegionKind::F64 => &[F64, F32],
        _ => &[],
    }
}

fn converted(pixels: Pixels, kind: RegionKind) -> Result<Pixels, String> {
    Ok(match (kind, pixels) {
        (RegionKind::Mask, Pixels::U8(values)) => Pixels::U8(mask(values)?),
        (RegionKind::U16, Pixels::U8(values)) => Pixels::U16(widened(&values)),
        (RegionKind::I32, Pixels::U8(values)) => Pixels::I32(widened(&values)),
        (RegionKind::I32, Pixels::I8(values)) => Pixels::I32(widened(&values)),
        (RegionKind::I32, Pixels::U16(values)) => Pixels::I32(widened(&values)),
        (RegionKind::I32, Pixels::I16(values)) => Pixels::I32(widened(&values)),
        (RegionKind::Labels, Pixels::U8(values)) => Pixels::U32(widened(&values)),
        (RegionKind::Labels, Pixels::U16(values)) => Pixels::U32(widened(&values)),
        (RegionKind::Labels, Pixels::I32(values)) => Pixels::U32(labels(&values)?),
        (RegionKind::F64, Pixels::F32(values)) => Pixels::F64(widened(&values)),
        (_, pixels) => pixels,
    })
}

fn widened<A: Copy, B: From<A>>(values: &[A]) -> Vec<B> {
    values.iter().map(|value| B::from(*value)).collect()
}

/// A mask is 0 and 255; one of 0 and 1 is converted.
fn mask(mut values: Vec<u8>) -> Result<Vec<u8>, String> {
    let most = values.iter().copied().max().unwrap_or(0);
    if let Some(other) = values.iter().find(|value| **value != 0 && **value != most).copied() {
        return Err(format!(
            "expected a mask of 0 and 255, or of 0 and 1, found the values {other} and {most}"
        ));
    }
    match most {
        1 => values.iter_mut().for_each(|value| *value *= 255),
        0 | 255 => {}
        other => return Err(format!("expected a mask of 0 and 255, or of 0 and 1, found the value {other}")),
    }
    Ok(values)
}

fn labels(values: &[i32]) -> Result<Vec<u32>, String> {
    let label = |value: &i32| {
        u32::try_from(*value).map_err(|_| format!("expected labels from 0, found the value {value}"))
    };
    values.iter().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_of_two_values() {
        assert_eq!(mask(vec![0, 1, 1]), Ok(vec![0, 255, 255]));
        assert_eq!(mask(vec![0, 255]), Ok(vec![0, 255]));
        assert_eq!(mask(vec![0, 0]), Ok(vec![0, 0]));
        assert!(mask(vec![0, 17]).unwrap_err().ends_with("found the value 17"));
        assert!(mask(vec![0, 1, 255]).unwrap_err().ends_with("found the values 1 and 255"));
    }

    #[test]
    fn labels_are_not_negative() {
        assert_eq!(labels(&[0, 7]), Ok(vec![0, 7]));
        assert!(labels(&[-1]).is_err());
    }
}
