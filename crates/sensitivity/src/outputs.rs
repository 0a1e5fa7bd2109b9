//! What was answered: one number per row and output, or a failure.

/// How a row ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It has its outputs.
    #[default]
    Ok,
    /// It was run and failed; its outputs are NaN.
    Failed,
    /// It is not in the results; its outputs are NaN.
    Missing,
}

/// Results in the order of a sample's rows. A value that is not finite counts as failed for that output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    /// Names of the outputs.
    pub names: Vec<String>,
    /// One column per output, each as long as the sample.
    pub columns: Vec<Vec<f64>>,
    /// One status per row.
    pub status: Vec<Status>,
}

impl Outputs {
    /// One output without failures other than its non-finite values.
    pub fn single(name: impl Into<String>, column: Vec<f64>) -> Self {
        let status = column.iter().map(|y| if y.is_finite() { Status::Ok } else { Status::Failed }).collect();
        Self { names: vec![name.into()], columns: vec![column], status }
    }
}
