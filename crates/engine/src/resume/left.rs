//! What a run in a folder has left to compute, without running anything.

use std::collections::HashSet;
use std::path::Path;

use onceflow_study::{Keep, Phase, with_commas};

use super::held::{FolderState, folder_state};
use super::journal::{Journal, JournalLine, RowsIdentity, identity, known};
use crate::plan::phase::PhaseRows;
use crate::{EngineError, OpenStudy};

/// What is left of a run in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftWork {
    /// How the study changed since, and what that means for rows that are done.
    pub change: Option<String>,
    /// The phases, in their order.
    pub phases: Vec<LeftPhase>,
}

/// What is left of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftPhase {
    /// Its name.
    pub name: String,
    /// Rows at parts that are left, and all of them; none where its rows follow from an earlier phase.
    pub instances: Option<(u64, u64)>,
}

/// What a run of a study into a folder would have to compute; `None` when the folder holds no results.
///
/// # Errors
/// When the folder holds another study, or a phase cannot be sampled.
pub fn left_to_compute(study: &OpenStudy, folder: &Path) -> Result<Option<LeftWork>, EngineError> {
    let change = match folder_state(folder, study) {
        FolderState::Nothing => return Ok(None),
        FolderState::Another(refused) | FolderState::Damaged(refused) => {
            return Err(EngineError::BadInput(refused));
        }
        FolderState::Unfinished | FolderState::Complete(_) => None,
        FolderState::Outdated(lines) => Some(lines.join("; ")),
        FolderState::Earlier(change) => Some(change),
    };
    let past = Journal::peek(folder, &identity(study));
    let (mut phases, mut first) = (Vec::new(), Some(0));
    for phase in &study.study.phases {
        let rows = first.filter(|_| !follows(phase)).map(|first| rows(study, phase, first)).transpose()?;
        let parts = study.inputs.parts.len();
        let instances = rows.as_ref().map(|(rows, count)| {
            let done = known(&past, &phase.name, rows).into_iter().filter_map(done).collect::<HashSet<_>>();
            let all = count * parts;
            ((all - done.len().min(all)) as u64, all as u64)
        });
        first = first.zip(rows).map(|(first, (_, count))| first + count);
        phases.push(LeftPhase { name: phase.name.clone(), instances });
    }
    Ok(Some(LeftWork { change, phases }))
}

impl LeftWork {
    /// Lines for people.
    pub fn lines(&self) -> Vec<String> {
        let phase = |LeftPhase { name, instances }: &LeftPhase| match instances {
            Some((left, all)) => {
                format!("left       {name}: {} of {} instances", number(*left), number(*all))
            }
            None => format!("left       {name}: its rows follow from an earlier phase"),
        };
        let change = self.change.iter().map(|change| format!("changed    {change}"));
        change.chain(self.phases.iter().map(phase)).collect()
    }
}

fn number(count: u64) -> String {
    with_commas(count.into())
}

/// Whether the rows of a phase follow from the results of another.
fn follows(phase: &Phase) -> bool {
    matches!(phase.keep, Some(Keep::Effects(_)))
}

/// The rows of a phase, and how many they are with the reference row.
fn rows(study: &OpenStudy, phase: &Phase, first: usize) -> Result<(RowsIdentity, usize), EngineError> {
    let sampled = PhaseRows::new(&study.study, phase, &[])?;
    let rows = RowsIdentity::new(study, &sampled, first == 0, first);
    let count = rows.len() + usize::from(first == 0);
    Ok((rows, count))
}

fn done(line: &JournalLine) -> Option<(usize, usize)> {
    match line {
        JournalLine::Done { row, part, .. } => Some((*row, *part)),
        _ => None,
    }
}
