//! How a box is cut into parts, and what each part reads around itself.

use onceflow_region::{Bounds, ImageInfo, Part, RegionError, Remainder, partition};
use onceflow_study::{Parts, Seams};

/// The parts of a box of an image. Owned parts see a halo around themselves, also beyond the box, as far as the image
/// goes; a box that is one part is an image by itself.
pub(super) fn cut(
    parts: &Parts,
    halo: u64,
    image: &ImageInfo,
    bounds: Bounds,
) -> Result<Vec<Part>, RegionError> {
    let size = match parts.seams {
        // What is not cut has no seams.
        Seams::Exact => bounds.width().max(bounds.height()),
        Seams::Owned | Seams::Independent => parts.size,
    };
    let cores = partition(bounds, size, 0, Remainder::Merge)?;
    if parts.seams != Seams::Owned || cores.len() == 1 {
        return Ok(cores);
    }
    let whole = Bounds::plane(0, 0, image.width, image.height).unwrap_or(bounds);
    // A halo that leaves the numbers is all of the image.
    let read = |core: Bounds| core.grow(halo).map_or(Some(whole), |grown| grown.intersect(&whole));
    Ok(cores.into_iter().map(|part| Part { read: read(part.core).unwrap_or(part.core), ..part }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> ImageInfo {
        let source = crate::open_image("synth:300x200", "".as_ref()).unwrap();
        source.info().clone()
    }

    fn parts(seams: Seams, halo: u64, bounds: [u64; 4]) -> Vec<[i64; 4]> {
        let [x, y, width, height] = bounds;
        let bounds = Bounds::plane(x.cast_signed(), y.cast_signed(), width, height).unwrap();
        let parts = Parts { size: 100, seams, ..Parts::default() };
        let cut = cut(&parts, halo, &image(), bounds).unwrap();
        cut.iter().map(|part| [part.read.x(), part.read.y(), part.read.right(), part.read.bottom()]).collect()
    }

    #[test]
    fn owned_parts_see_around_themselves_as_far_as_the_image_goes() {
        let halves = [100, 50, 200, 100];
        assert_eq!(parts(Seams::Owned, 30, halves), [[70, 20, 230, 180], [170, 20, 300, 180]]);
        assert_eq!(parts(Seams::Owned, u64::MAX, halves), [[0, 0, 300, 200]; 2]);
        assert_eq!(parts(Seams::Independent, 30, halves), [[100, 50, 200, 150], [200, 50, 300, 150]]);
    }

    #[test]
    fn what_is_one_part_stands_alone() {
        assert_eq!(parts(Seams::Owned, 30, [100, 50, 120, 100]), [[100, 50, 220, 150]]);
        assert_eq!(parts(Seams::Exact, 30, [10, 0, 290, 200]), [[10, 0, 300, 200]]);
    }
}
