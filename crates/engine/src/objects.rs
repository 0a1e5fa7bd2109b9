//! The objects of an image file that somebody drew: a mask or a label image.

use onceflow_kernels::{Connectivity, ON, Plane, label};
use onceflow_region::{Dense, Pixels, RegionError, labels};

/// The objects as numbers, 0 outside: those of a label image as they are, those of a mask its 8-connected components.
pub fn objects(image: &Dense) -> Result<Dense, RegionError> {
    let found = labels(image)?;
    if found.mask { components(&found.plane) } else { Ok(found.plane) }
}

/// The 8-connected components of what is not 0.
pub(crate) fn components(plane: &Dense) -> Result<Dense, RegionError> {
    let (width, height) = (plane.width(), plane.height());
    let pixels = plane.as_u32().unwrap_or_default().iter();
    let mask = pixels.map(|label| if *label == 0 { 0 } else { ON }).collect();
    let mask = Plane::from_vec(mask, width, height).unwrap_or_default();
    let plane = label(mask.view(), Connectivity::Eight).plane;
    Dense::new(width, height, 1, Pixels::U32(plane.into_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: Vec<u8>) -> Vec<u32> {
        let image = Dense::new(3, 2, 1, Pixels::U8(values)).unwrap();
        objects(&image).unwrap().as_u32().unwrap().to_vec()
    }

    #[test]
    fn a_mask_falls_apart_and_labels_stay() {
        assert_eq!(found(vec![1, 0, 1, 1, 0, 1]), [1, 0, 2, 1, 0, 2]);
        assert_eq!(found(vec![255, 0, 0, 0, 255, 0]), [1, 0, 0, 0, 1, 0]);
        assert_eq!(found(vec![7, 0, 9, 7, 9, 9]), [7, 0, 9, 7, 9, 9]);
    }
}
