//! Outputs that a study asks to keep as files.

use onceflow_reuse::Flow;
use onceflow_study::{Diagnostic, RegionKind, Scope, Study};

use crate::EngineError;

/// The outputs that are kept, in the order of the study.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptOutputs {
    pub(crate) outputs: Vec<KeptOutput>,
}

/// An output that is kept.
#[derive(Clone, Debug)]
pub(crate) struct KeptOutput {
    pub(crate) task: usize,
    pub(crate) output: usize,
    pub(crate) name: String,
    /// Whether there is one for each part, rather than for each image.
    pub(crate) of_parts: bool,
}

impl KeptOutputs {
    /// What a study asks to keep; only images can be kept so far.
    pub(crate) fn new(study: &Study, flow: &Flow) -> Result<Self, EngineError> {
        let outputs = study.run.keep_regions.iter().map(|name| find(flow, name)).collect::<Result<_, _>>()?;
        Ok(Self { outputs })
    }

    /// Whether nothing is kept.
    pub(crate) fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }
}

fn find(flow: &Flow, name: &str) -> Result<KeptOutput, EngineError> {
    let place = flow.tasks.iter().enumerate().find_map(|(task, made)| {
        let output = made.outputs.iter().position(|region| region.name == name)?;
        Some((task, output, made.outputs[output].kind))
    });
    let image = [RegionKind::Mask, RegionKind::U8, RegionKind::U16, RegionKind::Labels, RegionKind::Rgb8];
    match place {
        Some((task, output, kind)) if image.contains(&kind) => {
            Ok(KeptOutput { task, output, name: name.into(), of_parts: flow.scope(task) == Scope::Part })
        }
        other => {
            let found =
                other.map_or("a region that no task makes".to_owned(), |(_, _, kind)| kind.to_string());
            let error = Diagnostic::error(format!("the region `{name}` cannot be kept"));
            let error = error.expected_found("an image, mask or label image that a task makes", found);
            Err(error.with_hint("take it out of keep_regions").into())
        }
    }
}
