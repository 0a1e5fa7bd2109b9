//! A registration that was stopped, as bytes: what it was of, its levels so far, and the state of the level that ran.

use onceflow_kernels::registration::{Affine, Cost, LevelState, TraceRow};
use serde_json::{Value, json};

use crate::grid::three;
use crate::register::{LevelReport, Progressed};

const KIND: &str = "onceflow unfinished registration";

/// The bytes of a stopped registration of the inputs and parameters that an identity stands for.
pub fn to_bytes(progressed: &Progressed, identity: &str) -> Vec<u8> {
    let state = progressed.state.as_ref().map(LevelState::to_bytes).unwrap_or_default();
    let head = json!({
        "kind": KIND, "version": 1, "identity": identity, "affine": progressed.affine.0,
        "levels": progressed.levels.iter().map(level_json).collect::<Vec<_>>(),
        "coefficients": progressed.coefficients.len(), "state": state.len(),
    });
    let mut bytes = format!("{head}\n").into_bytes();
    bytes.extend(progressed.coefficients.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(state);
    let digest = *blake3::hash(&bytes).as_bytes();
    bytes.extend(digest);
    bytes
}

/// The registration of bytes; none where they are damaged, or are those of other inputs or parameters.
pub fn from_bytes(bytes: &[u8], identity: &str) -> Option<Progressed> {
    let (bytes, digest) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
    if blake3::hash(bytes).as_bytes() != digest {
        return None;
    }
    let line = bytes.iter().position(|byte| *byte == b'\n')?;
    let (head, rest) = bytes.split_at_checked(line)?;
    let head: Value = serde_json::from_slice(head).ok()?;
    let is = |key: &str, word: &str| head.get(key).and_then(Value::as_str) == Some(word);
    if !is("kind", KIND) || !is("identity", identity) {
        return None;
    }
    let count = usize::try_from(head.get("coefficients")?.as_u64()?).ok()?;
    let (numbers, state) = rest.get(1..)?.split_at_checked(count.checked_mul(8)?)?;
    let row = |row: &Value| -> Option<[f64; 4]> {
        row.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<_>>>()?.try_into().ok()
    };
    let state = if state.is_empty() { None } else { Some(LevelState::from_bytes(state).ok()?) };
    Some(Progressed {
        affine: Affine(three(head.get("affine")?, row)?),
        levels: head.get("levels")?.as_array()?.iter().map(level_of).collect::<Option<_>>()?,
        coefficients: numbers
            .chunks_exact(8)
            .map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap_or_default()))
            .collect(),
        state,
    })
}

/// A level as JSON.
fn level_json(level: &LevelReport) -> Value {
    let row = |row: &TraceRow| {
        let Cost { total, similarity, bending, counted } = row.cost;
        json!([row.iteration, total, similarity, bending, counted, row.tries])
    };
    json!({ "level": level.level, "status": level.status, "trace": level.trace.iter().map(row).collect::<Vec<_>>() })
}

fn level_of(value: &Value) -> Option<LevelReport> {
    let small = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let row = |row: &Value| {
        let [iteration, total, similarity, bending, counted, tries] = row.as_array()?.as_slice() else {
            return None;
        };
        let cost = Cost {
            total: total.as_f64()?,
            similarity: similarity.as_f64()?,
            bending: bending.as_f64()?,
            counted: counted.as_u64()?,
        };
        Some(TraceRow { iteration: small(iteration)?, cost, tries: small(tries)? })
    };
    Some(LevelReport {
        level: small(value.get("level")?)?,
        status: value.get("status")?.as_str()?.to_owned(),
        trace: value.get("trace")?.as_array()?.iter().map(row).collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_registration_comes_back_and_that_of_others_does_not() {
        let cost = Cost { total: -1.1, similarity: -1.2, bending: 0.1 + 0.2, counted: 77 };
        let trace = vec![TraceRow { iteration: 0, cost, tries: 0 }];
        let progressed = Progressed {
            affine: Affine::translation([1.0, 0.1, -3.0]),
            levels: vec![LevelReport { level: 1, status: "converged".into(), trace }],
            coefficients: vec![0.5, -1e-300, 3.0],
            state: None,
        };
        let bytes = to_bytes(&progressed, "this pair");
        assert_eq!(from_bytes(&bytes, "this pair"), Some(progressed));
        assert_eq!(from_bytes(&bytes, "another"), None);
        for at in [0, 40, bytes.len() - 40, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(from_bytes(&damaged, "this pair"), None, "byte {at}");
        }
        assert_eq!(from_bytes(&bytes[..bytes.len() - 9], "this pair"), None);
    }
}
