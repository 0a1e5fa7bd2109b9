//! Volumes and fields of vectors as files; where they are written is the caller's.

use std::io::Write;
use std::path::Path;

use flate2::write::{GzEncoder, ZlibEncoder};
use flate2::{Compression, GzBuilder};
use onceflow_region::{Element, Pixels, Volume, VolumeGeometry};

use super::{VectorField, WriteError, metaimage, nifti};

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
    pub fn write(self, volume: &Volume, to: impl Write) -> Result<(), WriteError> {
        let written = WrittenVolume {
            size: volume.size(),
            components: 1,
            element: volume.element(),
            geometry: placed(volume),
        };
        self.write_head_and(&written, to, |to| write_values(volume.values(), to))
    }

    /// Writes displacements: as NIfTI with the intent of a displacement field, whose vectors point to the right, front and
    /// head; as MetaImage with three values per place.
    ///
    /// # Errors
    /// When the form has no room for it, or the bytes cannot be written.
    pub fn write_vectors(self, field: &VectorField<'_>, to: impl Write) -> Result<(), WriteError> {
        let [x, y, z] = field.size();
        let written = WrittenVolume {
            size: [x, y, z, 1],
            components: 3,
            element: Element::F32,
            geometry: *field.geometry(),
        };
        let planar = matches!(self, VolumeForm::Nifti | VolumeForm::NiftiGz);
        self.write_head_and(&written, to, |to| if planar { field.planes(to) } else { field.places(to) })
    }

    fn write_head_and(
        self,
        written: &WrittenVolume,
        mut to: impl Write,
        values: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), WriteError> {
        match self {
            VolumeForm::Nifti => {
                to.write_all(&nifti::head(written)?)?;
                values(&mut to)?;
            }
            VolumeForm::NiftiGz => {
                let mut packed: GzEncoder<_> =
                    GzBuilder::new().mtime(0).write(&mut to, Compression::default());
                packed.write_all(&nifti::head(written)?)?;
                values(&mut packed)?;
                packed.finish()?;
            }
            VolumeForm::Mha => {
                to.write_all(metaimage::head(written, None).as_bytes())?;
                values(&mut to)?;
            }
            VolumeForm::MhaPacked => {
                // The head says how long the packed values are, so they are packed first.
                let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
                values(&mut packed)?;
                let packed = packed.finish()?;
                to.write_all(metaimage::head(written, Some(packed.len())).as_bytes())?;
                to.write_all(&packed)?;
            }
        }
        Ok(to.flush()?)
    }
}

/// What the head of a written file says.
#[derive(Debug)]
pub(super) struct WrittenVolume {
    pub(super) size: [u64; 4],
    /// Values per place.
    pub(super) components: u16,
    pub(super) element: Element,
    pub(super) geometry: VolumeGeometry,
}

/// The geometry of a volume with the first value of its box as the origin.
fn placed(volume: &Volume) -> VolumeGeometry {
    let (bounds, geometry) = (volume.bounds(), *volume.geometry());
    let first = [bounds.x(), bounds.y(), bounds.z().start()];
    VolumeGeometry { origin: geometry.place(first.map(|place| place as f64)), ..geometry }
}

/// Little-endian bytes, through a small buffer.
fn write_values(values: &Pixels, to: &mut (impl Write + ?Sized)) -> std::io::Result<()> {
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
