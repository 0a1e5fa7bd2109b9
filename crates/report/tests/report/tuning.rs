//! What is said of tuning: every verdict, what it recommends, and its plots.

use onceflow_report::{
    Answer, FlippedValue, HeldOutGain, LeftOutSlide, Material, RangeEnd, RowStatus, SlideGain, TriedRow,
    TuneAnswer, TuneVerdict, TunedMetric, TunedRow, ValueChange, answer_text, best_json, chosen_row, html,
    tune_json,
};
use onceflow_study::Value;

use crate::made_up::{pictures, two_phases};

/// A run that tuned dice, with the gains on its held-out slides.
pub(crate) fn tuned(gains: &[f64], ends: Option<(f64, f64)>) -> Answer {
    let mut answer = two_phases();
    let dice = |place: usize| {
        let row = &answer.table.rows[place];
        (row.status == RowStatus::Ok).then(|| vec![row.metrics[0].unwrap(), row.metrics[1].unwrap()])
    };
    let history: Vec<TriedRow> = (0..80).map(|place| TriedRow { place, objectives: dice(place) }).collect();
    let value = |tried: &TriedRow| tried.objectives.as_ref().map_or(0.0, |given| given[0]);
    let best = history.iter().max_by(|a, b| value(a).total_cmp(&value(b))).unwrap().clone();
    let (default, found) = (value(&history[0]), value(&best));
    let slide = |(place, gain): (usize, &f64)| SlideGain {
        slide: format!("slide-{place}"),
        images: 2,
        default: 0.6,
        best: 0.6 + gain,
    };
    let gain = gains.iter().sum::<f64>() / gains.len().max(1) as f64;
    let metric = |name: &str, default: f64, best: f64| TunedMetric {
        name: name.into(),
        default: Some(default),
        best: Some(best),
    };
    let held_out = (!gains.is_empty()).then(|| HeldOutGain {
        slides: gains.iter().enumerate().map(slide).collect(),
        default: 0.6,
        best: 0.6 + gain,
        gain,
        ends,
        confidence: 0.95,
        metrics: vec![metric("dice", 0.6, 0.6 + gain)],
        curve: vec![(0, 0.0, 0.0), (7, 0.02, 0.015), (31, found - default, gain)],
    });
    answer.tuning = Some(TuneAnswer {
        phase: "tune".into(),
        tuner: "auto".into(),
        objectives: vec!["dice".into()],
        maximize: vec![true],
        over: "mean".into(),
        evaluations: 80,
        images: vec!["breast-01".into()],
        held_images: vec!["kidney-04".into()],
        row: best.place,
        values: answer.table.rows[best.place].values.clone(),
        default,
        best: found,
        metrics: vec![metric("dice", default, found)],
        changes: vec![ValueChange { parameter: "G1".into(), from: Value::Real(80.0), to: Value::Real(40.0) }],
        returned: vec!["minSize".into()],
        ends: Vec::new(),
        flips: Vec::new(),
        untried: 0,
        front: Vec::new(),
        history,
        random: (0..40).map(|n| default + 0.01 * f64::from(n).sqrt()).collect(),
        held_out,
        failed_on: Vec::new(),
        left_out: Vec::new(),
        warnings: Vec::new(),
    });
    recommended(&mut answer);
    answer
}

/// The values to use, as the engine puts them into an answer.
fn recommended(answer: &mut Answer) {
    let tuning = answer.tuning.as_ref().unwrap();
    let row = if tuning.recommends_defaults() { 0 } else { tuning.row };
    let space = &answer.phases[0].space;
    answer.best = chosen_row(
        &answer.table,
        space.parameters(),
        row,
        tuning.best,
        Some(tuning.default),
        tuning.doubts(),
    );
}

fn tuning(answer: &mut Answer) -> &mut TuneAnswer {
    answer.tuning.as_mut().unwrap()
}

/// The verdict, what is recommended, and the values of best.json, with everything that is said of it.
fn said(answer: &Answer) -> (TuneVerdict, serde_json::Value, String) {
    let verdict = answer.tuning.as_ref().unwrap().verdict();
    assert_eq!(tune_json(answer)["confirmed"], verdict.word());
    let best = best_json(answer);
    assert_eq!(best["confirmed"], verdict.word());
    let page = html(answer, &Material::default());
    crate::page::elements(&page);
    crate::page::leave(&page, verdict.word());
    (verdict, best, answer_text(answer))
}

fn values(answer: &Answer, place: usize) -> serde_json::Value {
    let row = &answer.table.rows[place];
    let pairs = answer.table.parameters.iter().zip(&row.values);
    pairs.map(|(name, value)| (name.clone(), serde_json::json!(value.as_f64().unwrap()))).collect()
}

#[test]
fn a_gain_whose_whole_interval_is_above_0_is_confirmed() {
    let answer = tuned(&[0.05, 0.08, 0.07], Some((0.03, 0.10)));
    let (verdict, best, text) = said(&answer);
    assert_eq!(verdict, TuneVerdict::Confirmed);
    assert!(text.contains("Confirmed: on 3 slides") && text.contains("(0.03 to 0.1 at 95 %"), "{text}");
    assert_eq!((&best["recommended"], &best["tuned"]), (&"best".into(), &best["parameters"]));
}

#[test]
fn an_interval_that_holds_0_recommends_the_defaults() {
    let answer = tuned(&[0.05, -0.08, 0.07], Some((-0.1, 0.12)));
    let (verdict, best, text) = said(&answer);
    assert_eq!(verdict, TuneVerdict::NoGain);
    assert!(text.contains("The interval holds 0: the defaults are recommended."), "{text}");
    assert_eq!((&best["recommended"], &best["parameters"]), (&"default".into(), &values(&answer, 0)));
    assert_eq!(best["tuned"], values(&answer, answer.tuning.as_ref().unwrap().row));
    assert_eq!(best["changes"], serde_json::json!([]));
}

/// The whole interval may lie below 0: that is no doubt about a gain, but a loss.
#[test]
fn an_interval_below_0_is_a_loss() {
    let answer = tuned(&[-0.05, -0.08, -0.07], Some((-0.10, -0.03)));
    let (verdict, best, text) = said(&answer);
    assert_eq!(verdict, TuneVerdict::Loss);
    assert!(text.contains("A loss is confirmed: on 3 slides") && !text.contains("holds 0"), "{text}");
    assert_eq!((&best["recommended"], &best["parameters"]), (&"default".into(), &values(&answer, 0)));
}

#[test]
fn few_slides_and_failures_confirm_nothing() {
    let (verdict, best, text) = said(&tuned(&[0.05], None));
    assert_eq!((verdict, &best["recommended"]), (TuneVerdict::NotConfirmed, &"best".into()));
    assert!(text.contains("an interval needs at least three slides"), "{text}");
    let (verdict, _, text) = said(&tuned(&[], None));
    assert!(verdict == TuneVerdict::NotConfirmed && text.contains("no image was held out"), "{text}");
    let mut answer = tuned(&[], None);
    tuning(&mut answer).failed_on = vec!["slide-4".into()];
    recommended(&mut answer);
    let (verdict, best, text) = said(&answer);
    assert_eq!((verdict, &best["recommended"]), (TuneVerdict::Failed, &"default".into()));
    assert!(text.contains("failed on slide-4") && !text.contains("no image was held out"), "{text}");
}

#[test]
fn ends_of_ranges_come_with_the_line_that_widens_them() {
    let mut answer = tuned(&[0.05, 0.08, 0.07], Some((0.03, 0.10)));
    let wider = Some("T1 = { from = 0.5, to = 7.5, step = 0.5 }".to_owned());
    let end = RangeEnd { parameter: "T1".into(), value: Value::Real(2.5), wider };
    tuning(&mut answer).ends = vec![end.clone()];
    let (.., text) = said(&answer);
    assert!(text.contains("T1 2.5 is the end of its range"), "{text}");
    assert!(text.contains("write in the study: T1 = { from = 0.5, to = 7.5, step = 0.5 }."), "{text}");
    assert_eq!(tune_json(&answer)["at_ends"][0]["wider"], end.wider.unwrap());
}

#[test]
fn what_the_end_tried_and_could_not_try_is_said() {
    let mut answer = tuned(&[0.05, 0.08, 0.07], Some((0.03, 0.10)));
    let flip = |value| FlippedValue {
        parameter: "connectivity".into(),
        from: Value::Real(8.0),
        to: Value::Real(4.0),
        value,
    };
    tuning(&mut answer).flips = vec![flip(Some(0.41)), flip(None)];
    tuning(&mut answer).untried = 3;
    let (.., text) = said(&answer);
    assert!(text.contains("the search was short of 3 evaluations"), "{text}");
    let json = tune_json(&answer);
    assert_eq!((json["flips"][0]["value"].as_f64(), json["flips"][1]["value"].is_null()), (Some(0.41), true));
    assert_eq!(json["flips_untried"], 3);
    let page = html(&answer, &Material::default());
    assert!(page.contains("<td>8</td><td>4</td><td>0.41</td>") && page.contains("<td>failed</td>"));
}

#[test]
fn every_slide_that_was_left_out_is_shown_without_a_bar() {
    let mut answer = tuned(&[0.05, 0.08, 0.07], Some((0.03, 0.10)));
    let slide =
        |slide: &str, found| LeftOutSlide { slide: slide.into(), evaluations: 20, training_gain: 0.1, found };
    tuning(&mut answer).left_out =
        vec![slide("a", Some((0.5, 0.6))), slide("b", Some((0.5, 0.4))), slide("c", None)];
    let (.., text) = said(&answer);
    assert!(text.contains("better than the defaults on 1 of 3 slides"), "{text}");
    assert!(text.contains("  a  0.5 -> 0.6\n  b  0.5 -> 0.4\n  c  failed\n"), "{text}");
    let json = tune_json(&answer);
    assert_eq!(
        (json["left_out"][1]["best"].as_f64(), json["left_out"][2]["best"].is_null()),
        (Some(0.4), true)
    );
}

/// The parts of a page between a download's name and the end of its figure.
fn has_plot(page: &str, name: &str) -> bool {
    page.contains(&format!("download=\"{name}.svg\""))
}

#[test]
fn the_page_has_the_plots_of_a_search() {
    let mut answer = tuned(&[0.05, 0.08, 0.07], Some((0.03, 0.10)));
    let page = html(&answer, &Material::default());
    for name in ["tuning-history", "tuning-gains", "tuning-parallel", "tuning-slice-G1"] {
        assert!(has_plot(&page, name), "{name}");
    }
    assert!(page.contains("random rows") && !has_plot(&page, "tuning-front"));
    tuning(&mut answer).random.clear();
    tuning(&mut answer).objectives = vec!["dice".into(), "change".into()];
    tuning(&mut answer).maximize = vec![true, false];
    let front = |place: usize| TunedRow { row: place as u64, objectives: tuning_of(&answer, place) };
    let front: Vec<TunedRow> = [5, 9, 20].map(front).into();
    tuning(&mut answer).front = front;
    let page = html(&answer, &Material::default());
    crate::page::leave(&page, "front");
    assert!(has_plot(&page, "tuning-front") && !page.contains("random rows"));
}

fn tuning_of(answer: &Answer, place: usize) -> Vec<f64> {
    answer.tuning.as_ref().unwrap().history[place].objectives.clone().unwrap()
}

/// Searches of which hardly anything is known: no plot may panic.
#[test]
fn strange_searches_have_a_page() {
    for history in [0, 1, 2, 3] {
        let mut answer = tuned(&[0.05], None);
        let tuning = tuning(&mut answer);
        tuning.history.truncate(history);
        tuning.history.iter_mut().for_each(|row| row.objectives = Some(vec![0.5, 0.5]));
        tuning.held_out.as_mut().unwrap().curve.clear();
        said(&answer);
        self::tuning(&mut answer).history.iter_mut().for_each(|row| row.objectives = None);
        said(&answer);
    }
}

#[test]
fn pictures_say_which_images_took_no_part() {
    let answer = tuned(&[0.05, 0.08, 0.07], Some((0.03, 0.10)));
    let pictures = pictures();
    let page = html(&answer, &Material { pictures: Some(&pictures), ..Material::default() });
    assert!(
        page.contains("kidney-04 (took no part in tuning), box of") && page.contains("breast-01, box of")
    );
}
