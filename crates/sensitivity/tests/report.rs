//! What analyses look like: to programs, to SALib's users, in tables and to people.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use onceflow_sensitivity::{
    Analysis, Correlation, Delta, Failures, IndexEstimate, Indices, IntervalMethod, MorrisIndex,
    OutputAnalysis, Pawn, RbdFast, SecondOrder, Technique, VarianceIndex, Verdict, analysis_to_csv,
    analysis_to_json, analysis_to_salib, pairs_to_csv, render_text,
};
use serde_json::json;

fn estimate(value: f64, low: f64, high: f64) -> IndexEstimate {
    IndexEstimate { value, low, high }
}

fn output(name: &str, indices: Indices, verdicts: Vec<Verdict>) -> OutputAnalysis {
    let citation = "Student t intervals".to_owned();
    OutputAnalysis {
        name: name.into(),
        indices,
        interval: IntervalMethod { name: "replicated scrambles", citation, confidence: 0.95 },
        verdicts,
        failures: Failures::default(),
        warnings: vec![],
    }
}

fn analysis(technique: Technique, outputs: Vec<OutputAnalysis>) -> Analysis {
    let threshold = if technique == Technique::Morris { 0.1 } else { 0.05 };
    Analysis { technique, estimator: "Saltelli 2010; Jansen 1999".into(), rows: 2304, threshold, outputs }
}

fn decomposition() -> Analysis {
    let factor =
        |name: &str, s1: IndexEstimate, st: IndexEstimate| VarianceIndex { name: name.into(), s1, st };
    let factors = vec![
        factor("maxSize", estimate(0.03, 0.01, 0.05), estimate(0.17, 0.12, 0.23)),
        factor("G1", estimate(0.52, 0.4, 0.64), estimate(0.8, 0.65, 1.0)),
        factor("G2", estimate(0.08, 0.05, 0.11), estimate(0.15, 0.1, 0.21)),
        factor("maxSizeSeg", estimate(0.04, 0.02, 0.06), estimate(0.05, 0.04, 0.07)),
        factor("recon", IndexEstimate::bare(0.03), IndexEstimate::bare(0.05)),
        factor("minSize", estimate(f64::NAN, f64::NAN, f64::NAN), estimate(0.03, 0.02, 0.04)),
    ];
    let pair = |first: &str, second: &str, s2| SecondOrder { first: first.into(), second: second.into(), s2 };
    let pairs = vec![
        pair("maxSize", "G1", estimate(0.12, 0.05, 0.19)),
        pair("maxSize", "G2", estimate(-0.01, -0.03, 0.01)),
    ];
    let verdicts = vec![
        Verdict::Influential,
        Verdict::Influential,
        Verdict::Influential,
        Verdict::Undecided { more_rows: Some(27648) },
        Verdict::Undecided { more_rows: None },
        Verdict::NotInfluential,
    ];
    let mut output = output("dice", Indices::Vbd { factors, pairs }, verdicts);
    output.failures = Failures {
        failed: 3,
        missing: 1,
        lost: vec![1, 2, 0, 0, 0, 3],
        cluster: Some("G1 is below 10".into()),
    };
    output.warnings = vec!["the output has few different values".into()];
    analysis(Technique::Vbd, vec![output])
}

#[test]
fn people_read_the_answer_first() {
    let text = render_text(&decomposition());
    let expected = "\
Which parameters matter for dice?   (share of the variance, 95 % interval)

  parameter   total                          alone  verdict
  G1          0.80   0.65 .. 1.00  ████████  0.52   influential
  maxSize     0.17   0.12 .. 0.23  █▊        0.03   influential, through others
  G2          0.15   0.10 .. 0.21  █▌        0.08   influential
  maxSizeSeg  0.05   0.04 .. 0.07  ▌         0.04   undecided: the interval contains 0.05; about 27,648 more rows would decide
  recon       0.05                 ▌         0.03   undecided: there is no interval
  minSize     0.03   0.02 .. 0.04  ▎         ?      not influential
  maxSize and G2 are not separated from each other

  Only together:
  maxSize x G1  0.12   0.05 .. 0.19   █▎
  maxSize x G2  -0.01  -0.03 .. 0.01
  ! the output has few different values

Rows       2,304
Estimator  Saltelli 2010; Jansen 1999
Intervals  Student t intervals
";
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn programs_find_the_fixed_names() {
    let json = analysis_to_json(&decomposition());
    assert_eq!((&json["version"], &json["method"], &json["rows"]), (&json!(1), &json!("vbd"), &json!(2304)));
    let output = &json["outputs"][0];
    assert_eq!(output["name"], "dice");
    assert_eq!(
        output["parameters"][3],
        json!({ "name": "maxSizeSeg", "s1": 0.04, "s1_low": 0.02, "s1_high": 0.06, "st": 0.05, "st_low": 0.04,
                "st_high": 0.07, "verdict": "undecided", "more_rows": 27648, "lost": 0 })
    );
    assert_eq!(output["parameters"][4]["s1_low"], json!(null), "what is not a number is null");
    assert_eq!(output["parameters"][4]["more_rows"], json!(null));
    assert_eq!(
        output["pairs"][0],
        json!({ "first": "maxSize", "second": "G1", "s2": 0.12, "s2_low": 0.05, "s2_high": 0.19 })
    );
    assert_eq!(output["failures"], json!({ "failed": 3, "missing": 1, "cluster": "G1 is below 10" }));
    assert_eq!(
        output["interval"],
        json!({ "method": "replicated scrambles", "citation": "Student t intervals", "confidence": 0.95 })
    );
    assert_eq!(output["warnings"], json!(["the output has few different values"]));
}

fn effects() -> Analysis {
    let factor = |name: &str, mu: f64, star: IndexEstimate| MorrisIndex {
        name: name.into(),
        mu,
        mu_star: star,
        sigma: mu.abs() / 2.0,
        effects: 20,
    };
    let factors = vec![
        factor("small, one", -0.004, estimate(0.004, 0.002, 0.006)),
        factor("G1", 71159.0, estimate(71159.0, 60000.0, 82000.0)),
    ];
    let verdicts = vec![Verdict::NotInfluential, Verdict::Influential];
    let first = output("change", Indices::Morris(factors.clone()), verdicts.clone());
    let second = output("dice", Indices::Morris(factors), verdicts);
    analysis(Technique::Morris, vec![first, second])
}

#[test]
fn several_outputs_follow_each_other() {
    let text = render_text(&effects());
    assert_eq!(text.matches("Which parameters matter for").count(), 2, "{text}");
    assert!(
        text.contains("  G1          71159  60000 .. 82000  ██████████  71159   35580  influential"),
        "{text}"
    );
    assert!(
        text.contains("  small, one  0.004  0.002 .. 0.006              -0.004  0.002  not influential"),
        "{text}"
    );
    let csv = analysis_to_csv(&effects());
    assert_eq!(
        csv.lines().take(3).collect::<Vec<_>>(),
        [
            "output,parameter,mu,mu_star,mu_star_low,mu_star_high,sigma,effects,verdict,more_rows,lost",
            "change,\"small, one\",-0.004,0.004,0.002,0.006,0.002,20,not influential,,",
            "change,G1,71159,71159,60000,82000,35579.5,20,influential,,",
        ]
    );
    let salib = analysis_to_salib(&effects());
    assert_eq!(salib["dice"]["names"], json!(["small, one", "G1"]));
    assert_eq!(salib["dice"]["mu_star_conf"], json!([0.002, 11000.0]));
    let json = analysis_to_json(&effects());
    let first = json["outputs"][0]["parameters"][0].as_object().unwrap();
    let keys: Vec<&String> = first.keys().collect();
    assert_eq!(keys, ["name", "mu", "mu_star", "mu_star_low", "mu_star_high", "sigma", "effects", "verdict"]);
}

#[test]
fn salibs_users_find_its_dictionary() {
    let salib = analysis_to_salib(&decomposition());
    assert_eq!(salib["names"], json!(["maxSize", "G1", "G2", "maxSizeSeg", "recon", "minSize"]));
    assert_eq!(salib["ST"][1], json!(0.8));
    assert!((salib["ST_conf"][1].as_f64().unwrap() - 0.175).abs() < 1e-15);
    assert_eq!(salib["S1_conf"][4], json!(null));
    assert_eq!(
        (&salib["S2"][0][1], &salib["S2"][1][0], &salib["S2"][0][0]),
        (&json!(0.12), &json!(null), &json!(null))
    );
    assert_eq!(pairs_to_csv(&decomposition()).lines().nth(1), Some("dice,maxSize,G1,0.12,0.05,0.19"));
    assert_eq!(pairs_to_csv(&effects()).lines().count(), 1);
}

#[test]
fn every_technique_has_its_names_and_its_table() {
    let e = estimate(0.25, 0.2, 0.3);
    let name = || "x1".to_owned();
    let correlation = Correlation {
        name: name(),
        pearson: e,
        spearman: e,
        pcc: e,
        prcc: estimate(-0.5, -0.6, -0.4),
        src: e,
        srrc: e,
    };
    let cases = [
        (
            Technique::Correlation,
            Indices::Correlation(vec![correlation]),
            "pearson,pearson_low,pearson_high,spearman,spearman_low,spearman_high,pcc,pcc_low,pcc_high,prcc,prcc_low,prcc_high,src,src_low,src_high,srrc,srrc_low,srrc_high",
            "  x1         -0.50  -0.60 .. -0.40  +0.25    +0.25     +0.25  +0.25  +0.25",
        ),
        (
            Technique::RbdFast,
            Indices::RbdFast(vec![RbdFast { name: name(), s1: e }]),
            "s1,s1_low,s1_high",
            "  x1         0.25   0.20 .. 0.30  ██▌",
        ),
        (
            Technique::Delta,
            Indices::Delta(vec![Delta { name: name(), delta: e, s1: estimate(0.1, 0.0, 0.2), dummy: 0.05 }]),
            "delta,delta_low,delta_high,s1,s1_low,s1_high,dummy",
            "  x1         0.25   0.20 .. 0.30  ██▌  0.10   0.05",
        ),
        (
            Technique::Pawn,
            Indices::Pawn(vec![Pawn { name: name(), median: e, maximum: 0.4, mean: 0.3, dummy: 0.15 }]),
            "median,median_low,median_high,maximum,mean,dummy",
            "  x1         0.25    0.20 .. 0.30  ██▌  0.40     0.30  0.15",
        ),
    ];
    for (technique, indices, names, line) in cases {
        let analysis = analysis(technique, vec![output("Y", indices, vec![])]);
        let csv = analysis_to_csv(&analysis);
        assert_eq!(csv.lines().next().unwrap(), format!("output,parameter,{names},verdict,more_rows,lost"));
        let text = render_text(&analysis);
        assert!(text.contains(line), "{text}");
        let json = analysis_to_json(&analysis);
        assert_eq!(json["method"], technique.word());
        for key in names.split(',') {
            assert!(json["outputs"][0]["parameters"][0][key].is_f64(), "{key}");
        }
        assert_eq!(analysis_to_salib(&analysis)["names"], json!(["x1"]));
    }
}
