//! The format of the converted image, from its file extension and the options.

use std::path::Path;

use onceflow_engine::ImageForm;
use onceflow_imageio::{TiffCompression, TiffForm};
use onceflow_store::zarr::Compression as ZarrCompression;
use onceflow_study::Diagnostic;
use onceflow_terminal::Failure;

use crate::args::{CompressionWord, ConvertArgs};
use crate::file::{extension, unsupported_extension};

/// The format of a converted image.
pub(super) struct ConvertFormat {
    pub(super) image: ImageForm,
}

/// Side of TIFF tiles that slide viewers read well.
const TILE: u64 = 512;
/// JPEG quality without visible losses.
const QUALITY: u8 = 90;

impl ConvertFormat {
    /// Refuses options that the format does not have.
    pub(super) fn of(args: &ConvertArgs) -> Result<ConvertFormat, Failure> {
        let word = args.compression.or(args.quality.map(|_| CompressionWord::Jpeg));
        if args.quality.is_some() && word != Some(CompressionWord::Jpeg) {
            return Err(refused(
                "--quality is for JPEG only",
                "--compression jpeg",
                "another compression",
                "leave --quality out",
            ));
        }
        let image = match ConvertExtension::of(&args.output)? {
            ConvertExtension::Tiff => ImageForm::Tiff(tiff(args, word)?),
            ConvertExtension::Zarr => ImageForm::Zarr(zarr(args, word)?),
            ConvertExtension::Png if word.is_some() || args.tile.is_some() => {
                let hint = "leave them out, or name it .tif";
                return Err(refused(
                    "a PNG has no choice of compression and tiles",
                    "a PNG without --compression, --quality and --tile",
                    "one of them",
                    hint,
                ));
            }
            ConvertExtension::Png => ImageForm::Png,
        };
        Ok(ConvertFormat { image })
    }

    /// The name in JSON.
    pub(super) fn name(&self) -> &'static str {
        match self.image {
            ImageForm::Tiff(_) => "tiff",
            ImageForm::Zarr(_) => "ome-zarr",
            ImageForm::Png => "png",
        }
    }

    /// The compression of its pixels.
    pub(super) fn compression(&self) -> &'static str {
        match self.image {
            ImageForm::Tiff(TiffForm { compression: TiffCompression::None, .. }) => "none",
            ImageForm::Tiff(TiffForm { compression: TiffCompression::Jpeg(_), .. }) => "jpeg",
            ImageForm::Tiff(_) | ImageForm::Png => "deflate",
            ImageForm::Zarr(ZarrCompression::None) => "none",
            ImageForm::Zarr(_) => "zstd",
        }
    }

    /// A description to print.
    pub(super) fn words(&self) -> String {
        match self.image {
            ImageForm::Tiff(TiffForm { tile, compression: TiffCompression::Jpeg(quality) }) => {
                format!("TIFF in tiles of {tile} x {tile}, JPEG of quality {quality}")
            }
            ImageForm::Tiff(TiffForm { tile, .. }) => {
                format!("TIFF in tiles of {tile} x {tile}, {}", self.compressed())
            }
            ImageForm::Zarr(_) => format!("OME-Zarr, {}", self.compressed()),
            ImageForm::Png => "PNG".to_owned(),
        }
    }

    fn compressed(&self) -> &'static str {
        match self.compression() {
            "none" => "not compressed",
            other => other,
        }
    }

    pub(super) fn is_folder(&self) -> bool {
        matches!(self.image, ImageForm::Zarr(_))
    }
}

fn tiff(args: &ConvertArgs, word: Option<CompressionWord>) -> Result<TiffForm, Failure> {
    let compression = match word {
        None | Some(CompressionWord::Deflate) => TiffCompression::Deflate,
        Some(CompressionWord::None) => TiffCompression::None,
        Some(CompressionWord::Jpeg) => TiffCompression::Jpeg(args.quality.unwrap_or(QUALITY)),
        Some(CompressionWord::Zstd) => {
            return Err(refused(
                "Zstandard is not used in TIFF files, since few programs read it",
                "none, deflate or jpeg",
                "zstd",
                "leave --compression out",
            ));
        }
    };
    let tile = args.tile.unwrap_or(TILE);
    if !tile.is_multiple_of(16) {
        return Err(refused(
            &format!("unsupported tile side {tile}"),
            "a multiple of 16",
            &tile.to_string(),
            "choose 256 or 512",
        ));
    }
    Ok(TiffForm { tile, compression })
}

fn zarr(args: &ConvertArgs, word: Option<CompressionWord>) -> Result<ZarrCompression, Failure> {
    if let Some(tile) = args.tile {
        let expected = "OME-Zarr without --tile: its chunks have 512 x 512 pixels";
        return Err(refused(
            "--tile is for TIFF files only",
            expected,
            &tile.to_string(),
            "leave --tile out",
        ));
    }
    match word {
        None | Some(CompressionWord::Zstd) => Ok(ZarrCompression::default()),
        Some(CompressionWord::None) => Ok(ZarrCompression::None),
        Some(CompressionWord::Deflate | CompressionWord::Jpeg) => Err(refused(
            "unsupported compression for OME-Zarr",
            "none or zstd",
            "another",
            "leave --compression out",
        )),
    }
}

fn refused(message: &str, expected: &str, found: &str, hint: &str) -> Failure {
    Failure::bad_input(Diagnostic::error(message).expected_found(expected, found).with_hint(hint))
}

enum ConvertExtension {
    Tiff,
    Zarr,
    Png,
}

impl ConvertExtension {
    fn of(path: &Path) -> Result<ConvertExtension, Failure> {
        match extension(path).as_deref() {
            Some("tif" | "tiff") => Ok(ConvertExtension::Tiff),
            Some("zarr") => Ok(ConvertExtension::Zarr),
            Some("png") => Ok(ConvertExtension::Png),
            _ => {
                let hint = "name it .ome.zarr or .tif for slides, .png for small images";
                Err(unsupported_extension(path, ".zarr, .tif or .png", hint))
            }
        }
    }
}
