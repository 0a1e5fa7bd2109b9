//! Whether the parts of an answer fit together.

use super::{Answer, RowRecord};

impl Answer {
    /// The first contradiction between the parts of the answer: an index out of range, or a row of the wrong length.
    /// A contradiction is a bug of the engine; renderings check for it in debug builds.
    pub(crate) fn contradiction(&self) -> Option<String> {
        let rows = self.table.rows.len();
        let mut phases = self.phases.iter();
        let phase =
            phases.find(|phase| phase.rows.end > rows).map(|phase| format!("rows of phase {}", phase.name));
        let mut per_image = self.phases.iter().flat_map(|phase| &phase.per_image);
        let image = per_image.find(|image| image.image >= self.images.len());
        let best = self.best.as_ref().filter(|best| best.row >= rows);
        phase
            .or_else(|| self.table.rows.iter().find_map(|row| self.row_contradiction(row)))
            .or_else(|| image.map(|image| format!("analysis of image {}", image.image)))
            .or_else(|| best.map(|best| format!("best row {}", best.row)))
    }

    /// Rows that were not run have neither metrics nor images.
    fn row_contradiction(&self, row: &RowRecord) -> Option<String> {
        let table = &self.table;
        let fits = |found: usize, expected: usize| found == 0 || found == expected;
        let is_whole = row.values.len() == table.parameters.len()
            && fits(row.metrics.len(), table.metrics.len())
            && fits(row.images.len(), table.images.len());
        (!is_whole).then(|| format!("lengths of row {}", row.row))
    }
}
