//! Holes of a mask become part of it.

use crate::bits::{self, BitsView, Seeds, Spread};
use crate::runs::Runs;
use crate::{Connectivity, Machine, Plane, View, ViewMut};

/// Turns every part of the background that does not reach the image border into foreground; `background` says which
/// pixels of the background are neighbours.
pub fn fill_holes(mask: View<'_, u8>, background: Connectivity) -> Plane<u8> {
    let mut result = Plane::filled(0, mask.width(), mask.height());
    fill_holes_into(Machine::default(), mask, background, result.view_mut(), &mut Runs::default());
    result
}

/// [`fill_holes`] into memory that exists.
///
/// The background is flooded from the border, 64 pixels at a time. The time is linear in the number of pixels; most is
/// needed by ways one pixel wide that wind, such as spirals, which are followed word by word.
pub fn fill_holes_into(
    machine: Machine,
    mask: View<'_, u8>,
    background: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut Runs,
) {
    scratch.spread().write(machine, background, &Border::of(mask), target);
}

/// What cannot be reached from outside a mask of bits, in pixels; all else stays in the memory as bits.
pub(crate) fn fill_bits_into(
    machine: Machine,
    mask: BitsView<'_>,
    background: Connectivity,
    target: ViewMut<'_, u8>,
    spread: &mut Spread,
) {
    spread.write(machine, background, &Border::of(mask), target);
}

/// What can be reached from outside a mask of bits.
pub(crate) fn outside<'a>(
    machine: Machine,
    mask: BitsView<'_>,
    background: Connectivity,
    spread: &'a mut Spread,
) -> BitsView<'a> {
    spread.reach(machine, background, &Border::of(mask), (mask.width(), mask.height()))
}

/// The background at the border of the image.
struct Border<M> {
    mask: M,
    width: usize,
    height: usize,
}

/// A mask of bytes or bits.
trait Mask: Sync {
    /// Its size.
    fn size(&self) -> (usize, usize);

    /// Writes a row as bits.
    fn write(&self, y: usize, words: &mut [u64]);
}

impl Mask for View<'_, u8> {
    fn size(&self) -> (usize, usize) {
        (self.width(), self.height())
    }

    #[inline(always)]
    fn write(&self, y: usize, words: &mut [u64]) {
        bits::pack_into(self.row(y), words);
    }
}

impl Mask for BitsView<'_> {
    fn size(&self) -> (usize, usize) {
        (self.width(), self.height())
    }

    #[inline(always)]
    fn write(&self, y: usize, words: &mut [u64]) {
        words.copy_from_slice(self.row(y));
    }
}

impl<M: Mask> Border<M> {
    fn of(mask: M) -> Self {
        let (width, height) = mask.size();
        Self { mask, width, height }
    }
}

impl<M: Mask> Seeds for Border<M> {
    const INSIDE: bool = false;

    #[inline(always)]
    fn open(&self, y: usize, words: &mut [u64]) {
        self.mask.write(y, words);
        bits::invert(words, self.width);
    }

    #[inline(always)]
    fn seed(&self, y: usize, words: &mut [u64]) {
        let on_border = y == 0 || y + 1 == self.height;
        words.fill(if on_border { u64::MAX } else { 0 });
        if let Some(first) = words.first_mut() {
            *first |= 1;
        }
        if let Some(last) = words.last_mut() {
            *last |= 1 << ((self.width - 1) % 64);
        }
    }
}
