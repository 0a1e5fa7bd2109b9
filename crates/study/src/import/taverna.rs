//! Taverna 2 workflows (`.t2flow`): processors become tasks, nested dataflows nested stages, data links regions.

mod check;
mod document;
mod expand;
mod iteration;
mod level;
mod parameter;
mod read;

use std::sync::Arc;

use super::ImportedWorkflow;
use crate::{Diagnostics, SourceText};

/// The XML namespace of `.t2flow` files.
pub(crate) const NAMESPACE: &str = "http://taverna.sf.net/2008/xml/t2flow";

/// What a `.t2flow` file holds, counted as written: a dataflow that is used twice counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TavernaCounts {
    /// Dataflows, the top one included.
    pub dataflows: usize,
    /// Processors of all dataflows.
    pub processors: usize,
    /// Links between ports.
    pub data_links: usize,
    /// Links that only say what comes first.
    pub control_links: usize,
}

/// Reads a Taverna workflow. Its activities are kept as foreign operations: they can be shown, not run.
pub fn import_taverna(source: &Arc<SourceText>) -> ImportedWorkflow {
    let mut messages = Diagnostics::default();
    let document = read::read_document(source, &mut messages).map_err(|d| Diagnostics::from(*d))?;
    let workflow = expand::expand(source, &document, &mut messages).map_err(|d| Diagnostics::from(*d))?;
    Ok((workflow, messages))
}

/// Counts what a Taverna workflow holds.
pub fn count_taverna(source: &Arc<SourceText>) -> Result<TavernaCounts, Diagnostics> {
    let mut messages = Diagnostics::default();
    let document = read::read_document(source, &mut messages).map_err(|d| Diagnostics::from(*d))?;
    let mut counts = TavernaCounts { dataflows: document.dataflows.len(), ..TavernaCounts::default() };
    for dataflow in &document.dataflows {
        counts.processors += dataflow.processors.len();
        counts.data_links += dataflow.links.len();
        counts.control_links += dataflow.conditions.len();
    }
    Ok(counts)
}
