//! The images of a study, opened: each file once, and everything that is wrong with any of them at once.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use onceflow_region::{Bounds, Source};
use onceflow_study::{Diagnostic, Study, StudyImage, counted};

use super::resolution::at_work;
use super::studied::studied;
use super::truth::{Drawn, Truth};
use crate::{AtWork, EngineError, open_image};

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
}

/// Opens all images, relative to `folder`; only their heads are read.
pub(super) fn open_all(study: &Study, folder: &Path) -> Result<Vec<Opened>, EngineError> {
    let mut files = Files { folder, open: HashMap::new() };
    let (mut opened, mut errors) = (Vec::new(), Vec::new());
    for image in &study.images {
        match files.open(study, image) {
            Ok(image) => opened.push(image),
            Err(error) => errors.push(error),
        }
    }
    let mut errors = shortened(errors);
    match errors.len() {
        0 => Ok(opened),
        1 => Err(errors.remove(0)),
        _ => Err(EngineError::Several(errors)),
    }
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
    fn open(&mut self, study: &Study, image: &'a StudyImage) -> Result<Opened, EngineError> {
        let source = match self.open.get(image.file.as_str()) {
            Some(source) => Arc::clone(source),
            None => open_image(&image.file, self.folder)?,
        };
        self.open.insert(&image.file, Arc::clone(&source));
        let bounds = studied(image, source.info())?;
        let at_work = at_work(study, image, Arc::clone(&source))?;
        let working = at_work.working;
        let drawn = Drawn { image, folder: self.folder, of: source.info(), studied: bounds, working };
        let truth = drawn.open()?;
        let outside = || EngineError::Internal(format!("a box of {} lies outside it", image.name));
        let bounds = working.bounds(&bounds).ok_or_else(outside)?;
        Ok(Opened { file: source, truth, bounds, at_work })
    }
}
