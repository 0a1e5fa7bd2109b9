//! Opening images by what a study or a command calls them: a path, or `synth:4096x4096?seed=7`.

use std::path::Path;
use std::sync::Arc;

use onceflow_region::{Element, Source, SourceError};
use onceflow_study::Diagnostic;

use crate::EngineError;
use crate::synthetic::{Synthetic, parse_synthetic};

/// Opens a colour image; a path is relative to `folder`. Nothing but its head is read.
pub fn open_image(name: &str, folder: &Path) -> Result<Arc<dyn Source>, EngineError> {
    let source: Arc<dyn Source> = match parse_synthetic(name)? {
        Some(tissue) => Arc::new(Synthetic::image(tissue)),
        None => open_file(name, folder)?,
    };
    refuse_deep(name, source.as_ref())?;
    Ok(source)
}

/// Opens a mask or a label image; of synthetic tissue, its exact truth.
pub fn open_labels(name: &str, folder: &Path) -> Result<Arc<dyn Source>, EngineError> {
    match parse_synthetic(name)? {
        Some(tissue) => Ok(Arc::new(Synthetic::truth(tissue))),
        None => open_file(name, folder),
    }
}

fn open_file(name: &str, folder: &Path) -> Result<Arc<dyn Source>, EngineError> {
    let path = folder.join(name);
    onceflow_region::open(&path).map_err(|error| {
        let missing = matches!(&error, SourceError::File { .. }) && !path.exists();
        let message = Diagnostic::error(format!("cannot open the image {name}: {error}"));
        if missing {
            message.with_hint("check the name; a study names images relative to itself").into()
        } else {
            message.into()
        }
    })
}

/// The workflows read colours of 8 bits: sixteen would lose what the thresholds are about.
fn refuse_deep(name: &str, source: &dyn Source) -> Result<(), EngineError> {
    let element = source.info().element;
    if element == Element::U8 {
        return Ok(());
    }
    let error = Diagnostic::error(format!("the image {name} cannot be segmented"));
    let error = error.expected_found("8 bits per channel", format!("{element}"));
    Err(error.with_hint("convert it to 8 bits, for instance: vips cast IN OUT uchar").into())
}
