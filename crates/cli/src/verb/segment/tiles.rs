//! Segmenting tile by tile: when it is asked for, or the image does not fit in memory at once.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use onceflow_engine::{Tiled, Tiling, available_memory, segment_tiled, write_whole_with};
use onceflow_kernels::nuclei::Parameters;
use onceflow_region::Source;

use crate::args::SegmentArgs;
use crate::engine::engine_failure;
use crate::failure::Failure;
use crate::file::{Target, unwritable};
use crate::terminal::Terminal;

/// The tiles to work on; none when the image is worked on at once, which pictures of all of it need.
pub(super) fn choose(args: &SegmentArgs, needed: u64) -> Result<Option<Tiling>, Failure> {
    let memory = args.memory.map_or_else(available_memory, |size| size.0);
    let whole = args.labels.is_some() || args.overlay.is_some() || needed <= memory;
    match args.tile {
        Some(tile) => Tiling::new(u64::from(tile), memory).map(Some).map_err(engine_failure),
        None if whole => Ok(None),
        None => Tiling::fitting(memory).map(Some).map_err(engine_failure),
    }
}

/// Segments and writes the mask.
pub(super) fn run(
    args: &SegmentArgs,
    source: &dyn Source,
    parameters: &Parameters,
    tiling: &Tiling,
    terminal: &Terminal,
) -> Result<Tiled, Failure> {
    let (normalize, folder) = (!args.no_normalize, folder(args));
    let mut found = segment_tiled(source, parameters, normalize, tiling, &folder).map_err(engine_failure)?;
    if let Some(path) = &args.output {
        write(path, &mut found, terminal)?;
    }
    Ok(found)
}

/// Pixels lie beside the mask meanwhile: where there is space for results there may be space for more.
fn folder(args: &SegmentArgs) -> PathBuf {
    let target = Target::new(args.output.as_deref());
    let beside = target.path().map(|path| path.parent().unwrap_or(Path::new("")));
    match beside {
        Some(folder) if folder.as_os_str().is_empty() => PathBuf::from("."),
        Some(folder) => folder.to_path_buf(),
        None => std::env::temp_dir(),
    }
}

fn write(path: &Path, found: &mut Tiled, terminal: &Terminal) -> Result<(), Failure> {
    let target = Target::new(Some(path));
    let Some(path) = target.path() else {
        let written = found.write_png(BufWriter::new(io::stdout().lock()));
        return written.map_err(|error| Failure::standard_output(&error));
    };
    let written = write_whole_with(path, |file| found.write_png(BufWriter::new(file)));
    written.map_err(|error| unwritable(path, &error))?;
    terminal.say(&format!("wrote {}", path.display()));
    Ok(())
}
