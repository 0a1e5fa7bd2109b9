//! The values of a row that can be known before anything has run, and values that the user chose.

use onceflow_study::{Diagnostic, Keep, ParameterKind, Value, nearest};

use crate::plan::phase::PhaseRows;
use crate::{EngineError, OpenStudy};

impl OpenStudy {
    /// The values of all parameters in a row of the study, by its number; 0 is the reference row.
    ///
    /// # Errors
    /// When there is no such row, or it depends on the results of those before it.
    pub fn row(&self, row: u64) -> Result<Vec<(String, Value)>, EngineError> {
        let named = |values: Vec<Value>| self.reference.names.iter().cloned().zip(values).collect();
        if row == 0 {
            return Ok(named(self.reference.values.clone()));
        }
        let mut first = 1;
        for phase in &self.study.phases {
            if let Some(Keep::Effects(rule)) = &phase.keep {
                return Err(later(row, &phase.name, &rule.phase));
            }
            let rows = PhaseRows::new(&self.study, phase, &[])?;
            let count = rows.sample.len() as u64;
            if row < first + count {
                return Ok(named(rows.values(&self.reference, (row - first) as usize)));
            }
            first += count;
        }
        let error = Diagnostic::error(format!("there is no row {row}"));
        let error = error.expected_found(format!("a number from 0 to {}", first - 1), row.to_string());
        Err(error.with_hint("0, or the word reference, is the row with the defaults").into())
    }

    /// A value for a parameter of the workflow, from its text.
    ///
    /// # Errors
    /// When there is no such parameter, or it cannot be read so.
    pub fn value(&self, name: &str, text: &str) -> Result<Value, EngineError> {
        let kind = self.kind(name).ok_or_else(|| self.unknown_parameter(name))?;
        let number =
            || text.parse::<i64>().map(Value::Integer).or_else(|_| text.parse::<f64>().map(Value::Real));
        let value = if kind == ParameterKind::Category {
            Value::Text(text.into())
        } else {
            number().unwrap_or(Value::Text(text.into()))
        };
        if kind.canonical(&value).is_some() {
            return Ok(kind.tidy(&value));
        }
        let error = Diagnostic::error(format!("`{name}` cannot have the value {text}"));
        Err(error
            .expected_found(kind.word(), format!("`{text}`"))
            .with_hint(format!("write -p {name}=NUMBER"))
            .into())
    }

    fn kind(&self, name: &str) -> Option<ParameterKind> {
        let varied = self.study.space.parameters().iter().find(|p| p.name == name).map(|p| p.kind);
        varied.or_else(|| self.workflow.parameter(name).map(|p| p.kind))
    }

    pub(crate) fn unknown_parameter(&self, name: &str) -> EngineError {
        let names = self.reference.names.iter().map(String::as_str);
        let error = Diagnostic::error(format!("the workflow has no parameter `{name}`"));
        let known = names.clone().collect::<Vec<_>>().join(", ");
        let error = error.expected_found(format!("one of {known}"), format!("`{name}`"));
        let hint = nearest(name, names)
            .map_or_else(|| "give one of them".into(), |near| format!("did you mean `{near}`?"));
        error.with_hint(hint).into()
    }
}

fn later(row: u64, phase: &str, before: &str) -> EngineError {
    let error = Diagnostic::error(format!("row {row} cannot be known before the study has run"));
    let found = format!("one of phase `{phase}`, whose rows follow from the results of `{before}`");
    let error = error.expected_found("a row of a phase that follows from the study alone", found);
    error
        .with_hint(format!("onceflow report RUN --row {row} -o look/ takes it from the folder of a run"))
        .into()
}
