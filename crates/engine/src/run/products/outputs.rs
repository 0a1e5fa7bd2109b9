//! The outputs that metrics measure, as the store keeps them: each region once by its digest, and for each row at a part which
//! region it gave. A later run with other metrics only compares.

use onceflow_products::ProductKey;
use onceflow_region::Digester;
use onceflow_reuse::{ContentDigest, Flow, FlowInput, NodeId, Plan, TaskKey};
use onceflow_study::Scope;

/// The outputs of a workflow that metrics measure.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MeasuredOutputs {
    /// The outputs, each once.
    pub(super) regions: Vec<MeasuredRegion>,
    /// The statuses with which the stage of all of them may end; none where another stage may end too.
    pub(super) ends: Vec<String>,
}

/// An output that metrics measure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MeasuredRegion {
    pub(super) name: String,
    /// The task of the flow that makes it.
    pub(super) task: usize,
    /// Its place among the outputs of the task.
    pub(super) output: usize,
}

/// What a row gave for an output at a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RowOutput {
    /// A region, by the digest of its encoded bytes.
    Region([u8; 32]),
    /// Nothing: its stage ended early with this status.
    Ended(String),
}

impl MeasuredOutputs {
    /// The outputs that the results of a flow take. None where one of them is of a whole image, or depends on the reference
    /// row.
    pub(super) fn new(flow: &Flow) -> Option<Self> {
        let mut regions: Vec<MeasuredRegion> = Vec::new();
        for input in flow.results.iter().flat_map(|result| &flow.tasks[*result].inputs) {
            let (FlowInput::Task { task, output } | FlowInput::Reference { task, output }) = *input else {
                continue;
            };
            let name = flow.tasks[task].outputs[output].name.clone();
            if !regions.iter().any(|region| region.name == name) {
                regions.push(MeasuredRegion { name, task, output });
            }
        }
        let alone = |region: &MeasuredRegion| {
            let makers = flow.makers(region.task);
            makers.iter().all(|task| !takes_reference(flow, *task) && flow.scope(region.task) == Scope::Part)
        };
        let is_kept = !regions.is_empty() && regions.iter().all(alone);
        is_kept.then(|| Self { ends: ends(flow, &regions), regions })
    }

    /// The nodes of the outputs in every row of a plan.
    pub(super) fn nodes(&self, plan: &Plan) -> Vec<Vec<NodeId>> {
        let of = |region: &MeasuredRegion| (0..plan.rows()).map(|row| plan.node(row, region.task)).collect();
        self.regions.iter().map(of).collect()
    }
}

fn takes_reference(flow: &Flow, task: usize) -> bool {
    flow.tasks[task].inputs.iter().any(|input| matches!(input, FlowInput::Reference { .. }))
}

/// The statuses of the only stage that may end, when all outputs are of that stage: a row with a status then gave none.
fn ends(flow: &Flow, regions: &[MeasuredRegion]) -> Vec<String> {
    let mut stages = flow.tasks.iter().filter(|task| !task.ends.is_empty()).map(|task| task.stage);
    let first = stages.next();
    let alone = first.is_some_and(|first| stages.all(|stage| stage == first));
    let of_stage = |region: &MeasuredRegion| Some(flow.tasks[region.task].stage) == first;
    if !alone || !regions.iter().all(of_stage) {
        return Vec::new();
    }
    let mut ends: Vec<String> = flow.tasks.iter().flat_map(|task| task.ends.clone()).collect();
    ends.sort();
    ends.dedup();
    ends
}

/// The key of what a row gives for an output, from the static key of its task.
pub(super) fn output_key(task: TaskKey, output: usize) -> ProductKey {
    let mut digester = Digester::new("onceflow output of a row v1");
    digester.text(env!("CARGO_PKG_VERSION"));
    digester.bytes(&task.0);
    digester.number(output as u64);
    ProductKey(digester.finish().0)
}

/// The key of a region, from the digest of its encoded bytes.
pub(super) fn region_key(digest: &[u8; 32]) -> ProductKey {
    let mut digester = Digester::new("onceflow region v1");
    digester.bytes(digest);
    ProductKey(digester.finish().0)
}

impl RowOutput {
    /// The content of its region.
    pub(super) fn content(&self) -> Option<ContentDigest> {
        let Self::Region(digest) = self else { return None };
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(digest.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().ok()?);
        }
        Some(ContentDigest(words))
    }

    /// As bytes.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Region(digest) => [b"R", &digest[..]].concat(),
            Self::Ended(status) => [b"E", status.as_bytes()].concat(),
        }
    }

    /// From bytes; none where they are not what was written.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes.split_first()? {
            (b'R', digest) => Some(Self::Region(digest.try_into().ok()?)),
            (b'E', status) => Some(Self::Ended(std::str::from_utf8(status).ok()?.to_owned())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use onceflow_reuse::{FlowRegion, FlowStage, FlowTask};
    use onceflow_study::RegionKind;

    use super::*;

    #[test]
    fn outputs_are_read_as_they_were_written_and_other_bytes_are_refused() {
        for output in [RowOutput::Region([7; 32]), RowOutput::Ended("no tissue".into())] {
            assert_eq!(RowOutput::from_bytes(&output.to_bytes()), Some(output));
        }
        for wrong in [&b""[..], b"R", b"Rshort", b"X", b"E\xff"] {
            assert_eq!(RowOutput::from_bytes(wrong), None, "{wrong:?}");
        }
    }

    fn task(name: &str, stage: usize, inputs: Vec<FlowInput>, ends: &[&str]) -> FlowTask {
        FlowTask {
            name: name.into(),
            stage,
            spec: onceflow_study::Catalogue::nuclei().specs().next().unwrap().clone(),
            reads: Vec::new(),
            inputs,
            outputs: vec![FlowRegion { name: format!("{name}_out"), kind: RegionKind::Mask }],
            ends: ends.iter().map(|end| (*end).to_owned()).collect(),
            after: Vec::new(),
            made: onceflow_reuse::TaskOrigin::Written,
        }
    }

    /// Two tasks and a comparison, each in a stage of its own.
    fn flow(ends: [&[&str]; 2], reference: bool) -> Flow {
        let from = |task| FlowInput::Task { task, output: 0 };
        let first = if reference { FlowInput::Reference { task: 0, output: 0 } } else { from(0) };
        let tasks = vec![
            task("a", 0, vec![FlowInput::Source(0)], ends[0]),
            task("b", 1, vec![first], ends[1]),
            task("compare", 2, vec![from(1), FlowInput::Reference { task: 1, output: 0 }], &[]),
        ];
        let stage = |at: usize| FlowStage { name: at.to_string(), scope: Scope::Part, tasks: vec![at] };
        Flow { stages: (0..3).map(stage).collect(), tasks, sources: vec!["image".into()], results: vec![2] }
    }

    #[test]
    fn outputs_that_results_take_are_found_once() {
        let outputs = MeasuredOutputs::new(&flow([&[], &["empty"]], false)).unwrap();
        assert_eq!(outputs.regions, [MeasuredRegion { name: "b_out".into(), task: 1, output: 0 }]);
        assert_eq!(outputs.ends, ["empty"]);
    }

    #[test]
    fn a_status_of_another_stage_says_nothing_of_the_outputs() {
        assert!(MeasuredOutputs::new(&flow([&["empty"], &[]], false)).unwrap().ends.is_empty());
        assert!(MeasuredOutputs::new(&flow([&["empty"], &["dark"]], false)).unwrap().ends.is_empty());
    }

    #[test]
    fn an_output_that_depends_on_the_reference_row_is_not_kept() {
        assert_eq!(MeasuredOutputs::new(&flow([&[], &[]], true)), None);
    }
}
