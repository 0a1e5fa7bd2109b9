//! The reference row: every parameter at its default.

use onceflow_report::{RowRecord, RowStatus};
use onceflow_study::{Parameter, Study, Value};

use crate::EngineError;

/// Every parameter of the workflow with the value it has in the reference row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reference {
    /// Names: those that vary first, in the order of the study.
    pub(crate) names: Vec<String>,
    /// Their defaults.
    pub(crate) values: Vec<Value>,
}

impl Reference {
    /// Of a study whose parameters all have a default, which is so when its workflow gives them.
    pub(crate) fn new(study: &Study) -> Result<Self, EngineError> {
        let varied = study.space.parameters().iter().map(|p| Ok((p.name.clone(), default(p)?)));
        let fixed = study.fixed.iter().map(|(name, value)| Ok((name.clone(), value.clone())));
        let (names, values) =
            varied.chain(fixed).collect::<Result<Vec<_>, EngineError>>()?.into_iter().unzip();
        Ok(Self { names, values })
    }

    /// The record of the reference row.
    pub(crate) fn record(&self) -> RowRecord {
        RowRecord {
            row: 0,
            phase: None,
            role: "reference".into(),
            base: 0,
            status: RowStatus::Ok,
            values: self.values.clone(),
            metrics: Vec::new(),
            images: Vec::new(),
        }
    }
}

fn default(parameter: &Parameter) -> Result<Value, EngineError> {
    parameter.default.as_ref().map(|value| parameter.kind.tidy(value)).ok_or_else(|| {
        let name = &parameter.name;
        let error = onceflow_study::Diagnostic::error(format!("the parameter `{name}` has no default"));
        let error = error.expected_found("a value for the reference row", "none");
        error.with_hint(format!("write default = … with `{name}` in the study")).into()
    })
}
