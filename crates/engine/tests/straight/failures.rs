//! Tasks that fail make failed rows, whichever part fails first, and too many of them stop the run.

use std::path::Path;

use onceflow_engine::{RowStatus, RunEnding};
use onceflow_imageio::png_bytes;
use onceflow_region::{Dense, Pixels};

use crate::asked::{Answered, Asked, METRICS, statuses};

/// A study whose second image has a truth that is cut off while it runs.
fn study(stop_above: &str) -> Asked {
    let mut asked = Asked::new(&format!(
        "name = \"failing\"\nworkflow = \"nuclei\"\n[[image]]\nname = \"one\"\nfile = \"synth:96x80?seed=3\"\n\
         [[image]]\nname = \"two\"\nfile = \"synth:64x64?seed=8\"\ntruth = \"broken.png\"\n\
         [parts]\nsize = 32\nseams = \"independent\"\n\
         [parameters]\nG1 = [20, 80]\nG2 = [10, 45]\n{METRICS}[[phase]]\nname = \"sweep\"\nmethod = \"grid\"\n\
         [run]\nstop_above = {stop_above}\n"
    ));
    write_truth(&asked.path().join("broken.png"));
    asked.breaking = Some("broken.png");
    asked
}

/// Noise, so that little of it fits what is left of the file.
pub(crate) fn write_truth(path: &Path) {
    let pixels = (0..64_u32 * 64).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let bytes = png_bytes(&Dense::new(64, 64, 1, Pixels::U8(pixels)).unwrap()).unwrap();
    std::fs::write(path, &bytes).unwrap();
}

#[test]
fn every_row_fails_and_says_why() {
    let asked = study("1.0");
    let run = asked.same_everywhere();
    assert_eq!(run.ending, RunEnding::Complete);
    assert_eq!(statuses(&Answered::of(&run).rows, 4), [("failed".into(), 5)]);
    assert_eq!(statuses(&Answered::of(&run).metrics, 2), [("failed".into(), 5), ("ok".into(), 5)]);
    for row in &run.answer.table.rows {
        assert!(row.metrics.iter().all(Option::is_none));
        assert!(row.images[0].metrics[1].is_some(), "the other image has its metrics");
        let RowStatus::Failed { task, message } = &row.status else { panic!("{:?}", row.status) };
        assert!(task == "compare" && message.contains("broken.png"), "{task}: {message}");
    }
    assert!(run.answer.work.tasks.failed > 0.0);
    let work = &run.answer.work.tasks;
    let merged = work.stage + work.task + work.dataflow + work.convergent + work.object;
    assert_eq!(merged + work.ended_early + work.failed + work.computed, work.asked);
}

#[test]
fn more_failures_than_allowed_stop_the_run() {
    let run = study("0.2").run(onceflow_engine::Level::Dataflow, 2);
    assert_eq!(run.ending, RunEnding::TooManyFailures);
    assert!(run.first_failure().unwrap().contains("broken.png"));
    assert!(run.answer.phases.is_empty(), "nothing is concluded from what is left");
}
