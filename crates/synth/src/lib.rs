//! Synthetic H&E tissue of any size with exact truth: a seed describes the image, and any tile of it can be
//! made alone.
//!
//! ```
//! let tissue = onceflow_synth::Tissue::new(2_000_000, 1_000_000, 7)?;
//! let tile = tissue.render(1_000_000, 500_000, 64, 48)?;
//! assert_eq!(tile.rgb.len(), 3 * 64 * 48);
//! assert_eq!(tile.labels.len(), 64 * 48);
//! # Ok::<(), onceflow_synth::SynthError>(())
//! ```

mod blood;
mod cells;
mod chromatin;
mod error;
mod frame;
mod ground;
mod hash;
mod kind;
mod lattice;
mod look;
mod matter;
mod noise;
mod nucleus;
mod paint;
mod pair;
mod soft;
mod source;
mod stain;
mod territory;
mod tissue;

pub use error::{MAX_SIDE, MAX_TILE_PIXELS, SynthError};
pub use paint::{Painted, bytes_to_paint, paint};
pub use pair::{PairVolume, VolumePair};
pub use source::{SyntheticImage, parse_synthetic};
pub use tissue::{Tissue, TissueTile};

/// The side of a pixel in micrometres, as in a scan at forty times.
pub const UM_PER_PIXEL: f64 = 0.25;
