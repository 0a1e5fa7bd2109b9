//! Erosion, dilation and opening with flat elements; beyond the image border there is nothing, so that an element there
//! counts only what it covers of the image.

use crate::{Plane, View};

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
    fold_under(image, element, u8::MAX, u8::min)
}

/// The largest value under the element.
pub fn dilate(image: View<'_, u8>, element: Element) -> Plane<u8> {
    fold_under(image, element, u8::MIN, u8::max)
}

/// Erosion, then dilation.
pub fn open(image: View<'_, u8>, element: Element) -> Plane<u8> {
    dilate(erode(image, element).view(), element)
}

/// The octagon is a square dilated by a diamond, the diamond a cross dilated by crosses. Done one after the other they
/// give the octagon also near the border: a way from a pixel of the image to another that the octagon allows can be
/// cut into the steps the parts allow without leaving the rectangle between the two.
fn fold_under(
    image: View<'_, u8>,
    element: Element,
    nothing: u8,
    fold: impl Fn(u8, u8) -> u8 + Copy,
) -> Plane<u8> {
    match element {
        Element::Cross3 => under_cross(image, fold),
        Element::Disk19 => {
            let square = under_square(image, nothing, fold);
            (0..4).fold(square, |image, _| under_cross(image.view(), fold))
        }
    }
}

fn under_cross(image: View<'_, u8>, fold: impl Fn(u8, u8) -> u8 + Copy) -> Plane<u8> {
    let mut result = image.to_plane();
    let inner = image.width().saturating_sub(1);
    for (y, row) in image.rows().enumerate() {
        let mut view = result.view_mut();
        let target = view.row_mut(y);
        fold_into(&mut target[..inner], row.get(1..).unwrap_or_default(), fold);
        fold_into(target.get_mut(1..).unwrap_or_default(), &row[..inner], fold);
        if y > 0 {
            fold_into(target, image.row(y - 1), fold);
        }
        if y + 1 < image.height() {
            fold_into(target, image.row(y + 1), fold);
        }
    }
    result
}

fn fold_into(target: &mut [u8], source: &[u8], fold: impl Fn(u8, u8) -> u8) {
    target.iter_mut().zip(source).for_each(|(pixel, other)| *pixel = fold(*pixel, *other));
}

/// Half the side of the square in the octagon, less its centre.
const RADIUS: usize = 5;

/// Folds each square of 11 × 11: the image gets a frame of `nothing`, then windows along its rows and along its columns.
fn under_square(image: View<'_, u8>, nothing: u8, fold: impl Fn(u8, u8) -> u8 + Copy) -> Plane<u8> {
    let stride = image.width() + 2 * RADIUS;
    let mut framed = vec![nothing; stride * (image.height() + 2 * RADIUS)];
    for (row, framed) in image.rows().zip(framed[RADIUS * stride..].chunks_exact_mut(stride)) {
        framed[RADIUS..RADIUS + image.width()].copy_from_slice(row);
    }
    fold_eleven(&mut framed, 1, fold);
    fold_eleven(&mut framed, stride, fold);
    let mut result = image.to_plane();
    for (y, row) in framed.chunks_exact(stride).take(image.height()).enumerate() {
        result.view_mut().row_mut(y).copy_from_slice(&row[..image.width()]);
    }
    result
}

/// Makes each pixel the fold of itself and the ten that follow it `step` apart: of 2, of 4, of 8, and two eights that
/// overlap make eleven. Windows that run past the end of a row are of no pixel in the image.
fn fold_eleven(pixels: &mut [u8], step: usize, fold: impl Fn(u8, u8) -> u8 + Copy) {
    for ahead in [1, 2, 4, 3].map(|count| count * step) {
        for at in 0..pixels.len().saturating_sub(ahead) {
            pixels[at] = fold(pixels[at], pixels[at + ahead]);
        }
    }
}
