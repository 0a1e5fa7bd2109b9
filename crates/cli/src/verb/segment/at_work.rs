//! The image that a command works on: at its own resolution, or at the one asked for.

use std::path::Path;
use std::sync::Arc;

use onceflow_engine::{
    AtWork, check_sizes, open_deep_image, open_drawn_at_work, resampling_words, what_is_taken,
};
use onceflow_region::Source;
use onceflow_study::Diagnostic;
use onceflow_terminal::{Failure, Terminal, engine_failure};

/// An image as its file has it, and as it is worked on.
pub(in crate::verb) struct ImageAtWork<'a> {
    name: &'a str,
    file: Arc<dyn Source>,
    at_work: AtWork,
}

/// Resolutions this near are one.
const NEAR: f64 = 0.01;

impl<'a> ImageAtWork<'a> {
    /// Opens an image, at `asked` micrometres per pixel; one that does not say its resolution is taken to have it.
    pub(in crate::verb) fn open(name: &'a str, asked: Option<f64>) -> Result<Self, Failure> {
        let file = open_deep_image(name, Path::new("")).map_err(engine_failure)?;
        let known = file.info().um_per_pixel;
        let at_work = match (known, asked) {
            (Some(known), Some(wanted)) => {
                AtWork::resampled(name, Arc::clone(&file), known, wanted).map_err(engine_failure)?
            }
            _ => AtWork::as_it_is(Arc::clone(&file), known.or(asked)),
        };
        Ok(Self { name, file, at_work })
    }

    /// The pixels that are worked on.
    pub(in crate::verb) fn source(&self) -> &dyn Source {
        &*self.at_work.source
    }

    /// Pixels of the file on a side of a pixel that is worked on.
    pub(in crate::verb) fn ratio(&self) -> f64 {
        self.at_work.working.ratio()
    }

    /// Opens what was drawn on the image, at the resolution of the work; its size must be that of the image.
    pub(in crate::verb) fn drawn(&self, name: &str) -> Result<Arc<dyn Source>, Failure> {
        let drawn = open_drawn_at_work(name, Path::new(""), self.file.info(), &self.at_work);
        let drawn = drawn.map_err(engine_failure)?;
        check_sizes((name, &*drawn), (self.name, self.source())).map_err(engine_failure)?;
        Ok(drawn)
    }

    /// Says what is taken of the file, and whether the values were found at another resolution.
    pub(in crate::verb) fn tell(
        &self,
        asked: Option<f64>,
        of_values: Option<f64>,
        said: &'a str,
        terminal: &Terminal,
    ) {
        let name = self.name;
        let mut notes: Vec<Diagnostic> = what_is_taken(&*self.file)
            .into_iter()
            .map(|words| Diagnostic::note(format!("{name} {words}")))
            .collect();
        let resampled = resampling_words(std::iter::once((name, self.at_work.resampled)));
        let pixels = format!("{said} pixels of this resolution");
        notes.extend(resampled.into_iter().map(|words| Diagnostic::note(words).with_why(&*pixels)));
        notes.extend(self.assumed(asked));
        notes.extend(of_values.and_then(|of_values| self.differing(of_values)));
        terminal.diagnostics(&notes);
    }

    fn assumed(&self, asked: Option<f64>) -> Option<Diagnostic> {
        let asked = asked.filter(|_| self.file.info().um_per_pixel.is_none())?;
        let note =
            format!("{} does not say its resolution; it is taken to have {asked} um per pixel", self.name);
        Some(Diagnostic::note(note))
    }

    fn differing(&self, of_values: f64) -> Option<Diagnostic> {
        let found = format!("the values of --params were found at {of_values} um per pixel");
        match self.at_work.um_per_pixel {
            Some(here) if (here / of_values - 1.0).abs() <= NEAR => None,
            Some(here) if self.file.info().um_per_pixel.is_some() => {
                let note = Diagnostic::note(format!("{found}, and {} has {here}", self.name));
                Some(note.with_hint(format!("add --um-per-pixel {of_values} to resample the image to it")))
            }
            Some(here) => {
                Some(Diagnostic::note(format!("{found}, and {} is taken to have {here}", self.name)))
            }
            None => {
                let note =
                    Diagnostic::note(format!("{found}, and {} does not say its resolution", self.name));
                Some(note.with_hint("sizes in pixels fit only if it was scanned at the same"))
            }
        }
    }
}
