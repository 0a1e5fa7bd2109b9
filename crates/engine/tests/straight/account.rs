//! The account balances, and the log proves it.

use onceflow_engine::{Amounts, Level, Merge, Merging, Pruning, Run, SmallBucket, run_json};

use crate::asked::{Answered, Asked, IMAGES, LEVELS, METRICS, PARAMETERS, QUICK};

const PHASES: &str = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 3\n\
    [[phase]]\nname = \"decompose\"\nmethod = \"vbd\"\nbase = 4\nkeep = [\"G1\", \"minSize\", \"T1\"]\n";

fn sum(amounts: &Amounts) -> f64 {
    let Amounts { asked: _, stage, task, dataflow, convergent, object, .. } = *amounts;
    let Amounts { products, ended_early, failed, resumed, computed, .. } = *amounts;
    stage + task + dataflow + convergent + object + products + ended_early + failed + resumed + computed
}

fn check(run: &Run, asked: f64) {
    let work = &run.answer.work;
    assert_eq!(work.tasks.asked, asked);
    assert_eq!(sum(&work.tasks), asked, "{:?}", work.tasks);
    assert!((sum(&work.seconds) / work.seconds.asked - 1.0).abs() < 1e-9, "{:?}", work.seconds);
    // The row that is proposed has amounts of its own.
    let (proposed, rows): (Vec<_>, Vec<_>) = run.trace.iter().partition(|entry| entry.phase == "proposed");
    assert_eq!(run.records.len(), rows.len());
    for (entries, tasks, seconds) in
        [(rows, &work.tasks, &work.seconds), (proposed, &work.proposed.tasks, &work.proposed.seconds)]
    {
        let ran = tasks.computed + tasks.object;
        assert_eq!(entries.len() as f64, ran, "what was computed is in the log, once");
        let logged: f64 = entries.iter().map(|entry| entry.seconds).sum();
        assert!((logged - seconds.computed).abs() < 1e-9 * logged.max(1.0), "{logged} {seconds:?}");
    }
    let of_phases: u64 = run.answer.phases.iter().map(|phase| phase.computed + phase.reused).sum();
    assert_eq!(of_phases as f64, asked);
}

#[test]
fn every_level_balances_and_none_computes_more_than_the_one_before() {
    let parts = "[parts]\nsize = 48\nseams = \"independent\"\n";
    let head = "name = \"account\"\nworkflow = \"nuclei\"\n";
    let asked = Asked::new(&format!("{head}{IMAGES}{parts}{PARAMETERS}{METRICS}{PHASES}{QUICK}"));
    let mut before = f64::INFINITY;
    for level in LEVELS {
        let run = asked.run(level, 2);
        let (rows, images) = (run.answer.table.rows.len(), run.answer.images.len());
        let parts: usize = run.answer.images.iter().map(|image| image.parts).sum();
        assert_eq!((rows, parts), (1 + 33 + 20, 4 + 2));
        // The statistics belong to an image, the other eleven tasks to a part.
        check(&run, (rows * (images + 11 * parts)) as f64);
        assert_eq!(run.answer.work.instances, (rows * parts) as u64);
        let computed = run.answer.work.tasks.computed;
        // What turns out to be equal while it runs need not be much, and objects save within tasks.
        assert!(computed < before || (level > Level::Dataflow && computed <= before), "{level}");
        before = computed;
    }
}

/// Buckets compute more than one scope for all, and find the same.
#[test]
fn buckets_change_the_work_and_not_the_answer() {
    let head = "name = \"account\"\nworkflow = \"nuclei-paper\"\n";
    let asked = Asked::new(&format!("{head}{IMAGES}{PARAMETERS}{METRICS}{PHASES}{QUICK}"));
    let expected = Answered::of(&asked.run(Level::None, 1));
    let computed = |run: &Run| run.answer.work.tasks.computed;
    let trtma = Merging::Trtma { buckets: 4, pruning: Pruning::Global, small: SmallBucket::Smallest };
    let ways = [
        Merging::Naive { most: 3 },
        Merging::Sca { most: 3 },
        Merging::Rtma { most: 3 },
        Merging::Packed { most: 3 },
        trtma,
        Merging::Auto { workers: 5 },
    ];
    let stage = computed(&asked.run(Level::Stage, 2));
    for level in [Level::Task, Level::Dataflow] {
        let whole = computed(&asked.run(level, 2));
        for merging in ways {
            let run = asked.run_merged(level, Merge::By(merging));
            assert_eq!(Answered::of(&run), expected, "{merging} at {level}");
            let all = (run.answer.table.rows.len() * (2 + 8 * 2)) as f64;
            check(&run, all);
            assert!(whole < computed(&run) && computed(&run) < stage, "{merging} at {level}");
        }
    }
}

#[test]
fn rows_that_end_early_balance_too() {
    let text = format!(
        "name = \"early\"\nworkflow = \"nuclei\"\n{IMAGES}[parameters]\nminSize = [11, 400, 900]\n\
         blue = [40, 220]\ngreen = {{ values = [40, 220], default = 40 }}\nred = [40, 220]\n{METRICS}\
         [[phase]]\nname = \"sweep\"\nmethod = \"grid\"\n"
    );
    for level in LEVELS {
        let run = Asked::new(&text).run(level, 2);
        check(&run, (25 * 12 * 2) as f64);
        assert!(run.answer.work.tasks.ended_early > 0.0);
    }
    let expected = Answered::of(&Asked::new(&text).run(Level::None, 1));
    for level in [Level::Task, Level::Dataflow] {
        let run = Asked::new(&text).run_merged(level, Merge::By(Merging::Rtma { most: 2 }));
        check(&run, (25 * 12 * 2) as f64);
        assert_eq!(Answered::of(&run), expected);
    }
}

#[test]
fn the_object_of_a_run_has_the_fixed_keys() {
    let head = "name = \"keys\"\nworkflow = \"nuclei-paper\"\n";
    let asked = Asked::new(&format!("{head}{IMAGES}{PARAMETERS}{METRICS}{PHASES}{QUICK}"));
    let json = run_json(&asked.run(LEVELS[3], 2).answer);
    for pointer in
        ["/tasks/asked", "/tasks/computed", "/tasks/failed", "/rows", "/instances", "/peak_rss_bytes"]
    {
        assert!(json.pointer(pointer).is_some_and(serde_json::Value::is_u64), "{pointer} in {json}");
    }
    for pointer in ["/cost/asked", "/cost/computed", "/wall_s"] {
        assert!(json.pointer(pointer).is_some_and(serde_json::Value::is_f64), "{pointer} in {json}");
    }
    let by = json["tasks"]["by"].as_object().unwrap();
    let mut keys: Vec<&str> = by.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["convergent", "dataflow", "ended_early", "object", "products", "stage", "task"]);
    let saved: u64 = by.values().map(|n| n.as_u64().unwrap()).sum();
    let of = |key: &str| json["tasks"][key].as_u64().unwrap();
    assert_eq!(saved + of("computed") + of("failed"), of("asked"));
    assert_eq!(json["version"], 1);
}
