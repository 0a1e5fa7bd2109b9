//! Which operation makes the difference: each in its turn is computed in parts, all others on the whole image.

use onceflow_kernels::nuclei::{
    Parameters, background, candidates, clumps, finish, grow, reconstruct, red_blood_cells, sized_candidates,
    split,
};
use onceflow_kernels::{Plane, View};
use onceflow_region::Part;
use onceflow_terminal::Failure;

use super::window;

/// Name of an operation, the number of the images that it reads, and what it makes of them.
type CutOperation = (&'static str, &'static [usize], ComputeMask);
type ComputeMask = fn(View<'_, [u8; 3]>, &[View<'_, u8>], &Parameters) -> Plane<u8>;

/// The operations in order; each makes the image of its own number.
pub(super) const OPERATIONS: [CutOperation; 10] = [
    ("background", &[], |image, _, p| {
        let ends = background(image, p.blue, p.green, p.red).is_some();
        Plane::filled(if ends { 0 } else { 255 }, image.width(), image.height())
    }),
    ("darkness", &[], |image, _, p| reconstruct(image, p.recon_connectivity).rc),
    ("reconstruction", &[], |image, _, p| reconstruct(image, p.recon_connectivity).rc_recon),
    ("difference", &[1, 2], |_, of, p| candidates(of[0], of[1], p.fill_holes_connectivity, p.g1).diff),
    ("holes of candidates", &[1, 2], |_, of, p| {
        candidates(of[0], of[1], p.fill_holes_connectivity, p.g1).bw1
    }),
    ("sizes of candidates", &[4], |_, of, p| sized_candidates(of[0], p.min_size, p.max_size)),
    ("red blood cells", &[], |image, _, p| red_blood_cells(image, p.t1, p.t2)),
    ("growing", &[3, 5, 6], |_, of, p| grow(of[0], of[1], of[2], p.g2)),
    ("splitting", &[7], |image, of, p| {
        split(image, clumps(of[0], p.min_size_pl).view(), p.watershed_connectivity)
    }),
    ("sizes and holes of nuclei", &[8], |_, of, p| {
        finish(of[0], p.min_size_seg, p.max_size_seg, p.fill_holes_connectivity).mask
    }),
];

/// The nuclei when one operation, or none, is computed in parts.
pub(super) fn nuclei(
    image: View<'_, [u8; 3]>,
    parameters: &Parameters,
    cut: Option<(usize, &[Part])>,
) -> Result<Plane<u8>, Failure> {
    let mut made: Vec<Plane<u8>> = Vec::new();
    for (number, (_, reads, compute)) in OPERATIONS.iter().enumerate() {
        let inputs: Vec<View<'_, u8>> = reads.iter().map(|&read| made[read].view()).collect();
        let result = match cut {
            Some((cut, parts)) if cut == number => in_parts(image, &inputs, parameters, parts, *compute)?,
            _ => compute(image, &inputs, parameters),
        };
        made.push(result);
    }
    let mut mask = made.pop().unwrap_or_default();
    let tissue = made.first().map_or(&[][..], Plane::pixels);
    mask.pixels_mut().iter_mut().zip(tissue).for_each(|(pixel, tissue)| *pixel &= tissue);
    Ok(mask)
}

/// What an operation makes of parts with their halos, of which the cores are put together.
fn in_parts(
    image: View<'_, [u8; 3]>,
    inputs: &[View<'_, u8>],
    parameters: &Parameters,
    parts: &[Part],
    compute: ComputeMask,
) -> Result<Plane<u8>, Failure> {
    let mut whole = Plane::filled(0, image.width(), image.height());
    for part in parts {
        let (read, core) = (window(part.read), window(part.core));
        let inputs: Vec<View<'_, u8>> = inputs.iter().map(|input| read.of(*input)).collect();
        let made = compute(read.of(image), &inputs, parameters);
        let inner =
            part.core_in_read().map(window).ok_or_else(|| Failure::internal("a part outside its image"))?;
        let (made, mut target) = (inner.of(made.view()), whole.view_mut());
        for row in 0..core.height {
            target.row_mut(core.top + row)[core.left..][..core.width].copy_from_slice(made.row(row));
        }
    }
    Ok(whole)
}

/// Pixels that differ, in percent of those that are of a nucleus in either.
pub(super) fn difference(one: &Plane<u8>, other: &Plane<u8>) -> f64 {
    let pairs = one.pixels().iter().zip(other.pixels());
    let (differ, either) = pairs.fold((0u64, 0u64), |(differ, either), (&one, &other)| {
        let (one, other) = (one != 0, other != 0);
        (differ + u64::from(one != other), either + u64::from(one || other))
    });
    if either == 0 { 0.0 } else { differ as f64 / either as f64 * 100.0 }
}
