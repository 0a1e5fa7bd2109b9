//! A command line: its outputs from the store when its attributes are known, otherwise it is run and they are kept.

mod alone;
#[cfg(target_os = "linux")]
mod guard;
mod nearest;
mod outputs;
mod process;
mod request;
mod signals;
mod start;
#[cfg(not(target_os = "linux"))]
mod unguarded;
mod waiting;

use std::path::PathBuf;
use std::time::Instant;

use onceflow_products::{Maker, ProductKey, ProductStore};

use crate::{MemoEntry, MemoError, MemoRole, TracedFiles, kept};
use outputs::CollectedFiles;
pub(crate) use outputs::{as_part, to_file};
use process::EndedCommand;
use request::IdentifiedCommand;
pub(crate) use request::{changed, file_digest};
use waiting::KeyTurn;

pub use nearest::{MemoDifference, Nearness};

/// A command line with what it reads and writes.
#[derive(Clone, Debug, Default)]
pub struct MemoCommand {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Files and folders that it reads; `-` is standard input.
    pub reads: Vec<PathBuf>,
    /// Further attributes: names with values.
    pub attributes: Vec<(String, String)>,
    /// Files that it writes.
    pub writes: Vec<PathBuf>,
    /// Whether a result is kept although the command fails.
    pub keep_failures: bool,
    /// Whether a known command is run all the same, and its result compared.
    pub audit: bool,
    /// Whether the files that it reads and writes are found out.
    pub trace: bool,
    /// Whether it is found out why it had to run.
    pub explain: bool,
}

/// Where a result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoSource {
    /// From the store.
    Known,
    /// From the store, after another process that was computing it had finished.
    Waited,
    /// The command was run.
    Ran,
}

/// How a command ended.
#[derive(Debug)]
pub struct MemoOutcome {
    /// Its key.
    pub key: ProductKey,
    /// Its exit code.
    pub exit: i32,
    /// Where the result comes from.
    pub source: MemoSource,
    /// Seconds that it took to run, now or when it was kept.
    pub seconds: f64,
    /// Why the result was not kept.
    pub not_kept: Option<NotKept>,
    /// What the audit found.
    pub audited: Option<Audited>,
    /// Files that it read and wrote, where it was traced.
    pub traced: Option<TracedFiles>,
    /// Why it had to run, where that was asked.
    pub nearness: Option<Nearness>,
}

/// Why a result was not kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum NotKept {
    #[error("the command ended with exit code {exit}; --keep-failures keeps such results too")]
    Failed { exit: i32 },
    #[error("{} was not written: expected that the command writes every file after --writes", .path.display())]
    NotWritten { path: PathBuf },
    #[error("{} is no plain file: expected that the command writes files", .path.display())]
    NoFile { path: PathBuf },
    #[error("{} was changed while the command ran: its result may belong to either content", .path.display())]
    Changed { path: PathBuf },
    #[error(
        "it wrote more than {most} bytes to standard output or standard error; send them to a file after --writes"
    )]
    LongOutput { most: usize },
    #[error("the store refused: {reason}")]
    Refused { reason: String },
}

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audited {
    /// There was no result to compare with.
    New,
    /// The result is the one that is kept.
    Same,
    /// These parts differ: the attributes do not decide the result.
    Differs(Vec<String>),
}

impl MemoCommand {
    /// The key of the command, and whether the store knows it. Nothing is run.
    ///
    /// # Errors
    /// When a file cannot be read, or the store.
    pub fn look_up(&self, store: &ProductStore) -> Result<(ProductKey, bool), MemoError> {
        let identified = self.identify(store)?;
        Ok((identified.key, kept::fetch(store, identified.key)?.is_some()))
    }

    /// Takes the result from the store, or runs the command and keeps it. `wait` is called before another process is waited for.
    ///
    /// # Errors
    /// When a file cannot be read or written, the command cannot be started, or the store cannot be read.
    pub fn run(&self, store: &ProductStore, wait: &mut dyn FnMut()) -> Result<MemoOutcome, MemoError> {
        let identified = self.identify(store)?;
        if !self.audit
            && let Some(outcome) = self.restore(store, &identified, MemoSource::Known)?
        {
            return Ok(outcome);
        }
        let turn = KeyTurn::take(store.folder(), identified.key, &identified.title, wait)?;
        if turn.waited
            && !self.audit
            && let Some(outcome) = self.restore(store, &identified, MemoSource::Waited)?
        {
            return Ok(outcome);
        }
        self.compute(store, &identified, &turn)
    }

    /// Restores a known result; none when it is not known.
    fn restore(
        &self,
        store: &ProductStore,
        identified: &IdentifiedCommand,
        source: MemoSource,
    ) -> Result<Option<MemoOutcome>, MemoError> {
        let Some((entry, seconds)) = kept::fetch(store, identified.key)? else { return Ok(None) };
        // A failure that was kept on demand is taken on demand.
        if entry.exit != 0 && !self.keep_failures {
            return Ok(None);
        }
        if !outputs::restore(store, &entry, &self.writes)? {
            return Ok(None);
        }
        let outcome = MemoOutcome { source, seconds, ..MemoOutcome::new(identified.key, entry.exit) };
        Ok(Some(outcome))
    }

    fn compute(
        &self,
        store: &ProductStore,
        identified: &IdentifiedCommand,
        turn: &KeyTurn,
    ) -> Result<MemoOutcome, MemoError> {
        let nearness = match self.explain {
            true => Some(nearest::nearest(store, identified)?),
            false => None,
        };
        let before = outputs::stamps(&self.writes);
        let start = Instant::now();
        let ran = process::run(self, identified, turn)?;
        let seconds = start.elapsed().as_secs_f64();
        let mut outcome = MemoOutcome { seconds, nearness, ..MemoOutcome::new(identified.key, ran.exit) };
        let kept = self.keep(store, identified, &ran, &before, &mut outcome)?;
        outcome.not_kept = kept.err();
        if self.audit && outcome.audited.is_none() {
            outcome.audited = Some(self.audited_without_result(store, identified, &outcome)?);
        }
        outcome.traced = ran.traced.map(|traced| traced.undeclared(&self.reads, &self.writes));
        Ok(outcome)
    }

    /// What an audit says of a command that gave nothing to be kept: that is a difference where a result is kept.
    fn audited_without_result(
        &self,
        store: &ProductStore,
        identified: &IdentifiedCommand,
        outcome: &MemoOutcome,
    ) -> Result<Audited, MemoError> {
        let reason = outcome.not_kept.as_ref().map(ToString::to_string);
        Ok(match (kept::fetch(store, identified.key)?, &outcome.not_kept) {
            (None, _) => Audited::New,
            (Some((known, _)), Some(NotKept::Failed { exit })) if known.exit == *exit => Audited::Same,
            (Some((known, _)), Some(NotKept::Failed { exit })) => {
                Audited::Differs(vec![exit_difference(known.exit, *exit)])
            }
            (Some(_), _) => Audited::Differs(reason.into_iter().collect()),
        })
    }

    /// Keeps a result, or says why not.
    fn keep(
        &self,
        store: &ProductStore,
        identified: &IdentifiedCommand,
        ran: &EndedCommand,
        before: &[Option<String>],
        outcome: &mut MemoOutcome,
    ) -> Result<Result<(), NotKept>, MemoError> {
        if ran.exit != 0 && !self.keep_failures {
            return Ok(Err(NotKept::Failed { exit: ran.exit }));
        }
        if ran.is_long {
            return Ok(Err(NotKept::LongOutput { most: process::MOST_OUTPUT }));
        }
        let collected = match outputs::collect(&self.writes, before, ran.exit == 0)? {
            Ok(collected) => collected,
            Err(reason) => return Ok(Err(reason)),
        };
        if let Some(path) = identified.changed() {
            return Ok(Err(NotKept::Changed { path }));
        }
        let entry = entry(identified, ran, &collected);
        if self.audit {
            let known = kept::fetch(store, identified.key)?;
            outcome.audited = Some(known.map_or(Audited::New, |(known, _)| compared(&known, &entry)));
            if outcome.audited != Some(Audited::New) {
                return Ok(Ok(()));
            }
        }
        Ok(publish(store, identified, &entry, &collected, outcome.seconds))
    }
}

impl MemoOutcome {
    fn new(key: ProductKey, exit: i32) -> Self {
        let source = MemoSource::Ran;
        Self { key, exit, source, seconds: 0.0, not_kept: None, audited: None, traced: None, nearness: None }
    }
}

fn entry(identified: &IdentifiedCommand, ran: &EndedCommand, collected: &CollectedFiles) -> MemoEntry {
    let streams = [(MemoRole::Output, &ran.output), (MemoRole::Error, &ran.error)];
    let streams = streams.map(|(role, bytes)| crate::MemoPart::new(role, "", bytes.clone()));
    MemoEntry {
        title: identified.title.clone(),
        attributes: identified.attributes.clone(),
        exit: ran.exit,
        parts: streams.into_iter().chain(collected.parts.iter().cloned()).collect(),
    }
}

/// A store that refuses costs the result, not the command.
fn publish(
    store: &ProductStore,
    identified: &IdentifiedCommand,
    entry: &MemoEntry,
    collected: &CollectedFiles,
    seconds: f64,
) -> Result<(), NotKept> {
    let refused = |error: MemoError| NotKept::Refused { reason: error.to_string() };
    let maker = Maker::new(identified.maker());
    for (place, path) in &collected.long {
        let part = &collected.parts[*place];
        if !kept::publish_file(store, part, path, seconds, &maker).map_err(refused)? {
            return Err(NotKept::Changed { path: path.clone() });
        }
    }
    kept::publish(store, identified.key, entry, seconds, &maker).map_err(refused)?;
    store.keep_limit().map(drop).map_err(|error| refused(error.into()))
}

/// The parts that are not what is kept.
fn compared(known: &MemoEntry, new: &MemoEntry) -> Audited {
    let name = |part: &crate::MemoPart| match part.role {
        MemoRole::Output => "standard output".to_owned(),
        MemoRole::Error => "standard error".to_owned(),
        MemoRole::File | MemoRole::Product => part.name.clone(),
    };
    let parts = known.parts.iter().zip(&new.parts);
    let mut differ: Vec<String> = parts
        .filter(|(known, new)| (known.digest, known.mode) != (new.digest, new.mode))
        .map(|(part, _)| name(part))
        .collect();
    if known.exit != new.exit {
        differ.push(exit_difference(known.exit, new.exit));
    }
    if differ.is_empty() && known.parts.len() == new.parts.len() {
        Audited::Same
    } else {
        Audited::Differs(differ)
    }
}

fn exit_difference(kept: i32, now: i32) -> String {
    format!("exit code ({kept} and {now})")
}
