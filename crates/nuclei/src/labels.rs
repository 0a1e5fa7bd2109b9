//! The objects of a mask or label image as numbers.

use onceflow_kernels::{Connectivity, ON, Plane, label};
use onceflow_region::{Dense, Pixels, RegionError, labels};
use onceflow_study::Diagnostic;

/// The objects as labels, 0 outside: a label image as it is, or the 8-connected components of a mask.
///
/// # Errors
/// When the image is neither a mask nor a label image.
pub fn objects(image: &Dense) -> Result<Dense, RegionError> {
    let found = labels(image)?;
    if found.mask { components(&found.plane) } else { Ok(found.plane) }
}

/// The 8-connected components of the pixels that are not 0.
fn components(plane: &Dense) -> Result<Dense, RegionError> {
    let (width, height) = (plane.width(), plane.height());
    let no_labels = || RegionError::Kind {
        expected: "one channel of labels of 32 bits",
        channels: plane.channels(),
        element: plane.element(),
        todo: "convert the image to labels first",
    };
    let pixels = plane.as_u32().ok_or_else(no_labels)?;
    let mask = pixels.iter().map(|label| if *label == 0 { 0 } else { ON }).collect();
    let mask = Plane::from_vec(mask, width, height).ok_or_else(no_labels)?;
    let plane = label(mask.view(), Connectivity::Eight).plane;
    Dense::new(width, height, 1, Pixels::U32(plane.into_vec()))
}

/// The message for an image whose pixels are no labels.
pub(crate) fn no_objects(name: &str, error: &RegionError) -> Diagnostic {
    let message = Diagnostic::error(format!("{name} is neither a mask nor a label image"));
    let hint = "save the labels as a grey image of 8 or 16 bits";
    match error {
        RegionError::Kind { expected, channels, element, .. } => {
            message.expected_found(*expected, format!("{channels} channels of {element}")).with_hint(hint)
        }
        RegionError::Coloured { x, y, red, green, blue } => {
            let found = format!("{red} {green} {blue} at column {x}, row {y}");
            message.expected_found("grey values, or red alone", found).with_hint(hint)
        }
        other => message.with_why(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: Vec<u8>) -> Vec<u32> {
        let image = Dense::new(3, 2, 1, Pixels::U8(values)).unwrap();
        objects(&image).unwrap().as_u32().unwrap().to_vec()
    }

    #[test]
    fn masks_become_components_and_labels_stay() {
        assert_eq!(found(vec![1, 0, 1, 1, 0, 1]), [1, 0, 2, 1, 0, 2]);
        assert_eq!(found(vec![255, 0, 0, 0, 255, 0]), [1, 0, 0, 0, 1, 0]);
        assert_eq!(found(vec![7, 0, 9, 7, 9, 9]), [7, 0, 9, 7, 9, 9]);
    }
}
