//! The volumes of a registration: the moving one and its labels pulled onto the fixed grid, and the displacements.

use std::io::{self, BufWriter};

use onceflow_imageio::VectorField;
use onceflow_kernels::Cpu;
use onceflow_kernels::registration::{Grid, Transform, warped, warped_labels};
use onceflow_region::{Bounds, Pixels, Span, Volume};

use super::FolderWriter;
use crate::fields::displacements;
use crate::page::Finished;
use crate::{RegistrationError, Role};

/// Values on a grid.
///
/// # Errors
/// When there is not one for each voxel.
pub fn volume_on(grid: &Grid, values: Pixels) -> Result<Volume, RegistrationError> {
    let [x, y, z] = grid.size().map(|side| Span::new(0, side as u64).unwrap_or(Span::ONE));
    let bounds = Bounds::new(x, y, z, Span::ONE);
    Volume::new(bounds, values, *grid.geometry()).map_err(RegistrationError::internal)
}

/// Values on the fixed grid.
pub(crate) fn on_grid(transform: &Transform, values: Pixels) -> Result<Volume, RegistrationError> {
    volume_on(&transform.fixed, values)
}

fn other_size() -> RegistrationError {
    RegistrationError::internal("values of another size than their volume")
}

impl FolderWriter<'_> {
    pub(super) fn warped(&mut self, finished: &Finished<'_>, cpu: Cpu) -> Result<(), RegistrationError> {
        let Finished { registered, pair, moving, .. } = finished;
        let (transform, values) = (&registered.transform, pair.values(Role::Moving)?);
        let pulled = warped(transform, moving.grid(), &values, moving.mask(), self.to.fill, cpu);
        self.volume("warped", &on_grid(transform, pulled.ok_or_else(other_size)?)?)
    }

    /// Writes the warped labels; gives the labels of both volumes where both have some.
    pub(super) fn labels(
        &mut self,
        finished: &Finished<'_>,
        cpu: Cpu,
    ) -> Result<Option<[Pixels; 2]>, RegistrationError> {
        let Finished { registered, pair, moving, .. } = finished;
        let Some(labels) = pair.labels(Role::Moving)? else { return Ok(None) };
        let pulled = warped_labels(&registered.transform, moving.grid(), &labels, cpu);
        self.volume("labels", &on_grid(&registered.transform, pulled.ok_or_else(other_size)?)?)?;
        Ok(pair.labels(Role::Fixed)?.map(|fixed| [fixed, labels]))
    }

    pub(super) fn displacement(&mut self, transform: &Transform, cpu: Cpu) -> Result<(), RegistrationError> {
        let (vectors, form) = (displacements(transform, cpu), self.to.form);
        let size = transform.fixed.size().map(|side| side as u64);
        let field = VectorField::new(size, &vectors, *transform.fixed.geometry());
        let field = field.map_err(RegistrationError::internal)?;
        self.stream("displacement", |file| {
            form.write_vectors(&field, BufWriter::new(file)).map_err(io::Error::other)
        })
    }
}
