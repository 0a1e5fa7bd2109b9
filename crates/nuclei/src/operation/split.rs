//! Clumps split by a watershed of the colour image, object by object; cached objects are not split again.

use onceflow_kernels::nuclei::{self, MaskScratch, SplitScratch, split_groups};
use onceflow_kernels::{Bits, Connectivity, Cpu, Mask, ObjectGroups, ObjectHash, Traces, View};
use onceflow_reuse::ContentDigest;
use onceflow_runtime::{Done, OperationError};

use super::Arguments;
use super::lookup::{CallContext, ObjectLookup, ObjectWork};
use super::regions::{done, from_grey};

/// Clumps split by a watershed of the colour image.
pub(super) fn split(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let connectivity = arguments.connectivity(0)?;
    let Some((known, [colours, _])) = known(arguments)? else {
        return whole(arguments, arguments.grey(1)?, connectivity);
    };
    let (apart, lines, known) = part_unknown(arguments, (known, *colours), arguments.mask(1)?, connectivity)?;
    // The content of the clumps and the positions of the lines identify the result.
    Ok(Done { known, ..arguments.made(apart, arguments.derived(1, lines))? })
}

/// Clumps found and split in one task.
pub(super) fn separate(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let (mask, mut scratch) = (arguments.mask(1)?, MaskScratch::default());
    nuclei::clumps_bits(Cpu::default(), mask, arguments.integer(0)?, &mut scratch);
    let (big, connectivity) = (scratch.into_result(), arguments.connectivity(1)?);
    let Some((known, [colours, _])) = known(arguments)? else {
        return whole(arguments, big.to_plane().view(), connectivity);
    };
    let (apart, _, known) = part_unknown(arguments, (known, *colours), (&big).into(), connectivity)?;
    Ok(Done { known, ..arguments.made(apart, None)? })
}

/// The lookups, with the contents of the colours and of the other input; none for images beyond 32-bit positions.
fn known<'a>(
    arguments: &Arguments<'a>,
) -> Result<Option<(&'a ObjectLookup, &'a [ContentDigest; 2])>, OperationError> {
    let image = arguments.colour(0)?;
    let positions = image.width().next_multiple_of(64) as u64 * image.height() as u64;
    let known = arguments.known.filter(|_| positions <= 1 << 32);
    Ok(known.zip(arguments.digests.as_array()))
}

fn whole(
    arguments: &Arguments<'_>,
    big: View<'_, u8>,
    connectivity: Connectivity,
) -> Result<Done, OperationError> {
    Ok(done([from_grey(nuclei::split(arguments.colour(0)?, big, connectivity))?]))
}

/// The mask without the watershed lines, which depend only on an object and the colours below it; and the sum of the hashes
/// of the lines of all objects, which come in any order; and whether all objects were cached.
fn part_unknown(
    arguments: &Arguments<'_>,
    (known, colours): (&ObjectLookup, ContentDigest),
    big: Mask<'_>,
    connectivity: Connectivity,
) -> Result<(Bits, ObjectHash, bool), OperationError> {
    let numbers = [big.width() as u64, big.height() as u64, u64::from(connectivity == Connectivity::Eight)];
    let at = CallContext {
        site: arguments.site,
        row: arguments.row,
        context: known.context(&[colours], &numbers),
    };
    let (image, traces) = (arguments.colour(0)?, Traces::of(big, Connectivity::Eight));
    let (mut apart, mut sum) = (traces.mask(), [0u64; 2]);
    let (group, scratch, lines) = (ObjectGroups::default(), SplitScratch::default(), Vec::new());
    let mut flood = SplitWork { image, traces: &traces, group, connectivity, scratch, lines };
    let is_whole = known.each(at, &mut flood, &mut |result| {
        if let Some((digest, positions)) = result.split_first_chunk::<DIGEST>() {
            positions.iter().for_each(|position| apart.clear(*position as usize));
            sum = plus(sum, *digest);
        }
    });
    Ok((apart, ObjectHash::default().and(&sum), is_whole))
}

/// Words of the hash in front of an object's lines.
const DIGEST: usize = 4;

fn plus(sum: [u64; 2], digest: [u32; DIGEST]) -> [u64; 2] {
    let [a, b, c, d] = digest.map(u64::from);
    [sum[0].wrapping_add(a | b << 32), sum[1].wrapping_add(c | d << 32)]
}

/// Floods groups of objects; a result is empty, or the hash of its lines and their positions ([`Bits::clear`]).
struct SplitWork<'a> {
    image: View<'a, [u8; 3]>,
    traces: &'a Traces,
    /// The current group.
    group: ObjectGroups,
    connectivity: Connectivity,
    scratch: SplitScratch,
    lines: Vec<(usize, usize)>,
}

impl ObjectWork for SplitWork<'_> {
    fn shapes(&self, after: ObjectHash) -> Vec<ObjectHash> {
        self.traces.shapes(after)
    }

    fn pixels(&self, group: usize) -> usize {
        self.traces.area(group)
    }

    fn compute(&mut self, group: usize, result: &mut Vec<u32>) {
        let Self { image, traces, group: taken, connectivity, scratch, lines } = self;
        lines.clear();
        traces.take(group, taken);
        split_groups(*image, taken, 0..1, *connectivity, scratch, lines);
        if lines.is_empty() {
            return;
        }
        let across = image.width().next_multiple_of(64);
        let position = |(x, y): &(usize, usize)| (y * across + x) as u64;
        let positions: Vec<u64> = lines.iter().map(position).collect();
        let digest = ObjectHash::default().and(&positions).words();
        result.extend(digest.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]));
        result.extend(positions.iter().map(|position| *position as u32));
    }
}
