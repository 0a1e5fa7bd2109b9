//! Commands that are known, run, kept and audited, in one process and in several.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use onceflow_memo::{Audited, MemoCommand, MemoError, MemoOutcome, MemoSource, Nearness, NotKept, can_trace};
use onceflow_products::{ProductStore, StoreOptions};
use tempfile::TempDir;

/// A folder with a store, and commands in it.
struct Place {
    folder: TempDir,
    store: ProductStore,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = ProductStore::open(folder.path().join("store"), &StoreOptions::default()).unwrap();
        Self { folder, store }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A script in the shell, from the folder, that counts its runs in the file `runs`.
    fn script(&self, script: &str) -> MemoCommand {
        let folder = self.folder.path().display();
        let script = format!("cd {folder} && echo run >> runs && {script}");
        MemoCommand { command: ["sh", "-c", &script].map(str::to_owned).to_vec(), ..MemoCommand::default() }
    }

    fn runs(&self) -> usize {
        fs::read_to_string(self.path("runs")).unwrap_or_default().lines().count()
    }

    fn run(&self, command: &MemoCommand) -> MemoOutcome {
        command.run(&self.store, &mut || {}).unwrap()
    }
}

/// A command that copies `in` to `out`, in capitals.
fn copying(place: &Place) -> MemoCommand {
    MemoCommand {
        reads: vec![place.path("in")],
        writes: vec![place.path("out")],
        ..place.script("tr a-z A-Z < in > out && chmod 750 out && echo done && echo warned >&2")
    }
}

#[test]
fn a_known_command_does_not_run_and_its_files_are_restored_with_their_modes() {
    let place = Place::new();
    place.write("in", "text");
    let command = copying(&place);
    let first = place.run(&command);
    assert_eq!((first.source, first.exit, first.not_kept), (MemoSource::Ran, 0, None));
    fs::remove_file(place.path("out")).unwrap();
    let again = place.run(&command);
    assert_eq!((again.source, again.exit, place.runs()), (MemoSource::Known, 0, 1));
    assert_eq!(place.text("out"), "TEXT");
    assert_eq!(place.path("out").metadata().unwrap().permissions().mode() & 0o777, 0o750);
    // A file that is there is replaced, never written into: a second name of it keeps what it was.
    place.write("out", "mine");
    fs::hard_link(place.path("out"), place.path("other")).unwrap();
    place.run(&command);
    assert_eq!((place.text("out").as_str(), place.text("other").as_str()), ("TEXT", "mine"));
    let left =
        fs::read_dir(place.folder.path()).unwrap().flatten().map(|e| e.file_name()).collect::<Vec<_>>();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains(".memo")), "{left:?}");
}

#[test]
fn what_decides_the_result_is_in_the_key() {
    let place = Place::new();
    place.write("in", "text");
    place.write("in2", "text");
    let command = copying(&place);
    let key = |command: &MemoCommand| command.look_up(&place.store).unwrap().0;
    let same = key(&command);
    assert_eq!(key(&MemoCommand { audit: true, explain: true, trace: true, ..command.clone() }), same);
    let value = |name: &str, value: &str| MemoCommand {
        attributes: vec![(name.into(), value.into())],
        ..command.clone()
    };
    let other_read = MemoCommand { reads: vec![place.path("in2")], ..command.clone() };
    let none_read = MemoCommand { reads: Vec::new(), ..command.clone() };
    let other_write = MemoCommand { writes: vec![place.path("out2")], ..command.clone() };
    let mut argument = command.clone();
    argument.command.push("more".into());
    let others = [
        value("a", "1"),
        value("a", "2"),
        value("b", "1"),
        value("a=1", ""),
        other_read,
        none_read,
        other_write,
        argument,
    ];
    let mut keys: Vec<_> = others.iter().map(key).collect();
    keys.push(same);
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), others.len() + 1);
    let two = |one: (&str, &str), other: (&str, &str)| MemoCommand {
        attributes: [one, other].map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        ..command.clone()
    };
    assert_eq!(
        key(&two(("a", "1"), ("b", "2"))),
        key(&two(("b", "2"), ("a", "1"))),
        "their order is nothing"
    );
    place.write("in", "texts");
    assert_ne!(key(&command), same, "a file counts by its content");
    place.write("in", "text");
    assert_eq!(key(&command), same);
}

/// A write would wait for the disk: longer than all else that a known command does.
#[test]
fn a_known_command_writes_nothing_into_the_store() {
    let mut place = Place::new();
    place.write("in", "text");
    let command = MemoCommand {
        writes: vec![place.path("large")],
        reads: vec![place.path("in")],
        ..place.script("head -c 6000000 /dev/zero > large")
    };
    // Digests of files that may still change are not remembered.
    let old = SystemTime::now() - Duration::from_secs(100);
    fs::File::options().append(true).open(place.path("in")).unwrap().set_modified(old).unwrap();
    assert_eq!(place.run(&command).not_kept, None);
    let reopen = |place: &mut Place| {
        let folder = place.path("store");
        let other = ProductStore::open(place.path("other"), &StoreOptions::default()).unwrap();
        drop(std::mem::replace(&mut place.store, other));
        // What the index says is in its file, or still in its log.
        let read = |name: &str| fs::read(folder.join(name)).unwrap_or_default();
        let index = [read("index3.sqlite"), read("index3.sqlite-wal")];
        place.store = ProductStore::open(folder, &StoreOptions::default()).unwrap();
        index
    };
    let before = reopen(&mut place);
    for _ in 0..3 {
        fs::remove_file(place.path("large")).unwrap();
        assert_eq!(place.run(&command).source, MemoSource::Known);
        assert!(reopen(&mut place) == before, "the index was changed");
    }
    assert_eq!(place.path("large").metadata().unwrap().len(), 6_000_000);
}

#[test]
fn folders_of_outputs_are_made_and_pipes_are_refused() {
    let place = Place::new();
    let command = MemoCommand {
        writes: vec![place.path("made/inner/out")],
        ..place.script("mkdir -p made/inner && echo x > made/inner/out")
    };
    place.run(&command);
    fs::remove_dir_all(place.path("made")).unwrap();
    assert_eq!(place.run(&command).source, MemoSource::Known);
    assert_eq!(place.text("made/inner/out"), "x\n");
    assert!(std::process::Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    let command = MemoCommand { reads: vec![place.path("pipe")], ..place.script("true") };
    let error = command.run(&place.store, &mut || {}).unwrap_err();
    assert!(error.to_string().contains("cannot be read twice"), "{error}");
    // In a folder it counts by its being there, and so does a link that leads back up.
    fs::create_dir(place.path("data")).unwrap();
    fs::rename(place.path("pipe"), place.path("data/pipe")).unwrap();
    std::os::unix::fs::symlink(place.path("data"), place.path("data/up")).unwrap();
    let command = MemoCommand { reads: vec![place.path("data")], ..place.script("true") };
    assert!(!command.look_up(&place.store).unwrap().1);
}

#[test]
fn a_folder_counts_by_the_names_and_contents_of_its_files() {
    let place = Place::new();
    fs::create_dir_all(place.path("data/inner")).unwrap();
    place.write("data/inner/a", "1");
    let command = MemoCommand { reads: vec![place.path("data")], ..place.script("cat data/inner/*") };
    let key = || command.look_up(&place.store).unwrap().0;
    let first = key();
    place.write("data/inner/b", "");
    let second = key();
    fs::rename(place.path("data/inner/b"), place.path("data/inner/c")).unwrap();
    let third = key();
    fs::rename(place.path("data/inner/c"), place.path("data/c")).unwrap();
    let mut keys = [first, second, third, key()].to_vec();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 4);
}

#[test]
fn a_failure_is_kept_when_it_is_asked_for() {
    let place = Place::new();
    let command = place.script("echo bad >&2; exit 7");
    let first = place.run(&command);
    assert_eq!((first.exit, first.not_kept), (7, Some(NotKept::Failed { exit: 7 })));
    assert_eq!((place.run(&command).source, place.runs()), (MemoSource::Ran, 2));
    let keeping = MemoCommand { keep_failures: true, ..command.clone() };
    assert_eq!((place.run(&keeping).exit, place.run(&keeping).exit, place.runs()), (7, 7, 3));
    assert_eq!(place.run(&keeping).source, MemoSource::Known);
    assert_eq!(place.run(&command).source, MemoSource::Ran, "it is only taken when it is asked for");
    let killed = place.run(&place.script("kill -TERM $$"));
    assert_eq!(killed.exit, 128 + 15);
}

#[test]
fn results_that_may_be_wrong_are_not_kept() {
    let place = Place::new();
    place.write("in", "text");
    let writes =
        |name: &str, script: &str| MemoCommand { writes: vec![place.path(name)], ..place.script(script) };
    let not_kept = |command: &MemoCommand| place.run(command).not_kept.unwrap();
    assert_eq!(not_kept(&writes("out", "true")), NotKept::NotWritten { path: place.path("out") });
    // One that was there before and was not touched is not written either.
    place.write("old", "old");
    assert_eq!(not_kept(&writes("old", "true")), NotKept::NotWritten { path: place.path("old") });
    assert_eq!(not_kept(&writes("folder", "mkdir folder")), NotKept::NoFile { path: place.path("folder") });
    let changing =
        MemoCommand { reads: vec![place.path("in")], ..writes("out", "cp in out && echo more >> in") };
    assert_eq!(not_kept(&changing), NotKept::Changed { path: place.path("in") });
    assert!(!changing.look_up(&place.store).unwrap().1);
}

#[test]
fn requests_that_contradict_themselves_are_refused() {
    let place = Place::new();
    place.write("in", "text");
    let refused = |command: MemoCommand| command.run(&place.store, &mut || {}).unwrap_err();
    let command = || place.script("true");
    let both = MemoCommand { reads: vec![place.path("in")], writes: vec![place.path("./in")], ..command() };
    assert!(matches!(refused(both), MemoError::ReadAndWritten { .. }));
    let twice = ["1", "2"].map(|value| ("a".to_owned(), value.to_owned())).to_vec();
    assert!(matches!(refused(MemoCommand { attributes: twice, ..command() }), MemoError::Twice { .. }));
    let missing = MemoCommand { reads: vec![place.path("none")], ..command() };
    assert!(refused(missing).to_string().contains("found no such file"));
    let unknown = MemoCommand { command: vec!["/no/such/program".into()], ..MemoCommand::default() };
    assert!(refused(unknown).to_string().contains("there is no such program"));
    assert_eq!(place.runs(), 0);
}

#[test]
fn long_outputs_are_kept_in_pieces_and_restored() {
    let place = Place::new();
    // Longer than one piece, and beside it a short one.
    let script = "head -c 70000000 /dev/urandom > large && tail -c 10 large > small";
    let command =
        MemoCommand { writes: vec![place.path("large"), place.path("small")], ..place.script(script) };
    assert_eq!(place.run(&command).not_kept, None);
    let content = fs::read(place.path("large")).unwrap();
    fs::remove_file(place.path("large")).unwrap();
    assert_eq!(place.run(&command).source, MemoSource::Known);
    assert!(fs::read(place.path("large")).unwrap() == content);
    assert!(content.ends_with(&fs::read(place.path("small")).unwrap()));
}

#[test]
fn a_damaged_result_is_computed_again() {
    let place = Place::new();
    place.write("in", "text");
    let command = copying(&place);
    place.run(&command);
    let packs = fs::read_dir(place.path("store/packs")).unwrap().flatten();
    for pack in packs {
        let mut bytes = fs::read(pack.path()).unwrap();
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
        fs::write(pack.path(), bytes).unwrap();
    }
    fs::remove_file(place.path("out")).unwrap();
    let again = place.run(&command);
    assert_eq!((again.source, again.not_kept, place.text("out").as_str()), (MemoSource::Ran, None, "TEXT"));
    assert_eq!(place.run(&command).source, MemoSource::Known);
}

#[test]
fn an_audit_finds_what_the_attributes_do_not_decide() {
    let place = Place::new();
    place.write("in", "text");
    place.write("hidden", "1");
    let command = |script: &str| MemoCommand {
        reads: vec![place.path("in")],
        writes: vec![place.path("out")],
        ..place.script(script)
    };
    let secret = command("cat in hidden > out; echo said; cat hidden");
    let audit =
        |command: &MemoCommand| place.run(&MemoCommand { audit: true, ..command.clone() }).audited.unwrap();
    assert_eq!(audit(&secret), Audited::New);
    assert_eq!(audit(&secret), Audited::Same);
    place.write("hidden", "2");
    let out = place.path("out").display().to_string();
    assert_eq!(audit(&secret), Audited::Differs(vec!["standard output".into(), out]));
    // A command that fails, or does not write, gives something else too.
    place.write("hidden", "1");
    let flaky = command("test -e gone && exit 4; cp in out");
    assert_eq!(audit(&flaky), Audited::New);
    place.write("gone", "");
    assert_eq!(audit(&flaky), Audited::Differs(vec!["exit code (0 and 4)".into()]));
    let lazy = command("test -e gone2 || cp in out");
    assert_eq!(audit(&lazy), Audited::New);
    place.write("gone2", "");
    assert!(matches!(audit(&lazy), Audited::Differs(reason) if reason[0].contains("was not written")));
    // The first result stays.
    place.run(&secret);
    assert_eq!(place.text("out"), "text1");
}

#[test]
fn explanations_name_what_differs_from_the_nearest_result() {
    let place = Place::new();
    let command = |scale: &str, path: &str| MemoCommand {
        attributes: vec![("scale".into(), scale.into()), ("mode".into(), "fast".into())],
        reads: vec![place.path(path)],
        writes: vec![place.path("out")],
        explain: true,
        ..place.script("cp in out")
    };
    place.write("in", "one");
    assert_eq!(place.run(&command("1", "in")).nearness, Some(Nearness::First));
    let Some(Nearness::Nearest { differences, .. }) = place.run(&command("2", "in")).nearness else {
        panic!()
    };
    let [difference] = differences.as_slice() else { panic!("{differences:?}") };
    assert_eq!(
        (difference.name.as_str(), difference.kept.as_deref(), difference.now.as_deref()),
        ("scale", Some("1"), Some("2"))
    );
    place.write("in", "two");
    let Some(Nearness::Nearest { differences, .. }) = place.run(&command("2", "in")).nearness else {
        panic!()
    };
    assert_eq!(differences.len(), 1);
    assert!(differences[0].name.ends_with("/in"), "{differences:?}");
}

#[test]
fn concurrent_callers_compute_once() {
    let place = Place::new();
    place.write("in", "text");
    let command = MemoCommand {
        reads: vec![place.path("in")],
        writes: vec![place.path("out")],
        ..place.script("sleep 0.5; cp in out")
    };
    let folder = place.path("store");
    let run = || {
        // Each has its own store, as another process would.
        let store = ProductStore::open(&folder, &StoreOptions::default()).unwrap();
        command.run(&store, &mut || {}).unwrap()
    };
    let outcomes: Vec<MemoOutcome> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(place.runs(), 1);
    let count = |source| outcomes.iter().filter(|outcome| outcome.source == source).count();
    assert_eq!((count(MemoSource::Ran), count(MemoSource::Waited) + count(MemoSource::Known)), (1, 3));
    assert_eq!(fs::read_dir(place.path("store/memo-locks")).unwrap().count(), 0, "no lock is left");
}

#[test]
fn a_digest_is_not_remembered_of_a_file_that_may_still_change() {
    let place = Place::new();
    place.write("in", "aaaa");
    let command = copying(&place);
    place.run(&command);
    // Same length, and the time of the change set back.
    let before = place.path("in").metadata().unwrap().modified().unwrap();
    place.write("in", "bbbb");
    fs::File::options().append(true).open(place.path("in")).unwrap().set_modified(before).unwrap();
    place.run(&command);
    assert_eq!(place.text("out"), "BBBB");
    // The same for an old file, whose digest is remembered.
    let old = SystemTime::now() - Duration::from_secs(100);
    let set = |path: &Path| fs::File::options().append(true).open(path).unwrap().set_modified(old).unwrap();
    set(&place.path("in"));
    place.run(&command);
    place.write("in", "cccc");
    set(&place.path("in"));
    place.run(&command);
    assert_eq!(place.text("out"), "CCCC");
}

#[test]
fn a_trace_names_files_that_were_not_declared() {
    if !can_trace() {
        return;
    }
    let place = Place::new();
    place.write("in", "text");
    place.write("hidden", "more");
    let script = "cat in hidden > step && sort step > sorted && mv sorted out && rm step && (cat hidden > side &) ; wait; sleep 0.1";
    let command = MemoCommand {
        reads: vec![place.path("in")],
        writes: vec![place.path("out"), place.path("runs")],
        trace: true,
        ..place.script(script)
    };
    let outcome = place.run(&command);
    assert_eq!((outcome.exit, outcome.not_kept), (0, None));
    let traced = outcome.traced.unwrap();
    let folder = place.folder.path().canonicalize().unwrap();
    assert_eq!(traced.reads.into_iter().collect::<Vec<_>>(), [folder.join("hidden")]);
    assert_eq!(traced.writes.into_iter().collect::<Vec<_>>(), [folder.join("side")]);
    let failing = MemoCommand { trace: true, ..place.script("exit 3") };
    assert_eq!(place.run(&failing).exit, 3);
    let killed = MemoCommand { trace: true, ..place.script("kill -TERM $$") };
    assert_eq!(place.run(&killed).exit, 128 + 15);
}
