//! Images for tests: synthetic tissue, its truth, and files.

use std::path::Path;
use std::sync::Arc;

use onceflow_imageio::open;
use onceflow_region::Source;
use onceflow_synth::{SyntheticImage, parse_synthetic};

/// The image of a name such as `synth:640x480?seed=7`, or a file.
pub(crate) fn open_image(name: &str) -> Arc<dyn Source> {
    match parse_synthetic(name).unwrap() {
        Some(tissue) => Arc::new(SyntheticImage::image(tissue)),
        None => open(Path::new(name)).unwrap(),
    }
}

/// The truth of synthetic tissue.
pub(crate) fn open_labels(name: &str) -> Arc<dyn Source> {
    Arc::new(SyntheticImage::truth(parse_synthetic(name).unwrap().unwrap()))
}
