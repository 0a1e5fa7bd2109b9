//! Plans say what they do: the step of planning, and how much of images and parts has been looked at for the store.

use std::sync::Mutex;

use onceflow_engine::{Level, RunSettings, StepProgress, StoreFolder, plan_study, stored_phases};

use crate::asked::{Asked, IMAGES, METRICS, PARAMETERS};

const PHASES: &str = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 2\n\
    [[phase]]\nname = \"decompose\"\nmethod = \"vbd\"\nbase = 4\nkeep = [\"G1\", \"minSize\"]\n";

fn study() -> Asked {
    let parts = "[parts]\nsize = 48\nseams = \"independent\"\n";
    Asked::new(&format!(
        "name = \"watched\"\nworkflow = \"nuclei\"\n{IMAGES}{parts}{PARAMETERS}{METRICS}{PHASES}"
    ))
}

#[test]
fn planning_names_its_steps() {
    let steps = Mutex::new(Vec::new());
    let watch = |step: StepProgress| steps.lock().unwrap().push((step.task, step.done, step.of));
    plan_study(&study().open(), &Asked::options(1 << 30, Level::Object, 2), &watch).unwrap();
    let expected = [("rows", 1, 4), ("levels", 2, 4), ("memory", 3, 4), ("later phases", 4, 4)];
    assert_eq!(*steps.lock().unwrap(), expected);
}

#[test]
fn looking_into_the_store_tells_of_images_and_parts() {
    let asked = study();
    let store = Some(StoreFolder::new(asked.path().join("store")));
    let settings = RunSettings { store, ..Asked::options(1 << 30, Level::Object, 2) };
    let steps = Mutex::new(Vec::new());
    let watch = |step: StepProgress| steps.lock().unwrap().push(step);
    assert_eq!(stored_phases(&asked.open(), &settings, &watch).unwrap(), None, "there is no store");
    assert!(steps.lock().unwrap().is_empty());
    asked.run_with(settings.clone()).unwrap();
    let found = stored_phases(&asked.open(), &settings, &watch).unwrap().unwrap();
    assert_eq!(found[0].found.map(|found| found.taken == found.all), Ok(true), "{found:?}");
    let steps = steps.lock().unwrap();
    let of = |task: &str| steps.iter().filter(|step| step.task == task).collect::<Vec<_>>();
    let (images, parts) = (of("images"), of("parts"));
    assert_eq!(images.iter().map(|step| step.done).max(), Some(asked.study.images.len() as u64));
    assert!(parts.len() > 1 && parts.iter().all(|step| step.done < step.of), "{parts:?}");
}
