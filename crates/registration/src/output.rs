//! The folder of a registration: volumes, transform, trace, report, and a summary that is written last.

mod tables;
mod volumes;

pub use tables::{levels_json, measures_json};
pub(crate) use volumes::on_grid;
pub use volumes::volume_on;

use std::io;
use std::path::{Path, PathBuf};

use onceflow_imageio::VolumeForm;
use onceflow_kernels::Cpu;
use onceflow_region::{Pixels, Volume};
use onceflow_store::publish::{write_file, write_whole};

use crate::fields::jacobian;
use crate::measure::{MeasuredPair, Measures, measure};
use crate::page::{Finished, Page, page};
use crate::transform::{to_itk, to_json, to_raw};
use crate::{OpenPair, PointFile, PointKind, RegistrationError, Role};

/// The file that is written when all others are there.
pub const SUMMARY: &str = "register.json";

/// The state of a registration that was stopped.
pub const UNFINISHED: &str = "unfinished.state";

/// Where a registration is written, and how.
#[derive(Clone, Debug)]
pub struct OutputFolder {
    /// The folder.
    pub folder: PathBuf,
    /// The form of volumes.
    pub form: VolumeForm,
    /// What places get that are outside of the moving volume; its least value without it.
    pub fill: Option<f64>,
}

impl OutputFolder {
    /// The files that a registration of a pair writes, in this order.
    pub fn files(&self, pair: &OpenPair) -> Vec<PathBuf> {
        let ending = ending(self.form);
        let mut names = vec![format!("warped.{ending}")];
        if pair.label_element(Role::Moving).is_some() {
            names.push(format!("labels.{ending}"));
        }
        names.extend(["displacement", "jacobian"].map(|name| format!("{name}.{ending}")));
        if pair.fixed_landmarks().is_some() {
            names.push("landmarks.txt".into());
        }
        let others =
            ["transform.raw", "transform.json", "transform.txt", "trace.csv", "report.html", SUMMARY];
        names.extend(others.map(str::to_owned));
        names.into_iter().map(|name| self.folder.join(name)).collect()
    }

    /// Writes all of them; `told` hears of each. Gives what was measured.
    ///
    /// # Errors
    /// When an input cannot be read again, or a file cannot be written.
    pub fn write(
        &self,
        finished: &Finished<'_>,
        cpu: Cpu,
        told: &mut dyn FnMut(&Path),
    ) -> Result<Measures, RegistrationError> {
        let transform = &finished.registered.transform;
        let mut writer = FolderWriter { to: self, told };
        writer.warped(finished, cpu)?;
        let labels = writer.labels(finished, cpu)?;
        writer.displacement(transform, cpu)?;
        let jacobian = jacobian(transform, cpu);
        writer.volume("jacobian", &on_grid(transform, Pixels::F32(jacobian.clone()))?)?;
        if let Some(places) = finished.pair.fixed_landmarks() {
            let places = places.iter().map(|place| transform.map(*place).place).collect();
            writer.text("landmarks.txt", &PointFile { kind: PointKind::Point, places }.to_text())?;
        }
        writer.bytes("transform.raw", &to_raw(transform))?;
        writer.text("transform.json", &to_json(transform, "transform.raw"))?;
        writer.text("transform.txt", &to_itk(transform))?;
        writer.text("trace.csv", &tables::trace(&finished.registered.levels))?;
        let with = MeasuredPair {
            fixed: finished.fixed,
            moving: finished.moving,
            labels: labels.as_ref().map(|[fixed, moving]| [fixed, moving]),
            landmarks: finished.pair.landmarks(),
            jacobian: &jacobian,
            bins: finished.parameters.bins(),
        };
        let measures = measure(finished.registered, &with, cpu)?;
        writer.text("report.html", &page(&Page { finished, measures: &measures, jacobian: &jacobian }))?;
        let summary = tables::summary(finished, &measures);
        writer.text(SUMMARY, &format!("{summary:#}\n"))?;
        Ok(measures)
    }
}

/// The ending of a form.
pub(crate) fn ending(form: VolumeForm) -> &'static str {
    match form {
        VolumeForm::Nifti => "nii",
        VolumeForm::NiftiGz => "nii.gz",
        VolumeForm::Mha | VolumeForm::MhaPacked => "mha",
    }
}

/// Writes files into a folder, each whole or not at all.
struct FolderWriter<'a> {
    to: &'a OutputFolder,
    told: &'a mut dyn FnMut(&Path),
}

impl FolderWriter<'_> {
    fn text(&mut self, name: &str, text: &str) -> Result<(), RegistrationError> {
        self.bytes(name, text.as_bytes())
    }

    fn bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), RegistrationError> {
        let path = self.to.folder.join(name);
        write_whole(&path, bytes).map_err(|error| RegistrationError::Write { path: path.clone(), error })?;
        (self.told)(&path);
        Ok(())
    }

    fn volume(&mut self, name: &str, volume: &Volume) -> Result<(), RegistrationError> {
        let form = self.to.form;
        self.stream(name, |file| form.write(volume, io::BufWriter::new(file)).map_err(io::Error::other))
    }

    fn stream(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut std::fs::File) -> io::Result<()>,
    ) -> Result<(), RegistrationError> {
        let path = self.to.folder.join(format!("{name}.{}", ending(self.to.form)));
        write_file(&path, write).map_err(|error| RegistrationError::Write { path: path.clone(), error })?;
        (self.told)(&path);
        Ok(())
    }
}
