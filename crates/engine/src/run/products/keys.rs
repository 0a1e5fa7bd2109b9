//! Keys of rows: everything that the results of a row at a part depend on.

use onceflow_products::ProductKey;
use onceflow_region::{Budget, Digester};
use onceflow_reuse::{Digest32, Level, ParameterRows, Plan, StaticKeys, plan};
use onceflow_study::Scope;

use super::{PhaseProducts, RunProducts};
use crate::open::supply::References;
use crate::{EngineError, OpenStudy};

/// Bytes of a key.
const KEY_BYTES: u64 = 32;

impl RunProducts {
    /// The rows of a phase, by their keys at every part; none where a task gives other bytes in every run, or where the
    /// keys do not fit in memory that no task needs.
    pub(crate) fn phase(
        &self,
        study: &OpenStudy,
        rows: &ParameterRows,
        references: &References,
        budgets: [&Budget; 2],
    ) -> Result<Option<PhaseProducts<'_>>, EngineError> {
        // Tasks as the workflow writes them: how they are split and fused is not part of a result.
        let plan = plan(study.flow.clone(), rows, Level::Dataflow)?;
        let tasks = plan.flow().tasks.len();
        let lasts = plan.rows() > 0 && (0..tasks).all(|task| plan.lasts(plan.node(0, task)));
        let bytes = (plan.rows() * study.inputs.parts.len()) as u64 * KEY_BYTES;
        let memory = budgets.into_iter().map(|budget| budget.try_reserve(bytes)).collect::<Option<Vec<_>>>();
        let Some(memory) = memory.filter(|_| lasts) else { return Ok(None) };
        let keys = |part: usize| {
            row_keys(&plan, &|source, scope| {
                let name = &plan.flow().sources[source];
                self.source(study, references, name, scope, part)
            })
        };
        let keys = (0..study.inputs.parts.len()).map(keys).collect();
        let seconds = study.seconds(plan.flow(), Level::None).iter().sum();
        Ok(Some(PhaseProducts { run: self, keys, seconds, _memory: memory }))
    }
}

/// The key of every row at one part; none when a source has no digest.
fn row_keys(plan: &Plan, source: &dyn Fn(usize, Scope) -> Option<Digest32>) -> Option<Vec<ProductKey>> {
    let mut known = StaticKeys::default();
    let row = |row: usize| {
        let mut digester = Digester::new("onceflow row of a study v1");
        digester.text(env!("CARGO_PKG_VERSION"));
        for task in 0..plan.flow().tasks.len() {
            digester.bytes(&known.key(plan, plan.node(row, task), source)?.0);
        }
        Some(ProductKey(digester.finish().0))
    };
    (0..plan.rows()).map(row).collect()
}
