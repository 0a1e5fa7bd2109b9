//! A transform applied to another volume, to labels, or to landmarks.

use std::io::{self, BufWriter};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use onceflow_imageio::VolumeForm;
use onceflow_kernels::{Cpu, Isa};
use onceflow_registration::{WarpOptions, bytes_to_warp, read_transform, warp_points, warp_volume};
use onceflow_store::publish::{write_file, write_whole};
use onceflow_study::Diagnostic;

use crate::EngineError;

/// What is taken through which transform, and where it is written.
#[derive(Clone, Debug)]
pub struct WarpRequest {
    /// `transform.json` of a registration.
    pub transform: PathBuf,
    /// A volume of the moving world, or a point file of the fixed world.
    pub file: PathBuf,
    /// Where the result is written.
    pub output: PathBuf,
    /// How a volume is warped.
    pub options: WarpOptions,
    /// Threads; the result does not depend on them.
    pub threads: NonZeroUsize,
    /// Bytes of memory.
    pub memory: u64,
    /// Whether nothing is to be written.
    pub dry_run: bool,
}

/// What a file became.
#[derive(Clone, Debug, PartialEq)]
pub enum WarpInto {
    /// A volume on the fixed grid of this size.
    Volume([u64; 3]),
    /// Places of the moving world, so many of which lay outside of the fixed volume.
    Points {
        /// Places.
        places: usize,
        /// Those that only the affine part moved.
        outside: usize,
    },
}

/// Applies a transform to a file.
///
/// # Errors
/// When a file cannot be read or written, or memory is too small.
pub fn warp_into(request: &WarpRequest) -> Result<WarpInto, EngineError> {
    let transform = read_transform(&request.transform)?;
    let is_text = request.file.extension().is_some_and(|ending| ending == "txt" || ending == "pts");
    if is_text {
        let (points, outside) = warp_points(&transform, &request.file)?;
        if !request.dry_run {
            let written = write_whole(&request.output, points.to_text().as_bytes());
            written.map_err(|error| EngineError::Write { path: request.output.clone(), error })?;
        }
        return Ok(WarpInto::Points { places: points.places.len(), outside });
    }
    let form = VolumeForm::of(&request.output).ok_or_else(|| no_form(&request.output))?;
    let cpu = Cpu { isa: Isa::best(), threads: request.threads };
    let needed = bytes_to_warp(&transform, &request.file, cpu)?;
    if needed > request.memory {
        return Err(EngineError::Memory { task: "warp".into(), needed, limit: request.memory });
    }
    let size = transform.fixed.size().map(|side| side as u64);
    if !request.dry_run {
        let volume = warp_volume(&transform, &request.file, request.options, cpu)?;
        let written = write_file(&request.output, |file| {
            form.write(&volume, BufWriter::new(file)).map_err(io::Error::other)
        });
        written.map_err(|error| EngineError::Write { path: request.output.clone(), error })?;
    }
    Ok(WarpInto::Volume(size))
}

fn no_form(path: &Path) -> EngineError {
    let message = Diagnostic::error(format!("{} is no name of a volume", path.display()));
    let message = message.expected_found(".nii, .nii.gz or .mha", path.display().to_string());
    message.with_hint("name it warped.nii.gz; landmarks are read from .txt and .pts files").into()
}
