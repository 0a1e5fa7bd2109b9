//! Image and volume files in and out: sources, sinks, pyramids, outlines, OME-Zarr.
//!
//! | module | is |
//! |---|---|
//! | `source` | opening PNG, JPEG, TIFF, OME-Zarr and, with OpenSlide, the slides of scanners: [`open`] |
//! | `resample`, `placed` | an image at another resolution ([`Resampled`]) or within a larger one ([`PlacedImage`]) |
//! | `masks` | a folder with a mask for each object: [`MaskFolder`] |
//! | `outlines` | objects drawn as GeoJSON or ImageScope XML: [`Outlines`] |
//! | [`pyramid`] | writing an image with all its scales, in bounded memory |
//! | `sink` | PNG and TIFF files, whole or tiled |
//! | `zarr` | OME-Zarr: [`OmeZarr`], [`OmeZarrSink`] |
//! | [`volume`] | NIfTI and MetaImage volumes: [`open_volume`] |
//!
//! # Reading
//!
//! What is in a file is known when it is opened, and pixels are read box by box:
//!
//! ```
//! use onceflow_imageio::{open_bytes, png_bytes};
//! use onceflow_region::{Bounds, Dense, Pixels};
//!
//! let file = png_bytes(&Dense::new(3, 2, 1, Pixels::U8(vec![0, 1, 2, 3, 4, 5]))?)?;
//! let image = open_bytes("small.png", file)?;
//! assert_eq!((image.info().width, image.info().height, image.info().format.as_str()), (3, 2, "png"));
//! let right = image.read(Bounds::plane(2, 0, 1, 2).ok_or("too large")?)?;
//! assert_eq!(right.as_u8(), Some(&[2, 5][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A plan over an image reads no pixel; the first look at a part reads its box, once:
//!
//! ```
//! use std::sync::Arc;
//! use onceflow_imageio::{open_bytes, png_bytes};
//! use onceflow_region::{Dense, MeteredSource, Pixels, RegionTemplate, Remainder, Source, partition};
//!
//! let image = Dense::new(6, 4, 1, Pixels::U8((0..24).collect()))?;
//! let meter = Arc::new(MeteredSource::new(open_bytes("slide.png", png_bytes(&image)?)?));
//! let source: Arc<dyn Source> = meter.clone();
//! let slide = RegionTemplate::pyramid("slide", &source)?.remove(0);
//! let whole = slide.bounds().ok_or("no region")?;
//! let mut work = Vec::new();
//! for part in partition(whole, 3, 1, Remainder::Keep)? {
//!     work.push((part, slide.with_interest(&part.read)?));
//! }
//! assert_eq!((work.len(), meter.meter().calls()), (4, 0), "planned, and nothing read");
//!
//! for (part, template) in work {
//!     let (_, region) = template.regions().next().ok_or("no region")?;
//!     let held = region.get()?;
//!     let result = held.as_dense().ok_or("no plane")?;
//!     assert_eq!(part.crop(result)?, image.crop(part.core)?);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Writing
//!
//! [`pyramid::write_pyramid`] reads an image once, in bounded memory, and writes it with all its scales: as OME-Zarr
//! ([`OmeZarrSink`]), as a tiled TIFF ([`TiffScales`]) or as a PNG. A [`ReadMeter`](onceflow_region::ReadMeter) counts the bytes that are
//! read:
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::AtomicBool;
//! use onceflow_imageio::pyramid::{Pyramid, PyramidOptions, PyramidWork, write_pyramid};
//! use onceflow_imageio::{OmeZarrSink, open_bytes, open_metered, png_bytes};
//! use onceflow_region::{Bounds, Budget, Dense, Pixels, ReadMeter};
//! use onceflow_store::publish::Publisher;
//! use onceflow_store::zarr::Compression;
//!
//! let pixels = (0..1200 * 1100).map(|at| (at / 7 % 251) as u8).collect();
//! let image = open_bytes("image.png", png_bytes(&Dense::new(1200, 1100, 1, Pixels::U8(pixels))?)?)?;
//! let pyramid = Pyramid::plan(image.info(), &PyramidOptions { tile: [512, 512], ..PyramidOptions::default() })?;
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("image.ome.zarr");
//! let sink = OmeZarrSink::create(&path, &pyramid, Compression::None, &Publisher::new())?;
//! let (budget, stop) = (Budget::new(64 << 20), AtomicBool::new(false));
//! let work = PyramidWork { threads: 2, budget, watch: &|_, _| (), stop: &stop };
//! write_pyramid(&*image, &pyramid, &work, Box::new(sink))?;
//!
//! let meter = Arc::new(ReadMeter::default());
//! let written = open_metered(&path, meter.clone())?;
//! assert_eq!(written.info().scales.iter().map(|scale| scale.width).collect::<Vec<_>>(), [1200, 600, 300]);
//! let before = meter.bytes();
//! written.read(Bounds::plane(1030, 600, 100, 100).ok_or("too large")?)?;
//! assert!(meter.bytes() - before < 600_000, "one chunk of 512 x 512 and an index, not 1.3 million pixels");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod masks;
mod memory;
mod origin;
mod outlines;
mod placed;
pub mod pyramid;
mod resample;
mod resolution;
mod sink;
mod source;
pub mod volume;
mod zarr;

pub use masks::MaskFolder;
pub use memory::MemoryImage;
pub use outlines::{OutlineSource, Outlines};
pub use placed::PlacedImage;
pub use resample::{Resampled, Working};
pub use sink::{
    PNG_LABELS, Picture, PictureKind, PngScales, TakeRows, TiffCompression, TiffForm, TiffScales,
    picture_bytes, png_bytes, write_png, write_tiff,
};
pub use source::{open, open_bytes, open_metered};
pub use volume::{VectorField, VolumeForm, VolumeSource, open_volume, open_volume_bytes};
pub use zarr::{OmeZarr, OmeZarrSink};
