//! Who writes: computing threads themselves, or threads of their own in groups, on the disk of the working folder.

use std::sync::Arc;

use onceflow_region::Budget;
use onceflow_store::blob::DiskBlobs;
use onceflow_store::staging::{Load, Staging, measure};
use onceflow_terminal::Failure;

use super::{RegionBench, failed, figure};
use crate::figure::BenchFigure;

/// As figure 12 of the Region Templates paper compares them, with as many threads as a small machine has use for: each
/// placement with groups of one, of some and of all, and each number of writers; blobs in turn and at random.
const PLACEMENTS: [&str; 15] = [
    "co-located",
    "co-located:group=2,batch=1",
    "co-located:group=6,batch=1",
    "co-located:group=1,batch=4",
    "co-located:group=2,batch=4",
    "co-located:group=6,batch=4",
    "separated:writers=1,group=1,round-robin",
    "separated:writers=2,group=1,round-robin",
    "separated:writers=2,group=1,random",
    "separated:writers=2,group=2,round-robin",
    "separated:writers=2,group=2,random",
    "separated:writers=4,group=1,round-robin",
    "separated:writers=4,group=2,round-robin",
    "separated:writers=4,group=4,round-robin",
    "separated:writers=4,group=4,random",
];

/// Blobs as large as the masks and colours of a tile, computed about as long as they take to write.
const LOAD: Load = Load { threads: 6, blobs: 96, bytes: 4 << 20, passes: 4 };

pub(super) fn figures(bench: &RegionBench<'_>) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    for words in PLACEMENTS {
        let staging: Staging = words.parse().map_err(failed)?;
        let path = bench.path("staged");
        let store = Arc::new(DiskBlobs::open(&path).map_err(failed)?);
        let found = measure(&staging, &LOAD, store, &Budget::new(256 << 20)).map_err(failed)?;
        std::fs::remove_dir_all(&path).map_err(failed)?;
        figures.push(figure(format!("staging {words}"), found.megabytes_per_second, "MB/s"));
        figures.push(figure(format!("staging {words}: a thread waits"), found.waited, "s"));
    }
    Ok(figures)
}
