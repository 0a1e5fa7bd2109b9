//! The nuclei study from its text to its summary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use onceflow_study::{
    Against, Domain, ImageBox, Keep, Method, MorrisDesign, ParameterKind, SaltelliDesign, Seams, Severity,
    SourceText, StudyCounts, StudySummary, Trajectories, Value, parse_sheet, parse_study,
};
use support::{NUCLEI, messages, nuclei, resolve};

#[test]
fn every_key_reaches_the_study() {
    let (study, diagnostics) = resolve(NUCLEI, Some(&nuclei()));
    let study = study.unwrap_or_else(|| panic!("{diagnostics}"));
    assert_eq!((study.name.as_str(), study.seed, study.threshold), ("nuclei-two-slides", 2026, 0.05));
    assert_eq!(study.workflow.as_ref().unwrap().text(), "workflow.json");
    let names: Vec<_> = study.space.parameters().iter().map(|p| p.name.as_str()).collect();
    assert_eq!(
        (names.len(), names[0], names[7], names[14]),
        (15, "blue", "G1", "maxSizeSeg"),
        "the order of the file"
    );
    let g1 = &study.space.parameters()[7];
    assert_eq!(g1.domain, Domain::Steps { from: 5.0, to: 80.0, step: 5.0 });
    assert_eq!((g1.kind, g1.default.clone()), (ParameterKind::Integer, Some(Value::Integer(80))));
    assert_eq!(study.space.parameters()[5].domain, Domain::Values(vec![4.0, 8.0]));
    assert_eq!(study.space.constraints().len(), 2);
    assert!(study.fixed.is_empty());
    assert_eq!(study.images[0].bounds, Some(ImageBox { x: 18400, y: 22016, width: 1000, height: 1000 }));
    assert_eq!((study.parts.seams, study.parts.um_per_pixel), (Seams::Exact, Some(0.25)));
    let against: Vec<_> = study.metrics.iter().map(|m| m.against).collect();
    assert_eq!(against, [Against::Truth, Against::Default, Against::Nothing]);
    let morris = MorrisDesign { trajectories: 20, values: 4, kind: Trajectories::Plain };
    assert_eq!(study.phases[0].design.method, Method::Morris(morris));
    assert_eq!(
        (study.phases[0].design.seed, study.phases[0].analyses.as_slice()),
        (2026, ["morris"].as_slice())
    );
    let saltelli = SaltelliDesign { base: 256, second_order: false, replicates: 8 };
    assert_eq!(study.phases[1].design.method, Method::Saltelli(saltelli));
    let Some(Keep::Effects(rule)) = &study.phases[1].keep else { panic!("a rule") };
    assert_eq!((rule.phase.as_str(), rule.metric.as_deref(), rule.share), ("screen", Some("dice"), 0.10));
    assert_eq!((study.run.workers, study.run.memory, study.run.stop_above), (Some(2), Some(2 << 30), 0.05));
    assert_eq!(study.run.keep_regions, ["nuclei"]);
}

#[test]
fn the_warning_and_the_notes_are_those_of_the_manual() {
    insta::assert_snapshot!(messages(NUCLEI, Some(&nuclei())).join("\n"), @r"
    study.toml:34:14: warning: the default of G2 lies outside its range; expected a range that holds the default, found 2..40; to do: widen the range to 46, or write default = 40 here
    note: without truth, so left out of metric `dice`: kidney-04
    note: the defaults of minSize (11) and minSizeSeg (21) lie between two values of their ranges; the reference row is run as it is
    note: the constraints hold everywhere in the ranges, so no row is lost and the indices of vbd are valid
    ");
    let (_, diagnostics) = resolve(NUCLEI, Some(&nuclei()));
    let warning = diagnostics.0.iter().find(|d| d.severity == Severity::Warning).unwrap();
    assert_eq!(
        warning.why.as_deref(),
        Some("metric `change` compares with the default, so every row differs from it in the same direction")
    );
    assert_eq!(warning.hint.as_deref(), Some("widen the range to 46, or write default = 40 here"));
    assert_eq!(
        (warning.labels[1].source.name.as_str(), warning.labels[1].text.as_str()),
        ("workflow.json", "the default is 45")
    );
}

#[test]
fn the_summary_is_that_of_the_manual() {
    let (study, _) = resolve(NUCLEI, Some(&nuclei()));
    insta::assert_snapshot!(StudySummary::new(&study.unwrap(), Some(&nuclei())), @r"
    study       nuclei-two-slides
    workflow    nuclei 1: 3 stages, 11 tasks (4 and 12 with compare), 15 parameters
    images      2, of which 1 with truth; 2 parts of 1000 x 1000 px at 0.25 um/px
    screen      moat, 15 parameters, 20 trajectories: 320 rows
    decompose   vbd, base 256: 2,304 rows if 7 parameters are kept, at most 4,352
    metrics     dice (truth: 1 of 2 images), change (default), density
    ");
}

#[test]
fn counts_add_up() {
    let (study, _) = resolve(NUCLEI, Some(&nuclei()));
    let counts = StudyCounts::of(&study.unwrap());
    assert_eq!((counts.phases[0].most, counts.phases[1].most), (320, 4352));
    assert_eq!(counts.phases[1].half, Some((7, 2304)));
    assert_eq!((counts.rows(), counts.parts, counts.instances()), (1 + 320 + 4352, Some(2), Some(2 * 4673)));
}

#[test]
fn a_phase_varies_what_was_kept_and_fixes_the_rest_in_the_constraints() {
    let study = resolve(NUCLEI, Some(&nuclei())).0.unwrap();
    let kept = ["maxSize".to_owned(), "G1".to_owned()];
    let problem = study.phase_problem(&study.phases[1], Some(&kept)).unwrap();
    let names: Vec<_> = problem.space.parameters().iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["G1", "maxSize"], "in the order of the study");
    assert_eq!(problem.space.constraints()[0].to_string(), "11 < maxSize");
    assert_eq!(problem.outputs, ["dice", "change", "density"]);
    assert_eq!(
        study.phase_space(&study.phases[0], Some(&kept)).unwrap().parameters().len(),
        15,
        "screen keeps all"
    );
    assert!(study.phase_space(&study.phases[1], Some(&["G3".to_owned()])).is_err());
}

#[test]
fn a_parameter_that_is_not_listed_keeps_the_default_and_one_number_fixes_another() {
    let text = NUCLEI
        .replace("T1    = { from = 2.5, to = 7.5, step = 0.5 }\n", "")
        .replace("T2    = { from = 2.5, to = 7.5, step = 0.5 }", "T2 = 4.5");
    let study = resolve(&text, Some(&nuclei())).0.unwrap();
    assert_eq!(study.fixed, [("T2".to_owned(), Value::Real(4.5)), ("T1".to_owned(), Value::Real(5.0))]);
}

#[test]
fn no_more_parts_are_counted_than_a_box_has() {
    let parts = |size: &str| {
        let text = NUCLEI.replace("size         = 4096", size).replace(EXACT, OWNED);
        StudyCounts::of(&resolve(&text, Some(&nuclei())).0.unwrap()).parts
    };
    assert_eq!(parts("size = 4096\nper_image = 4"), Some(2), "two boxes, each smaller than a part");
    assert_eq!(parts("size = 500\nper_image = 3"), Some(6), "two boxes of four parts each");
    assert_eq!(parts("size = 500"), Some(8));
    let exact = NUCLEI.replace("size         = 4096", "size = 500");
    let exact = StudyCounts::of(&resolve(&exact, Some(&nuclei())).0.unwrap()).parts;
    assert_eq!(exact, Some(2), "exact seams leave boxes uncut");
}

const EXACT: &str = "seams        = \"exact\"";
const OWNED: &str = "seams        = \"owned\"";

#[test]
fn images_come_from_a_sheet_too() {
    let images = &NUCLEI[NUCLEI.find("[[image]]").unwrap()..NUCLEI.find("[parts]").unwrap()];
    let text = NUCLEI.replace(images, "").replace("seed ", "images = \"images.csv\"\nseed ");
    let text = text.replace(EXACT, OWNED);
    let file = parse_study(&SourceText::new("study.toml", text.clone())).unwrap();
    assert_eq!(file.sheet().unwrap().0, "images.csv");
    let sheet = SourceText::new("images.csv", "name,file,truth,site\na,a.svs,a.png,X\nb,b.svs,,X\n");
    let (study, diagnostics) = file.resolve(Some(&nuclei()), Some(&parse_sheet(&sheet).unwrap()));
    let study = study.unwrap_or_else(|| panic!("{diagnostics}"));
    assert_eq!((study.images.len(), study.images[1].columns[0].1.as_str()), (2, "X"));
    assert_eq!(StudyCounts::of(&study).parts, None, "whole slides must be opened to be counted");

    let without = parse_study(&SourceText::new("study.toml", text)).unwrap().resolve(Some(&nuclei()), None).1;
    assert!(without.to_string().contains("`images.csv` has not been read"), "{without}");
}

/// The study of the manual, where it is at hand.
#[test]
fn the_study_of_the_manual_is_accepted() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/examples.md");
    let Ok(manual) = std::fs::read_to_string(path) else {
        println!("skipped: {path} is not there");
        return;
    };
    let text = manual.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let (study, diagnostics) = resolve(text, Some(&nuclei()));
    assert_eq!(study, resolve(NUCLEI, Some(&nuclei())).0, "{diagnostics}");
}
