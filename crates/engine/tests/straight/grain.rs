//! How fine tasks are changes no result: split, fused or as they are written, in one run or from one run to the next.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use onceflow_costs::{Costs, Record};
use onceflow_engine::{
    Call, ChosenGrain, Done, Granularity, Level, Merge, OpenStudy, Operation, OperationError, Operations,
    PhaseBegun, Progress, RowStatus, Run, RunEnding, RunFolder, RunSettings, Silent, TaskOver, catalogue,
    grain_json, run,
};
use onceflow_region::{Dense, Pixels, Region};
use onceflow_study::{OpSpec, OpStep, ParameterKind, RegionKind, SourceText, parse_study, read_workflow};

use crate::asked::{Answered, Asked, IMAGES, METRICS, PARAMETERS, QUICK, half_glass};

const PHASES: &str = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 2\n\
    [[phase]]\nname = \"decompose\"\nmethod = \"vbd\"\nbase = 4\nkeep = [\"G1\", \"minSizePl\"]\n";

/// Small parts, of which some are glass.
fn asked(workflow: &str) -> Asked {
    let glass = "[[image]]\nname = \"glass\"\nfile = \"glass.png\"\num_per_pixel = 0.5\n";
    let head = format!("name = \"grain\"\nworkflow = \"{workflow}\"\n");
    let parts = "[parts]\nsize = 48\nseams = \"independent\"\nbackground = \"keep\"\n";
    let asked = Asked::new(&format!("{head}{IMAGES}{glass}{parts}{PARAMETERS}{METRICS}{PHASES}{QUICK}"));
    half_glass(&asked.path().join("glass.png"), 96, 48);
    asked
}

fn run_as(
    asked: &Asked,
    name: &str,
    granularity: Granularity,
    options: &RunSettings,
    progress: &mut dyn Progress,
) -> Run {
    let folder = RunFolder::create(&asked.path().join(name)).unwrap();
    let study = asked.open().with_granularity(Some(granularity));
    run(&study, options, &folder, progress).unwrap()
}

fn alone(asked: &Asked, granularity: Granularity, level: Level, workers: usize) -> Run {
    let name = format!("{granularity}-{level}-{workers}");
    run_as(asked, &name, granularity, &Asked::options(1 << 30, level, workers), &mut Silent)
}

#[test]
fn every_grain_gives_the_same_bytes() {
    for workflow in ["nuclei", "nuclei-paper"] {
        let asked = asked(workflow);
        let expected = Answered::of(&alone(&asked, Granularity::Written, Level::None, 1));
        for granularity in Granularity::ALL {
            for (level, workers) in
                [(Level::None, 2), (Level::Task, 1), (Level::Dataflow, 8), (Level::Object, 8)]
            {
                let found = alone(&asked, granularity, level, workers);
                assert!(Answered::of(&found) == expected, "{workflow}, {granularity}, {level} on {workers}");
                let work = &found.answer.work.tasks;
                let merged = work.stage + work.task + work.dataflow + work.convergent + work.object;
                assert_eq!(merged + work.ended_early + work.failed + work.computed, work.asked);
            }
        }
    }
}

#[test]
fn what_steps_cost_is_recorded_of_real_operations() {
    let asked = asked("nuclei-paper");
    let known: BTreeSet<String> = catalogue().ids().map(str::to_owned).collect();
    for granularity in Granularity::ALL {
        let found = alone(&asked, granularity, Level::Object, 2);
        let seen: BTreeSet<String> = found.records.iter().map(|record| record.operation.clone()).collect();
        assert!(seen.is_subset(&known), "{seen:?}");
        assert_eq!(
            seen.contains("nuclei.split"),
            !seen.contains("nuclei.separate"),
            "{granularity}: {seen:?}"
        );
        if granularity == Granularity::Fused {
            let fused = &found.answer.work.grain[0].chosen.fused;
            assert!(fused.contains(&["t4", "t5", "t6", "t7"].map(str::to_owned).to_vec()), "{fused:?}");
            assert!(seen.contains("nuclei.finish"));
        }
    }
}

#[test]
fn the_papers_workflow_is_split_where_that_saves_work_and_the_papers_ways_leave_it_alone() {
    let asked = Asked::new(&format!(
        "name = \"large\"\nworkflow = \"nuclei-paper\"\n[[image]]\nname = \"one\"\nfile = \"synth:2000x2000?seed=3\"\n\
         {PARAMETERS}[[metric]]\nname = \"change\"\nof = \"nuclei\"\nmeasure = \"pixel_difference\"\nagainst = \"default\"\n\
         [[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 10\n"
    ));
    let planned = |study: OpenStudy, level| study.plan(level, &Merge::Nothing, 2, 8 << 30).unwrap();
    assert_eq!(planned(asked.open(), Level::Object).grain.chosen, ChosenGrain::default(), "nobody asked");
    let unsaid = |costs: Costs| asked.open().with_costs(costs).with_granularity(None);
    let declared = planned(unsaid(Costs::default()), Level::Object);
    assert_eq!(declared.grain.chosen, ChosenGrain::default(), "declared costs are those of another machine");
    let auto = planned(asked.open().with_granularity(Some(Granularity::Auto)), Level::Object);
    for times in [0.3, 1.0, 3.0] {
        // Steps never ran by themselves: they are neither cheaper nor dearer for that.
        let measured = planned(unsaid(measured(times)), Level::Object);
        assert_eq!(
            measured.grain.chosen, auto.grain.chosen,
            "a machine that takes {times} of what is declared"
        );
    }
    // The first half of t6 is cheap beside the second, which reads all that the whole reads: splitting it saves too little.
    assert_eq!(auto.grain.chosen.split, ["t1"]);
    let (written, chosen) = auto.grain.seconds;
    assert!(chosen < 0.99 * written, "{chosen} of {written}");
    assert!(auto.rules[0].did.contains("t1 split into "), "{:?}", auto.rules[0]);
    for level in [Level::None, Level::Stage, Level::Task] {
        assert_eq!(planned(unsaid(measured(1.0)), level).grain.chosen, ChosenGrain::default());
    }
    let same = planned(asked.open().with_granularity(Some(Granularity::Written)), Level::Object);
    assert_eq!(same.grain.chosen, ChosenGrain::default());
    let again =
        planned(asked.open().with_grain_of(&grain_json(std::slice::from_ref(&auto.grain))), Level::Object);
    assert_eq!(again.grain.chosen, auto.grain.chosen, "what a run tells is what `why` reads");
}

/// Costs of all operations of the papers' workflow, so many times those that they declare.
fn measured(times: f64) -> Costs {
    let (mut costs, catalogue) = (Costs::default(), catalogue());
    for task in alone(&asked("nuclei-paper"), Granularity::Written, Level::Dataflow, 2).records {
        let declared = catalogue.get(&task.operation).unwrap().cost_ns_per_pixel * 1e-9;
        let (pixels, output_bytes, scratch_bytes) = (4_000_000, 0, 0);
        let seconds = times * declared * pixels as f64;
        (0..4).for_each(|_| {
            costs.add(&Record { pixels, seconds, output_bytes, scratch_bytes, ..task.clone() }).unwrap();
        });
    }
    costs
}

/// Stops a run after so many tasks.
struct Interrupt<'o> {
    options: &'o RunSettings,
    tasks: usize,
}

impl Progress for Interrupt<'_> {
    fn phase(&mut self, _: &PhaseBegun) {}

    fn task(&mut self, _: &TaskOver<'_>) {
        self.tasks = self.tasks.saturating_sub(1);
        if self.tasks == 0 {
            self.options.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_run_goes_on_with_another_grain() {
    let asked = asked("nuclei-paper");
    let expected = Answered::of(&alone(&asked, Granularity::Written, Level::Object, 2));
    let mut resumed = 0.0;
    for turn in 0.. {
        assert!(turn < 100, "it never ends");
        let options = Asked::options(1 << 30, Level::Object, 2);
        let granularity = Granularity::ALL[turn % Granularity::ALL.len()];
        let found =
            run_as(&asked, "again", granularity, &options, &mut Interrupt { options: &options, tasks: 300 });
        resumed += found.answer.work.tasks.resumed;
        if found.ending == RunEnding::Complete {
            assert!(Answered::of(&found) == expected);
            break;
        }
    }
    assert!(resumed > 0.0, "it went on rather than beginning anew");
}

/// Hands a mask on, or fails when its parameter is odd.
struct Odd(&'static str);

impl Operation for Odd {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        let odd =
            matches!(call.parameters.first(), Some(onceflow_study::Canonical::Integer(n)) if n % 2 == 1);
        let glass = Region::Dense(Dense::new(48, 48, 1, Pixels::U8(vec![0; 48 * 48])).unwrap());
        match (odd, self.0) {
            (true, "panic") => panic!("an odd number"),
            (true, message) => Err(OperationError::new(message)),
            (false, _) => Ok(Done::with(vec![glass])),
        }
    }
}

#[test]
fn a_row_fails_in_the_task_that_is_written_whatever_stands_in_its_place() {
    let spec = |id: &str| OpSpec::new(id, "a test", 5.0).makes(&[("out", RegionKind::Mask)]);
    let steps = [
        OpStep::new("one", "mine.one").takes(&["in"]).reads(&["n"]).makes(&["inner"]),
        OpStep::new("two", "mine.two").takes(&["inner"]).makes(&["out"]),
    ];
    let taking = |id: &str| spec(id).takes(&[("in", RegionKind::Any)]);
    let reading = |id: &str| taking(id).reads(&[("n", ParameterKind::Integer)]);
    let operations = || {
        Operations::built_in()
            .with(reading("mine.panic"), Odd("panic"))
            .with(reading("mine.one"), Odd("an odd number"))
            .with(taking("mine.two"), Odd("never"))
            .with(reading("mine.both").made_of(steps.clone()), Odd("an odd number"))
    };
    let descriptor = r#"{ "workflow": "odd", "version": 1,
        "parameters": { "x": { "type": "integer", "default": 2 }, "y": { "type": "integer", "default": 2 }, "z": { "type": "integer", "default": 2 } },
        "regions": { "image": "rgb8", "first": "mask", "second": "mask", "nuclei": "mask" },
        "stages": [ { "stage": "s", "in": ["image"], "out": ["nuclei"], "tasks": [
            { "task": "t1", "op": "mine.panic", "in": ["image"], "reads": { "n": "x" }, "out": ["first"] },
            { "task": "t2", "op": "mine.both", "in": ["first"], "reads": { "n": "y" }, "out": ["second"] },
            { "task": "t3", "op": "mine.one", "in": ["second"], "reads": { "n": "z" }, "out": ["nuclei"] } ] } ],
        "outputs": ["nuclei"] }"#;
    let workflow = read_workflow(&SourceText::new("odd.json", descriptor)).unwrap();
    let text = "name = \"odd\"\nworkflow = \"odd.json\"\n[[image]]\nname = \"one\"\nfile = \"synth:48x48?seed=3\"\n\
        [parameters]\nx = [2, 3]\ny = [2, 3]\nz = [2, 3]\n[[metric]]\nname = \"n\"\nof = \"nuclei\"\nmeasure = \"objects\"\n\
        [[phase]]\nname = \"sweep\"\nmethod = \"grid\"\n[run]\nstop_above = 1.0\n";
    let (study, said) =
        parse_study(&SourceText::new("study.toml", text)).unwrap().resolve(Some(&workflow), None);
    let study = study.unwrap_or_else(|| panic!("{said}"));
    let folder = tempfile::tempdir().unwrap();
    let rows = |granularity: Granularity| {
        let study = OpenStudy::with_operations(&study, &workflow, folder.path(), operations()).unwrap();
        let into = RunFolder::create(&folder.path().join(granularity.word())).unwrap();
        let study = study.with_granularity(Some(granularity));
        let found = run(&study, &Asked::options(1 << 30, Level::Object, 2), &into, &mut Silent).unwrap();
        let statuses: Vec<RowStatus> = found.answer.table.rows.iter().map(|row| row.status.clone()).collect();
        (Answered::of(&found), statuses)
    };
    let expected = rows(Granularity::Written);
    for name in ["t1", "t2", "t3"] {
        let failed = |status: &RowStatus| matches!(status, RowStatus::Failed { task, .. } if task == name);
        assert!(expected.1.iter().any(failed), "{name}: {:?}", expected.1);
    }
    for granularity in [Granularity::Split, Granularity::Fused, Granularity::Auto] {
        assert_eq!(rows(granularity), expected, "{granularity}");
    }
}
