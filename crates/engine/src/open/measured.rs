//! What a part gives to the metrics of a row: counts that add up over parts, or measures of a pair of volumes.

use std::collections::BTreeMap;

use onceflow_nuclei::{PartComparison, counts_of};
use onceflow_region::{Region, Table};
use onceflow_registration::measures_of;

/// What a part gives for one result.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PartMeasures {
    /// Counts of a mask, alone and compared.
    pub(crate) counts: PartComparison,
    /// Measures by name.
    pub(crate) values: BTreeMap<String, f64>,
}

impl PartMeasures {
    /// From the region of a result; none if it is another region.
    pub(crate) fn of(region: &Region) -> Option<Self> {
        match counts_of(region) {
            Some(counts) => Some(Self { counts, values: BTreeMap::new() }),
            None => Some(Self { counts: PartComparison::default(), values: measures_of(region)? }),
        }
    }

    /// Of the tables of a line of the journal.
    pub(crate) fn of_tables(tables: &[Table]) -> Option<Vec<Self>> {
        tables.iter().map(|table| Self::of(&Region::Table(table.clone()))).collect()
    }

    /// Adds another part of the image; a pair of volumes has one.
    pub(crate) fn add(&mut self, other: &Self) {
        self.counts.add(&other.counts);
        self.values.extend(other.values.iter().map(|(name, value)| (name.clone(), *value)));
    }
}
