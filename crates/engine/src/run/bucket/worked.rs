//! What a bucket cost: adds up over buckets, and differs from one execution to the next.

use onceflow_report::Amounts;
use serde::{Deserialize, Serialize};

use super::BucketRows;
use crate::EngineError;

/// The results of a bucket with what they cost, as a worker leaves them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketResult {
    /// The results.
    pub rows: BucketRows,
    /// What they cost.
    pub cost: BucketCost,
}

/// What a bucket cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketCost {
    /// The worker.
    pub worker: String,
    /// Seconds it took.
    pub seconds: f64,
    /// Tasks, and seconds of tasks: the terms of the account.
    pub account: [[f64; 11]; 2],
    /// Stages by their names, and how many tasks of each were computed.
    pub stages: Vec<(String, u64)>,
    /// The cost of each task, as lines of the costs file.
    pub records: Vec<String>,
    /// Images of which something could not be read, and why.
    pub unread: Vec<(usize, String)>,
    /// Most bytes that its worker had.
    pub peak_bytes: u64,
}

impl BucketResult {
    /// The value as JSON.
    ///
    /// # Errors
    /// When a number cannot be written.
    pub fn to_json(&self) -> Result<String, EngineError> {
        serde_json::to_string(self).map_err(|error| EngineError::Internal(error.to_string()))
    }

    /// The value of a JSON text.
    ///
    /// # Errors
    /// When the text is not whole, of another version, or one of its lines was changed.
    pub fn from_json(text: &str) -> Result<Self, EngineError> {
        let what = "results of a bucket";
        let read: Self = serde_json::from_str(text).map_err(|error| super::unreadable(what, &error))?;
        super::check_version(what, read.rows.version, BucketRows::VERSION)?;
        read.rows.parsed()?;
        Ok(read)
    }
}

impl BucketCost {
    /// Adds what another part of the bucket cost.
    pub(crate) fn add(&mut self, more: Self) {
        self.seconds += more.seconds;
        for (sum, terms) in self.account.iter_mut().flatten().zip(more.account.iter().flatten()) {
            *sum += terms;
        }
        for (name, more) in more.stages {
            match self.stages.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += more,
                None => self.stages.push((name, more)),
            }
        }
        self.records.extend(more.records);
        self.unread.extend(more.unread);
        self.peak_bytes = self.peak_bytes.max(more.peak_bytes);
    }
}

/// The terms of an account in a fixed order.
pub(crate) fn terms(amounts: &Amounts) -> [f64; 11] {
    let a = amounts;
    [
        a.asked,
        a.stage,
        a.task,
        a.dataflow,
        a.convergent,
        a.object,
        a.products,
        a.ended_early,
        a.failed,
        a.resumed,
        a.computed,
    ]
}

/// The account of terms.
pub(crate) fn amounts(terms: &[f64; 11]) -> Amounts {
    let [asked, stage, task, dataflow, convergent, object, products, ended_early, failed, resumed, computed] =
        *terms;
    Amounts {
        asked,
        stage,
        task,
        dataflow,
        convergent,
        object,
        products,
        ended_early,
        failed,
        resumed,
        computed,
    }
}
