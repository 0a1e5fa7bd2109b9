//! What a run found out about an operation that no plan could know, as a line of JSON.

use serde_json::{Value, json};

use crate::record::{Plain, RecordFields, kind};
use crate::{Record, RecordError};

/// How much of an operation's work turned out not to be needed while a study ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The operation's id.
    pub operation: String,
    /// The operation's version.
    pub version: u64,
    /// Instances that were about to run.
    pub met: u64,
    /// Those of them that turned out to be equal to others.
    pub same: u64,
    /// Seconds that the others would have taken if no object had been known.
    pub seconds: f64,
    /// What known objects saved of these.
    pub saved: f64,
}

/// A line of a file of costs.
#[derive(Clone, Debug, PartialEq)]
pub enum CostLine {
    /// What a task cost.
    Record(Record),
    /// What a run found out.
    Finding(Finding),
}

impl CostLine {
    /// Reads one line. Fields that it does not know are left alone: a later version may write more.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(line: &str) -> Result<Self, RecordError> {
        if let Some(record) = Plain::read(line) {
            return Ok(Self::Record(record));
        }
        let value: Value =
            serde_json::from_str(line).map_err(|error| RecordError::NotJson(error.to_string()))?;
        let Value::Object(fields) = value else { return Err(RecordError::NotAnObject(kind(&value))) };
        if fields.contains_key("met") {
            Finding::read(&RecordFields(&fields)).map(Self::Finding)
        } else {
            Record::read(&RecordFields(&fields)).map(Self::Record)
        }
    }
}

impl Finding {
    /// The finding as one line, without its end.
    pub fn to_line(&self) -> String {
        json!({
            "operation": self.operation, "version": self.version, "met": self.met, "same": self.same,
            "seconds": self.seconds, "saved": self.saved,
        })
        .to_string()
    }

    fn read(fields: &RecordFields<'_>) -> Result<Self, RecordError> {
        let finding = Self {
            operation: fields.text("operation")?,
            version: fields.whole("version")?,
            met: fields.whole("met")?,
            same: fields.whole("same")?,
            seconds: fields.number("seconds")?,
            saved: fields.number("saved")?,
        };
        finding.check()?;
        Ok(finding)
    }

    /// Whether its numbers can be: no more equal than met, no more saved than there was.
    pub fn check(&self) -> Result<(), RecordError> {
        if self.same > self.met {
            let found = format!("{} of {}", self.same, self.met);
            return Err(RecordError::Field { field: "same", expected: "no more than `met`", found });
        }
        let is_time = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
        if !(is_time(self.seconds) && is_time(self.saved) && self.saved <= self.seconds) {
            let found = format!("{} of {}", self.saved, self.seconds);
            return Err(RecordError::Field { field: "saved", expected: "a part of `seconds`", found });
        }
        Ok(())
    }
}

/// What all runs together found out about an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FindingSum {
    /// Findings that were added up.
    pub findings: u64,
    met: f64,
    same: f64,
    seconds: f64,
    saved: f64,
}

/// The assumed share for operations without findings, and the number of instances it weighs as much as.
const BELIEVED: f64 = 0.05;
const BELIEF: f64 = 20.0;

impl FindingSum {
    pub(crate) fn add(&mut self, finding: &Finding) {
        self.findings += 1;
        self.met += finding.met as f64;
        self.same += finding.same as f64;
        self.seconds += finding.seconds;
        self.saved += finding.saved;
    }

    /// The share of its instances that is expected to turn out to be equal to others.
    pub fn same(&self) -> f64 {
        (self.same + BELIEVED * BELIEF) / (self.met + BELIEF)
    }

    /// The share of its instances that did so; nothing without findings.
    pub fn same_seen(&self) -> f64 {
        if self.met > 0.0 { self.same / self.met } else { 0.0 }
    }

    /// The share of the other instances' seconds that known objects saved; nothing without findings.
    pub fn saved_seen(&self) -> f64 {
        if self.seconds > 0.0 { self.saved / self.seconds } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Costs;

    const LINE: &str =
        r#"{"met":40,"operation":"nuclei.split","same":10,"saved":3.0,"seconds":4.0,"version":1}"#;

    #[test]
    fn a_finding_reads_back_and_nonsense_does_not() {
        let Ok(CostLine::Finding(finding)) = CostLine::parse(LINE) else { panic!("no finding") };
        assert_eq!(CostLine::parse(&finding.to_line()), Ok(CostLine::Finding(finding)));
        for (from, to) in [("\"same\":10", "\"same\":41"), ("3.0", "4.5"), ("3.0", "-1"), ("40", "\"x\"")] {
            assert!(CostLine::parse(&LINE.replace(from, to)).is_err(), "{to}");
        }
    }

    #[test]
    fn belief_gives_way_to_what_is_seen() {
        let spec = onceflow_study::OpSpec::new("nuclei.split", "", 1.0);
        let mut costs = Costs::default();
        assert_eq!(costs.found(&spec).same(), BELIEVED);
        assert_eq!((costs.found(&spec).same_seen(), costs.found(&spec).saved_seen()), (0.0, 0.0));
        let Ok(CostLine::Finding(finding)) = CostLine::parse(LINE) else { panic!("no finding") };
        (0..100).for_each(|_| costs.add_finding(&finding).unwrap());
        let found = costs.found(&spec);
        assert!((found.same() - 0.25).abs() < 0.002);
        assert_eq!((found.same_seen(), found.saved_seen(), found.findings), (0.25, 0.75, 100));
        assert_eq!(costs.found(&spec.of_version(2)), FindingSum::default());
    }

    proptest! {
        #[test]
        fn no_text_does_harm(cut in 0usize..90, insert in ".{0,3}") {
            let cut = cut.min(LINE.len());
            let _ = CostLine::parse(&format!("{}{insert}{}", &LINE[..cut], &LINE[cut..]));
        }
    }
}
