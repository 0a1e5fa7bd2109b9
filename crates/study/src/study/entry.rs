//! The entries of a study file as they are written, each value with its place, before anything is known of the workflow.

mod image;
mod method;
mod metric;
mod parameter;
mod phase;
mod settings;

pub use self::image::FindFiles;
pub(super) use self::image::{ImageEntry, check_bounds, expand, listed, read_files, read_images};
pub(super) use self::metric::{MetricEntry, read_metrics};
pub(super) use self::parameter::{ParameterEntry, WrittenValues, read_parameters};
pub(super) use self::phase::{KeepEntry, PhaseEntry, read_phases};
pub(super) use self::settings::{RunEntry, read_parts, read_run};

use std::sync::Arc;

use crate::located::{LocatedNode, TableReader};
use crate::{Diagnostics, SourceText};

/// Reads each node of a list as a table of keys.
fn read_each<T>(
    source: &Arc<SourceText>,
    nodes: Option<&[LocatedNode]>,
    what: &str,
    diagnostics: &mut Diagnostics,
    mut read: impl FnMut(TableReader<'_, '_>) -> Option<T>,
) -> Vec<T> {
    let nodes = nodes.unwrap_or_default();
    nodes
        .iter()
        .filter_map(|node| TableReader::new(source, node, what, diagnostics).and_then(&mut read))
        .collect()
}

/// A number that is at least `least`.
fn at_least(fields: &mut TableReader<'_, '_>, key: &str, least: u64) -> Option<u64> {
    let check = |n: u64| if n >= least { Ok(n) } else { Err(format!("a whole number, {least} or more")) };
    fields.parsed(key, check)
}

/// A number above 0.
fn positive(fields: &mut TableReader<'_, '_>, key: &str) -> Option<f64> {
    fields.parsed(key, |x: f64| if x > 0.0 { Ok(x) } else { Err("a number above 0".to_owned()) })
}

/// A share that is neither 0 nor 1.
pub(super) fn inner_share(fields: &mut TableReader<'_, '_>, key: &str) -> Option<f64> {
    let inside = |share: crate::Share| 0.0 < share.0 && share.0 < 1.0;
    fields.parsed(key, |share| {
        if inside(share) { Ok(share.0) } else { Err("a share between 0 and 1, both excluded".to_owned()) }
    })
}
