//! The images of a study, opened: each file once, and everything that is wrong with any of them at once.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use onceflow_region::{Bounds, Source};
use onceflow_registration::OpenPair;
use onceflow_study::{Diagnostic, OnUnreadable, Study, StudyImage, counted};

use super::pair::open_pair;
use super::parallel::in_parallel;
use super::probe::probe;
use super::resolution::at_work;
use super::studied::studied;
use super::truth::{Drawn, Truth};
use super::unread::LeftOutImage;
use crate::image::unreadable;
use crate::{AtWork, EngineError, ImageWatch, open_image, parse_synthetic};

/// Files that are named when they are missing; more are counted.
const MOST_NAMED: usize = 20;

/// An image before it is cut.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) file: Arc<dyn Source>,
    pub(super) at_work: AtWork,
    pub(super) truth: Option<Truth>,
    /// What of it is studied, in working pixels.
    pub(super) bounds: Bounds,
    /// The volumes, where it is a pair of them.
    pub(super) pair: Option<Arc<OpenPair>>,
}

/// Images that are open, each with its place in the study, and those that are left out.
pub(super) type OpenedImages = (Vec<(usize, Opened)>, Vec<LeftOutImage>);

/// Opens all images, relative to `folder`, and reads some pixels of each. Those that cannot be read are left out where the
/// study says so.
pub(super) fn open_all(
    study: &Study,
    folder: &Path,
    watch: &ImageWatch,
) -> Result<OpenedImages, EngineError> {
    let files = Files::open(study, folder);
    let counter = watch.counter("image", study.images.len());
    let found = in_parallel(&study.images, |image| {
        let found = files.image(study, image);
        counter.one();
        found
    });
    let skip = study.run.unreadable == OnUnreadable::Skip;
    let (mut opened, mut left_out, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for (place, (image, found)) in study.images.iter().zip(found).enumerate() {
        match found {
            Ok(image) => opened.push((place, image)),
            Err(error) if skip && error.is_of_image() => {
                left_out.push(LeftOutImage { name: image.name.clone(), why: error.to_string() });
            }
            Err(error) => errors.push(error),
        }
    }
    if opened.is_empty() && errors.is_empty() {
        errors.push(no_image(&left_out));
    }
    let mut errors = shortened(errors);
    match errors.len() {
        0 => Ok((opened, left_out)),
        1 => Err(errors.remove(0)),
        _ => Err(EngineError::Several(errors)),
    }
}

fn no_image(left_out: &[LeftOutImage]) -> EngineError {
    let error = Diagnostic::error("no image of the study can be read");
    let why = left_out.first().map_or_else(String::new, |image| image.why.clone());
    error.expected_found("at least one image", why).into()
}

/// Each missing file once, and only some of many.
fn shortened(errors: Vec<EngineError>) -> Vec<EngineError> {
    let mut missing = HashSet::new();
    let mut named = Vec::new();
    for error in errors {
        match &error {
            EngineError::Missing { file, .. } if !missing.insert(file.clone()) => {}
            EngineError::Missing { .. } if missing.len() > MOST_NAMED => {}
            _ => named.push(error),
        }
    }
    if missing.len() > MOST_NAMED {
        let more = counted(missing.len() - MOST_NAMED, "more file");
        named.push(Diagnostic::error(format!("{more} of images and truth cannot be opened")).into());
    }
    named
}

/// Files that are open: several boxes of one image share it.
struct Files<'a> {
    folder: &'a Path,
    open: HashMap<&'a str, Arc<dyn Source>>,
}

impl<'a> Files<'a> {
    /// Opens each file once; those that cannot be opened are left to the images that need them.
    fn open(study: &'a Study, folder: &'a Path) -> Self {
        let single = study.images.iter().filter(|image| !image.is_pair());
        let mut names: Vec<&str> = single.map(|image| image.file.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let opened = in_parallel(&names, |name| open_image(name, folder).ok());
        let open = names.into_iter().zip(opened).filter_map(|(name, source)| Some((name, source?)));
        Self { folder, open: open.collect() }
    }

    fn image(&self, study: &Study, image: &StudyImage) -> Result<Opened, EngineError> {
        if image.is_pair() {
            return open_pair(image, self.folder);
        }
        let source = match self.open.get(image.file.as_str()) {
            Some(source) => Arc::clone(source),
            None => open_image(&image.file, self.folder)?,
        };
        let studied = studied(image, source.info())?;
        let at_work = at_work(study, image, Arc::clone(&source))?;
        let working = at_work.working;
        let drawn = Drawn { image, folder: self.folder, of: source.info(), studied, working };
        let mut truth = drawn.open()?;
        let outside = || EngineError::Internal(format!("a box of {} lies outside it", image.name));
        let bounds = working.bounds(&studied).ok_or_else(outside)?;
        if is_file(&image.file)? {
            probe(source.as_ref(), &studied).map_err(unreadable)?;
        }
        if let (Some(truth), Some(true)) = (&mut truth, image.truth.as_deref().map(is_file).transpose()?) {
            truth.probe(&bounds).map_err(unreadable)?;
        }
        Ok(Opened { file: source, truth, bounds, at_work, pair: None })
    }
}

/// Whether a name is that of a file. Pixels of synthetic tissue are computed, so there is nothing to look at.
fn is_file(name: &str) -> Result<bool, EngineError> {
    Ok(parse_synthetic(name)?.is_none())
}
