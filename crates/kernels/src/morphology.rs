//! Erosion, dilation and opening with flat elements; an element at the border counts only the pixels it covers inside the
//! image.
//!
//! Rows go through a [`filter::RowFilter`] one by one and come out again when the last row they need has come in, so that an opening
//! reads each row once and writes it once.

mod cross;
mod extremum;
mod filter;
mod octagon;

use std::ops::Range;

use crate::cpu::isa::versions;
use crate::{Cpu, Plane, View, ViewMut};
use cross::Cross;
use extremum::{Greatest, Least};
use filter::{FilterChain, stream};
use octagon::Octagon;

/// The shape of a neighbourhood, symmetric about its centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructuringElement {
    /// A pixel and its four neighbours.
    Cross3,
    /// An octagon of 19 × 19: rows of 11, 13, 15 and 17 pixels, eleven of 19, and back.
    Disk19,
}

/// The smallest value under the element.
pub fn erode(image: View<'_, u8>, element: StructuringElement) -> Plane<u8> {
    made(image, |target| {
        erode_into(Cpu::default(), image, element, target, &mut MorphologyScratch::default())
    })
}

/// The largest value under the element.
pub fn dilate(image: View<'_, u8>, element: StructuringElement) -> Plane<u8> {
    made(image, |target| {
        dilate_into(Cpu::default(), image, element, target, &mut MorphologyScratch::default())
    })
}

/// Erosion, then dilation.
pub fn open(image: View<'_, u8>, element: StructuringElement) -> Plane<u8> {
    made(image, |target| open_into(Cpu::default(), image, element, target, &mut MorphologyScratch::default()))
}

fn made(image: View<'_, u8>, make: impl FnOnce(ViewMut<'_, u8>)) -> Plane<u8> {
    let mut result = Plane::filled(0, image.width(), image.height());
    make(result.view_mut());
    result
}

/// Reusable memory for operations on rows.
#[derive(Clone, Debug, Default)]
pub struct MorphologyScratch {
    bands: Vec<Vec<u8>>,
}

/// [`erode`] into an image of the same size.
pub fn erode_into(
    cpu: Cpu,
    image: View<'_, u8>,
    element: StructuringElement,
    target: ViewMut<'_, u8>,
    scratch: &mut MorphologyScratch,
) {
    cpu.write(target, &mut scratch.bands, |rows, band, memory| {
        erode_rows(cpu.isa, image, element, rows, band, memory);
    });
}

/// [`dilate`] into an image of the same size.
pub fn dilate_into(
    cpu: Cpu,
    image: View<'_, u8>,
    element: StructuringElement,
    target: ViewMut<'_, u8>,
    scratch: &mut MorphologyScratch,
) {
    cpu.write(target, &mut scratch.bands, |rows, band, memory| {
        dilate_rows(cpu.isa, image, element, rows, band, memory);
    });
}

/// [`open`] into an image of the same size.
pub fn open_into(
    cpu: Cpu,
    image: View<'_, u8>,
    element: StructuringElement,
    target: ViewMut<'_, u8>,
    scratch: &mut MorphologyScratch,
) {
    cpu.write(target, &mut scratch.bands, |rows, band, memory| {
        open_rows(cpu.isa, image, element, rows, band, memory);
    });
}

versions! {
    /// The rows of an erosion.
    fn erode_rows(image: View<'_, u8>, element: StructuringElement, rows: Range<usize>, target: ViewMut<'_, u8>, memory: &mut Vec<u8>) {
        match element {
            StructuringElement::Cross3 => stream::<Cross<Least>>(image, rows, target, memory),
            StructuringElement::Disk19 => stream::<Octagon<Least>>(image, rows, target, memory),
        }
    }
}

versions! {
    /// The rows of a dilation.
    fn dilate_rows(image: View<'_, u8>, element: StructuringElement, rows: Range<usize>, target: ViewMut<'_, u8>, memory: &mut Vec<u8>) {
        match element {
            StructuringElement::Cross3 => stream::<Cross<Greatest>>(image, rows, target, memory),
            StructuringElement::Disk19 => stream::<Octagon<Greatest>>(image, rows, target, memory),
        }
    }
}

versions! {
    /// The rows of an opening.
    fn open_rows(image: View<'_, u8>, element: StructuringElement, rows: Range<usize>, target: ViewMut<'_, u8>, memory: &mut Vec<u8>) {
        match element {
            StructuringElement::Cross3 => stream::<FilterChain<Cross<Least>, Cross<Greatest>>>(image, rows, target, memory),
            StructuringElement::Disk19 => stream::<FilterChain<Octagon<Least>, Octagon<Greatest>>>(image, rows, target, memory),
        }
    }
}
