//! A store that is stopped, or full, before any of its steps: the command gives its result all the same, and nothing wrong is kept.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use onceflow_memo::{MemoCommand, MemoSource};
use onceflow_products::{Fault, ProductStore, StoreOptions};

/// A command with a short output and one that is kept in pieces.
fn command(folder: &Path) -> MemoCommand {
    let script = format!("cd {} && yes | head -c 5000000 > large && echo small > small", folder.display());
    MemoCommand {
        command: ["sh", "-c", &script].map(str::to_owned).to_vec(),
        writes: vec![folder.join("large"), folder.join("small")],
        ..MemoCommand::default()
    }
}

fn check_files(folder: &Path, words: &str) {
    assert_eq!(fs::read_to_string(folder.join("small")).unwrap(), "small\n", "{words}");
    assert_eq!(fs::read(folder.join("large")).unwrap(), b"y\n".repeat(2_500_000), "{words}");
}

fn fail_everywhere(fault: Fault) {
    for stop in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let (folder, words) = (folder.path(), format!("{fault:?} from step {stop} on"));
        let count = Arc::new(AtomicUsize::new(0));
        let calls = Arc::clone(&count);
        let faults = move |_: &onceflow_products::Operation<'_>| {
            (calls.fetch_add(1, Ordering::Relaxed) >= stop).then_some(fault)
        };
        let options = StoreOptions { faults: Some(Arc::new(faults)), ..StoreOptions::default() };
        // A store that cannot be opened is the caller's to leave out.
        if let Ok(store) = ProductStore::open(folder.join("store"), &options) {
            let outcome = command(folder).run(&store, &mut || {}).unwrap();
            assert_eq!((outcome.exit, outcome.source), (0, MemoSource::Ran), "{words}");
            check_files(folder, &words);
        }
        let store = ProductStore::open(folder.join("store"), &StoreOptions::default()).unwrap();
        assert_eq!(store.verify(|_, _| {}).unwrap().damaged, [], "{words}");
        for again in 0..2 {
            let _ = fs::remove_file(folder.join("large"));
            let outcome = command(folder).run(&store, &mut || {}).unwrap();
            assert!(again == 0 || outcome.source == MemoSource::Known, "{words}");
            check_files(folder, &words);
        }
        if count.load(Ordering::Relaxed) <= stop {
            return;
        }
    }
}

#[test]
fn stopped_before_any_step_nothing_wrong_is_kept() {
    fail_everywhere(Fault::Stop);
}

#[test]
fn a_full_disk_costs_the_result_and_not_the_command() {
    fail_everywhere(Fault::Full);
}
