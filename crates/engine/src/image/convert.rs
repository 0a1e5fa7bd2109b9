//! One image as another file: by the ending of its name a pyramid of tiles (TIFF), OME-Zarr or PNG.

use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use onceflow_imageio::pyramid::{
    Halving, Pyramid, PyramidError, PyramidOptions, PyramidWork, PyramidWritten, ScaleSink, SinkError,
    write_pyramid,
};
use onceflow_imageio::{OmeZarrSink, PngScales, Resampled, TiffForm, TiffScales, Working};
use onceflow_region::{Bounds, Source};
use onceflow_store::publish::Publisher;
use onceflow_store::zarr::Compression as ZarrCompression;
use onceflow_study::Diagnostic;

use crate::EngineError;
use crate::image::unreadable;

/// The form of a file that an image is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageForm {
    /// A pyramid of tiles.
    Tiff(TiffForm),
    /// OME-Zarr, a folder.
    Zarr(ZarrCompression),
    /// One image.
    Png,
}

/// What is wanted of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    /// The form of the result.
    pub form: ImageForm,
    /// The box that is wanted, in pixels of the whole image.
    pub bounds: Option<Bounds>,
    /// The pixels that are wanted.
    pub pixels: WantedPixels,
    /// Whether the whole image is written without smaller scales.
    pub single: bool,
    /// How pixels become fewer, when it is not to be chosen by their type.
    pub halving: Option<Halving>,
}

/// The pixels that are wanted of an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WantedPixels {
    /// Those of one of its scales; 0 are its own.
    Scale(usize),
    /// Those of so many micrometres.
    Micrometres(f64),
}

/// An image, and what will be written of it.
#[derive(Debug)]
pub struct PlannedConversion {
    source: Arc<dyn Source>,
    form: ImageForm,
    /// What will be written.
    pub pyramid: Pyramid,
}

/// The side of the shards that OME-Zarr is written in.
const SHARD: u64 = 2048;

/// Looks whether an image can be converted as it is wanted, and to what.
///
/// # Errors
/// When it has no such box, scale or resolution.
pub fn plan_conversion(
    source: Arc<dyn Source>,
    wanted: &Conversion,
) -> Result<PlannedConversion, EngineError> {
    let (source, scale, bounds) = wanted_pixels(source, wanted)?;
    let info = source.info();
    let width = bounds.map_or(info.scales.get(scale).map_or(0, |scale| scale.width), |bounds| bounds.width());
    let tile = match wanted.form {
        ImageForm::Tiff(form) => [form.tile; 2],
        ImageForm::Zarr(_) => [SHARD; 2],
        ImageForm::Png => PngScales::<Vec<u8>>::band(width.max(1), info.channels as usize, info.element),
    };
    let single = wanted.single || wanted.form == ImageForm::Png;
    let options = PyramidOptions { scale, bounds, tile, single, halving: wanted.halving };
    let mut pyramid = Pyramid::plan(info, &options).map_err(|error| failed(Path::new(""), error))?;
    if let WantedPixels::Micrometres(um) = wanted.pixels {
        // Labels that were resampled do not know it.
        pyramid.um_per_pixel = pyramid.um_per_pixel.or(Some(um));
    }
    Ok(PlannedConversion { source, form: wanted.form, pyramid })
}

/// Reads an image once and writes all its scales; the file is seen when it is whole.
///
/// # Errors
/// When the image cannot be read, the file cannot be written, or memory does not do.
pub fn convert(
    planned: &PlannedConversion,
    to: &Path,
    work: &PyramidWork<'_>,
) -> Result<PyramidWritten, EngineError> {
    let (pyramid, name) = (&planned.pyramid, to.display().to_string());
    let write = |sink: Box<dyn ScaleSink + '_>| write_pyramid(&*planned.source, pyramid, work, sink);
    let publisher = Publisher::new();
    let written = match planned.form {
        ImageForm::Zarr(compression) => OmeZarrSink::create(to, pyramid, compression, &publisher)
            .map_err(PyramidError::from)
            .and_then(|sink| write(Box::new(sink))),
        ImageForm::Tiff(form) => publisher.write_file(to, |file| {
            write(Box::new(TiffScales::new(BufWriter::new(file), &name, pyramid, form)?))
        }),
        ImageForm::Png => publisher
            .write_file(to, |file| write(Box::new(PngScales::new(file.try_clone()?, &name, pyramid)?))),
    };
    written.map_err(|error| failed(to, error))
}

/// A source, one of its scales, and a box in its pixels.
type Wanted = (Arc<dyn Source>, usize, Option<Bounds>);

/// The source that has the wanted pixels, at which scale, and the box in its pixels.
fn wanted_pixels(source: Arc<dyn Source>, wanted: &Conversion) -> Result<Wanted, EngineError> {
    let um = match wanted.pixels {
        WantedPixels::Scale(scale) => return Ok((source, scale, wanted.bounds)),
        WantedPixels::Micrometres(um) => um,
    };
    let found = source.info().um_per_pixel.ok_or_else(no_resolution)?;
    let working = Working::new(source.info(), found, um).ok_or_else(|| far_off(found, um))?;
    if working.is_scale() {
        return Ok((source, working.scale(), wanted.bounds));
    }
    let whole =
        source.info().bounds().ok_or_else(|| EngineError::Internal("an image without a box".into()))?;
    let bounds = match wanted.bounds {
        Some(bounds) if !whole.contains(&bounds) || bounds.is_empty() => {
            return Err(outside(&whole, &bounds));
        }
        Some(bounds) => working.bounds(&bounds),
        None => None,
    };
    let channels = source.info().channels as usize;
    let labels = wanted.halving.unwrap_or(Halving::of(source.info().element, channels)) == Halving::First;
    let resampled = match labels {
        true => Resampled::labels(source, working),
        false => Resampled::colours(source, working, Some(um)).map_err(unreadable)?,
    };
    Ok((Arc::new(resampled), 0, bounds))
}

fn no_resolution() -> EngineError {
    let message = Diagnostic::error("the image does not say how large its pixels are");
    let message = message.expected_found("micrometres per pixel", "none");
    message.with_hint("give --scale in place of --um-per-pixel").into()
}

fn far_off(found: f64, wanted: f64) -> EngineError {
    let message = Diagnostic::error("the wanted resolution is too far from the image's");
    let expected = format!("{} to {} um per pixel", found / 1024.0, found * 1024.0);
    message.expected_found(expected, wanted.to_string()).with_hint("image info says the image's").into()
}

fn outside(whole: &Bounds, bounds: &Bounds) -> EngineError {
    let message = Diagnostic::error("the box is not in the image");
    let expected = format!("a box with pixels within {} x {}", whole.width(), whole.height());
    message.expected_found(expected, bounds.to_string()).with_hint("move it inside the image").into()
}

/// What went wrong, by what the user can do about it.
fn failed(to: &Path, error: PyramidError) -> EngineError {
    let cannot = || Diagnostic::error(format!("cannot write {}", to.display()));
    match error {
        PyramidError::Refused { expected, found, todo } => Diagnostic::error("the image has no such part")
            .expected_found(expected, found)
            .with_hint(todo)
            .into(),
        PyramidError::Source(error) => unreadable(error),
        PyramidError::Sink(SinkError::Write { error, .. }) | PyramidError::Publish(error) => {
            EngineError::Write { path: to.to_path_buf(), error }
        }
        PyramidError::Sink(SinkError::Form { expected, found, todo, .. }) => {
            cannot().expected_found(expected, found).with_hint(todo).into()
        }
        PyramidError::Memory { needed, limit } => {
            EngineError::Memory { task: "image convert".into(), needed, limit }
        }
        PyramidError::Stopped => EngineError::Stopped,
        PyramidError::Region(error) => EngineError::Internal(error.to_string()),
    }
}
