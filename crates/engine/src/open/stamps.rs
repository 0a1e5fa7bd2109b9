//! Which files of images there are, told by sizes and times.

use std::path::Path;
use std::time::UNIX_EPOCH;

use onceflow_study::{Study, StudyImage};

/// Sizes and times of the files of each image: to read all of them would take longer than to go on.
pub(crate) fn stamps(study: &Study, folder: &Path) -> Vec<String> {
    let stamp = |file: &str| match folder.join(file).metadata() {
        Ok(data) => {
            let time = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            format!(" {file} {} {:?}", data.len(), time)
        }
        Err(_) => format!(" {file}"),
    };
    let files = |image: &StudyImage| image.files().map(stamp).collect();
    study.images.iter().map(files).collect()
}
