//! Runs that have little to say.

use insta::assert_snapshot;
use onceflow_report::{
    Amounts, Answer, Material, RunEnding, WorkAccount, answer_text, best_json, html, indices_json,
    metrics_csv, ro_crate, rows_csv, run_json,
};
use onceflow_study::Against;

use crate::made_up::{Study, images, metrics, provenance, space, two_phases};

/// All renderings, of which only the text is returned: none may panic.
fn rendered(answer: &Answer) -> String {
    let _ =
        (rows_csv(answer), metrics_csv(answer), indices_json(answer), run_json(answer), best_json(answer));
    for ending in [RunEnding::Complete, RunEnding::Stopped, RunEnding::TooManyFailures] {
        let material = Material { ending: &ending, ..Material::default() };
        let page = html(answer, &material);
        crate::page::elements(&page);
        crate::page::leave(&page, &format!("{ending:?}"));
        assert!(ro_crate(answer, &provenance(), &ending)["@graph"].is_array());
    }
    answer_text(answer)
}

#[test]
fn nothing_at_all() {
    let mut answer = two_phases();
    answer.phases.clear();
    answer.table.rows.clear();
    answer.best = None;
    answer.metrics.clear();
    answer.images.clear();
    answer.work =
        WorkAccount { tasks: Amounts::default(), seconds: Amounts::default(), ..WorkAccount::default() };
    assert_snapshot!(rendered(&answer));
}

#[test]
fn no_phases() {
    let mut answer = two_phases();
    answer.phases.clear();
    answer.table.rows.truncate(1);
    answer.best = None;
    assert_snapshot!(rendered(&answer));
}

#[test]
fn one_metric_and_only_a_screen() {
    let mut study = Study {
        space: space(),
        model: |_, x| Ok(((x("G1") - 40.0).abs() + x("G2"), 0.0, 500.0)),
        metrics: metrics(),
        images: images(),
    };
    study.metrics.truncate(1);
    study.images.truncate(1);
    assert_snapshot!(rendered(&study.run(false)));
}

#[test]
fn all_rows_failed() {
    let study =
        Study { space: space(), model: |_, _| Err("no such file"), metrics: metrics(), images: images() };
    assert_snapshot!(rendered(&study.run(false)));
}

#[test]
fn a_metric_that_never_varies() {
    let study = Study {
        space: space(),
        model: |_, x| Ok((0.5, x("G1"), 100.0)),
        metrics: metrics(),
        images: images(),
    };
    assert_snapshot!(rendered(&study.run(false)));
}

#[test]
fn no_truth() {
    let mut study = Study {
        space: space(),
        model: |_, x| Ok((x("G1"), x("G1"), x("G2"))),
        metrics: metrics(),
        images: images(),
    };
    study.metrics.remove(0);
    study.images[0].truth_objects = None;
    let answer = study.run(false);
    assert!(answer.best.is_none() && answer.metrics.iter().all(|m| m.against != Against::Truth));
    assert_snapshot!(rendered(&answer));
}

#[test]
fn a_sweep_has_correlations() {
    let study = Study {
        space: space(),
        model: |_, x| Ok((x("G1") + x("G2") * x("G2") / 40.0, 0.0, 500.0)),
        metrics: metrics()[..1].to_vec(),
        images: images(),
    };
    assert_snapshot!(rendered(&study.sweep()));
}

#[test]
fn what_the_rows_cannot_say() {
    let study = Study {
        space: space(),
        model: |_, x| {
            let rough = (5.3 * x("G1") + 0.71 * x("minSize")).fract();
            Ok((x("G1") / 80.0 + x("G2") / 170.0 + 0.23 * rough, 0.0, 500.0))
        },
        metrics: metrics()[..1].to_vec(),
        images: images()[..1].to_vec(),
    };
    let answer = study.run(true);
    let page = html(&answer, &Material::default());
    assert!(page.contains("the rows cannot say"), "{}", answer_text(&answer));
    assert_snapshot!(rendered(&answer));
}
