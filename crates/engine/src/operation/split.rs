//! Clumps are split by a watershed of the colour image, each object on its own: only those that were not seen before.

use onceflow_kernels::nuclei::{self, SplitScratch, split_groups};
use onceflow_kernels::{Connectivity, Groups, Plane, Shape, View, above};
use onceflow_runtime::{Done, OperationError};

use super::Arguments;
use super::known::{At, Known, Work};
use super::regions::{done, from_grey};

/// Clumps split by a watershed of the colour image.
pub(super) fn split(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let big = arguments.grey(1)?;
    parted(arguments, big, arguments.connectivity(0)?)
}

/// Clumps found and split in one task.
pub(super) fn separate(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let big = nuclei::clumps(arguments.grey(1)?, arguments.integer(0)?);
    parted(arguments, big.view(), arguments.connectivity(1)?)
}

fn parted(
    arguments: &Arguments<'_>,
    big: View<'_, u8>,
    connectivity: Connectivity,
) -> Result<Done, OperationError> {
    let image = arguments.colour(0)?;
    // Lines are kept as 32-bit positions.
    let known = arguments.known.filter(|_| big.width() as u64 * big.height() as u64 <= 1 << 32);
    let apart = match (known, arguments.contents) {
        (Some(known), [colours, ..]) => {
            let numbers =
                [big.width() as u64, big.height() as u64, u64::from(connectivity == Connectivity::Eight)];
            let context = known.context(&[*colours], &numbers);
            part_unknown(known, At { site: arguments.site, context }, image, big, connectivity)
        }
        _ => nuclei::split(image, big, connectivity),
    };
    Ok(done([from_grey(apart)?]))
}

/// The mask without the lines of objects, which follow from an object alone and from the colours below it.
fn part_unknown(
    known: &Known,
    at: At,
    image: View<'_, [u8; 3]>,
    big: View<'_, u8>,
    connectivity: Connectivity,
) -> Plane<u8> {
    let groups = Groups::of(big, Connectivity::Eight);
    let mut apart = above(big, 0);
    let pixels = apart.pixels_mut();
    let mut flood =
        Flood { image, groups: &groups, connectivity, scratch: SplitScratch::default(), lines: Vec::new() };
    known.each(at, &mut flood, &mut |lines| {
        lines.iter().for_each(|position| pixels[*position as usize] = 0);
    });
    apart
}

/// Floods groups of objects; a result is the positions of its lines in the image.
struct Flood<'a> {
    image: View<'a, [u8; 3]>,
    groups: &'a Groups,
    connectivity: Connectivity,
    scratch: SplitScratch,
    lines: Vec<(usize, usize)>,
}

impl Work for Flood<'_> {
    fn len(&self) -> usize {
        self.groups.len()
    }

    fn shape(&self, group: usize, after: Shape) -> Shape {
        self.groups.shape(group, after)
    }

    fn pixels(&self, group: usize) -> usize {
        self.groups.area(group)
    }

    fn compute(&mut self, group: usize, result: &mut Vec<u32>) {
        let Self { image, groups, connectivity, scratch, lines } = self;
        lines.clear();
        split_groups(*image, groups, group..group + 1, *connectivity, scratch, lines);
        result.extend(lines.iter().map(|(x, y)| (y * image.width() + x) as u32));
    }
}
