//! TIFF files in strips or tiles, with their pyramids. Only the strips and tiles that the box touches are decoded.
//!
//! Alpha is dropped. The first image of a file with several is read, at all of its scales.

mod chunk;
mod codec;
mod directory;
mod layout;
mod lzw;
mod pyramid;
mod words;

use onceflow_region::source::{check_read, dense};
use onceflow_region::{Access, Bounds, Dense, Details, Digest, ImageInfo, ImageScale, Source, SourceError};

use super::openslide;
use crate::origin::ByteOrigin;
use codec::TiffPacking;
use directory::Directories;
use layout::TiffLayout;
use words::TiffWords;

/// An open TIFF file.
#[derive(Debug)]
pub(super) struct TiffSource {
    origin: ByteOrigin,
    info: ImageInfo,
    scales: Vec<TiffLayout>,
}

impl TiffSource {
    /// Opens a file, or gives it back with the reason why another reader should try.
    pub(super) fn open(origin: ByteOrigin) -> Result<TiffSource, Box<(ByteOrigin, SourceError)>> {
        match Self::look(&origin) {
            Ok((info, scales)) => Ok(TiffSource { origin, info, scales }),
            Err(error) => Err(Box::new((origin, error))),
        }
    }

    fn look(origin: &ByteOrigin) -> Result<(ImageInfo, Vec<TiffLayout>), SourceError> {
        let mut files = Directories::new(origin)?;
        let chain = files.chain()?;
        let Some(first) = chain.first() else {
            return Err(origin.content("a TIFF file with an image", "none", directory::TODO));
        };
        let words = TiffWords::of(&mut files, first)?;
        if let Some(form) = words.foreign {
            return Err(openslide::needed(origin.name(), form));
        }
        let (scales, others) = pyramid::scales(origin, &mut files, &chain)?;
        let Some(whole) = scales.first() else {
            return Err(origin.content("a TIFF file with an image", "none", directory::TODO));
        };
        check_planes(origin, &words, whole)?;
        // The label and the overview of a slide are no further pages of it.
        let others = if words.format.is_none() { others } else { 0 };
        Ok((info(words, whole, &scales, others), scales))
    }
}

impl Source for TiffSource {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        self.read_scale(0, bounds)
    }

    fn read_scale(&self, scale: usize, bounds: Bounds) -> Result<Dense, SourceError> {
        let [x, y, width, height] = check_read(self.origin.name(), &self.info, scale, &bounds)?;
        let layout = &self.scales[scale];
        let pixels = chunk::read(&self.origin, layout, x..x + width, y..y + height)?;
        dense(self.origin.name(), [width, height], layout.channels(), pixels)
    }

    /// Strips are as wide as the image; one that is as high, too, is decoded from its first row by every read.
    fn access(&self) -> Access {
        match self.scales.first() {
            Some(whole) if whole.tiled => Access::Boxes,
            Some(whole) if whole.chunk[1] >= whole.height && whole.compression != TiffPacking::None => {
                Access::Whole
            }
            _ => Access::Rows,
        }
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        self.origin.digest()
    }
}

fn info(words: TiffWords, whole: &TiffLayout, scales: &[TiffLayout], others: usize) -> ImageInfo {
    let scale = |layout: &TiffLayout| ImageScale {
        width: layout.width as u64,
        height: layout.height as u64,
        downsample: pyramid::downsample(whole, layout),
    };
    let tile = |layout: &TiffLayout| layout.tiled.then(|| layout.chunk.map(|side| side as u64));
    ImageInfo {
        format: words.format.unwrap_or("tiff").into(),
        width: whole.width as u64,
        height: whole.height as u64,
        channels: whole.channels() as u32,
        element: whole.element,
        um_per_pixel: words.um_per_pixel,
        scales: scales.iter().map(scale).collect(),
        details: Details {
            vendor: words.vendor,
            objective_power: words.objective_power,
            tile: tile(whole),
            tiles: scales.iter().map(tile).collect(),
            compression: Some(whole.compression.name().into()),
            library: None,
            other_images: others as u64,
        },
    }
}

/// One plane of several would be a part of what was measured, given as if it were all.
fn check_planes(origin: &ByteOrigin, words: &TiffWords, whole: &TiffLayout) -> Result<(), SourceError> {
    let [channels, depths, times] = words.planes.unwrap_or([1; 3]);
    let others = channels.max(1).saturating_sub(whole.samples as u64);
    if others == 0 && depths <= 1 && times <= 1 {
        return Ok(());
    }
    let found = format!("{channels} channels in planes of their own, {depths} depths and {times} times");
    let found = if others == 0 { format!("{depths} depths and {times} times") } else { found };
    Err(origin.content("an OME-TIFF of one plane", found, "export one plane, or its channels as RGB"))
}
