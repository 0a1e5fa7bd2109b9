//! Dilation of masks as bits by a cross of three by three pixels, 64 pixels at a time; an erosion is the dilation of the
//! background. Pixels beyond the image are not set.

use std::ops::Range;

use super::mask::{BitsView, MaskTarget};
use crate::cpu::isa::versions;
use crate::{Cpu, bits};

/// Writes the dilation of a mask by a cross.
pub(crate) fn dilate_cross<T: MaskTarget>(cpu: Cpu, mask: BitsView<'_>, target: T) {
    cpu.write(target, &mut Vec::new(), |rows, mut target, row: &mut Vec<u64>| {
        dilate_rows(cpu.isa, mask, rows, row, &mut target);
    });
}

/// Writes the complement of the dilation of a mask: the erosion of its background.
pub(crate) fn beyond_cross<T: MaskTarget>(cpu: Cpu, mask: BitsView<'_>, target: T) {
    cpu.write(target, &mut Vec::new(), |rows, mut target, row: &mut Vec<u64>| {
        beyond_rows(cpu.isa, mask, rows, row, &mut target);
    });
}

versions! {
    /// Rows of a dilation.
    fn dilate_rows<T: MaskTarget>(mask: BitsView<'_>, rows: Range<usize>, row: &mut Vec<u64>, target: &mut T) {
        for (at, y) in rows.enumerate() {
            dilate_row(mask, y, row);
            target.put(at, row);
        }
    }
}

versions! {
    /// Rows of the complement of a dilation.
    fn beyond_rows<T: MaskTarget>(mask: BitsView<'_>, rows: Range<usize>, row: &mut Vec<u64>, target: &mut T) {
        for (at, y) in rows.enumerate() {
            dilate_row(mask, y, row);
            bits::invert(row, mask.width());
            target.put(at, row);
        }
    }
}

#[inline(always)]
fn dilate_row(mask: BitsView<'_>, y: usize, row: &mut Vec<u64>) {
    let here = mask.row(y);
    let above = mask.row(y.saturating_sub(1));
    let below = mask.row((y + 1).min(mask.height() - 1));
    row.clear();
    row.extend(
        here.iter()
            .zip(above)
            .zip(below)
            .map(|((here, above), below)| here | above | below | here << 1 | here >> 1),
    );
    for (word, before) in row.iter_mut().skip(1).zip(here) {
        *word |= before >> 63;
    }
    for (word, after) in row.iter_mut().zip(here.iter().skip(1)) {
        *word |= after << 63;
    }
    let width = mask.width();
    if let Some(last) = row.last_mut().filter(|_| !width.is_multiple_of(64)) {
        *last &= (1 << (width % 64)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mask::Bits;
    use super::*;
    use crate::{Isa, ON, Plane, StructuringElement, dilate, erode};

    proptest! {
        #[test]
        fn bits_are_dilated_and_eroded_as_bytes_are(
            (width, pixels) in (1..200usize).prop_flat_map(|width| {
                (Just(width), prop::collection::vec(prop::bool::weighted(0.7), width..width * 7))
            }),
            threads in 1..4usize,
        ) {
            let height = pixels.len() / width;
            let pixel = |on: &bool| if *on { ON } else { 0 };
            let on: Vec<u8> = pixels[..width * height].iter().map(pixel).collect();
            let mask = Plane::from_vec(on.clone(), width, height).unwrap();
            let other = Plane::from_vec(on.iter().map(|pixel| !pixel).collect(), width, height).unwrap();
            let mut packed = Bits::default();
            let mut rows = packed.fit(width, height);
            (0..height).for_each(|y| bits::pack_into(mask.view().row(y), rows.row_mut(y)));
            for isa in Isa::available() {
                let cpu = Cpu { isa, threads: threads.try_into().unwrap() };
                let (mut dilated, mut beyond) = (Plane::filled(7, width, height), Plane::filled(7, width, height));
                let mut kept = Bits::default();
                dilate_cross(cpu, packed.view(), dilated.view_mut());
                dilate_cross(cpu, packed.view(), kept.fit(width, height));
                prop_assert_eq!(&dilated, &dilate(mask.view(), StructuringElement::Cross3));
                beyond_cross(cpu, packed.view(), beyond.view_mut());
                prop_assert_eq!(&beyond, &erode(other.view(), StructuringElement::Cross3));
                prop_assert_eq!(&kept.to_plane(), &dilated);
                let mut shown = Plane::filled(7, width, height);
                kept.show(cpu, shown.view_mut());
                prop_assert_eq!(&shown, &dilated);
            }
        }
    }
}
