//! Files of volumes of three dimensions and time: NIfTI and MetaImage, read box by box and written; displacement fields, written.
//!
//! Lengths are in millimetres; places and directions are those of the patient's left, back and head (LPS), as in ITK.
//!
//! ```
//! use onceflow_region::{Bounds, VolumeGeometry, Pixels, Span, Volume};
//! use onceflow_imageio::{VolumeForm, open_volume_bytes};
//!
//! let bounds = Bounds::new(Span::from(2), Span::from(2), Span::from(3), Span::ONE);
//! let geometry = VolumeGeometry { spacing: [0.5, 0.5, 2.0], ..VolumeGeometry::default() };
//! let volume = Volume::new(bounds, Pixels::I16((0..12).collect()), geometry)?;
//! let mut file = Vec::new();
//! VolumeForm::NiftiGz.write(&volume, &mut file)?;
//! let source = open_volume_bytes("small.nii.gz", file)?;
//! let last = Bounds::new(Span::from(2), Span::ONE, Span::new(2, 1).ok_or("too large")?, Span::ONE);
//! assert_eq!(source.read(last)?.values(), &Pixels::I16(vec![8, 9]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod affine;
mod error;
mod header;
mod metaimage;
mod nifti;
mod source;
mod stream;
mod vectors;
mod write;

pub use error::WriteError;
pub use source::{VolumeSource, open_volume, open_volume_bytes};
pub use vectors::{VectorField, VectorFieldError};
pub use write::VolumeForm;
