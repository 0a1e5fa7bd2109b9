//! Keys of rows: everything that the results of a row at a part depend on.

use onceflow_products::ProductKey;
use onceflow_region::{Budget, Digester};
use onceflow_reuse::{Digest32, Flow, Level, ParameterRows, Plan, StaticKeys, plan};
use onceflow_study::Scope;

use super::described::DescribedParts;
use super::outputs::{MeasuredOutputs, output_key};
use super::{PhaseProducts, RunProducts};
use crate::open::sources::References;
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
        executed: &Plan,
        references: &References,
        budgets: [&Budget; 2],
    ) -> Result<Option<PhaseProducts<'_>>, EngineError> {
        // Tasks as the workflow writes them: how they are split and fused is not part of a result.
        let plan = plan(study.flow.clone(), rows, Level::Dataflow)?;
        let tasks = plan.flow().tasks.len();
        let lasts = plan.rows() > 0 && (0..tasks).all(|task| plan.lasts(plan.node(0, task)));
        let outputs = measured(plan.flow(), executed.flow());
        let of_row = 1 + outputs.as_ref().map_or(0, |(written, _)| written.regions.len());
        let bytes = (plan.rows() * study.inputs.parts.len() * of_row) as u64 * KEY_BYTES;
        let reserved = |budget: &Budget| budget.try_reserve(bytes);
        let memory = budgets.into_iter().map(reserved).collect::<Option<Vec<_>>>();
        let Some(memory) = memory.filter(|_| lasts) else { return Ok(None) };
        let written = outputs.as_ref().map(|(written, _)| written);
        let (mut row_keys, mut output_keys) = (Vec::new(), Vec::new());
        for part in 0..study.inputs.parts.len() {
            let keys = part_keys(&plan, written, &|source, scope| {
                let name = &plan.flow().sources[source];
                self.reader.source(study, references, name, scope, part)
            });
            let (rows, outputs) = keys.unzip();
            row_keys.push(rows);
            output_keys.push(outputs);
        }
        let outputs = outputs.map(|(_, executed)| executed);
        Ok(Some(PhaseProducts {
            run: self,
            keys: row_keys,
            output_keys,
            images: study.inputs.parts.iter().map(|part| part.image).collect(),
            nodes: outputs.as_ref().map(|outputs| outputs.nodes(executed)).unwrap_or_default(),
            outputs,
            described: DescribedParts::new(&study.inputs),
            budgets: budgets.map(Budget::clone),
            seconds: study.seconds(plan.flow(), Level::None).iter().sum(),
            _memory: memory,
        }))
    }
}

/// The measured outputs of the tasks as they are written and as they are run.
fn measured(written: &Flow, executed: &Flow) -> Option<(MeasuredOutputs, MeasuredOutputs)> {
    let (written, executed) = (MeasuredOutputs::new(written)?, MeasuredOutputs::new(executed)?);
    let names =
        |outputs: &MeasuredOutputs| outputs.regions.iter().map(|o| o.name.clone()).collect::<Vec<_>>();
    (names(&written) == names(&executed)).then_some((written, executed))
}

/// Keys of rows, and of each of their outputs.
type PartKeys = (Vec<ProductKey>, Vec<ProductKey>);

/// The keys of every row at one part; none when a source has no digest.
pub(super) fn part_keys(
    plan: &Plan,
    outputs: Option<&MeasuredOutputs>,
    source: &dyn Fn(usize, Scope) -> Option<Digest32>,
) -> Option<PartKeys> {
    let mut known = StaticKeys::default();
    let (mut rows, mut row_outputs) = (Vec::new(), Vec::new());
    for row in 0..plan.rows() {
        let (key, of_outputs) = row_keys(plan, row, outputs, &mut known, source)?;
        rows.push(key);
        row_outputs.extend(of_outputs);
    }
    Some((rows, row_outputs))
}

/// The key of a row at a part, and those of its outputs; none when a source has no digest.
pub(super) fn row_keys(
    plan: &Plan,
    row: usize,
    outputs: Option<&MeasuredOutputs>,
    known: &mut StaticKeys,
    source: &dyn Fn(usize, Scope) -> Option<Digest32>,
) -> Option<(ProductKey, Vec<ProductKey>)> {
    let mut digester = Digester::new("onceflow row of a study v1");
    digester.text(env!("CARGO_PKG_VERSION"));
    for task in 0..plan.flow().tasks.len() {
        digester.bytes(&known.key(plan, plan.node(row, task), source)?.0);
    }
    let mut keys = Vec::new();
    for region in outputs.into_iter().flat_map(|outputs| &outputs.regions) {
        let task = known.key(plan, plan.node(row, region.task), source)?;
        keys.push(output_key(task, region.output));
    }
    Some((ProductKey(digester.finish().0), keys))
}
