//! What `onceflow memo` says of a command.

use onceflow_engine::duration_words;
use onceflow_memo::{
    Audited, MemoAttributeKind, MemoDifference, MemoOutcome, MemoSource, Nearness, TracedFiles,
};

/// More differences than this are counted.
const MOST: usize = 5;

/// Why the command ran, or that it was known.
pub(super) fn explained(outcome: &MemoOutcome) -> Vec<String> {
    let key: String = outcome.key.to_string().chars().take(16).collect();
    let saved = duration_words(outcome.seconds);
    match outcome.source {
        MemoSource::Known => vec![format!("known as {key}: did not run, {saved} saved")],
        MemoSource::Waited => {
            vec![format!("known as {key}: another process has just computed it, in {saved}")]
        }
        MemoSource::Ran => ran(outcome, &key),
    }
}

fn ran(outcome: &MemoOutcome, key: &str) -> Vec<String> {
    let because = match &outcome.nearness {
        _ if outcome.audited.as_ref().is_some_and(|audited| *audited != Audited::New) => {
            "to be compared".to_owned()
        }
        None | Some(Nearness::First) => {
            "since no result of this program with these outputs is kept".to_owned()
        }
        Some(Nearness::Same) => "since what is kept is a failure, or was damaged".to_owned(),
        Some(Nearness::Nearest { age, .. }) => {
            format!("since this differs from the nearest result, kept {} ago:", duration_words(*age))
        }
    };
    let mut lines = vec![format!("ran as {key}, {because}")];
    if let Some(Nearness::Nearest { differences, .. }) = &outcome.nearness {
        lines.extend(differences.iter().take(MOST).map(|difference| format!("  {}", words(difference))));
        if differences.len() > MOST {
            lines.push(format!("  and {} more", differences.len() - MOST));
        }
    }
    lines
}

fn words(difference: &MemoDifference) -> String {
    let MemoDifference { kind, name, kept, now } = difference;
    let what = format!("{} {name}", kind.word());
    match (kept, now) {
        (Some(_), None) => format!("{what} is gone"),
        (None, Some(_)) => format!("{what} is new"),
        (Some(kept), Some(now)) => match kind {
            MemoAttributeKind::Read | MemoAttributeKind::Program => format!("{what} has another content"),
            _ => format!("{what} was {kept}, is {now}"),
        },
        (None, None) => what,
    }
}

/// Files that were not declared.
pub(super) fn traced(traced: &TracedFiles) -> Vec<String> {
    let reads = traced.reads.iter().map(|path| {
        format!("warning: read {} without --reads: a change of it would not be noticed", path.display())
    });
    let writes = traced
        .writes
        .iter()
        .map(|path| format!("warning: wrote {} without --writes: it would not be restored", path.display()));
    let lines: Vec<String> = reads.chain(writes).collect();
    if lines.is_empty() {
        vec!["traced: all files it reads and writes are declared".to_owned()]
    } else {
        lines
    }
}

/// What an audit found.
pub(super) fn audited(audited: &Audited) -> String {
    match audited {
        Audited::New => "audit: nothing to compare with".to_owned(),
        Audited::Same => "audit: the same as is kept".to_owned(),
        Audited::Differs(parts) => format!(
            "audit: {} differ: what is declared does not decide the result, or the command does not repeat; the kept result stays",
            parts.join(", ")
        ),
    }
}
