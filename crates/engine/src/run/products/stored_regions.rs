//! Regions of rows that the store has, for pictures of a run that is over.

use onceflow_products::ProductKey;
use onceflow_region::Region;
use onceflow_reuse::{Level, ParameterRows, StaticKeys, plan};
use onceflow_study::Value;

use super::lookups::fetch_in_time;
use super::outputs::{MeasuredOutputs, RowOutput, output_key};
use super::{PixelBox, ProductReader};
use crate::open::sources::References;
use crate::{EngineError, OpenStudy};

/// The store of results as it is after a run.
pub(crate) struct StoredRegions<'a> {
    study: &'a OpenStudy,
    reader: &'a ProductReader,
}

/// What a row gave.
pub(crate) enum StoredRegion {
    /// This region.
    Given(Box<Region>),
    /// Nothing: its stage ended early.
    Ended,
}

impl<'a> StoredRegions<'a> {
    /// That of a store that is open.
    pub(crate) fn new(study: &'a OpenStudy, reader: &'a ProductReader) -> Self {
        Self { study, reader }
    }

    /// What rows gave for an output at a part, where the store has it: all of it, or a box, for which little is read of a large
    /// image.
    pub(crate) fn find(
        &self,
        names: &[String],
        rows: &[&[Value]],
        output: &str,
        part: usize,
        within: Option<PixelBox>,
    ) -> Result<Vec<Option<StoredRegion>>, EngineError> {
        let keys = self.keys(names, rows, output, part)?;
        let look_up = |keys| fetch_in_time(&self.reader.store, keys, &self.reader.lookups).ok();
        let found = keys.and_then(look_up);
        let found = found.unwrap_or_else(|| vec![None; rows.len()]);
        let given =
            |product: Option<onceflow_products::Product>| match RowOutput::from_bytes(&product?.payload)? {
                RowOutput::Region(digest) => self
                    .reader
                    .region(&digest, within)
                    .ok()
                    .map(|region| StoredRegion::Given(Box::new(region))),
                RowOutput::Ended(_) => Some(StoredRegion::Ended),
            };
        Ok(found.into_iter().map(given).collect())
    }

    /// Whether the store has what one of these rows gave.
    pub(crate) fn has_any(
        &self,
        names: &[String],
        rows: &[&[Value]],
        output: &str,
        part: usize,
    ) -> Result<bool, EngineError> {
        let keys = self.keys(names, rows, output, part)?.unwrap_or_default();
        Ok(self.reader.store.has(&keys).is_ok_and(|there| there.contains(&true)))
    }

    /// The keys of an output in these rows; none where it is not kept.
    fn keys(
        &self,
        names: &[String],
        rows: &[&[Value]],
        output: &str,
        part: usize,
    ) -> Result<Option<Vec<ProductKey>>, EngineError> {
        let mut table = ParameterRows::new(names.to_vec());
        for row in rows {
            table.push(row)?;
        }
        table.reference = Some(0);
        let plan = plan(self.study.flow.clone(), &table, Level::Dataflow)?;
        let outputs = MeasuredOutputs::new(plan.flow()).map(|outputs| outputs.regions);
        let Some(kept) = outputs.and_then(|kept| kept.into_iter().find(|kept| kept.name == output)) else {
            return Ok(None);
        };
        let (mut known, references) = (StaticKeys::default(), References::new());
        let source = |source: usize, scope| {
            self.reader.source(self.study, &references, &plan.flow().sources[source], scope, part)
        };
        let mut key =
            |row: usize| Some(output_key(known.key(&plan, plan.node(row, kept.task), &source)?, kept.output));
        Ok((0..plan.rows()).map(&mut key).collect())
    }
}
