//! Fields of vectors, one for each voxel, as files of other programs hold them.

use std::io::{self, Write};

use onceflow_region::VolumeGeometry;

/// How far each voxel of a volume is moved, in millimetres towards the patient's left, back and head.
#[derive(Debug, Clone, Copy)]
pub struct VectorField<'a> {
    size: [u64; 3],
    vectors: &'a [[f32; 3]],
    geometry: VolumeGeometry,
}

/// A field that has another number of vectors than places.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} vectors, one for each voxel, found {found}")]
pub struct VectorFieldError {
    /// Voxels.
    pub expected: u64,
    /// Vectors.
    pub found: u64,
}

impl<'a> VectorField<'a> {
    /// The field of these vectors, columns changing fastest, then rows and depths.
    ///
    /// # Errors
    /// When there is not one vector for each voxel.
    pub fn new(
        size: [u64; 3],
        vectors: &'a [[f32; 3]],
        geometry: VolumeGeometry,
    ) -> Result<VectorField<'a>, VectorFieldError> {
        let expected = size.iter().try_fold(1u64, |product, side| product.checked_mul(*side));
        let (expected, found) = (expected.unwrap_or(u64::MAX), vectors.len() as u64);
        if expected != found {
            return Err(VectorFieldError { expected, found });
        }
        Ok(VectorField { size, vectors, geometry })
    }

    pub(super) fn size(&self) -> [u64; 3] {
        self.size
    }

    pub(super) fn geometry(&self) -> &VolumeGeometry {
        &self.geometry
    }

    /// Component after component, as NIfTI has them: towards the right, front and head.
    pub(super) fn planes(&self, to: &mut dyn Write) -> io::Result<()> {
        for (component, sign) in [-1.0f32, -1.0, 1.0].into_iter().enumerate() {
            // Adding zero makes -0 and 0 one value.
            self.blocks(to, |vector| (sign * vector[component] + 0.0).to_le_bytes())?;
        }
        Ok(())
    }

    /// Vector after vector.
    pub(super) fn places(&self, to: &mut dyn Write) -> io::Result<()> {
        self.blocks(to, |vector| {
            let mut bytes = [0; 12];
            bytes
                .chunks_exact_mut(4)
                .zip(vector)
                .for_each(|(to, part)| to.copy_from_slice(&part.to_le_bytes()));
            bytes
        })
    }

    fn blocks<const N: usize>(
        &self,
        to: &mut dyn Write,
        bytes: impl Fn(&[f32; 3]) -> [u8; N],
    ) -> io::Result<()> {
        self.vectors.chunks(BLOCK).try_for_each(|block| {
            let block: Vec<u8> = block.iter().flat_map(&bytes).collect();
            to.write_all(&block)
        })
    }
}

/// Vectors that become bytes at once.
const BLOCK: usize = 1 << 13;
