//! The rows of a study cut into buckets, carried out as values of JSON in any order, give the bytes of the whole run.

use onceflow_engine::{
    BucketInput, BucketReference, BucketRows, EngineError, Level, Merge, Merging, OpenStudy, RunFolder,
    RunSettings, Silent, execute_bucket, next_buckets, record_bucket,
};

use crate::asked::{Answered, Asked, IMAGES, METRICS, PARAMETERS, QUICK, half_glass};

const PHASES: &str = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 2\n\
    [[phase]]\nname = \"decompose\"\nmethod = \"vbd\"\nbase = 4\n\
    keep = { phase = \"screen\", metric = \"change\", share = 0.2, at_most = 2 }\n";

fn asked(run: &str) -> Asked {
    let glass = "[[image]]\nname = \"glass\"\nfile = \"glass.png\"\num_per_pixel = 0.5\n";
    let head = "name = \"buckets\"\nworkflow = \"nuclei\"\n";
    let parts = "[parts]\nsize = 48\nseams = \"independent\"\nbackground = \"keep\"\n";
    let asked = Asked::new(&format!("{head}{IMAGES}{glass}{parts}{PARAMETERS}{METRICS}{PHASES}{QUICK}{run}"));
    half_glass(&asked.path().join("glass.png"), 96, 48);
    asked
}

fn settings(level: Level, merge: Merge) -> RunSettings {
    RunSettings { merge, ..Asked::options(1 << 30, level, 2) }
}

/// Carries out a bucket as another process would: what goes in and what comes out is text.
fn carried_out(study: &OpenStudy, level: Level, bucket: &BucketInput, folder: &RunFolder) -> BucketRows {
    let sent = BucketInput::from_json(&bucket.to_json().unwrap()).unwrap();
    assert_eq!(sent, *bucket);
    let settings = settings(level, Merge::Nothing);
    let rows = execute_bucket(study, &settings, &sent, folder, &mut Silent).unwrap();
    assert!(rows.complete && rows.bucket == bucket.digest().unwrap());
    BucketRows::from_json(&rows.to_json().unwrap()).unwrap()
}

/// Carries out phase after phase in buckets, the last bucket first; says how many buckets each phase had.
fn in_buckets(asked: &Asked, folder: &RunFolder, merge: &Merge) -> Vec<usize> {
    let study = asked.open();
    let mut counts = Vec::new();
    loop {
        let settings = settings(Level::Dataflow, merge.clone());
        let buckets = next_buckets(&study, &settings, folder, &mut Silent).unwrap();
        if buckets.is_empty() {
            return counts;
        }
        assert!(counts.len() < study.study().phases.len(), "recorded rows are known");
        counts.push(buckets.len());
        for (number, bucket) in buckets.iter().enumerate().rev() {
            let level = Level::ALL[number % Level::ALL.len()];
            record_bucket(&study, folder, &carried_out(&study, level, bucket, folder)).unwrap();
        }
    }
}

#[test]
fn buckets_in_any_order_give_the_bytes_of_the_whole_run() {
    let asked = asked("keep_regions = [\"nuclei\"]\n");
    let whole = asked.run(Level::Dataflow, 2);
    let merges = [
        (Merge::Nothing, 1),
        (Merge::By(Merging::Naive { most: 5 }), 5),
        (Merge::By(Merging::Rtma { most: 4 }), 5),
    ];
    for (number, (merge, least)) in merges.into_iter().enumerate() {
        let name = format!("buckets-{number}");
        let folder = RunFolder::create(&asked.path().join(&name)).unwrap();
        let counts = in_buckets(&asked, &folder, &merge);
        assert!(counts.len() == 2 && counts[0] >= least, "{counts:?}");
        let run = asked.run_into(&name, &Asked::options(1 << 30, Level::Dataflow, 2), &mut Silent).unwrap();
        assert_eq!(Answered::of(&run), Answered::of(&whole), "{merge:?}");
        assert_eq!(run.trace.len(), 0, "all rows were recorded: {merge:?}");
        let list = |kept: &Option<String>| kept.as_ref().unwrap().lines().count();
        assert_eq!(list(&run.kept), list(&whole.kept));
        for line in run.kept.unwrap().lines().skip(1) {
            assert!(folder.path().join(line.rsplit(',').next().unwrap()).is_file(), "{line}");
        }
    }
}

#[test]
fn a_bucket_gives_the_same_lines_every_time_and_recording_twice_changes_nothing() {
    let asked = asked("");
    let (study, folder) = (asked.open(), RunFolder::create(&asked.path().join("twice")).unwrap());
    let cut = settings(Level::Dataflow, Merge::By(Merging::Naive { most: 6 }));
    let buckets = next_buckets(&study, &cut, &folder, &mut Silent).unwrap();
    assert!(buckets.len() > 2 && buckets[1].reference == BucketReference::Computed);
    assert!(buckets[0].shared.iter().any(|shared| shared.image.as_deref() == Some("one")));
    for bucket in &buckets {
        let [first, second] =
            [Level::None, Level::Object].map(|level| carried_out(&study, level, bucket, &folder));
        assert_eq!(first, second);
        record_bucket(&study, &folder, &first).unwrap();
        record_bucket(&study, &folder, &second).unwrap();
    }
    let next = next_buckets(&study, &cut, &folder, &mut Silent).unwrap();
    assert_eq!(next[0].phase.name, "decompose");
    let BucketReference::Saved(regions) = &next[0].reference else { panic!("{:?}", next[0].reference) };
    assert_eq!(regions.len(), next[0].parts.len());
    let run = asked.run_into("twice", &Asked::options(1 << 30, Level::Object, 2), &mut Silent).unwrap();
    assert_eq!(Answered::of(&run), Answered::of(&asked.run(Level::None, 2)));
    assert!(run.trace.iter().all(|entry| entry.phase == "decompose"));
}

fn refused(result: Result<BucketRows, EngineError>, words: &str) {
    let error = result.unwrap_err();
    assert!(matches!(error, EngineError::BadInput(_)) && error.to_string().contains(words), "{error}");
}

#[test]
fn buckets_of_another_plan_and_changed_values_are_refused() {
    let asked = asked("");
    let (study, folder) = (asked.open(), RunFolder::create(&asked.path().join("refused")).unwrap());
    let settings = settings(Level::Dataflow, Merge::Nothing);
    let bucket = next_buckets(&study, &settings, &folder, &mut Silent).unwrap().remove(0);
    let execute = |bucket: &BucketInput| execute_bucket(&study, &settings, bucket, &folder, &mut Silent);
    let changed = |change: &dyn Fn(&mut BucketInput)| {
        let mut other = bucket.clone();
        change(&mut other);
        execute(&other)
    };
    refused(changed(&|bucket| bucket.plan = "0".repeat(64)), "belongs to another plan");
    refused(changed(&|bucket| bucket.phase.rows += 1), "belongs to another plan");
    refused(changed(&|bucket| bucket.rows[1].row = 0), "does not fit the study");
    refused(changed(&|bucket| bucket.rows[1].row = 9999), "does not fit the study");
    refused(changed(&|bucket| bucket.rows[1].values.truncate(3)), "does not fit the study");
    refused(changed(&|bucket| bucket.parts.push(99)), "does not fit the study");
    refused(changed(&|bucket| bucket.parts.reverse()), "does not fit the study");
    refused(changed(&|bucket| bucket.images[0].digest = "0".repeat(64)), "does not fit the study");
    refused(changed(&|bucket| bucket.images[0].name = "other".into()), "does not fit the study");
    refused(changed(&|bucket| bucket.version = 9), "does not know");
    let text = bucket.to_json().unwrap();
    assert!(BucketInput::from_json(&text[..text.len() / 2]).is_err());
    half_glass(&asked.path().join("glass.png"), 90, 48);
    let other = asked.open();
    refused(execute_bucket(&other, &settings, &bucket, &folder, &mut Silent), "belongs to another plan");
}

#[test]
fn changed_lines_are_not_recorded_and_a_bucket_of_some_parts_has_these_alone() {
    let asked = asked("");
    let (study, folder) = (asked.open(), RunFolder::create(&asked.path().join("lines")).unwrap());
    let settings = settings(Level::Dataflow, Merge::Nothing);
    let mut bucket = next_buckets(&study, &settings, &folder, &mut Silent).unwrap().remove(0);
    bucket.parts = vec![1, 4];
    bucket.rows.truncate(3);
    let mut rows = carried_out(&study, Level::Object, &bucket, &folder);
    let over = rows.lines.iter().filter(|line| line.contains("\"row\"")).count();
    assert_eq!(over, 3 * 2, "{:?}", rows.lines);
    rows.lines[0].push(' ');
    assert!(record_bucket(&study, &folder, &rows).unwrap_err().to_string().contains("were changed"));
    assert!(BucketRows::from_json(&rows.to_json().unwrap()).is_err());
}
