//! An open volume, of which any box can be read.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use onceflow_region::{
    Bounds, Digest, Element, Pixels, READ_LIMIT, ReadMeter, ReadVolume, SourceError, Volume, VolumeInfo,
    size_words, with_values,
};

use super::header::{TODO, VolumeHeader, VolumePacking};
use super::{metaimage, nifti, stream};
use crate::origin::ByteOrigin;

/// An open volume, of which any box can be read by several threads at once.
#[derive(Debug)]
pub struct VolumeSource {
    head: ByteOrigin,
    /// The file with the values, when it is another one.
    data: Option<ByteOrigin>,
    header: VolumeHeader,
    info: VolumeInfo,
}

/// Opens a NIfTI (`.nii`, `.nii.gz`) or MetaImage (`.mha`, `.mhd`) file: its first bytes say which.
///
/// # Errors
/// When the file cannot be read, or is no volume that we read.
pub fn open_volume(path: &Path) -> Result<VolumeSource, SourceError> {
    VolumeSource::new(ByteOrigin::file(path, Arc::default())?)
}

/// Opens a volume that is in memory already; errors call it by the name given.
///
/// # Errors
/// When the bytes are no volume that we read.
pub fn open_volume_bytes(name: &str, bytes: impl Into<Arc<[u8]>>) -> Result<VolumeSource, SourceError> {
    VolumeSource::new(ByteOrigin::bytes(name, bytes.into(), Arc::default()))
}

impl VolumeSource {
    fn new(head: ByteOrigin) -> Result<VolumeSource, SourceError> {
        let (header, file) = look(&head)?;
        let data = file.map(|name| beside(&head, &name)).transpose()?;
        header.check(data.as_ref().unwrap_or(&head))?;
        let info = VolumeInfo {
            format: header.format.into(),
            bounds: header.bounds,
            element: if header.scaling.is_some() { Element::F64 } else { header.stored },
            geometry: header.geometry,
            compression: match header.packing {
                VolumePacking::None => None,
                VolumePacking::Gzip => Some("gzip".into()),
                VolumePacking::Zlib { .. } => Some("zlib".into()),
            },
        };
        Ok(VolumeSource { head, data, header, info })
    }

    /// What is known without reading values.
    pub fn info(&self) -> &VolumeInfo {
        &self.info
    }

    /// The values in a box. Of a packed file all that comes before is unpacked as well.
    ///
    /// # Errors
    /// When the box is empty or reaches outside, is larger than one read may be, or the file cannot be read.
    pub fn read(&self, bounds: Bounds) -> Result<Volume, SourceError> {
        let origin = self.data.as_ref().unwrap_or(&self.head);
        let places = self.check(origin, &bounds)?;
        let mut bytes = Vec::with_capacity((places * self.header.stored.bytes()) as usize);
        stream::read(origin.reader()?, &self.header, &bounds, &mut bytes)
            .map_err(|error| broken(origin, &error))?;
        let stored = Pixels::from_bytes(self.header.stored, bytes, self.header.order);
        let values = match self.header.scaling {
            Some((slope, intercept)) => scaled(&stored, slope, intercept),
            None => stored,
        };
        Volume::new(bounds, values, self.header.geometry)
            .map_err(|error| SourceError::Region { file: origin.name().to_owned(), error: Box::new(error) })
    }

    /// A digest of the content.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn digest(&self) -> Result<Digest, SourceError> {
        let Some(data) = &self.data else { return self.head.digest() };
        let parts = format!("{} {}", self.head.digest()?, data.digest()?);
        Ok(Digest::of_text("onceflow volume 2026-11 two files v1", &parts))
    }

    /// How many places a box has that may be read.
    fn check(&self, origin: &ByteOrigin, bounds: &Bounds) -> Result<u64, SourceError> {
        let whole = &self.header.bounds;
        let file = origin.name().to_owned();
        if bounds.is_empty() || !whole.contains(bounds) {
            let (width, height) = (whole.width(), whole.height());
            return Err(SourceError::Outside { file, width, height, bounds: Box::new(*bounds) });
        }
        let places = bounds.positions().unwrap_or(u64::MAX);
        let bytes = places.saturating_mul(self.info.element.bytes());
        if bytes > READ_LIMIT {
            return Err(SourceError::TooLarge { file, bounds: Box::new(*bounds), bytes, limit: READ_LIMIT });
        }
        Ok(places)
    }
}

impl ReadVolume for VolumeSource {
    fn info(&self) -> &VolumeInfo {
        self.info()
    }

    fn read(&self, bounds: Bounds) -> Result<Volume, SourceError> {
        self.read(bounds)
    }
}

/// The head, by the first bytes of the file, and the name of the file with the values when it is another.
fn look(origin: &ByteOrigin) -> Result<(VolumeHeader, Option<String>), SourceError> {
    let first = start_of(origin.reader()?, metaimage::HEAD).map_err(|error| broken(origin, &error))?;
    if first.starts_with(&[0x1f, 0x8b]) {
        let unpacked = MultiGzDecoder::new(origin.reader()?);
        let head = start_of(unpacked, nifti::HEAD).map_err(|error| broken(origin, &error))?;
        return Ok((nifti::header(origin, &head, VolumePacking::Gzip)?, None));
    }
    if metaimage::is_metaimage(&first) {
        let found = metaimage::header(origin, &first)?;
        return Ok((found.header, found.file));
    }
    if nifti::is_nifti(&first) {
        return Ok((nifti::header(origin, &first, VolumePacking::None)?, None));
    }
    let expected = "a NIfTI (.nii, .nii.gz) or MetaImage (.mha, .mhd) volume";
    Err(origin.content(expected, "something else", "convert it first"))
}

fn start_of(reader: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    reader.take(most as u64).read_to_end(&mut first)?;
    Ok(first)
}

fn beside(head: &ByteOrigin, name: &str) -> Result<ByteOrigin, SourceError> {
    match head.path() {
        Some(path) => ByteOrigin::file(&path.with_file_name(name), Arc::<ReadMeter>::default()),
        None => Err(head.content("a volume in one file", "one in two files", "convert it to .mha")),
    }
}

fn broken(origin: &ByteOrigin, error: &io::Error) -> SourceError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            let found = format!("a file that ends too early, after {}", size_words(origin.length()));
            origin.content("a whole volume", found, TODO)
        }
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            origin.content("a packed volume", error.to_string(), TODO)
        }
        _ => origin.unreadable(error),
    }
}

fn scaled(stored: &Pixels, slope: f64, intercept: f64) -> Pixels {
    #[allow(clippy::unnecessary_cast, reason = "the values are of every type")]
    let scaled = with_values!(stored, values => {
        values.iter().map(|&value| value as f64 * slope + intercept).collect()
    });
    Pixels::F64(scaled)
}
