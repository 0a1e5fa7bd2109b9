//! What a plan predicts, by declared costs and by measured ones.

use std::collections::BTreeMap;

use onceflow_costs::{Costs, Record};
use onceflow_engine::{Level, Merge, Planned};

use crate::asked::{Asked, METRICS, QUICK};

/// Two images in parts of several sizes, each with nuclei, so that no part ends early.
const IMAGES: &str = r#"
[[image]]
name = "one"
file = "synth:200x150?seed=3"
truth = "synth:200x150?seed=3"
[[image]]
name = "two"
file = "synth:150x130?seed=11"
"#;

fn asked() -> Asked {
    let head = "name = \"predicted\"\nworkflow = \"nuclei\"\nseed = 1\n";
    let parts = "[parts]\nsize = 96\nseams = \"independent\"\n";
    let parameters =
        "[parameters]\nminSize = { from = 2, to = 40, step = 2 }\nG1 = { from = 5, to = 80, step = 5 }\n";
    let phase = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 2\n";
    Asked::new(&format!("{head}{IMAGES}{parts}{parameters}{METRICS}{phase}{QUICK}"))
}

fn total(planned: &Planned) -> f64 {
    planned.levels.levels.last().unwrap().seconds
}

#[test]
fn measured_costs_count_for_each_size_of_part() {
    let asked = asked();
    let run = asked.run(Level::None, 2);
    let sizes: BTreeMap<u64, usize> = run.records.iter().fold(BTreeMap::new(), |mut sizes, record| {
        *sizes.entry(record.pixels).or_default() += 1;
        sizes
    });
    assert!(sizes.len() > 3, "the test needs several sizes: {sizes:?}");
    assert_eq!(run.answer.work.tasks.ended_early, 0.0, "the test needs all tasks");
    // Every task as long as no machine makes it: a fixed part of 10 ms, and 1 microsecond for each pixel.
    let expected = |record: &Record| 0.01 + 1e-6 * record.pixels as f64;
    let mut costs = Costs::default();
    for record in &run.records {
        costs.add(&Record { seconds: expected(record), ..record.clone() }).unwrap();
    }
    let planned = asked.open().with_costs(costs).plan(Level::None, &Merge::Nothing, 2, u64::MAX).unwrap();
    let sum: f64 = run.records.iter().map(expected).sum();
    assert!((total(&planned) / sum - 1.0).abs() < 0.02, "{} planned, {sum} expected", total(&planned));
    assert_eq!(planned.costs.records, run.records.len() as u64);
    assert_eq!(planned.costs.declared, 0);
}

#[test]
fn each_level_is_planned_by_what_tasks_took_at_it() {
    let asked = asked();
    let mut costs = Costs::default();
    // As no machine has it: tasks of one second without reuse, and of three where all is shared.
    for (level, seconds) in [(Level::None, 1.0), (Level::Dataflow, 3.0)] {
        for record in asked.run(level, 2).records {
            assert_eq!(record.reuse.as_deref(), Some(level.word()));
            // Whatever its level leaves, there are several of each task.
            (0..4).for_each(|_| costs.add(&Record { seconds, ..record.clone() }).unwrap());
        }
    }
    let study = asked.open().with_costs(costs);
    let plan = |level: Level| study.plan(level, &Merge::Nothing, 1, u64::MAX).unwrap();
    let planned = plan(Level::Dataflow);
    let figures = |level: Level| planned.levels.at(level).unwrap();
    let each = |level: Level| figures(level).seconds / figures(level).tasks as f64;
    let ratio = each(Level::Dataflow) / each(Level::None);
    assert!((2.9..3.1).contains(&ratio), "{}", planned.levels);
    assert!(
        (each(Level::Task) / each(Level::None) - 3.0).abs() < 0.3,
        "dataflow is nearer: {}",
        planned.levels
    );
    assert_eq!(planned.makespan, total(&planned));
    let none = total(&plan(Level::None)) / figures(Level::None).seconds;
    assert!((none - 1.0).abs() < 1e-9, "whatever the highest level is: {none}");
    assert_eq!(total(&plan(Level::Object)), total(&planned), "the nearest level is dataflow");
}

#[test]
fn other_machines_and_versions_do_not_count() {
    let asked = asked();
    let declared = asked.open().plan(Level::Dataflow, &Merge::Nothing, 1, u64::MAX).unwrap();
    assert_eq!(declared.costs.to_string(), "declared costs");
    let record = asked.run(Level::Dataflow, 1).records[0].clone();
    let with = |record: Record| {
        let mut costs = Costs::default();
        costs.add(&record).unwrap();
        asked.open().with_costs(costs).plan(Level::Dataflow, &Merge::Nothing, 1, u64::MAX).unwrap()
    };
    for other in [
        Record { device: "cpu of somebody else".into(), ..record.clone() },
        Record { version: record.version + 1, ..record.clone() },
    ] {
        let planned = with(other);
        assert_eq!((total(&planned), planned.costs), (total(&declared), declared.costs));
    }
    let planned = with(Record { seconds: 1e3, ..record });
    assert!(total(&planned) > total(&declared));
    let said = planned.costs.to_string();
    let others = planned.costs.declared;
    assert_eq!(said, format!("measured: 1 task on this machine; declared costs of {others} operations"));
}
