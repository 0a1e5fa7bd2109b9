//! Erosion, dilation and opening with flat elements; beyond the image border there is nothing, so that an element there
//! counts only what it covers of the image.
//!
//! Rows go through a [`stage::Stage`] one by one and come out again when the last row they need has come in, so that an opening
//! reads each row once and writes it once.

mod cross;
mod fold;
mod octagon;
mod stage;

use std::ops::Range;

use crate::isa::versions;
use crate::{Machine, Plane, View, ViewMut};
use cross::Cross;
use fold::{Greatest, Least};
use octagon::Octagon;
use stage::{Both, stream};

/// The shape of a neighbourhood, symmetric about its centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// A pixel and its four neighbours.
    Cross3,
    /// An octagon of 19 × 19: rows of 11, 13, 15 and 17 pixels, eleven of 19, and back.
    Disk19,
}

/// The smallest value under the element.
pub fn erode(image: View<'_, u8>, element: Element) -> Plane<u8> {
    made(image, |target| erode_into(Machine::default(), image, element, target, &mut Scratch::default()))
}

/// The largest value under the element.
pub fn dilate(image: View<'_, u8>, element: Element) -> Plane<u8> {
    made(image, |target| dilate_into(Machine::default(), image, element, target, &mut Scratch::default()))
}

/// Erosion, then dilation.
pub fn open(image: View<'_, u8>, element: Element) -> Plane<u8> {
    made(image, |target| open_into(Machine::default(), image, element, target, &mut Scratch::default()))
}

fn made(image: View<'_, u8>, make: impl FnOnce(ViewMut<'_, u8>)) -> Plane<u8> {
    let mut result = Plane::filled(0, image.width(), image.height());
    make(result.view_mut());
    result
}

/// Memory that an operation on rows works in; kept, it is not allocated again.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    bands: Vec<Vec<u8>>,
}

/// [`erode`] into an image of the same size.
pub fn erode_into(
    machine: Machine,
    image: View<'_, u8>,
    element: Element,
    target: ViewMut<'_, u8>,
    scratch: &mut Scratch,
) {
    machine.write(target, &mut scratch.bands, |rows, band, memory| {
        erode_rows(machine.isa, image, element, rows, band, memory);
    });
}

/// [`dilate`] into an image of the same size.
pub fn dilate_into(
    machine: Machine,
    image: View<'_, u8>,
    element: Element,
    target: ViewMut<'_, u8>,
    scratch: &mut Scratch,
) {
    machine.write(target, &mut scratch.bands, |rows, band, memory| {
        dilate_rows(machine.isa, image, element, rows, band, memory);
    });
}

/// [`open`] into an image of the same size.
pub fn open_into(
    machine: Machine,
    image: View<'_, u8>,
    element: Element,
    target: ViewMut<'_, u8>,
    scratch: &mut Scratch,
) {
    machine.write(target, &mut scratch.bands, |rows, band, memory| {
        open_rows(machine.isa, image, element, rows, band, memory);
    });
}

versions! {
    /// The rows of an erosion.
    fn erode_rows(image: View<'_, u8>, element: Element, rows: Range<usize>, target: ViewMut<'_, u8>, memory: &mut Vec<u8>) {
        match element {
            Element::Cross3 => stream::<Cross<Least>>(image, rows, target, memory),
            Element::Disk19 => stream::<Octagon<Least>>(image, rows, target, memory),
        }
    }
}

versions! {
    /// The rows of a dilation.
    fn dilate_rows(image: View<'_, u8>, element: Element, rows: Range<usize>, target: ViewMut<'_, u8>, memory: &mut Vec<u8>) {
        match element {
            Element::Cross3 => stream::<Cross<Greatest>>(image, rows, target, memory),
            Element::Disk19 => stream::<Octagon<Greatest>>(image, rows, target, memory),
        }
    }
}

versions! {
    /// The rows of an opening.
    fn open_rows(image: View<'_, u8>, element: Element, rows: Range<usize>, target: ViewMut<'_, u8>, memory: &mut Vec<u8>) {
        match element {
            Element::Cross3 => stream::<Both<Cross<Least>, Cross<Greatest>>>(image, rows, target, memory),
            Element::Disk19 => stream::<Both<Octagon<Least>, Octagon<Greatest>>>(image, rows, target, memory),
        }
    }
}
