//! A pair of volumes with masks, labels and landmarks: opened, checked against each other, and read.

use std::path::{Path, PathBuf};

use onceflow_imageio::{VolumeSource, open_volume};
use onceflow_kernels::registration::{Grid, ScaleError, Scaled, ScaledVolume};
use onceflow_region::{Bounds, Digest, Element, Pixels, Span, VolumeInfo, with_values};
use onceflow_study::Diagnostic;

use crate::grid::{grid_of, is_like, words};
use crate::{PointFile, RegistrationError};

/// The files of a pair: of each two the fixed volume's first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairFiles {
    /// The volumes.
    pub volumes: [PathBuf; 2],
    /// Masks, 0 outside.
    pub masks: [Option<PathBuf>; 2],
    /// Label maps.
    pub labels: [Option<PathBuf>; 2],
    /// Point files with the same places in the same order.
    pub landmarks: [Option<PathBuf>; 2],
    /// Which time of a series.
    pub time: u64,
}

/// A pair whose files are open and fit each other; no value is read.
#[derive(Debug)]
pub struct OpenPair {
    files: PairFiles,
    volumes: [OpenVolume; 2],
    masks: [Option<OpenVolume>; 2],
    labels: [Option<OpenVolume>; 2],
    landmarks: [Option<Vec<[f64; 3]>>; 2],
}

/// A volume that is open.
#[derive(Debug)]
struct OpenVolume {
    name: String,
    source: VolumeSource,
    grid: Grid,
    time: u64,
}

/// A volume as it was read.
#[derive(Debug)]
pub struct ReadVolume {
    /// Its values, scaled to 0..1.
    pub scaled: ScaledVolume,
    /// What is to be said of it.
    pub notes: Vec<Diagnostic>,
}

/// Which of the two volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The one whose voxels all results have.
    Fixed,
    /// The one that is pulled onto it.
    Moving,
}

impl Role {
    /// Both, the fixed first.
    pub const BOTH: [Self; 2] = [Self::Fixed, Self::Moving];

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Moving => "moving",
        }
    }
}

impl OpenPair {
    /// Opens the files and checks that they fit each other.
    ///
    /// # Errors
    /// When a file cannot be read, or does not fit.
    pub fn open(files: &PairFiles) -> Result<Self, RegistrationError> {
        let [fixed, moving] = &files.volumes;
        let volumes = [OpenVolume::open(fixed, files.time)?, OpenVolume::open(moving, files.time)?];
        let masks = beside(&volumes, &files.masks, "mask")?;
        let labels = beside(&volumes, &files.labels, "label map")?;
        let landmarks = landmarks(&volumes, &files.landmarks)?;
        Ok(Self { files: files.clone(), volumes, masks, labels, landmarks })
    }

    /// Its files.
    pub fn files(&self) -> &PairFiles {
        &self.files
    }

    /// The grid of a volume.
    pub fn grid(&self, role: Role) -> Grid {
        self.volumes[role as usize].grid
    }

    /// What is known of a volume's file.
    pub fn info(&self, role: Role) -> &VolumeInfo {
        self.volumes[role as usize].source.info()
    }

    /// The landmarks of both volumes, in millimetres of the world.
    pub fn landmarks(&self) -> Option<[&[[f64; 3]]; 2]> {
        let [fixed, moving] = &self.landmarks;
        Some([fixed.as_deref()?, moving.as_deref()?])
    }

    /// The landmarks of a volume.
    pub fn landmarks_of(&self, role: Role) -> Option<&[[f64; 3]]> {
        self.landmarks[role as usize].as_deref()
    }

    /// The landmarks of the fixed volume.
    pub fn fixed_landmarks(&self) -> Option<&[[f64; 3]]> {
        self.landmarks[0].as_deref()
    }

    /// The type of a volume's labels, where there are some.
    pub fn label_element(&self, role: Role) -> Option<Element> {
        Some(self.labels[role as usize].as_ref()?.source.info().element)
    }

    /// Reads a volume and scales it.
    ///
    /// # Errors
    /// When it cannot be read, or does not differ anywhere.
    pub fn read(&self, role: Role, window: Option<[f64; 2]>) -> Result<ReadVolume, RegistrationError> {
        let volume = &self.volumes[role as usize];
        let values = volume.read()?;
        let mask = self.mask(role)?;
        let scaled = ScaledVolume::scale(volume.grid, &values, mask.as_deref(), window);
        let Scaled { volume: scaled, not_finite, .. } =
            scaled.map_err(|error| not_scaled(&volume.name, error))?;
        let note = || {
            let message = format!("{not_finite} values of {} are no finite numbers", volume.name);
            Diagnostic::note(message).with_hint("they count as outside of the volume")
        };
        Ok(ReadVolume { scaled, notes: (not_finite > 0).then(note).into_iter().collect() })
    }

    /// The values of a volume as they are in its file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn values(&self, role: Role) -> Result<Pixels, RegistrationError> {
        self.volumes[role as usize].read()
    }

    /// The labels of a volume, where there are some.
    ///
    /// # Errors
    /// When they cannot be read, or are no whole numbers.
    pub fn labels(&self, role: Role) -> Result<Option<Pixels>, RegistrationError> {
        self.labels[role as usize]
            .as_ref()
            .map(|labels| whole_numbers(&labels.name, labels.read()?))
            .transpose()
    }

    /// The mask of a volume, where there is one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn mask(&self, role: Role) -> Result<Option<Vec<u8>>, RegistrationError> {
        self.masks[role as usize].as_ref().map(|mask| Ok(inside(&mask.read()?))).transpose()
    }

    /// What is doubtful about the pair.
    pub fn doubts(&self) -> Vec<Diagnostic> {
        let [fixed, moving] = &self.volumes;
        let hand = |grid: &Grid| if grid.right_handed() { "right-handed axes" } else { "left-handed axes" };
        let differ = fixed.grid.right_handed() != moving.grid.right_handed();
        let warning = || {
            let message = Diagnostic::warning("the axes of the two volumes have different handedness");
            let found = format!("{} and {} in {}", hand(&fixed.grid), hand(&moving.grid), moving.name);
            message
                .expected_found("axes of the same handedness", found)
                .with_why("it is right where a file stores an axis backwards, and wrong where left and right were exchanged")
                .with_hint("compare left and right in a viewer")
        };
        differ.then(warning).into_iter().collect()
    }

    /// A digest of what judges a transform: labels and landmarks.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn judging_digest(&self) -> Result<Digest, RegistrationError> {
        let mut digester = onceflow_region::Digester::new("onceflow labels and landmarks v1");
        for labels in &self.labels {
            match labels {
                Some(labels) => digester.bytes(&labels.source.digest()?.0),
                None => digester.text("none"),
            }
        }
        for places in &self.landmarks {
            match places {
                Some(places) => digester.wide(places.as_flattened(), f64::to_le_bytes),
                None => digester.text("none"),
            }
        }
        Ok(digester.finish())
    }

    /// A digest of the contents of its volumes and masks: what a transform depends on.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn digest(&self) -> Result<Digest, RegistrationError> {
        let mut digester = onceflow_region::Digester::new("onceflow pair of volumes v1");
        for volume in self.volumes.iter().map(Some).chain(self.masks.iter().map(Option::as_ref)) {
            match volume {
                Some(volume) => digester.bytes(&volume.source.digest()?.0),
                None => digester.text("none"),
            }
        }
        digester.number(self.files.time);
        Ok(digester.finish())
    }
}

impl OpenVolume {
    fn open(path: &Path, time: u64) -> Result<Self, RegistrationError> {
        let name = path.display().to_string();
        if !path.exists() {
            let message = Diagnostic::error(format!("cannot open the volume {name}"));
            let message = message.expected_found("a NIfTI or MetaImage file", "nothing of that name");
            return Err(message.with_hint("check the name").into());
        }
        let source = open_volume(path)?;
        of_time(source.info(), &name, time)?;
        let grid = grid_of(&name, source.info())?;
        Ok(Self { name, source, grid, time })
    }

    fn read(&self) -> Result<Pixels, RegistrationError> {
        let at = of_time(self.source.info(), &self.name, self.time)?;
        Ok(self.source.read(at)?.into_values())
    }
}

/// The box of a volume at a time of its series.
pub(crate) fn of_time(info: &VolumeInfo, name: &str, time: u64) -> Result<Bounds, RegistrationError> {
    let (bounds, times) = (info.bounds, info.bounds.time().length());
    if time >= times {
        let message = Diagnostic::error(format!("the volume {name} has no time {time}"));
        let message = message.expected_found(format!("a time from 0 to {}", times - 1), time.to_string());
        return Err(message.with_hint("give --time with the number of a volume of the series").into());
    }
    let start = bounds.time().start() + i64::try_from(time).unwrap_or(0);
    let time = Span::new(start, 1).unwrap_or(Span::ONE);
    Ok(Bounds::new(bounds.columns(), bounds.rows(), bounds.z(), time))
}

/// What belongs to the volumes, on their grids.
fn beside(
    volumes: &[OpenVolume; 2],
    files: &[Option<PathBuf>; 2],
    what: &str,
) -> Result<[Option<OpenVolume>; 2], RegistrationError> {
    let open = |role: Role| -> Result<Option<OpenVolume>, RegistrationError> {
        let (volume, Some(path)) = (&volumes[role as usize], &files[role as usize]) else { return Ok(None) };
        let opened = OpenVolume::open(path, 0)?;
        if is_like(&volume.grid, &opened.grid) {
            return Ok(Some(opened));
        }
        let message = Diagnostic::error(format!("the {what} {} is not that of {}", opened.name, volume.name));
        let message = message.expected_found(words(&volume.grid), words(&opened.grid));
        let hint =
            format!("resample it onto the {} volume, or give the {what} that was made on it", role.word());
        Err(message.with_hint(hint).into())
    };
    Ok([open(Role::Fixed)?, open(Role::Moving)?])
}

fn landmarks(
    volumes: &[OpenVolume; 2],
    files: &[Option<PathBuf>; 2],
) -> Result<[Option<Vec<[f64; 3]>>; 2], RegistrationError> {
    let read = |role: Role| -> Result<Option<Vec<[f64; 3]>>, RegistrationError> {
        let Some(path) = &files[role as usize] else { return Ok(None) };
        Ok(Some(PointFile::read(path)?.in_world(volumes[role as usize].grid.geometry())))
    };
    let read = [read(Role::Fixed)?, read(Role::Moving)?];
    if let ([Some(fixed), Some(moving)], [Some(one), Some(other)]) = (&read, files)
        && fixed.len() != moving.len()
    {
        let message = Diagnostic::error(format!(
            "{} and {} are not the same landmarks",
            one.display(),
            other.display()
        ));
        let message =
            message.expected_found(format!("{} places in both", fixed.len()), moving.len().to_string());
        return Err(message.with_hint("line n of both files must be the same place of the body").into());
    }
    Ok(read)
}

/// Labels are whole numbers; a file may hold them as real ones.
pub(crate) fn whole_numbers(name: &str, values: Pixels) -> Result<Pixels, RegistrationError> {
    let real: Vec<f64> = match &values {
        Pixels::F32(values) => values.iter().map(|value| f64::from(*value)).collect(),
        Pixels::F64(values) => values.clone(),
        _ => return Ok(values),
    };
    match real.iter().find(|value| value.fract() != 0.0 || value.abs() > f64::from(i32::MAX)) {
        Some(found) => {
            let message = Diagnostic::error(format!("{name} is no label map"));
            Err(message.expected_found("whole numbers", found.to_string()).into())
        }
        None => Ok(Pixels::I32(real.iter().map(|value| *value as i32).collect())),
    }
}

fn inside(values: &Pixels) -> Vec<u8> {
    #[allow(clippy::unnecessary_cast, reason = "the values are of every type")]
    let inside = with_values!(values, values => {
        values.iter().map(|&value| u8::from((value as f64) != 0.0)).collect()
    });
    inside
}

fn not_scaled(name: &str, error: ScaleError) -> RegistrationError {
    let words = error.to_string();
    let (expected, found) = words.split_once(", found ").unwrap_or((&words, "other values"));
    let expected = expected.strip_prefix("expected ").unwrap_or(expected);
    let hint = match error {
        ScaleError::Window { .. } => "give --window LOW HIGH with two values of the volume",
        ScaleError::Constant { .. } => "look at the volume; a window or a mask may leave one value only",
        ScaleError::AllMasked => "look at the mask: it must not be 0 everywhere",
        _ => "export the file again",
    };
    let message = Diagnostic::error(format!("the volume {name} cannot be registered"));
    message.expected_found(expected, found).with_hint(hint).into()
}
