//! Slides of scanners that only OpenSlide reads (NDPI, MRXS, SCN, VMS, BIF, svslide, and SVS with JPEG 2000).
//!
//! What is transparent becomes the background of the slide, white unless it names another colour.

mod colour;
mod library;
mod pool;

use std::path::Path;
use std::sync::Arc;

use onceflow_region::source::{check_read, dense};
use onceflow_region::{
    Bounds, Dense, Details, Digest, Digester, Element, ImageInfo, ImageScale, Pixels, ReadMeter, Source,
    SourceError,
};

use crate::origin::ByteOrigin;
use crate::resolution::plausible;
use colour::SlideBackground;
use library::{Library, Slide, library};
use pool::Pooled;

/// What to do where OpenSlide is missing.
const INSTALL: &str = "install OpenSlide (Debian and Ubuntu: libopenslide0; Fedora: openslide; Homebrew: \
                                  openslide; conda: openslide) and run again";

/// How many pixels are asked for at once: those of the library have 4 bytes, beside ours.
const BAND: usize = 1 << 24;

/// An open slide.
#[derive(Debug)]
pub(super) struct OpenSlideSource {
    origin: ByteOrigin,
    info: ImageInfo,
    background: SlideBackground,
    version: &'static str,
    hash: String,
    slide: Arc<Pooled>,
}

/// Opens a slide of a form that only OpenSlide reads.
pub(super) fn open(origin: ByteOrigin, form: &str) -> Result<Arc<dyn Source>, SourceError> {
    if origin.path().is_none() {
        return Err(origin.content("an image in memory", form, "give the slide as a file"));
    }
    match library() {
        Some(library) => Ok(Arc::new(OpenSlideSource::open(origin, library)?)),
        None => Err(needed(origin.name(), form)),
    }
}

/// Opens what our own reader refused, when OpenSlide knows whose slide it is; otherwise its error stands.
pub(super) fn open_refused(origin: ByteOrigin, refused: SourceError) -> Result<Arc<dyn Source>, SourceError> {
    // The library is looked for only when there is a file that it could open.
    let found = origin.path().and_then(|path| Some((path, library()?)));
    let Some((path, library)) = found else { return Err(refused) };
    match library.vendor(path) {
        // Any tiled TIFF file is generic: what our reader refuses of these has a reason, unless it asks for the library.
        Some(vendor) if vendor != "generic-tiff" || matches!(refused, SourceError::Library { .. }) => {
            Ok(Arc::new(OpenSlideSource::open(origin, library)?))
        }
        _ => Err(refused),
    }
}

/// The error where the library is missing.
pub(super) fn needed(file: &str, form: &str) -> SourceError {
    let reason = format!("{form}, which is read through the library OpenSlide, and that is not at hand");
    SourceError::Library { file: file.to_owned(), reason, todo: INSTALL }
}

impl OpenSlideSource {
    fn open(origin: ByteOrigin, library: &'static Library) -> Result<OpenSlideSource, SourceError> {
        let path = origin.path().unwrap_or(Path::new(""));
        let vendor = library.vendor(path).unwrap_or_default();
        let slide = library.open(path).map_err(|error| broken(&origin, &error))?;
        let info = info(&origin, &slide, &vendor, library.version())?;
        let background = SlideBackground::of(slide.property("openslide.background-color").as_deref());
        let hash = slide.property("openslide.quickhash-1").unwrap_or_default();
        let version = library.version();
        let slide = Pooled::new(library, path, slide);
        Ok(OpenSlideSource { origin, info, background, version, hash, slide })
    }

    fn band(
        &self,
        corner: (i64, i64),
        scale: i32,
        width: usize,
        height: usize,
    ) -> Result<Vec<u32>, SourceError> {
        let found = self.slide.with(|slide| slide.read(corner, scale, width, height));
        found.map_err(|error| broken(&self.origin, &error))
    }
}

impl Source for OpenSlideSource {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        self.read_scale(0, bounds)
    }

    fn read_scale(&self, scale: usize, bounds: Bounds) -> Result<Dense, SourceError> {
        let [x, y, width, height] = check_read(self.origin.name(), &self.info, scale, &bounds)?;
        self.origin.reader()?;
        let downsample = self.info.scales[scale].downsample;
        let whole = |place: usize| (place as f64 * downsample).round() as i64;
        let mut pixels = Vec::with_capacity(width * height * 3);
        let rows = (BAND / width).clamp(1, height);
        for first in (0..height).step_by(rows) {
            let corner = (whole(x), whole(y + first));
            let band = self.band(corner, scale as i32, width, rows.min(height - first))?;
            pixels.extend(band.iter().flat_map(|&pixel| self.background.under(pixel)));
        }
        dense(self.origin.name(), [width, height], 3, Pixels::U8(pixels))
    }

    /// The bytes of the file and of the folder that belongs to it, what OpenSlide says of the rest, and its version: other
    /// decoders give other pixels.
    fn digest(&self) -> Result<Digest, SourceError> {
        let mut digester = Digester::new("onceflow image 2026-11 slide v1");
        digester.bytes(&self.origin.digest()?.0);
        digester.text(&self.hash);
        digester.text(self.version);
        for file in companions(&self.origin)? {
            let name = file.path().and_then(Path::file_name).unwrap_or_default();
            digester.text(&name.to_string_lossy());
            digester.bytes(&file.digest()?.0);
        }
        Ok(digester.finish())
    }
}

/// The files of the folder that has the name of the slide, in the order of their names: those of a MIRAX slide.
fn companions(origin: &ByteOrigin) -> Result<Vec<ByteOrigin>, SourceError> {
    let folder = origin.path().map(|path| path.with_extension("")).filter(|folder| folder.is_dir());
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let unreadable = |error| origin.unreadable(&error);
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(unreadable)? {
        files.push(entry.map_err(unreadable)?.path());
    }
    files.sort();
    files
        .iter()
        .filter(|file| file.is_file())
        .map(|file| ByteOrigin::file(file, Arc::<ReadMeter>::default()))
        .collect()
}

fn info(origin: &ByteOrigin, slide: &Slide, vendor: &str, version: &str) -> Result<ImageInfo, SourceError> {
    let mut scales = Vec::new();
    for scale in 0..slide.scales() {
        let (width, height, downsample) = slide.scale(scale);
        let (Ok(width @ 1..), Ok(height @ 1..)) = (u64::try_from(width), u64::try_from(height)) else {
            return Err(broken(origin, &format!("a scale of {width} x {height} pixels")));
        };
        scales.push(ImageScale { width, height, downsample });
    }
    let Some(&ImageScale { width, height, .. }) = scales.first() else {
        return Err(broken(origin, "no scale at all"));
    };
    let number = |name: &str| slide.property(name).and_then(|value| value.parse::<f64>().ok());
    let side = |name: &str| slide.property(name).and_then(|value| value.parse::<u64>().ok());
    let tile = |scale: usize| {
        let side = |name: &str| side(&format!("openslide.level[{scale}].tile-{name}"));
        side("width").zip(side("height")).map(|(width, height)| [width, height])
    };
    let tiles = (0..scales.len()).map(tile).collect();
    Ok(ImageInfo {
        format: format(vendor, origin),
        width,
        height,
        channels: 3,
        element: Element::U8,
        um_per_pixel: number("openslide.mpp-x")
            .zip(number("openslide.mpp-y"))
            .and_then(|(x, y)| plausible(x, y)),
        scales,
        details: Details {
            vendor: Some(vendor.to_owned()),
            objective_power: number("openslide.objective-power"),
            tile: tile(0),
            tiles,
            compression: None,
            library: Some(format!("OpenSlide {version}")),
            ..Details::default()
        },
    })
}

/// What people call the form: the usual ending of a maker's files.
fn format(vendor: &str, origin: &ByteOrigin) -> String {
    let form = match vendor {
        "aperio" => "svs",
        "mirax" => "mrxs",
        "leica" => "scn",
        "ventana" => "bif",
        "sakura" => "svslide",
        "zeiss" => "czi",
        "dicom" => "dicom",
        "hamamatsu" => {
            let ending = origin.path().and_then(Path::extension).map(|ending| ending.to_ascii_lowercase());
            return ending.and_then(|ending| ending.into_string().ok()).unwrap_or_else(|| "ndpi".into());
        }
        _ => "tiff",
    };
    form.into()
}

fn broken(origin: &ByteOrigin, error: &str) -> SourceError {
    origin.content(
        "a slide that OpenSlide reads",
        error,
        "copy or export the slide again, with all of its files",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_install_is_said() {
        assert_eq!(
            needed("a.ndpi", "a Hamamatsu NDPI slide").to_string(),
            "a.ndpi: a Hamamatsu NDPI slide, which is read through the library OpenSlide, and that is not at hand; install \
             OpenSlide (Debian and Ubuntu: libopenslide0; Fedora: openslide; Homebrew: openslide; conda: openslide) and \
             run again"
        );
    }

    /// What OpenSlide gives of a slide that our own reader reads, too: JPEG decoders differ by a grey level.
    #[test]
    fn our_own_reader_gives_the_same_pixels() {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/wsi/CMU-1-Small-Region.svs");
        let Some(library) = library().filter(|_| path.is_file()) else {
            #[allow(clippy::print_stderr, reason = "the reason why nothing is tested")]
            {
                eprintln!("skipped: OpenSlide or the real slide is not there");
            }
            return;
        };
        let theirs =
            OpenSlideSource::open(ByteOrigin::file(&path, Arc::default()).unwrap(), library).unwrap();
        let ours = crate::open(&path).unwrap();
        let (mut left, mut right) = (theirs.info().clone(), ours.info().clone());
        assert_eq!((left.details.library.is_some(), right.details.library.is_some()), (true, false));
        (left.details, right.details) = (Details::default(), Details::default());
        assert_eq!(left, right);
        let whole = ours.info().bounds().unwrap();
        let (theirs, ours) = (theirs.read(whole).unwrap(), ours.read(whole).unwrap());
        let pairs = theirs.as_u8().unwrap().iter().zip(ours.as_u8().unwrap());
        assert!(pairs.map(|(a, b)| a.abs_diff(*b)).max() <= Some(2));
    }

    #[test]
    fn a_slide_that_is_none_is_said() {
        let Some(library) = library() else { return };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mrxs");
        std::fs::write(&path, "no slide").unwrap();
        let error =
            OpenSlideSource::open(ByteOrigin::file(&path, Arc::default()).unwrap(), library).unwrap_err();
        assert!(error.to_string().contains("expected a slide that OpenSlide reads"), "{error}");
    }
}
