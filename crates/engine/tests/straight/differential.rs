//! Reuse never changes a result: every level and every number of workers gives the same bytes.

use crate::asked::{Asked, IMAGES, METRICS, PARAMETERS, QUICK};

fn study(workflow: &str, middle: &str, phases: &str) -> Asked {
    let head = format!("name = \"same\"\nworkflow = \"{workflow}\"\nseed = 5\n");
    Asked::new(&format!("{head}{IMAGES}{middle}{PARAMETERS}{METRICS}{phases}{QUICK}"))
}

const SCREEN: &str = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 3\n";
const DECOMPOSE: &str = "[[phase]]\nname = \"decompose\"\nmethod = \"vbd\"\nbase = 8\n\
    keep = { phase = \"screen\", metric = \"change\", share = 0.2, at_most = 3 }\n";

#[test]
fn a_screen_and_a_decomposition_of_what_it_keeps() {
    let run = study("nuclei", "", &format!("{SCREEN}{DECOMPOSE}")).same_everywhere();
    assert_eq!(run.answer.phases.len(), 2);
    let kept = run.answer.phases[1].kept.as_ref().unwrap();
    assert_eq!((kept.names.len(), kept.of), (3, 10));
    assert_eq!(run.answer.table.rows.len(), 1 + 33 + 40);
    // A reference row that differs from itself would have been lost on its way to the second phase.
    assert_eq!(run.answer.table.rows[0].metrics[1], Some(0.0));
}

#[test]
fn the_workflow_of_the_papers() {
    let run = study("nuclei-paper", "", &format!("{SCREEN}{DECOMPOSE}")).same_everywhere();
    assert_eq!(run.answer.workflow, "nuclei-paper 1");
}

#[test]
fn parts_that_stand_alone() {
    for workflow in ["nuclei", "nuclei-paper"] {
        let parts = "[parts]\nsize = 48\nseams = \"independent\"\n";
        let run = study(workflow, parts, &format!("{SCREEN}{DECOMPOSE}")).same_everywhere();
        assert!(run.answer.images.iter().all(|image| image.parts > 1), "{:?}", run.answer.images);
    }
}

#[test]
fn correlations_and_a_sweep() {
    let lines = "[[phase]]\nname = \"correlate\"\nmethod = \"lhs\"\nrows = 20\nanalysis = \"correlation\"\n";
    let run = study("nuclei", "", lines).same_everywhere();
    assert_eq!(run.answer.table.rows.len(), 21);
    let sweep = Asked::new(&format!(
        "name = \"sweep\"\nworkflow = \"nuclei\"\n{IMAGES}[parameters]\nG1 = [20, 50, 80]\nG2 = [10, 30, 45]\n\
         watershedConnectivity = [4, 8]\n{METRICS}[[phase]]\nname = \"sweep\"\nmethod = \"grid\"\n"
    ));
    let run = sweep.same_everywhere();
    assert_eq!(run.answer.table.rows.len(), 19);
    let row = run.answer.table.rows.iter().skip(1).find(|r| r.values == run.answer.table.rows[0].values);
    assert_eq!(
        row.unwrap().metrics,
        run.answer.table.rows[0].metrics,
        "the defaults are one of the combinations"
    );
}

#[test]
fn an_image_without_truth_has_an_empty_field_and_no_zero() {
    let run = study("nuclei", "", SCREEN).same_everywhere();
    for row in &run.answer.table.rows {
        assert_eq!(row.images[1].metrics[0], None);
        assert_eq!(
            row.metrics[0], row.images[0].metrics[0],
            "dice over all images is that of the one with truth"
        );
        let sum = row.images[0].metrics[1].unwrap() + row.images[1].metrics[1].unwrap();
        assert_eq!(row.metrics[1], Some(sum), "pixels are added over images");
    }
}
