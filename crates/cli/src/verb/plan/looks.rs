//! What a run until every verdict is decided would take, look by look.

use onceflow_engine::{OpenStudy, Planned, PlannedLook};
use onceflow_study::with_commas;
use onceflow_terminal::{Failure, engine_failure};
use serde_json::{Value, json};

/// One line for each look; nothing where the settings ask for no such run.
pub(super) fn text(study: &OpenStudy, planned: &Planned) -> Result<String, Failure> {
    let looks = study.planned_looks(planned).map_err(engine_failure)?;
    let line = |(number, look): (usize, &PlannedLook)| {
        let head = if number == 0 { "until" } else { "" };
        format!(
            "{head:11}decided at look {}: {}, {} rows at most, about {} s, intervals at {:.2} %\n",
            number + 1,
            look.size,
            with_commas(look.rows.into()),
            look.seconds.ceil(),
            100.0 * look.confidence,
        )
    };
    Ok(looks.iter().enumerate().map(line).collect())
}

/// Adds the looks to the object of a plan.
pub(super) fn add_to_json(study: &OpenStudy, planned: &Planned, json: &mut Value) -> Result<(), Failure> {
    let looks = study.planned_looks(planned).map_err(engine_failure)?;
    let look = |look: &PlannedLook| json!({ "size": look.size, "rows": look.rows, "seconds": look.seconds, "confidence": look.confidence });
    if !looks.is_empty() {
        json["looks"] = looks.iter().map(look).collect();
    }
    Ok(())
}
