//! How one image is processed: in memory, or in tiles with its pixels on a disk, on request or when it does not fit.

use std::path::{Path, PathBuf};

use onceflow_engine::{EngineError, StepProgress, Tiling, Workspace, available_memory};
use onceflow_region::{Budget, ImageInfo};
use onceflow_study::{Diagnostic, Size};
use onceflow_terminal::{Failure, engine_failure};
use serde_json::{Value, json};

use crate::file::OutputTarget;

/// Memory bound, tiles and temporary folder of one image.
pub(in crate::verb) struct WorkspacePlan {
    memory: u64,
    tile: Option<u32>,
    pub(in crate::verb) tiling: Option<Tiling>,
    folder: PathBuf,
}

impl WorkspacePlan {
    /// The memory asked for, else what is available.
    pub(in crate::verb) fn new(memory: Option<Size>, tile: Option<u32>, outputs: &[&Path]) -> Self {
        let memory = memory.map_or_else(available_memory, |size| size.0);
        Self { memory, tile, tiling: None, folder: folder(outputs) }
    }

    /// Chooses tiles, unless the whole image fits in memory with `needed` bytes.
    pub(in crate::verb) fn fitting(self, needed: u64) -> Result<Self, Failure> {
        let tiling = match self.tile {
            Some(tile) => Some(Tiling::new(u64::from(tile), self.memory)),
            None if needed <= self.memory => None,
            None => Some(Tiling::fitting(self.memory)),
        };
        Ok(Self { tiling: tiling.transpose().map_err(|error| no_room(error.into(), self.tile))?, ..self })
    }

    /// Whether so many bytes are within the memory bound.
    pub(in crate::verb) fn has_room_for(&self, bytes: u64) -> bool {
        bytes <= self.memory
    }

    /// The workspace for the engine.
    pub(in crate::verb) fn workspace<'a>(
        &self,
        workers: usize,
        watch: &'a dyn Fn(StepProgress),
    ) -> Workspace<'a> {
        let (budget, folder) = (Budget::new(self.memory), self.folder.clone());
        Workspace { budget, tiling: self.tiling, folder, workers, watch }
    }

    /// The JSON of a dry run.
    pub(in crate::verb) fn plan_json(&self, info: &ImageInfo, memory: u64, disk: u64) -> Value {
        let (width, height) = (info.width, info.height);
        let mut object = json!({ "version": 1, "dry_run": true, "width": width, "height": height, "memory_bytes": memory });
        if let Some(tiling) = &self.tiling {
            object["tile"] = json!(tiling.tile());
            object["disk_bytes"] = json!(disk);
        }
        object
    }

    /// The text of a dry run.
    pub(in crate::verb) fn plan_words(&self, memory: u64, disk: u64) -> String {
        let mebibytes = |bytes: u64| Size(bytes.div_ceil(1 << 20) << 20);
        let tiles = self.tiling.as_ref().map_or_else(String::new, |tiling| {
            let folder = self.folder.display();
            format!(", in tiles of {} pixels with {} on the disk of {folder}", tiling.tile(), mebibytes(disk))
        });
        format!("{} of memory{tiles}", mebibytes(memory))
    }
}

/// The memory bound is too small for the smallest tile, or for the one asked for.
fn no_room(error: EngineError, tile: Option<u32>) -> Failure {
    let EngineError::Memory { needed, limit, .. } = error else { return engine_failure(error) };
    let (tiles, smaller) = match tile {
        Some(tile) => (format!("tiles of {tile} pixels"), ", or a smaller --tile"),
        None => ("the smallest tiles".to_owned(), ""),
    };
    let message = Diagnostic::error(format!("the memory bound is too small for {tiles}"));
    let (least, limit) = (Size(needed).rounded_up(), Size(limit).rounded_down());
    let message = message.expected_found(format!("at least {least}"), limit.to_string());
    Failure::memory(message.with_hint(format!("give --memory '{least}' or more{smaller}")))
}

/// Temporary pixels are stored beside the first output, where space for results is expected.
fn folder(outputs: &[&Path]) -> PathBuf {
    let target = outputs.iter().map(|path| OutputTarget::new(Some(path)));
    let beside = target.into_iter().find_map(|target| Some(target.path()?.parent()?.to_path_buf()));
    match beside {
        Some(folder) if folder.as_os_str().is_empty() => PathBuf::from("."),
        Some(folder) => folder,
        None => std::env::temp_dir(),
    }
}
