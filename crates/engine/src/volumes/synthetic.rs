//! A synthetic pair of volumes with its truth, as files.

use std::io::{self, BufWriter};
use std::path::Path;

use onceflow_imageio::VolumeForm;
use onceflow_region::{RegionError, Volume};
use onceflow_registration::{PointFile, PointKind};
use onceflow_store::publish::{write_file, write_whole};
use onceflow_study::Diagnostic;
use onceflow_synth::{PairVolume, VolumePair};

use crate::EngineError;

/// The files of a pair: the volume, its labels and its landmarks, of the fixed one and of the moving one.
pub const PAIR_FILES: [[&str; 3]; 2] = [
    ["fixed.nii.gz", "fixed-labels.nii.gz", "fixed.txt"],
    ["moving.nii.gz", "moving-labels.nii.gz", "moving.txt"],
];

/// Makes a pair and writes it into a folder that is there.
///
/// # Errors
/// When the size cannot be, or a file cannot be written.
pub fn write_pair(size: [u32; 3], spacing: f64, seed: u64, folder: &Path) -> Result<(), EngineError> {
    let pair = VolumePair::new(size, spacing, seed).ok_or_else(|| {
        let message = Diagnostic::error("there is no synthetic pair of this size");
        let found = format!("{} x {} x {} of {spacing} mm", size[0], size[1], size[2]);
        message.expected_found("sides from 16 to 512 voxels, and a spacing above 0", found)
    })?;
    let failed = |error: RegionError| EngineError::Internal(error.to_string());
    let volumes = [pair.fixed().map_err(failed)?, pair.moving().map_err(failed)?];
    for (PairVolume { volume, labels, landmarks }, [file, map, points]) in volumes.iter().zip(PAIR_FILES) {
        write(volume, &folder.join(file))?;
        write(labels, &folder.join(map))?;
        let text = PointFile { kind: PointKind::Point, places: landmarks.clone() }.to_text();
        let path = folder.join(points);
        write_whole(&path, text.as_bytes()).map_err(|error| EngineError::Write { path, error })?;
    }
    Ok(())
}

fn write(volume: &Volume, path: &Path) -> Result<(), EngineError> {
    let written = write_file(path, |file| {
        VolumeForm::NiftiGz.write(volume, BufWriter::new(file)).map_err(io::Error::other)
    });
    written.map_err(|error| EngineError::Write { path: path.to_path_buf(), error })
}
