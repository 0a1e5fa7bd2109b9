//! The trace as CSV, and the summary as JSON.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::measure::Measures;
use crate::page::Finished;
use crate::register::LevelReport;
use crate::{Role, grid};

/// One line for each iteration of each level; a level's status stands in its last line.
pub(super) fn trace(levels: &[LevelReport]) -> String {
    let mut text = "level,iteration,cost,similarity,bending,counted,tries,status\n".to_owned();
    for level in levels {
        for (at, row) in level.trace.iter().enumerate() {
            let (cost, last) = (row.cost, at + 1 == level.trace.len());
            // Writing to a text cannot fail.
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{}",
                level.level,
                row.iteration,
                cost.total,
                cost.similarity,
                cost.bending,
                cost.counted,
                row.tries,
                if last { level.status.as_str() } else { "" }
            );
        }
    }
    text
}

/// Levels as JSON.
pub fn levels_json(levels: &[LevelReport]) -> Value {
    let level = |level: &LevelReport| {
        let (first, last) = (level.trace.first(), level.trace.last());
        json!({
            "level": level.level, "status": level.status, "iterations": last.map_or(0, |row| row.iteration),
            "cost_before": first.map(|row| row.cost.total), "cost": last.map(|row| row.cost.total),
            "bending": last.map(|row| row.cost.bending), "counted": last.map(|row| row.cost.counted),
        })
    };
    levels.iter().map(level).collect()
}

/// Measures as JSON.
pub fn measures_json(measures: &Measures) -> Value {
    Value::Object(measures.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<Map<_, _>>())
}

pub(super) fn summary(finished: &Finished<'_>, measures: &Measures) -> Value {
    let Finished { registered, pair, parameters, .. } = finished;
    let files = pair.files();
    let side = |role: Role| {
        let file = |files: &[Option<std::path::PathBuf>; 2]| {
            files[role as usize].as_ref().map(|path| path.display().to_string())
        };
        json!({
            "file": files.volumes[role as usize].display().to_string(), "mask": file(&files.masks),
            "labels": file(&files.labels), "landmarks": file(&files.landmarks), "grid": grid::to_json(&pair.grid(role)),
        })
    };
    json!({
        "version": 1, "program": concat!("onceflow ", env!("CARGO_PKG_VERSION")),
        "fixed": side(Role::Fixed), "moving": side(Role::Moving), "time": files.time,
        "parameters": parameters.to_json(&pair.grid(Role::Fixed)),
        "levels": levels_json(&registered.levels), "metrics": measures_json(measures),
    })
}
