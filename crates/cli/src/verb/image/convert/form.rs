//! The form of the result, by the ending of its name and what is asked for.

use std::path::Path;

use onceflow_engine::ImageForm;
use onceflow_region::zarr::Compression as ZarrCompression;
use onceflow_region::{TiffCompression, TiffForm};
use onceflow_study::Diagnostic;

use crate::args::{CompressionWord, ConvertArgs};
use crate::failure::Failure;

/// The form of a result.
pub(super) struct Form {
    pub(super) image: ImageForm,
}

/// Tiles as viewers of slides like them.
const TILE: u64 = 512;
/// JPEG that hides its losses from most eyes.
const QUALITY: u8 = 90;

impl Form {
    /// Refuses what the form does not have.
    pub(super) fn of(args: &ConvertArgs) -> Result<Form, Failure> {
        let word = args.compression.or(args.quality.map(|_| CompressionWord::Jpeg));
        if args.quality.is_some() && word != Some(CompressionWord::Jpeg) {
            return Err(refused(
                "--quality is for JPEG",
                "--compression jpeg",
                "another compression",
                "leave --quality out",
            ));
        }
        let image = match Ending::of(&args.output)? {
            Ending::Tiff => ImageForm::Tiff(tiff(args, word)?),
            Ending::Zarr => ImageForm::Zarr(zarr(args, word)?),
            Ending::Png if word.is_some() || args.tile.is_some() => {
                let hint = "leave them out, or name it .tif";
                return Err(refused(
                    "a PNG is always compressed in its own way",
                    "no --compression, --quality and --tile",
                    "some",
                    hint,
                ));
            }
            Ending::Png => ImageForm::Png,
        };
        Ok(Form { image })
    }

    /// The name that scripts know it by.
    pub(super) fn name(&self) -> &'static str {
        match self.image {
            ImageForm::Tiff(_) => "tiff",
            ImageForm::Zarr(_) => "ome-zarr",
            ImageForm::Png => "png",
        }
    }

    /// How its pixels are compressed.
    pub(super) fn compression(&self) -> &'static str {
        match self.image {
            ImageForm::Tiff(TiffForm { compression: TiffCompression::None, .. }) => "none",
            ImageForm::Tiff(TiffForm { compression: TiffCompression::Jpeg(_), .. }) => "jpeg",
            ImageForm::Tiff(_) | ImageForm::Png => "deflate",
            ImageForm::Zarr(ZarrCompression::None) => "none",
            ImageForm::Zarr(_) => "zstd",
        }
    }

    /// What people are told.
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
                "few readers of TIFF know Zstandard",
                "none, deflate or jpeg",
                "zstd",
                "leave --compression out",
            ));
        }
    };
    let tile = args.tile.unwrap_or(TILE);
    if !tile.is_multiple_of(16) {
        return Err(refused(
            "no TIFF has such tiles",
            "a multiple of 16 after --tile",
            &tile.to_string(),
            "choose 256 or 512",
        ));
    }
    Ok(TiffForm { tile, compression })
}

fn zarr(args: &ConvertArgs, word: Option<CompressionWord>) -> Result<ZarrCompression, Failure> {
    if let Some(tile) = args.tile {
        let expected = "no --tile: its chunks have 512 x 512 pixels";
        return Err(refused("--tile is for TIFF files", expected, &tile.to_string(), "leave --tile out"));
    }
    match word {
        None | Some(CompressionWord::Zstd) => Ok(ZarrCompression::default()),
        Some(CompressionWord::None) => Ok(ZarrCompression::None),
        Some(CompressionWord::Deflate | CompressionWord::Jpeg) => Err(refused(
            "OME-Zarr is compressed with Zstandard",
            "none or zstd",
            "another",
            "leave --compression out",
        )),
    }
}

fn refused(message: &str, expected: &str, found: &str, hint: &str) -> Failure {
    Failure::bad_input(Diagnostic::error(message).expected_found(expected, found).with_hint(hint))
}

enum Ending {
    Tiff,
    Zarr,
    Png,
}

impl Ending {
    fn of(path: &Path) -> Result<Ending, Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        match ending.as_deref() {
            Some("tif" | "tiff") => Ok(Ending::Tiff),
            Some("zarr") => Ok(Ending::Zarr),
            Some("png") => Ok(Ending::Png),
            _ => {
                let name = path.display().to_string();
                let message = format!("{name} has an ending that says no form of an image");
                let hint = "name it .ome.zarr or .tif for slides, .png for small images";
                Err(refused(&message, "a name that ends with .zarr, .tif or .png", &name, hint))
            }
        }
    }
}
