//! Pairs of volumes with labels: a synthetic one with a known field, or folders of files.

use std::fs;
use std::path::{Path, PathBuf};

use onceflow_imageio::{VolumeForm, open_volume};
use onceflow_kernels::Cpu;
use onceflow_kernels::registration::{Affine, Grid, Lattice, Transform, warped, warped_labels};
use onceflow_region::{Bounds, Pixels, Span, Volume, VolumeGeometry};
use onceflow_study::Diagnostic;
use onceflow_terminal::Failure;

use super::line;

/// A volume and its grid.
pub(super) struct BenchVolume {
    grid: Grid,
    volume: Volume,
}

/// What a pair is held to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PairGoals {
    pub(super) dice: Option<f64>,
    pub(super) error: Option<f64>,
    pub(super) seconds: Option<f64>,
}

/// A fixed and a moving volume with labels.
pub(super) struct BenchPair {
    pub(super) name: String,
    pub(super) fixed: BenchVolume,
    pub(super) moving: BenchVolume,
    pub(super) fixed_labels: BenchVolume,
    pub(super) moving_labels: BenchVolume,
    /// The displacements that made the fixed volume: three numbers for each voxel, in mm.
    pub(super) truth: Option<Vec<f32>>,
    pub(super) goals: PairGoals,
}

/// Goals of pairs of known names: made from the MNI and Colin brains, and from a scan of a lung.
const KNOWN: [(&str, PairGoals); 4] = [
    ("brain1", PairGoals { dice: None, error: None, seconds: Some(15.0) }),
    ("brain2", PairGoals { dice: Some(0.643), error: None, seconds: None }),
    ("brainsyn", PairGoals { dice: Some(0.96), error: Some(0.35), seconds: None }),
    ("lungsyn", PairGoals { dice: Some(0.995), error: Some(0.4), seconds: None }),
];

/// The pairs in the folders of a folder, or the synthetic one.
pub(super) fn pairs(folder: Option<&str>) -> Result<Vec<BenchPair>, Failure> {
    let Some(folder) = folder.map(Path::new) else { return Ok(vec![synthetic()?]) };
    let entries = fs::read_dir(folder).map_err(|error| unread(folder, &error))?;
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    folders.retain(|folder| folder.join("fixed.nii.gz").exists());
    if folders.is_empty() {
        return Err(unread(
            folder,
            &"expected folders with fixed.nii.gz, moving.nii.gz, fixed_seg.nii.gz, moving_seg.nii.gz",
        ));
    }
    folders.iter().map(|folder| read_pair(folder)).collect()
}

fn read_pair(folder: &Path) -> Result<BenchPair, Failure> {
    let read = |name: &str| BenchVolume::read(&folder.join(name));
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let goals =
        KNOWN.into_iter().find(|(known, _)| *known == name).map(|(_, goals)| goals).unwrap_or_default();
    Ok(BenchPair {
        fixed: read("fixed.nii.gz")?,
        moving: read("moving.nii.gz")?,
        fixed_labels: read("fixed_seg.nii.gz")?,
        moving_labels: read("moving_seg.nii.gz")?,
        truth: read_truth(&folder.join("truth.npy")),
        name,
        goals,
    })
}

/// The numbers of a NumPy file of 32-bit floats, when there is one.
fn read_truth(path: &Path) -> Option<Vec<f32>> {
    let bytes = fs::read(path).ok()?;
    let head = usize::from(u16::from_le_bytes([*bytes.get(8)?, *bytes.get(9)?]));
    let (text, numbers) = bytes.get(10..)?.split_at_checked(head)?;
    String::from_utf8_lossy(text).contains("<f4").then_some(())?;
    Some(numbers.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect())
}

impl BenchVolume {
    pub(super) fn grid(&self) -> &Grid {
        &self.grid
    }

    pub(super) fn values(&self) -> &Pixels {
        self.volume.values()
    }

    fn read(path: &Path) -> Result<BenchVolume, Failure> {
        let source = open_volume(path).map_err(|error| unread(path, &error))?;
        let volume = source.read(source.info().bounds).map_err(|error| unread(path, &error))?;
        Self::new(volume)
    }

    fn new(volume: Volume) -> Result<BenchVolume, Failure> {
        let [width, height, depth, _] = volume.size().map(|side| side as usize);
        let grid = Grid::new([width, height, depth], *volume.geometry());
        Ok(BenchVolume { grid: grid.map_err(|error| Failure::internal(error.to_string()))?, volume })
    }

    fn of(grid: &Grid, values: Pixels) -> Result<BenchVolume, Failure> {
        let [width, height, depth] = grid.size().map(|side| Span::new(0, side as u64));
        let bounds = width.zip(height).zip(depth).map(|((x, y), z)| Bounds::new(x, y, z, Span::ONE));
        let bounds = bounds.ok_or_else(|| Failure::internal("a volume without bounds"))?;
        let volume = Volume::new(bounds, values, *grid.geometry());
        Self::new(volume.map_err(|error| Failure::internal(error.to_string()))?)
    }
}

/// A head of blobs in a shell, and the same pulled through a known field, darker and with noise.
fn synthetic() -> Result<BenchPair, Failure> {
    let geometry = VolumeGeometry { spacing: [2.0; 3], ..VolumeGeometry::default() };
    let failed = |error: &dyn std::fmt::Display| Failure::internal(format!("the synthetic pair: {error}"));
    let grid = Grid::new([88, 104, 88], geometry).map_err(|error| failed(&error))?;
    let mut stream = Numbers(7);
    let head = Head::new(&grid, &mut stream);
    let found: Vec<(f32, u8)> = (0..grid.voxels()).map(|at| head.at(&grid, at)).collect();
    let values = Pixels::F32(found.iter().map(|(value, _)| *value).collect());
    let labels = Pixels::U8(found.iter().map(|(_, label)| *label).collect());
    let lattice = Lattice::new(&grid, 40.0).map_err(|error| failed(&error))?;
    let coefficients = (0..lattice.coefficients()).map(|_| 7.0 * stream.either()).collect();
    let truth = Transform { fixed: grid, affine: Affine::IDENTITY, lattice, coefficients };
    let pulled = warped(&truth, &grid, &values, None, Some(0.0), Cpu::one_thread());
    let fixed_labels = warped_labels(&truth, &grid, &labels, Cpu::one_thread());
    let (Some(Pixels::F32(pulled)), Some(fixed_labels)) = (pulled, fixed_labels) else {
        return Err(failed(&"no values"));
    };
    let noisy = |value: f32| if value > 0.02 { value.powf(0.7) + 0.02 * stream.either() as f32 } else { 0.0 };
    let fixed = Pixels::F32(pulled.into_iter().map(noisy).collect());
    Ok(BenchPair {
        name: "synthetic".into(),
        fixed: BenchVolume::of(&grid, fixed)?,
        moving: BenchVolume::of(&grid, values)?,
        fixed_labels: BenchVolume::of(&grid, fixed_labels)?,
        moving_labels: BenchVolume::of(&grid, labels)?,
        truth: Some(line::field(&truth)),
        goals: PairGoals { dice: Some(0.95), error: Some(0.4), seconds: None },
    })
}

/// Blobs within an ellipsoid.
struct Head {
    blobs: Vec<([f64; 3], f64, f64)>,
}

impl Head {
    fn new(grid: &Grid, stream: &mut Numbers) -> Self {
        let half = grid.size().map(|side| side as f64 / 2.0);
        let blob = |_| {
            let centre = [0, 1, 2].map(|axis| half[axis] * (1.0 + 0.7 * stream.either()));
            (centre, 5.0 + 6.0 * (stream.either() + 1.0) / 2.0, 0.25 + 0.75 * (stream.either() + 1.0) / 2.0)
        };
        Head { blobs: (0..60).map(blob).collect() }
    }

    /// The value and the label of a voxel.
    fn at(&self, grid: &Grid, at: usize) -> (f32, u8) {
        let [width, height, depth] = grid.size();
        let index = [at % width, at / width % height, at / (width * height)].map(|i| i as f64);
        let half = [width, height, depth].map(|side| side as f64 / 2.0);
        let off: f64 = (0..3).map(|axis| ((index[axis] - half[axis]) / (0.8 * half[axis])).powi(2)).sum();
        if off > 1.0 {
            return (0.0, 0);
        }
        let near = |(centre, radius, _): &([f64; 3], f64, f64)| {
            (0..3).map(|axis| ((index[axis] - centre[axis]) / radius).powi(2)).sum::<f64>()
        };
        let inside = self.blobs.iter().enumerate().find(|(_, blob)| near(blob) < 1.0);
        inside.map_or((0.15, 1), |(number, (.., value))| (*value as f32, 2 + (number % 8) as u8))
    }
}

/// A stream of numbers.
struct Numbers(u64);

impl Numbers {
    /// From -1 to 1.
    fn either(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A folder in which peers find a pair; it goes when the benchmark ends.
pub(super) struct PairFolder(tempfile::TempDir);

impl PairFolder {
    pub(super) fn write(pair: &BenchPair) -> Result<PairFolder, Failure> {
        let folder = tempfile::tempdir().map_err(|error| Failure::internal(error.to_string()))?;
        for (name, volume) in [("fixed.nii.gz", &pair.fixed), ("moving.nii.gz", &pair.moving)] {
            let path = folder.path().join(name);
            let file = fs::File::create(&path).map_err(|error| unread(&path, &error))?;
            VolumeForm::NiftiGz.write(&volume.volume, file).map_err(|error| unread(&path, &error))?;
        }
        Ok(PairFolder(folder))
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    /// A field that a peer left.
    pub(super) fn field(&self, name: &str) -> Result<Vec<f32>, Failure> {
        let path = self.0.path().join(name);
        let bytes = fs::read(&path).map_err(|error| unread(&path, &error))?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }
}

fn unread(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::environment(
        Diagnostic::error(format!("`{}` cannot be used for the benchmark", path.display()))
            .expected_found("pairs of volumes", error.to_string()),
    )
}
