//! What is wrong with a study is said with its place, what was expected, and what to do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use onceflow_study::{Diagnostic, Severity};
use support::{NUCLEI, messages, nuclei, resolve};

/// The nuclei study with one text replaced must give exactly this error.
#[track_caller]
fn check(find: &str, replace: &str, expected: &str) {
    assert!(NUCLEI.contains(find), "`{find}` is not in the study");
    let text = NUCLEI.replacen(find, replace, 1);
    let errors: Vec<_> =
        messages(&text, Some(&nuclei())).into_iter().filter(|m| m.contains(": error: ")).collect();
    assert_eq!(errors, [format!("study.toml:{expected}")], "{replace}");
}

#[test]
fn mistakes_in_keys_and_settings_are_pointed_at() {
    check(
        "trajectories = 20",
        "trajectory = 20",
        "60:1: error: the phase has no key `trajectory`; expected one of name, method, trajectories, values, kind, seed, keep, analysis, found `trajectory`; to do: write `trajectories`",
    );
    check(
        "seed        = 2026",
        "seeds = 2026",
        "3:1: error: the study has no key `seeds`; expected one of name, workflow, seed, constraints, influential, images, image, parts, parameters, metric, phase, run, found `seeds`; to do: write `seed`",
    );
    check(
        "seed        = 2026",
        "seed = -1",
        "3:8: error: `seed` cannot be read; expected a whole number, 0 or more, found -1",
    );
    check(
        "workers      = 2",
        "worker = 2",
        "69:1: error: the table [run] has no key `worker`; expected one of workers, memory, staging, failures, stop_above, unreadable, resamples, confidence, granularity, until, at_most, keep_regions, found `worker`; to do: write `workers`",
    );
    check(
        "workers      = 2",
        "workers = 0",
        "69:11: error: `workers` cannot be read; expected a whole number, 1 or more, found 0",
    );
    check(
        r#"memory       = "2 GiB""#,
        r#"memory = "2 gigs""#,
        r#"70:10: error: `memory` cannot be read; expected a size such as "2 GiB", "600 MiB", "512 kB" or a number of bytes, found "2 gigs""#,
    );
    check(
        r#"failures     = "drop""#,
        r#"failures = "ignore""#,
        r#"71:12: error: `failures` cannot be read; expected one of drop, bounds, stop, found "ignore""#,
    );
    check(
        "stop_above   = 0.05",
        "stop_above = 5",
        r#"72:14: error: `stop_above` cannot be read; expected a share from 0 to 1, or a percentage such as "5 %", found 5"#,
    );
    check(
        r#"keep_regions = ["nuclei"]"#,
        r#"keep_regions = ["nucleii"]"#,
        "73:17: error: the workflow `nuclei` has no region `nucleii`; expected one of its regions: image, nuclei, found `nucleii`; to do: write `nuclei`",
    );
    check(
        "size         = 4096",
        "size = 0",
        "19:8: error: `size` cannot be read; expected an edge of 16 to 131072 pixels, found 0",
    );
    check(
        "um_per_pixel = 0.25",
        "um_per_pixel = -0.25",
        "18:16: error: `um_per_pixel` cannot be read; expected a number above 0, found -0.25",
    );
    check(
        r#"seams        = "exact""#,
        r#"seams = "exakt""#,
        r#"20:9: error: `seams` cannot be read; expected one of exact, owned, independent, found "exakt"; to do: write "exact""#,
    );
    check(
        r#"background   = "skip""#,
        "per_image = 0",
        "21:13: error: `per_image` cannot be read; expected a whole number, 1 or more, found 0",
    );
    check(
        r#"name        = "nuclei-two-slides""#,
        "# none",
        "1:1: error: the study has no `name`; expected the key `name`, found none",
    );
    check(
        "constraints = [",
        "constraints = 3 #",
        "4:15: error: `constraints` cannot be read; expected a list, found 3",
    );
}

#[test]
fn mistakes_in_images_are_pointed_at() {
    check(
        "box   = [18400, 22016, 1000, 1000]",
        "box = [18400, 22016, 0, 1000]",
        "9:7: error: `box` cannot be read; expected a box of at least 1 x 1 pixels (x, y, width, height), found [18400, 22016, 0, 1000]",
    );
    check(
        "box   = [18400, 22016, 1000, 1000]",
        "box = [18400, 22016, 1000]",
        "9:7: error: `box` cannot be read; expected four numbers: x, y, width, height, found [18400, 22016, 1000]",
    );
    check(
        r#"name  = "kidney-04""#,
        r#"name = "breast-01""#,
        "13:8: error: two images have the name `breast-01`; expected different names, found `breast-01` twice",
    );
    check(
        r#"file  = "slides/kidney-04.svs""#,
        r#"flie = "slides/kidney-04.svs""#,
        "14:1: error: the image has no key `flie`; expected one of name, fixed, file, box, truth, truth_box, um_per_pixel, slide, patient, moving, fixed_mask, moving_mask, fixed_labels, moving_labels, fixed_landmarks, moving_landmarks, found `flie`; to do: write `file`",
    );
    check(
        r#"truth = "truth/breast-01.geojson""#,
        "# none",
        r#"44:11: error: the metric `dice` compares with the truth, but no image has one; expected `truth` with at least one image, found none; to do: add truth = "…" to an image, or write against = "default""#,
    );
}

#[test]
fn mistakes_in_metrics_are_pointed_at() {
    check(
        r#"name    = "change""#,
        r#"name = "dice""#,
        "47:8: error: two metrics have the name `dice`; expected different names, found `dice` twice",
    );
    check(
        r#"name    = "change""#,
        r#"name = "G1""#,
        "47:8: error: the metric `G1` is called like a parameter; expected a name that no parameter has, found `G1`",
    );
    check(
        r#"of      = "nuclei""#,
        r#"of = "nucleus""#,
        "42:6: error: the workflow `nuclei` has no output `nucleus`; expected one of its outputs: nuclei, found `nucleus`; to do: write `nuclei`",
    );
    check(
        r#"measure = "objects_per_mm2""#,
        r#"measure = "dice""#,
        r#"55:11: error: `dice` compares two results; expected against = "truth" or "default", found nothing to compare with; to do: add against = "truth" or against = "default""#,
    );
    check(
        r#"against = "default""#,
        r#"against = "defaults""#,
        r#"50:11: error: `against` cannot be read; expected one of truth, default, nothing, found "defaults"; to do: write "default""#,
    );
}

#[test]
fn mistakes_in_phases_are_pointed_at() {
    check(
        r#"name   = "decompose""#,
        r#"name = "screen""#,
        "63:8: error: two phases have the name `screen`; expected different names, found `screen` twice",
    );
    check(
        r#"method = "vbd""#,
        r#"method = "vdb""#,
        r#"64:10: error: `method` cannot be read; expected one of morris, moat, vbd, sobol, saltelli, mc, monte-carlo, random, lhs, latin-hypercube, halton, hammersley, sobol-sequence, grid, full-factorial, tune, found "vdb"; to do: write "vbd""#,
    );
    check(
        r#"method = "vbd"
base   = 256"#,
        r#"method = "sobol"
rows = 256"#,
        r#"65:8: error: variance decomposition has a size `base`, not `rows`; expected the key `base`, found 256; to do: write base = …, or method = "sobol-sequence" for rows along Sobol's sequence"#,
    );
    check(
        "base   = 256",
        "base = 0",
        "65:8: error: `base` cannot be read; expected a whole number, 2 or more, found 0",
    );
    check(
        "base   = 256",
        r#"base = 256
estimator = "janson""#,
        r#"66:13: error: `estimator` cannot be read; expected one of controlled, saltelli, janon, martinez, found "janson"; to do: write "janon""#,
    );
    check(
        "base   = 256",
        "base = 256\nreplicates = 512",
        "66:14: error: there are more replicates than base rows; expected at most 256, found 512",
    );
    check(
        "base   = 256",
        "base = 100_000_000",
        "65:8: error: phase `decompose` would make 1,700,000,000 rows; expected at most 1,000,000,000, found 1,700,000,000; to do: reduce `base`",
    );
    check(
        "base   = 256",
        r#"base = 256
analysis = ["delta", "morris"]"#,
        r#"66:22: error: morris needs rows of its own design; expected method = "morris", found rows of saltelli; to do: change the method, or use correlation, rbd-fast, delta or pawn, which take any rows"#,
    );
    check(
        "base   = 256",
        r#"base = 256
second_order = "yes""#,
        r#"66:16: error: `second_order` cannot be read; expected true or false, found "yes""#,
    );
}

#[test]
fn mistakes_in_what_is_kept_are_pointed_at() {
    check(
        r#"keep   = { phase = "screen""#,
        r#"keep = { phase = "scren""#,
        "66:18: error: `keep` refers to `scren`, which is not an earlier phase; expected one of the phases before this one: screen, found `scren`; to do: write `screen`",
    );
    check(
        r#"keep   = { phase = "screen", metric = "dice", share = 0.10 }"#,
        r#"keep = { phase = "decompose" }"#,
        "66:18: error: `keep` refers to `decompose`, which is not an earlier phase; expected one of the phases before this one: screen, found `decompose`",
    );
    check(
        r#"metric = "dice", share"#,
        r#"metric = "dise", share"#,
        "66:39: error: the study has no metric `dise`; expected one of its metrics: dice, change, density, found `dise`; to do: write `dice`",
    );
    check(
        "share = 0.10",
        "share = 10",
        r#"66:55: error: `share` cannot be read; expected a share from 0 to 1, or a percentage such as "5 %", found 10"#,
    );
    check(
        r#"keep   = { phase = "screen", metric = "dice", share = 0.10 }"#,
        r#"keep = ["G1", "G3"]"#,
        "66:15: error: `keep` names `G3`, which does not vary; expected parameters or groups that vary: blue, green, red, T1, T2, reconConnectivity, fillHolesConnectivity, G1, minSize, maxSize, G2, minSizePl and 3 more, found `G3`; to do: write `G1`",
    );
    check(
        r#"keep   = { phase = "screen", metric = "dice", share = 0.10 }"#,
        "keep = []",
        "66:8: error: `keep` names no parameter, so the phase would vary nothing; expected at least one name, found an empty list",
    );
}

#[test]
fn mistakes_in_parameters_are_pointed_at() {
    check(
        "G1         = {",
        "G3 = {",
        "31:1: error: the workflow `nuclei` has no parameter `G3`; expected one of its parameters: blue, green, red, T1, T2, reconConnectivity, fillHolesConnectivity, G1, minSize, maxSize, G2, minSizePl and 3 more, found `G3`; to do: write `G1`",
    );
    check(
        "G1         = { from = 5, to = 80, step = 5 }",
        "G1 = { from = 80, to = 5, step = 5 }",
        "31:6: error: `G1` cannot be sampled: expected from < to, found 80..5",
    );
    check(
        "G1         = { from = 5, to = 80, step = 5 }",
        "G1 = { from = 5, to = nan }",
        "31:6: error: `G1` is an integer; expected ends between -2^53 and 2^53, found 5..NaN",
    );
    check(
        "G1         = { from = 5, to = 80, step = 5 }",
        "G1 = { from = 5, to = inf }",
        "31:6: error: `G1` is an integer; expected ends between -2^53 and 2^53, found 5..inf",
    );
    check(
        "G1         = { from = 5, to = 80, step = 5 }",
        "G1 = { from = 5, to = 80, step = 0.5 }",
        "31:6: error: `G1` is an integer; expected whole numbers, found 0.5",
    );
    check(
        "G1         = { from = 5, to = 80, step = 5 }",
        r#"G1 = { from = 5, to = 80, step = 5, type = "real" }"#,
        "31:44: error: `G1` is of another type in the workflow; expected integer, found real; to do: leave `type` out: the workflow knows it",
    );
    check(
        "G1         = { from = 5, to = 80, step = 5 }",
        "G1 = [80]",
        "31:6: error: `G1` cannot be sampled: expected at least two different values, found 1; to do: give it more values, or fix it: G1 = … without brackets",
    );
    check(
        "G1         = { from = 5, to = 80, step = 5 }",
        r#"G1 = ["low", "high"]"#,
        "31:6: error: `G1` is an integer; expected whole numbers, found `low`",
    );
    check(
        "G1         = { from = 5, to = 80, step = 5 }",
        "G1 = { from = 5 }",
        "31:6: error: the parameter `G1` has no `to`; expected the key `to`, found none",
    );
    check(
        "G1         = { from = 5, to = 80, step = 5 }",
        "G1 = true",
        "31:6: error: `G1` cannot be read; expected { from = …, to = … }, a list of values, or one finite number or word, found true",
    );
    check(
        "G1         = { from = 5, to = 80, step = 5 }",
        r#"G1 = { from = 5, to = 80, step = 5, group = "G2" }"#,
        "31:45: error: the group `G2` is called like a parameter; expected a group name that no other parameter has, found `G2`",
    );
    check(
        "G1         = { from = 5, to = 80, step = 5 }",
        r#"G1 = { from = 5, to = 80, step = 5, default = "x" }"#,
        "31:47: error: `G1` is an integer; expected whole numbers, found `x`",
    );
    check(
        "reconConnectivity     = [4, 8]",
        "reconConnectivity = [4, 6]",
        "29:21: error: `reconConnectivity` has a value twice; expected different values, found 4 and 6, which are read as one",
    );
    check(
        "reconConnectivity     = [4, 8]",
        "reconConnectivity = { from = 4, to = 8 }",
        "29:21: error: `reconConnectivity` is a connectivity; expected a list such as [4, 8], found a range",
    );
}

#[test]
fn mistakes_in_constraints_are_pointed_at() {
    check(
        r#""minSize < maxSize""#,
        r#""minSize < maxsize""#,
        "4:27: error: this constraint cannot be read; expected the name of a parameter, found `maxsize`; to do: write `maxSize`",
    );
    check(
        r#""minSize < maxSize""#,
        r#""minSize > maxSize""#,
        "4:16: error: no values satisfy `minSize > maxSize`; expected a constraint that some values satisfy, found minSize 2..40, maxSize 900..1500; to do: change the ranges, or turn the comparison round",
    );
    check(
        r#""minSize < maxSize""#,
        r#""minSize <""#,
        "4:26: error: this constraint cannot be read; expected a parameter or a number, found the end",
    );
    check(
        "maxSize    = { from = 900, to = 1500, step = 50 }",
        "maxSize = { from = 30, to = 1500, step = 10 }",
        r#"4:16: error: the constraint `minSize < maxSize` cuts the ranges, so moat cannot tell its parameters apart; expected a constraint that holds everywhere in the ranges, found minSize 2..40, maxSize 30..1500; to do: put minSize and maxSize into one group (group = "…"), study `width = maxSize - minSize` in place of one of them, or use method = "lhs" with analysis = ["delta", "pawn"]"#,
    );
    check(
        "minSize    = { from = 2, to = 40, step = 2 }",
        "minSize = 2000",
        "4:16: error: no values satisfy `2000 < maxSize`; expected a constraint that some values satisfy, found maxSize 900..1500; to do: change the ranges, or turn the comparison round",
    );
}

fn warnings(find: &str, replace: &str) -> Vec<Diagnostic> {
    let (_, diagnostics) = resolve(&NUCLEI.replacen(find, replace, 1), Some(&nuclei()));
    diagnostics.0.into_iter().filter(|d| d.severity == Severity::Warning).collect()
}

#[test]
fn a_default_of_the_study_replaces_that_of_the_workflow() {
    let in_range = "G2         = { from = 2, to = 40, step = 2, default = 40 }";
    assert_eq!(warnings("G2         = { from = 2, to = 40, step = 2 }", in_range), []);
    let below = "maxSize = { from = 900, to = 1500, step = 50, default = 45 }";
    let warning = &warnings("maxSize    = { from = 900, to = 1500, step = 50 }", below)[0];
    assert_eq!(warning.hint.as_deref(), Some("widen the range to 0, or write default = 900 here"));
    assert_eq!(warning.labels[1].source.name, "study.toml", "the default stands in the study");
}

#[test]
fn a_constraint_that_cuts_is_allowed_within_a_group_and_where_rows_are_free() {
    let cut = NUCLEI.replace(
        "maxSize    = { from = 900, to = 1500, step = 50 }",
        "maxSize = { from = 30, to = 1500, step = 10 }",
    );
    let errors =
        |text: &str| messages(text, Some(&nuclei())).into_iter().filter(|m| m.contains(": error: ")).count();
    assert_eq!(errors(&cut), 1);
    let grouped = cut.replace("step = 10 }\nG2", "step = 10, group = \"size\" }\nG2").replace(
        "minSize    = { from = 2, to = 40, step = 2 }",
        "minSize = { from = 2, to = 40, step = 2, group = \"size\" }",
    );
    assert_eq!(errors(&grouped), 0);
    let free =
        cut.replace("\"moat\"\ntrajectories = 20", "\"lhs\"\nrows = 20\nanalysis = [\"delta\", \"pawn\"]");
    assert_eq!(errors(&free), 2, "vbd still needs independent parameters, and effects to keep by");
    let named =
        free.replace("{ phase = \"screen\", metric = \"dice\", share = 0.10 }", "[\"G1\", \"maxSize\"]");
    assert_eq!(errors(&named), 0, "minSize stands at its default in vbd");
}

#[test]
fn every_mistake_is_found_at_once() {
    let text = NUCLEI
        .replace("G1  ", "G3  ")
        .replace("\"moat\"", "\"moot\"")
        .replace("= 4096", "= -1")
        .replace("\"truth\"", "\"trust\"");
    let messages = messages(&text, Some(&nuclei()));
    assert_eq!(messages.iter().filter(|m| m.contains(": error: ")).count(), 4, "{messages:#?}");
}

#[test]
fn a_workflow_that_was_not_read_is_said() {
    let messages = messages(NUCLEI, None);
    assert!(
        messages[0].starts_with("study.toml:2:15: error: `workflow.json` has not been read"),
        "{messages:#?}"
    );
}
