//! Which results are worth a digest, by what their duplicates would save.

use std::collections::BTreeMap;

use onceflow_reuse::{Flow, FlowTask, Level};

use crate::OpenStudy;

/// Bytes of results that are digested in a second: between the speed of a cache and that of memory.
pub(crate) const DIGESTED: f64 = 25e9;

impl OpenStudy {
    /// Of which tasks results are worth digests: where what comes after them costs so much, and turns out to be equal so
    /// often, that it pays. How often that is, earlier runs tell.
    pub(crate) fn worth_digests(&self, flow: &Flow, level: Level) -> Vec<bool> {
        let pixels = self.largest_part().max(1);
        let sizes = BTreeMap::from([(pixels, 1)]);
        let (mut after, mut spared) = (vec![0.0; flow.tasks.len()], vec![0.0; flow.tasks.len()]);
        for task in (0..flow.tasks.len()).rev() {
            let takes = |other: &&FlowTask| other.inputs.iter().any(|input| input.maker() == Some(task));
            for (taker, other) in flow.tasks.iter().enumerate().filter(|(_, other)| takes(other)) {
                let seconds = after[taker] + self.mean_seconds(other, &sizes, level);
                after[task] += seconds;
                spared[task] += seconds * self.costs.found(&other.spec).same();
            }
        }
        let bytes = |task: &FlowTask| (u64::from(task.spec.output_bytes_per_pixel) * pixels) as f64;
        flow.tasks.iter().zip(spared).map(|(task, spared)| spared > bytes(task) / DIGESTED).collect()
    }
}
