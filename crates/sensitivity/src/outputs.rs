//! Results of a model: one number per row and output, or a failure.

/// How a row ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputStatus {
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
    pub status: Vec<OutputStatus>,
}

impl Outputs {
    /// One output without failures other than its non-finite values.
    pub fn single(name: impl Into<String>, column: Vec<f64>) -> Self {
        let status = column
            .iter()
            .map(|y| if y.is_finite() { OutputStatus::Ok } else { OutputStatus::Failed })
            .collect();
        Self { names: vec![name.into()], columns: vec![column], status }
    }

    /// Only the outputs named in `wanted`, in its order, and the names of the removed ones; all outputs when `wanted` names
    /// none of them.
    pub fn only(mut self, wanted: &[String]) -> (Self, Vec<String>) {
        let place = |name: &String| self.names.iter().position(|n| n == name);
        let places: Vec<usize> = wanted.iter().filter_map(place).collect();
        if places.is_empty() {
            return (self, Vec::new());
        }
        let others =
            (0..self.names.len()).filter(|i| !places.contains(i)).map(|i| self.names[i].clone()).collect();
        self.columns = places.iter().map(|i| std::mem::take(&mut self.columns[*i])).collect();
        self.names = places.iter().map(|i| std::mem::take(&mut self.names[*i])).collect();
        (self, others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wanted_outputs_stand_alone_and_in_their_order() {
        let outputs = || {
            let names = ["time", "dice", "count"].map(str::to_owned).into();
            Outputs { names, columns: vec![vec![1.0], vec![2.0], vec![3.0]], status: vec![OutputStatus::Ok] }
        };
        let wanted = ["count", "dice", "absent"].map(str::to_owned);
        let (chosen, others) = outputs().only(&wanted);
        assert_eq!(
            (chosen.names, chosen.columns),
            (vec!["count".into(), "dice".into()], vec![vec![3.0], vec![2.0]])
        );
        assert_eq!(others, ["time"]);
        assert_eq!(outputs().only(&wanted[2..]), (outputs(), Vec::new()));
    }
}
