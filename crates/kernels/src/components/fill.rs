//! Filling the holes of a mask.

use crate::bits::{self, BitFlood, BitsView, Mask, Seeds};
use crate::components::runs::Runs;
use crate::{Connectivity, Cpu, Plane, View, ViewMut};

/// Turns every part of the background that does not reach the image border into foreground; `background` says which
/// pixels of the background are neighbours.
pub fn fill_holes(mask: View<'_, u8>, background: Connectivity) -> Plane<u8> {
    let mut result = Plane::filled(0, mask.width(), mask.height());
    fill_holes_into(Cpu::default(), mask, background, result.view_mut(), &mut Runs::default());
    result
}

/// [`fill_holes`] into existing memory.
///
/// The background is flooded from the border, 64 pixels at a time. The time is linear in the number of pixels; winding
/// paths one pixel wide, such as spirals, cost most, because they are followed word by word.
pub fn fill_holes_into(
    cpu: Cpu,
    mask: View<'_, u8>,
    background: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut Runs,
) {
    scratch.spread().write(cpu, background, &Border(mask.into()), target);
}

/// The background that can be reached from the image border.
pub(crate) fn outside<'a>(
    cpu: Cpu,
    mask: BitsView<'_>,
    background: Connectivity,
    spread: &'a mut BitFlood,
) -> BitsView<'a> {
    spread.reach(cpu, background, &Border(mask.into()), (mask.width(), mask.height()))
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
