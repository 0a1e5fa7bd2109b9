//! The names of the features.

use super::glcm::Texture;
use super::histogram::ValueMoments;
use super::shape;

/// How many features an object has.
pub const FEATURES: usize = 92;

/// The names of the features, in the order of [`MeasuredObject::values`](super::MeasuredObject::values).
pub fn names() -> Vec<String> {
    let mut names = named("", &shape::NAMES);
    for channel in ["red_", "green_", "blue_", "haematoxylin_", "eosin_"] {
        names.extend(named(channel, &ValueMoments::NAMES));
    }
    names.extend(relief("haematoxylin_"));
    names.extend(named("texture_", &Texture::NAMES));
    for stain in ["cytoplasm_haematoxylin_", "cytoplasm_eosin_"] {
        names.extend(named(stain, &ValueMoments::NAMES));
    }
    names.extend(relief("cytoplasm_eosin_"));
    names
}

fn named(subject: &str, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("{subject}{name}")).collect()
}

fn relief(subject: &str) -> Vec<String> {
    let gradient = named(&format!("{subject}gradient_"), &ValueMoments::GRADIENT_NAMES);
    gradient.into_iter().chain(named(subject, &["edge_pixels", "edge_mean"])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_a_name_of_its_own() {
        let mut names = names();
        assert_eq!(names.len(), FEATURES);
        names.sort();
        names.dedup();
        assert_eq!(names.len(), FEATURES);
    }
}
