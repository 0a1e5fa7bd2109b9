//! OME-Zarr images and plain Zarr arrays as images, of which any box can be read.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use onceflow_region::source::{check_read, dense};
use onceflow_region::{
    Bounds, Dense, Details, Digest, Digester, ImageInfo, ImageScale, ReadMeter, Source, SourceError,
};
use onceflow_store::zarr::json::{BadMetadata, METADATA_LIMIT};
use onceflow_store::zarr::{ArrayLayout, PlaneAxes, ZarrArray, ZarrFolder, json};
use serde_json::Value;

use super::ome::{self, Multiscale};

/// An image in a folder: OME-Zarr 0.5 or 0.4, or a plain Zarr array of two axes, or of three with grey or colour.
///
/// A box is read chunk by chunk, and of a shard only the index and the chunks that the box touches.
#[derive(Debug)]
pub struct OmeZarr {
    folder: ZarrFolder,
    info: ImageInfo,
    scales: Vec<ZarrArray>,
    /// The folders whose files are the image.
    paths: Vec<String>,
    digest: OnceLock<Digest>,
}

impl OmeZarr {
    /// Opens a folder and counts in the meter what is read of its files.
    ///
    /// # Errors
    /// When it holds no image that we read.
    pub fn open(path: &Path, meter: Arc<ReadMeter>) -> Result<OmeZarr, SourceError> {
        OmeZarr::look(ZarrFolder::open(path, meter)?)
    }

    /// Opens an image whose files are in memory, under their names as seen from its folder.
    ///
    /// # Errors
    /// When they are no image that we read.
    pub fn from_files(name: &str, files: BTreeMap<String, Arc<[u8]>>) -> Result<OmeZarr, SourceError> {
        OmeZarr::look(ZarrFolder::memory(name, files, Arc::default()))
    }

    /// The pixels in a box of one scale, unpacked by several threads at once.
    ///
    /// # Errors
    /// As [`Source::read_scale`].
    pub fn read_parallel(
        &self,
        scale: usize,
        bounds: Bounds,
        threads: NonZeroUsize,
    ) -> Result<Dense, SourceError> {
        let [x, y, width, height] = check_read(self.folder.name(), &self.info, scale, &bounds)?;
        let range = |start: usize, length: usize| start as u64..(start + length) as u64;
        let array = &self.scales[scale];
        let pixels = array.read(&self.folder, range(y, height), range(x, width), threads.get())?;
        dense(self.folder.name(), [width, height], self.info.channels as usize, pixels)
    }

    fn look(folder: ZarrFolder) -> Result<OmeZarr, SourceError> {
        if let Some(root) = metadata(&folder, "zarr.json")? {
            let ome = root.get("attributes").and_then(|attributes| attributes.get("ome"));
            return match root.get("node_type").and_then(Value::as_str) {
                Some("array") => OmeZarr::plain(folder, Edition::Third),
                _ => OmeZarr::group(folder, Edition::Third, ome.unwrap_or(&Value::Null)),
            };
        }
        match metadata(&folder, ".zattrs")? {
            Some(ome) if ome.get("multiscales").is_some() => OmeZarr::group(folder, Edition::Second, &ome),
            _ if folder.file(".zarray")?.is_some() => OmeZarr::plain(folder, Edition::Second),
            _ => Err(no_metadata(&folder)),
        }
    }

    /// An image whose scales are arrays.
    fn group(folder: ZarrFolder, edition: Edition, ome: &Value) -> Result<OmeZarr, SourceError> {
        let name = folder.file_name(edition.group());
        let wrong = |wrong: BadMetadata| wrong.in_file(&name);
        edition.check_version(ome).map_err(wrong)?;
        let image = Multiscale::parse(ome).map_err(wrong)?;
        let mut scales = Vec::new();
        for (path, _) in &image.scales {
            scales.push(array(&folder, edition, path, |layout| image.plane(layout))?);
        }
        check_alike(&scales).map_err(wrong)?;
        let um_per_pixel = image.um_per_pixel(scales[0].plane());
        let mut paths: Vec<String> = image.scales.into_iter().map(|(path, _)| path).collect();
        paths.dedup();
        Ok(OmeZarr { paths, ..OmeZarr::new(folder, "ome-zarr", um_per_pixel, scales) })
    }

    /// An array that is an image by itself.
    fn plain(folder: ZarrFolder, edition: Edition) -> Result<OmeZarr, SourceError> {
        let array = array(&folder, edition, "", plain_plane)?;
        Ok(OmeZarr::new(folder, "zarr", None, vec![array]))
    }

    fn new(folder: ZarrFolder, format: &str, um_per_pixel: Option<f64>, scales: Vec<ZarrArray>) -> OmeZarr {
        let info = info(format, um_per_pixel, &scales);
        OmeZarr { folder, info, scales, paths: Vec::new(), digest: OnceLock::new() }
    }

    /// The digest of names, lengths and bytes of all files that make up the image.
    fn digest_files(&self) -> Result<Digest, SourceError> {
        let mut digester = Digester::new(DIGEST_CONTEXT);
        let mut names = vec![".zattrs".to_owned(), "zarr.json".to_owned()];
        for path in &self.paths {
            names.extend(self.folder.files_below(path)?);
        }
        if self.paths.is_empty() {
            names = self.folder.files_below("")?;
        }
        let mut block = vec![0; 1 << 16];
        for name in names {
            let Some(mut file) = self.folder.file(&name)? else { continue };
            digester.text(&name);
            digester.number(file.length);
            for start in (0..file.length).step_by(block.len()) {
                let length = (file.length - start).min(block.len() as u64) as usize;
                file.read_at(start, &mut block[..length])?;
                digester.bytes(&block[..length]);
            }
        }
        Ok(digester.finish())
    }
}

/// Digests are kept between runs: this text changes when their form does.
const DIGEST_CONTEXT: &str = "onceflow image 2026-11 folder v1";

impl Source for OmeZarr {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        self.read_scale(0, bounds)
    }

    fn read_scale(&self, scale: usize, bounds: Bounds) -> Result<Dense, SourceError> {
        self.read_parallel(scale, bounds, NonZeroUsize::MIN)
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        if let Some(digest) = self.digest.get() {
            return Ok(*digest);
        }
        let digest = self.digest_files()?;
        Ok(*self.digest.get_or_init(|| digest))
    }
}

/// The edition of Zarr that a folder is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edition {
    /// Zarr v2, with OME-Zarr 0.4.
    Second,
    /// Zarr v3, with OME-Zarr 0.5.
    Third,
}

impl Edition {
    /// The file that says what an image is.
    fn group(self) -> &'static str {
        if self == Edition::Second { ".zattrs" } else { "zarr.json" }
    }

    /// The file that says what an array is.
    fn array(self, path: &str) -> String {
        let name = if self == Edition::Second { ".zarray" } else { "zarr.json" };
        if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
    }

    fn layout(self, metadata: &Value) -> Result<ArrayLayout, BadMetadata> {
        if self == Edition::Second { ArrayLayout::parse_v2(metadata) } else { ArrayLayout::parse(metadata) }
    }

    fn check_version(self, ome: &Value) -> Result<(), BadMetadata> {
        let (version, expected) = match self {
            Edition::Second => (ome.pointer("/multiscales/0/version"), "0.4"),
            Edition::Third => (ome.get("version"), "0.5"),
        };
        match version.map(Value::as_str) {
            None => Ok(()),
            Some(Some(text)) if text == expected || text.starts_with(&format!("{expected}.")) => Ok(()),
            _ => Err(json::wrong("the OME-Zarr version 0.5, or 0.4 with Zarr v2", version)),
        }
    }
}

/// The metadata in a file; `None` when there is no such file.
fn metadata(folder: &ZarrFolder, name: &str) -> Result<Option<Value>, SourceError> {
    let Some(bytes) = folder.small(name, METADATA_LIMIT)? else { return Ok(None) };
    json::parse(&bytes).map(Some).map_err(|wrong| wrong.in_file(&folder.file_name(name)))
}

fn array(
    folder: &ZarrFolder,
    edition: Edition,
    path: &str,
    plane: impl Fn(&ArrayLayout) -> Result<PlaneAxes, BadMetadata>,
) -> Result<ZarrArray, SourceError> {
    let name = edition.array(path);
    let wrong = |wrong: BadMetadata| wrong.in_file(&folder.file_name(&name));
    let absent = || wrong(BadMetadata::new("the array that the image names", "no file"));
    let layout = edition.layout(&metadata(folder, &name)?.ok_or_else(absent)?).map_err(wrong)?;
    let plane = plane(&layout).map_err(wrong)?;
    Ok(ZarrArray::new(path, layout, plane))
}

fn no_metadata(folder: &ZarrFolder) -> SourceError {
    let expected = "an image file, or a folder with an OME-Zarr image";
    SourceError::content(folder.name(), expected, "a folder without zarr.json", "name the image itself")
}

/// All scales show the same image, from large to small.
fn check_alike(scales: &[ZarrArray]) -> Result<(), BadMetadata> {
    let alike = |pair: &[ZarrArray]| {
        let [before, after] = [&pair[0], &pair[1]];
        before.layout().element == after.layout().element
            && before.size()[0] == after.size()[0]
            && before.size()[1] >= after.size()[1]
            && before.size()[2] >= after.size()[2]
    };
    match scales.windows(2).all(alike) {
        true => Ok(()),
        false => Err(BadMetadata::new("scales of the same pixels, the largest first", "others")),
    }
}

/// The axes of an array without OME-Zarr: as they are named, or rows, columns and last or first one or three channels.
fn plain_plane(layout: &ArrayLayout) -> Result<PlaneAxes, BadMetadata> {
    let names: Vec<Option<&str>> = layout.names.iter().map(Option::as_deref).collect();
    if names.iter().all(Option::is_some) {
        return ome::plane(&names, &layout.shape);
    }
    let guessed = match layout.shape[..] {
        [_, _] => "yx",
        [_, _, 1 | 3] => "yxc",
        [1 | 3, _, _] => "cyx",
        _ => {
            let found = format!("axes without names and shape {:?}", layout.shape);
            return Err(BadMetadata::new("rows and columns, or rows, columns and 1 or 3 channels", found));
        }
    };
    let names: Vec<Option<&str>> = guessed.split("").filter(|name| !name.is_empty()).map(Some).collect();
    ome::plane(&names, &layout.shape)
}

fn info(format: &str, um_per_pixel: Option<f64>, scales: &[ZarrArray]) -> ImageInfo {
    let whole = &scales[0];
    let [channels, height, width] = whole.size();
    let scale = |array: &ZarrArray| {
        let along = |axis: usize| whole.size()[axis] as f64 / array.size()[axis] as f64;
        ImageScale {
            width: array.size()[2],
            height: array.size()[1],
            downsample: (along(1) + along(2)) / 2.0,
        }
    };
    ImageInfo {
        format: format.to_owned(),
        width,
        height,
        channels: channels as u32,
        element: whole.layout().element,
        um_per_pixel,
        scales: scales.iter().map(scale).collect(),
        details: Details {
            tile: Some(whole.tile()),
            tiles: scales.iter().map(|array| Some(array.tile())).collect(),
            compression: Some(whole.layout().codecs.name().to_owned()),
            ..Details::default()
        },
    }
}
