//! Volumes as files; where they are written is the caller's.

use std::io::Write;
use std::path::Path;

use flate2::write::{GzEncoder, ZlibEncoder};
use flate2::{Compression, GzBuilder};
use onceflow_region::{Pixels, Volume, VolumeGeometry};

use super::{WriteError, metaimage, nifti};

/// A form in which a volume is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VolumeForm {
    /// NIfTI, as it is.
    Nifti,
    /// NIfTI, packed with gzip.
    NiftiGz,
    /// MetaImage in one file, as it is.
    Mha,
    /// MetaImage in one file, its values packed with zlib.
    MhaPacked,
}

impl VolumeForm {
    /// The form that a file's name asks for by its ending: `.nii`, `.nii.gz` or `.mha`.
    pub fn of(path: &Path) -> Option<VolumeForm> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        match () {
            () if name.ends_with(".nii") => Some(VolumeForm::Nifti),
            () if name.ends_with(".nii.gz") => Some(VolumeForm::NiftiGz),
            () if name.ends_with(".mha") => Some(VolumeForm::Mha),
            () => None,
        }
    }

    /// Writes a volume; the same volume gives the same bytes.
    ///
    /// # Errors
    /// When the form has no room for it, or the bytes cannot be written.
    pub fn write(self, volume: &Volume, mut to: impl Write) -> Result<(), WriteError> {
        match self {
            VolumeForm::Nifti => {
                to.write_all(&nifti::head(volume)?)?;
                write_values(volume.values(), &mut to)?;
            }
            VolumeForm::NiftiGz => {
                let mut packed: GzEncoder<_> =
                    GzBuilder::new().mtime(0).write(&mut to, Compression::default());
                packed.write_all(&nifti::head(volume)?)?;
                write_values(volume.values(), &mut packed)?;
                packed.finish()?;
            }
            VolumeForm::Mha => {
                to.write_all(metaimage::head(volume, None).as_bytes())?;
                write_values(volume.values(), &mut to)?;
            }
            VolumeForm::MhaPacked => {
                // The head says how long the packed values are, so they are packed first.
                let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
                write_values(volume.values(), &mut packed)?;
                let packed = packed.finish()?;
                to.write_all(metaimage::head(volume, Some(packed.len())).as_bytes())?;
                to.write_all(&packed)?;
            }
        }
        Ok(to.flush()?)
    }
}

/// The geometry of a volume with the first value of its box as the origin.
pub(super) fn placed(volume: &Volume) -> VolumeGeometry {
    let (bounds, geometry) = (volume.bounds(), *volume.geometry());
    let first = [bounds.x(), bounds.y(), bounds.z().start()];
    VolumeGeometry { origin: geometry.place(first.map(|place| place as f64)), ..geometry }
}

/// Little-endian bytes, through a small buffer.
fn write_values(values: &Pixels, to: &mut impl Write) -> std::io::Result<()> {
    macro_rules! numbers {
        ($values:expr) => {
            $values.chunks(BLOCK).try_for_each(|block| {
                let bytes: Vec<u8> = block.iter().flat_map(|value| value.to_le_bytes()).collect();
                to.write_all(&bytes)
            })
        };
    }
    match values {
        Pixels::U8(values) => to.write_all(values),
        Pixels::I8(values) => numbers!(values),
        Pixels::U16(values) => numbers!(values),
        Pixels::I16(values) => numbers!(values),
        Pixels::I32(values) => numbers!(values),
        Pixels::U32(values) => numbers!(values),
        Pixels::I64(values) => numbers!(values),
        Pixels::U64(values) => numbers!(values),
        Pixels::F32(values) => numbers!(values),
        Pixels::F64(values) => numbers!(values),
    }
}

const BLOCK: usize = 1 << 14;
