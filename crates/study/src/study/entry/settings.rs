//! `[parts]` and `[run]`.

use std::sync::Arc;

use super::super::{BackgroundRule, OnFailure, OnUnreadable, Parts, RunSection, RunUntil, Seams};
use super::{at_least, inner_share, positive};
use crate::located::{Located, LocatedNode, TableReader};
use crate::{Diagnostics, Share, Size, SourceText};

const SEAMS: [(&str, Seams); 3] = [
    (Seams::Exact.word(), Seams::Exact),
    (Seams::Owned.word(), Seams::Owned),
    (Seams::Independent.word(), Seams::Independent),
];

const BACKGROUND: [(&str, BackgroundRule); 2] =
    [("skip", BackgroundRule::Skip), ("keep", BackgroundRule::Keep)];

const FAILURES: [(&str, OnFailure); 3] =
    [("drop", OnFailure::Drop), ("bounds", OnFailure::Bounds), ("stop", OnFailure::Stop)];

const UNREADABLE: [(&str, OnUnreadable); 2] = [("stop", OnUnreadable::Stop), ("skip", OnUnreadable::Skip)];

/// Smaller parts are mostly halo.
const SMALLEST_PART: u64 = 16;

/// Larger parts do not fit any memory: 2^17 squared pixels of three bytes are 48 GiB.
const LARGEST_PART: u64 = 1 << 17;

/// Reads `[parts]`; what cannot be read keeps its default.
pub(crate) fn read_parts(
    source: &Arc<SourceText>,
    node: Option<&LocatedNode>,
    diagnostics: &mut Diagnostics,
) -> Parts {
    let mut parts = Parts::default();
    let Some(mut fields) = node.and_then(|node| TableReader::new(source, node, "table [parts]", diagnostics))
    else {
        return parts;
    };
    parts.um_per_pixel = positive(&mut fields, "um_per_pixel");
    parts.size = fields.parsed("size", check_part_size).unwrap_or(parts.size);
    parts.seams = fields.word("seams", &SEAMS).unwrap_or_default();
    parts.background = fields.word("background", &BACKGROUND).unwrap_or_default();
    parts.per_image = at_least(&mut fields, "per_image", 1);
    fields.finish();
    parts
}

fn check_part_size(size: u64) -> Result<u64, String> {
    let fits = (SMALLEST_PART..=LARGEST_PART).contains(&size);
    if fits { Ok(size) } else { Err(format!("an edge of {SMALLEST_PART} to {LARGEST_PART} pixels")) }
}

/// What analyses take: one resample has no spread, and a typing error must not fill the memory.
fn check_resamples(resamples: u64) -> Result<u64, String> {
    let fits = (2..=1_000_000).contains(&resamples);
    if fits { Ok(resamples) } else { Err("a whole number from 2 to 1000000".to_owned()) }
}

/// The settings, and the places of the regions, which only the workflow can check.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunEntry {
    pub(crate) settings: RunSection,
    pub(crate) keep_regions: Vec<Located<String>>,
}

/// Reads `[run]`; what cannot be read keeps its default.
pub(crate) fn read_run(
    source: &Arc<SourceText>,
    node: Option<&LocatedNode>,
    diagnostics: &mut Diagnostics,
) -> RunEntry {
    let mut run = RunEntry::default();
    let Some(mut fields) = node.and_then(|node| TableReader::new(source, node, "table [run]", diagnostics))
    else {
        return run;
    };
    let settings = &mut run.settings;
    settings.workers = at_least(&mut fields, "workers", 1);
    settings.memory =
        fields.parsed(
            "memory",
            |size: Size| {
                if size.0 > 0 { Ok(size.0) } else { Err("a size above 0".to_owned()) }
            },
        );
    settings.staging = fields.optional("staging");
    settings.failures = fields.word("failures", &FAILURES).unwrap_or_default();
    settings.stop_above = fields.optional("stop_above").map_or(settings.stop_above, |share: Share| share.0);
    settings.unreadable = fields.word("unreadable", &UNREADABLE).unwrap_or_default();
    settings.resamples = fields.parsed("resamples", check_resamples).unwrap_or(settings.resamples);
    settings.confidence = inner_share(&mut fields, "confidence").unwrap_or(settings.confidence);
    settings.granularity = fields.word("granularity", &RunSection::GRANULARITIES.map(|word| (word, word)));
    settings.until = fields.word("until", &RunUntil::WORDS);
    settings.at_most = fields.optional("at_most");
    run.keep_regions = fields.optional("keep_regions").unwrap_or_default();
    fields.finish();
    run.settings.keep_regions = run.keep_regions.iter().map(|r| r.value.clone()).collect();
    run
}
