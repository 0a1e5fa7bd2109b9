//! `[[metric]]`.

use std::sync::Arc;

use super::super::Against;
use super::read_each;
use crate::located::{Located, LocatedNode, TableReader};
use crate::{Diagnostics, SourceText};

/// A metric as it is written.
#[derive(Clone, Debug)]
pub(crate) struct MetricEntry {
    pub(crate) name: Located<String>,
    pub(crate) of: Option<Located<String>>,
    pub(crate) measure: Option<Located<String>>,
    /// With the place of the word, or of the table when there is none.
    pub(crate) against: Located<Against>,
}

const AGAINST: [(&str, Against); 3] =
    [("truth", Against::Truth), ("default", Against::Default), ("nothing", Against::Nothing)];

/// Reads the tables of `[[metric]]`.
pub(crate) fn read_metrics(
    source: &Arc<SourceText>,
    nodes: Option<&[LocatedNode]>,
    diagnostics: &mut Diagnostics,
) -> Vec<MetricEntry> {
    read_each(source, nodes, "metric", diagnostics, read_metric)
}

fn read_metric(mut fields: TableReader<'_, '_>) -> Option<MetricEntry> {
    let name = fields.required("name");
    let of = fields.optional("of");
    let measure = fields.optional("measure");
    // A word that cannot be read has been reported; the metric meant to compare with something.
    let absent = if fields.has("against") { Against::Default } else { Against::Nothing };
    let against = fields.word("against", &AGAINST).unwrap_or(absent);
    let against = Located { value: against, span: fields.span("against") };
    fields.finish();
    Some(MetricEntry { name: name?, of, measure, against })
}
