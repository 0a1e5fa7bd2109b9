//! Holes of a mask become part of it.

use crate::bits::{self, BitsView, Mask, Seeds, Spread};
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
    scratch.spread().write(machine, background, &Border(mask.into()), target);
}

/// What can be reached from outside a mask of bits.
pub(crate) fn outside<'a>(
    machine: Machine,
    mask: BitsView<'_>,
    background: Connectivity,
    spread: &'a mut Spread,
) -> BitsView<'a> {
    spread.reach(machine, background, &Border(mask.into()), (mask.width(), mask.height()))
}

/// The background at the border of the image.
struct Border<'a>(Mask<'a>);

impl Seeds for Border<'_> {
    const INSIDE: bool = false;

    #[inline(always)]
    fn open(&self, y: usize, words: &mut [u64]) {
        self.0.write(y, words);
        bits::invert(words, self.0.width());
    }

    #[inline(always)]
    fn seed(&self, y: usize, words: &mut [u64]) {
        let on_border = y == 0 || y + 1 == self.0.height();
        words.fill(if on_border { u64::MAX } else { 0 });
        if let Some(first) = words.first_mut() {
            *first |= 1;
        }
        if let Some(last) = words.last_mut() {
            *last |= 1 << ((self.0.width() - 1) % 64);
        }
    }
}
