//! Which parameters the phases of an earlier run kept.

use std::collections::BTreeMap;

use serde_json::Value;

/// The parameters that phases of a run kept, by the name of the phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptByRun(BTreeMap<String, Vec<String>>);

impl KeptByRun {
    /// Reads `indices.json` of a run.
    pub fn read(indices: &Value) -> Self {
        let phase = |phase: &Value| {
            let names = phase["kept"]["names"].as_array()?;
            let names = names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
            Some((phase["name"].as_str()?.to_owned(), names))
        };
        Self(indices["phases"].as_array().into_iter().flatten().filter_map(phase).collect())
    }

    /// Those of a phase; none where the run did not choose any.
    pub(crate) fn of(&self, phase: &str) -> Option<&[String]> {
        self.0.get(phase).map(Vec::as_slice)
    }
}
