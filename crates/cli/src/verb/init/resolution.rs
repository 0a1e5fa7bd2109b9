//! Which resolution a study of given images should work at.

use std::path::PathBuf;

/// An image and what its file says of its resolution.
pub(super) struct ImageResolution {
    pub(super) file: PathBuf,
    pub(super) um_per_pixel: Option<f64>,
}

/// A resolution, and why.
#[derive(Debug, PartialEq)]
pub(super) struct ProposedResolution {
    pub(super) um_per_pixel: Option<f64>,
    pub(super) because: String,
}

/// Resolutions this near are one.
const NEAR: f64 = 0.01;

/// The coarsest of the scans: averaging finer ones loses what the coarsest never had, while interpolating it would pretend.
/// None where a file does not say, since then nothing could be brought to it.
pub(super) fn working(seen: &[ImageResolution]) -> ProposedResolution {
    let silent: Vec<_> = seen.iter().filter(|seen| seen.um_per_pixel.is_none()).collect();
    let known = || seen.iter().filter_map(|seen| seen.um_per_pixel);
    let (finest, coarsest) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0, f64::max));
    let (um_per_pixel, because) = match silent.as_slice() {
        [] if coarsest / finest - 1.0 <= NEAR => (Some(coarsest), format!("all images: {coarsest} um/px")),
        [] => (
            Some(coarsest),
            format!("the coarsest of the scans, {finest} to {coarsest} um/px; finer ones are averaged"),
        ),
        _ if silent.len() == seen.len() => (None, "no image says its resolution".to_owned()),
        [first, ..] => {
            let others = match silent.len() - 1 {
                0 => " does".to_owned(),
                more => format!(" and {more} more do"),
            };
            let because = format!(
                "{}{others} not say the resolution: write it under um_per_pixel in the sheet first",
                first.file.display()
            );
            (None, because)
        }
    };
    ProposedResolution { um_per_pixel, because }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coarsest_is_taken_where_all_are_known() {
        let of = |resolutions: &[Option<f64>]| {
            let seen = |um: &Option<f64>| ImageResolution { file: "a.svs".into(), um_per_pixel: *um };
            working(&resolutions.iter().map(seen).collect::<Vec<_>>())
        };
        assert_eq!(of(&[Some(0.25), Some(0.2501)]).um_per_pixel, Some(0.2501));
        let differing = of(&[Some(0.5), Some(0.25)]);
        assert_eq!(differing.um_per_pixel, Some(0.5));
        assert!(differing.because.contains("0.25 to 0.5"), "{}", differing.because);
        assert!(of(&[None, Some(0.25)]).because.starts_with("a.svs does not say the resolution"));
        assert_eq!(
            of(&[None, None]),
            ProposedResolution { um_per_pixel: None, because: "no image says its resolution".into() }
        );
    }
}
