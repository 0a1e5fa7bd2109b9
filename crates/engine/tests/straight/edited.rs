//! Images that are edited while a run reads them: what depends on them is not kept for later runs.

use std::fs::{self, File};
use std::path::PathBuf;

use onceflow_engine::{Level, PhaseBegun, Progress, Run, RunSettings, StoreFolder, TaskOver, stored_phases};

use crate::asked::{Asked, QUICK, half_glass};

/// Writes a file again, with its bytes and its time of change, when the first task is over.
struct EditOnce {
    file: Option<PathBuf>,
}

impl Progress for EditOnce {
    fn phase(&mut self, _: &PhaseBegun) {}

    fn task(&mut self, _: &TaskOver<'_>) {
        let Some(file) = self.file.take() else { return };
        let (bytes, modified) = (fs::read(&file).unwrap(), file.metadata().unwrap().modified().unwrap());
        fs::write(&file, bytes).unwrap();
        File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
    }
}

fn asked() -> Asked {
    let images = "[[image]]\nname = \"a\"\nfile = \"a.png\"\n[[image]]\nname = \"b\"\nfile = \"b.png\"\n";
    let values =
        "[parameters]\nG1 = { from = 5, to = 80, step = 5 }\nminSize = { from = 2, to = 40, step = 2 }\n";
    let metric = "[[metric]]\nname = \"change\"\nof = \"nuclei\"\nmeasure = \"pixel_difference\"\nagainst = \"default\"\n";
    let phase = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 2\n";
    let head = "name = \"edited\"\nworkflow = \"nuclei\"\n";
    let asked = Asked::new(&format!("{head}{images}{values}{metric}{phase}{QUICK}"));
    // Images of one content would have one key.
    for (name, width) in [("a.png", 96), ("b.png", 120)] {
        half_glass(&asked.path().join(name), width, 48);
    }
    asked
}

fn ran(asked: &Asked, name: &str, settings: &RunSettings, edited: Option<&str>) -> Run {
    let file = edited.map(|file| asked.path().join(file));
    asked.run_into(name, settings, &mut EditOnce { file }).unwrap()
}

#[test]
fn what_an_edited_image_gave_is_not_kept_and_the_run_says_so() {
    let asked = asked();
    let store = Some(StoreFolder::new(asked.path().join("store")));
    let settings = RunSettings { store, ..Asked::options(1 << 30, Level::Dataflow, 2) };
    let first = ran(&asked, "first", &settings, Some("a.png"));
    let notes = first.answer.notes.join("\n");
    assert!(notes.contains("a.png was changed while the run read it"), "{notes}");
    assert!(notes.contains("not kept for later runs"), "{notes}");
    let stored = || stored_phases(&asked.open(), &settings, &|_| ()).unwrap().unwrap()[0].found.unwrap();
    let after = stored();
    assert!(after.taken > 0, "the other image was not edited");
    assert_eq!((after.taken, after.compared), (after.all / 2, 0));
    let second = ran(&asked, "second", &settings, None);
    assert!(!second.answer.notes.join("\n").contains("was changed"), "{:?}", second.answer.notes);
    assert_eq!(stored().taken, stored().all);
}
