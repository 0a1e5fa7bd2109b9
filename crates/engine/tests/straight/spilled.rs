//! What memory has no room for goes to the disk and comes back: the same bytes, the same work.

use std::path::Path;

use onceflow_engine::{EngineError, Level, Silent};

use crate::asked::{Answered, Asked, IMAGES, METRICS, PARAMETERS, QUICK};

fn asked() -> Asked {
    let head = "name = \"spilled\"\nworkflow = \"nuclei\"\n";
    let parts = "[parts]\nsize = 48\nseams = \"independent\"\n";
    let phase = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 6\n";
    Asked::new(&format!("{head}{IMAGES}{parts}{PARAMETERS}{METRICS}{phase}{QUICK}"))
}

fn leftovers(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).filter(|name| name.starts_with(".onceflow")).collect()
}

#[test]
fn the_least_memory_gives_the_same_bytes_and_computes_nothing_twice() {
    let asked = asked();
    let roomy = asked.run(Level::Dataflow, 2);
    let least = match asked.run_in(1000, Level::Dataflow, 2) {
        Err(EngineError::Memory { needed, .. }) => needed,
        other => panic!("{other:?}"),
    };
    let peak = roomy.answer.work.peak_reserved;
    assert!(least < peak * 3 / 4, "{least} of {peak} is not much less");
    assert_eq!(roomy.answer.work.spilled, 0);
    for memory in [peak, peak * 3 / 4, least] {
        for workers in [1, 2, 8] {
            let name = format!("{memory}-{workers}");
            let options = Asked::options(memory, Level::Dataflow, workers);
            let run = asked.run_into(&name, &options, &mut Silent).unwrap();
            assert!(Answered::of(&run) == Answered::of(&roomy), "{memory} on {workers}");
            let work = &run.answer.work;
            assert!(work.peak_reserved <= memory);
            assert_eq!(work.tasks.computed, roomy.answer.work.tasks.computed);
            assert!(memory > least || work.spilled > 0, "nothing was spilled in {memory}");
            assert_eq!(leftovers(&asked.path().join(&name)), [""; 0]);
        }
    }
}

/// Whoever writes, in whatever groups: also where memory is too tight for anything to wait.
#[test]
fn any_staging_gives_the_same_bytes() {
    let asked = asked();
    let roomy = asked.run(Level::Dataflow, 2);
    let least = match asked.run_in(1000, Level::Dataflow, 2) {
        Err(EngineError::Memory { needed, .. }) => needed,
        other => panic!("{other:?}"),
    };
    let stagings = [
        "co-located",
        "co-located:group=2,batch=1",
        "co-located:group=3,batch=4,round-robin",
        "co-located:group=1,batch=2,random=7",
        "separated",
        "separated:writers=3,group=1,batch=1,random",
        "separated:writers=4,group=2,batch=9,round-robin",
    ];
    for words in stagings {
        let mut spilled = Vec::new();
        for (memory, workers) in [(least, 2), (least + least / 8, 1), (least + least / 8, 3)] {
            let mut options = Asked::options(memory, Level::Dataflow, workers);
            options.staging = words.parse().unwrap();
            let name = format!("{memory}-{workers}-{words}");
            let run = asked.run_into(&name, &options, &mut Silent).unwrap();
            assert!(Answered::of(&run) == Answered::of(&roomy), "{name}");
            assert!(run.answer.work.peak_reserved <= memory, "{name}");
            spilled.push(run.answer.work.spilled);
            assert_eq!(run.answer.work.tasks.computed, roomy.answer.work.tasks.computed, "{name}");
            assert_eq!(leftovers(&asked.path().join(&name)), [""; 0], "{name}");
        }
        assert!(spilled[0] > 0 && spilled[2] > 0, "{words}: {spilled:?}");
    }
}

/// On a disk this slow everything is made again, on one that takes no time nothing is.
#[test]
fn what_is_cheaper_to_make_again_is_made_again_to_the_same_bytes() {
    let asked = asked();
    let roomy = asked.run(Level::Dataflow, 2);
    let least = match asked.run_in(1000, Level::Dataflow, 2) {
        Err(EngineError::Memory { needed, .. }) => needed,
        other => panic!("{other:?}"),
    };
    for (disk, workers) in [(1.0, 1), (1.0, 2), (1.0, 8), (1e18, 2)] {
        let mut options = Asked::options(least, Level::Dataflow, workers);
        options.disk = Some(disk);
        let run = asked.run_into(&format!("{disk}-{workers}"), &options, &mut Silent).unwrap();
        assert!(Answered::of(&run) == Answered::of(&roomy), "{disk} on {workers}");
        let work = &run.answer.work;
        assert!(work.peak_reserved <= least);
        assert_eq!(work.tasks.computed, roomy.answer.work.tasks.computed);
        assert_eq!(work.recomputed > 0, disk < 1e9, "{work:?}");
    }
}

#[test]
fn a_scratch_folder_that_cannot_be_made_is_told_when_nothing_else_helps() {
    let asked = asked();
    std::fs::write(asked.path().join("file"), "not a folder").unwrap();
    let least = match asked.run_in(1000, Level::Dataflow, 1) {
        Err(EngineError::Memory { needed, .. }) => needed,
        other => panic!("{other:?}"),
    };
    let mut options = Asked::options(least, Level::Dataflow, 1);
    options.scratch = Some(asked.path().join("file"));
    match asked.run_into("refused", &options, &mut Silent) {
        Err(EngineError::Memory { .. }) => {}
        other => panic!("{other:?}"),
    }
}
