//! What is said about a workflow descriptor, and that no text can do harm.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fmt::Write;

use onceflow_study::{
    Catalogue, Severity, SourceText, Stage, StageStep, Task, TaskOperation, Workflow, check_workflow,
    read_workflow, shipped_workflow,
};
use proptest::prelude::*;

/// Everything that is said about a text.
fn said(text: &str) -> String {
    match read_workflow(&SourceText::new("w.json", text)) {
        Ok(workflow) => check_workflow(&workflow, &Catalogue::nuclei()).to_string(),
        Err(messages) => messages.to_string(),
    }
}

/// Mistakes made in the shipped descriptor, one at a time: what is replaced, and by what.
const MISTAKES: [(&str, &[(&str, &str)]); 39] = [
    ("a region that is not declared", &[(r#""in": ["rc", "rc_recon"]"#, r#""in": ["rc", "rc_reccon"]"#)]),
    ("a region of another kind", &[(r#""rc": "u8""#, r#""rc": "mask""#)]),
    (
        "regions in the wrong order",
        &[(r#""in": ["diff", "bw1_t", "rbc"]"#, r#""in": ["bw1_t", "diff", "rbc"]"#)],
    ),
    ("a region too few", &[(r#""in": ["rc", "rc_recon"]"#, r#""in": ["rc"]"#)]),
    ("an output too many", &[(r#""out": ["rbc"]"#, r#""out": ["rbc", "big"]"#)]),
    ("a region made twice", &[(r#""out": ["big"]"#, r#""out": ["bw1_t"]"#)]),
    (
        "a region nobody makes",
        &[(
            r#"{ "task": "t1", "op": "nuclei.red_blood_cells", "in": ["normalized"], "reads": ["T1", "T2"], "out": ["rbc"] },"#,
            "",
        )],
    ),
    ("a region nobody uses", &[(r#""in": ["diff", "bw1_t", "rbc"]"#, r#""in": ["diff", "bw1_t", "bw1"]"#)]),
    ("a region nobody mentions", &[(r#""image": "rgb8","#, r#""image": "rgb8", "other": "mask","#)]),
    ("an output nobody makes", &[(r#""outputs": ["nuclei"]"#, r#""outputs": ["nuclie"]"#)]),
    ("an input as output", &[(r#""outputs": ["nuclei"]"#, r#""outputs": ["nuclei", "image"]"#)]),
    ("an operation that is not there", &[("nuclei.grow", "nuclei.growth")]),
    ("a parameter that is not there", &[(r#""reads": ["G2"]"#, r#""reads": { "G2": "G3" }"#)]),
    ("a parameter that is not read", &[(r#""reads": ["G2"]"#, r#""reads": ["G2", "G1"]"#)]),
    ("a parameter too few", &[(r#""reads": ["T1", "T2"]"#, r#""reads": ["T1"]"#)]),
    ("a parameter read twice", &[(r#""reads": ["G2"]"#, r#""reads": ["G2", "G2"]"#)]),
    ("a parameter nobody reads", &[(r#""G2":         {"#, r#""G4": { "type": "real" }, "G2": {"#)]),
    ("a parameter of another kind", &[(r#""T1":    { "type": "real""#, r#""T1":    { "type": "integer""#)]),
    (
        "a connectivity that is read as 4",
        &[(r#""type": "connectivity", "default": 8"#, r#""type": "connectivity", "default": 6"#)],
    ),
    ("a constant of the wrong kind", &[(r#""connectivity": 8"#, r#""connectivity": 6"#)]),
    ("a constant with a fraction", &[(r#""from": "minSize""#, r#""from": 2.5"#)]),
    ("a word for a number", &[(r#""from": "minSize""#, r#""from": { "value": "small" }"#)]),
    (
        "a status that is not there",
        &[(r#""ends": ["background", "background_likely"]"#, r#""ends": ["background", "no_candidates"]"#)],
    ),
    (
        "nothing ends",
        &[(
            r#", "ends": ["no_candidates"] },
        { "task": "t5""#,
            r#" },
        { "task": "t5""#,
        )],
    ),
    ("no stand-in", &[(r#", "ended": { "nuclei": "empty" }"#, "")]),
    (
        "a stand-in for something else",
        &[(r#""ended": { "nuclei": "empty" }"#, r#""ended": { "nuclei": "empty", "rbc": "empty" }"#)],
    ),
    (
        "a stand-in for nothing",
        &[(r#""out": ["normalized"],"#, r#""out": ["normalized"], "ended": { "normalized": "empty" },"#)],
    ),
    (
        "a cycle of tasks",
        &[(
            r#""in": ["normalized"], "reads": ["T1", "T2"]"#,
            r#""in": ["normalized"], "after": ["t5"], "reads": ["T1", "T2"]"#,
        )],
    ),
    (
        "a cycle of stages",
        &[(
            r#""stage": "normalize", "in": ["image", "statistics"]"#,
            r#""stage": "normalize", "after": ["segment"], "in": ["image", "statistics"]"#,
        )],
    ),
    ("a task after nobody", &[(r#""reads": ["G2"]"#, r#""after": ["t44"], "reads": ["G2"]"#)]),
    ("two tasks of one name", &[(r#""task": "t2""#, r#""task": "t1""#)]),
    ("two stages of one name", &[(r#""stage": "normalize""#, r#""stage": "segment""#)]),
    ("a name for two things", &[(r#""G2":         {"#, r#""big": { "type": "real" }, "G2": {"#)]),
    (
        "a region that does not go in",
        &[(r#""stage": "segment", "in": ["normalized"]"#, r#""stage": "segment", "in": ["image"]"#)],
    ),
    (
        "a region that goes in and is made",
        &[(
            r#""stage": "segment", "in": ["normalized"]"#,
            r#""stage": "segment", "in": ["normalized", "big"]"#,
        )],
    ),
    (
        "a region that does not come out",
        &[(
            r#""out": ["normalized"],
      "tasks""#,
            r#""out": [],
      "tasks""#,
        )],
    ),
    (
        "a region that comes out of nothing",
        &[(
            r#""out": ["statistics"],
      "tasks""#,
            r#""out": ["statistics", "nuclei"],
      "tasks""#,
        )],
    ),
    ("a key that is not there", &[(r#""reads": ["G2"]"#, r#""read": ["G2"]"#)]),
    ("no JSON", &[(r#""outputs": ["nuclei"]"#, r#""outputs": ["nuclei""#)]),
];

#[test]
fn each_mistake_is_told() {
    let shipped = &shipped_workflow("nuclei").unwrap().text;
    let mut table = String::new();
    for (mistake, replacements) in MISTAKES {
        let mut text = shipped.clone();
        for (from, to) in replacements {
            assert!(text.contains(from), "{mistake}: the shipped descriptor has no {from}");
            text = text.replacen(from, to, 1);
        }
        let messages = said(&text);
        assert!(!messages.is_empty(), "{mistake} is not told");
        let _ = writeln!(table, "{mistake}\n  {}\n", messages.replace('\n', "\n  "));
    }
    insta::assert_snapshot!(table);
}

/// A task of one's own in a small workflow.
fn own_task(task: &str) -> String {
    let text = format!(
        r#"{{"workflow": "own", "parameters": {{"p": {{"type": "real"}}, "q": {{"type": "real"}}}},
 "regions": {{"image": "rgb8", "big": "mask", "out": "mask"}},
 "stages": [{{"stage": "s", "in": ["image"], "out": ["out"], "tasks": [
 {{"task": "first", "op": {{"command": ["a", "{{image}}", "{{big}}", "{{q}}"]}}, "in": ["image"], "reads": ["q"], "out": ["big"]}},
 {task}]}}], "outputs": ["out"]}}"#
    );
    said(&text)
}

#[test]
fn operations_of_ones_own() {
    let task = |op: &str, rest: &str| format!(r#"{{"task": "t", "op": {op}, {rest} "out": ["out"]}}"#);
    let takes = r#""in": ["image", "big"], "reads": ["p"],"#;
    let command = |arguments: &str| format!(r#"{{"command": ["x", {arguments}]}}"#);
    let good = r#""{image}", "{big}={p}", "{{braces}}", "{out}""#;
    let cases = [
        ("good", task(&command(good), takes)),
        (
            "bound under another name",
            task(&command(&good.replace("{p}", "{r}")), r#""in": ["image", "big"], "reads": {"r": "p"},"#),
        ),
        ("a placeholder that is not declared", task(&command(&good.replace("{p}", "{pp}")), takes)),
        ("something unused", task(&command(r#""{image}", "{p}", "{out}""#), takes)),
        ("nothing used, but served", task(r#"{"command": ["x"], "serve": true}"#, takes)),
        ("a lonely brace", task(&command(&good.replace("{p}", "{p")), takes)),
        ("two meanings", task(&command(good), r#""in": ["image", "big"], "reads": {"big": "p", "p": "p"},"#)),
        (
            "no such parameter",
            task(&command(&good.replace("{p}", "{z}")), r#""in": ["image", "big"], "reads": ["z"],"#),
        ),
        (
            "objects of an input",
            task(r#"{"command": ["x", "{image}{big}{p}{out}"], "per_object": "big"}"#, takes),
        ),
        (
            "objects of an image",
            task(r#"{"command": ["x", "{image}{big}{p}{out}"], "per_object": "image"}"#, takes),
        ),
        (
            "objects of what is not taken",
            task(r#"{"command": ["x", "{image}{big}{p}{out}"], "per_object": "out"}"#, takes),
        ),
        ("tiles", task(r#"{"command": ["x", "{image}{big}{p}{out}"], "per_tile": 64, "halo": 8}"#, takes)),
        (
            "tiles that see everything",
            task(r#"{"command": ["x", "{image}{big}{p}{out}"], "per_tile": 64, "halo": "whole"}"#, takes),
        ),
        (
            "tiles and objects",
            task(r#"{"command": ["x", "{image}{big}{p}{out}"], "per_tile": 64, "per_object": "big"}"#, takes),
        ),
        (
            "units that are never reused",
            task(r#"{"command": ["x", "{image}{big}{p}{out}"], "per_tile": 64, "repeats": "never"}"#, takes),
        ),
        (
            "objects that end the part",
            task(
                r#"{"command": ["x"], "serve": true, "per_object": "big"}"#,
                &format!(r#"{takes} "ends": ["done"],"#),
            ),
        ),
        (
            "files elsewhere",
            task(
                r#"{"command": ["x", "{image}{big}{p}{out}"], "files": ["/etc/passwd", "a/../../b", "inputs/c", "d"]}"#,
                takes,
            ),
        ),
        (
            "a container whose tag may move",
            task(r#"{"command": ["x", "{image}{big}{p}{out}"], "container": "a:1"}"#, takes),
        ),
        ("no container", task(r#"{"command": ["x", "{image}{big}{p}{out}"], "container": null}"#, takes)),
        (
            "a container that is none",
            task(r#"{"command": ["x", "{image}{big}{p}{out}"], "container": 7}"#, takes),
        ),
        ("placeholders, but served", task(r#"{"command": ["x", "{image}"], "serve": true}"#, takes)),
        ("a status", task(&command(good), &format!(r#"{takes} "ends": ["done"],"#))),
        ("a function that says all itself", task(r#"{"python": "steps.py:flood"}"#, "")),
        (
            "a function that is told what to read",
            task(r#"{"python": "steps.py:flood"}"#, r#""reads": ["p"],"#),
        ),
    ];
    let mut table = String::new();
    for (case, task) in cases {
        let messages = Some(own_task(&task)).filter(|m| !m.is_empty()).unwrap_or_else(|| "nothing".into());
        let _ = writeln!(table, "{case}\n  {}\n", messages.replace('\n', "\n  "));
    }
    insta::assert_snapshot!(table);
}

#[test]
fn what_is_put_together_from_objects_or_tiles_is_pixels() {
    let text = |given: &str, made: &str, declared: &str| {
        said(&format!(
            r#"{{"workflow": "own", "regions": {{"image": "rgb8", "big": "{given}", "out": "{made}"}},
 "stages": [{{"stage": "s", "in": ["image"], "out": ["out"], "tasks": [
 {{"task": "first", "op": {{"command": ["a", "{{image}}", "{{big}}"]}}, "in": ["image"], "out": ["big"]}},
 {{"task": "t", "op": {{"command": ["a", "{{big}}", "{{out}}"], {declared}}}, "in": ["big"], "out": ["out"]}}]}}],
 "outputs": ["out"]}}"#
        ))
    };
    for declared in [r#""per_object": "big""#, r#""per_tile": 64"#] {
        for (given, made) in [("mask", "mask"), ("mask", "f32"), ("labels", "labels"), ("labels", "u8")] {
            assert_eq!(text(given, made, declared), "", "{given} {made} {declared}");
        }
        for made in ["labels", "table"] {
            let messages = text("mask", made, declared);
            let expected = "`out` cannot be put together from objects or tiles";
            assert!(messages.contains(expected) && messages.lines().count() == 1, "{messages}");
        }
    }
}

#[test]
fn nested_stages_are_checked_like_others() {
    let text = |inner: &str| {
        said(&format!(
            r#"{{"workflow": "own", "regions": {{"image": "rgb8", "big": "mask", "out": "mask"}},
 "stages": [{{"stage": "s", "in": ["image"], "out": ["out"], "tasks": [{inner},
 {{"task": "last", "op": {{"command": ["a", "{{big}}", "{{out}}"]}}, "in": ["big"], "out": ["out"], "after": ["inner"]}}]}}],
 "outputs": ["out"]}}"#
        ))
    };
    let first =
        r#"{"task": "first", "op": {"command": ["a", "{image}", "{big}"]}, "in": ["image"], "out": ["big"]}"#;
    assert_eq!(
        text(&format!(r#"{{"stage": "inner", "in": ["image"], "out": ["big"], "tasks": [{first}]}}"#)),
        ""
    );
    let cases = [
        (r#""in": ["image"], "out": []"#, "`big` is used outside stage `inner`, but does not come out of it"),
        (r#""in": [], "out": ["big"]"#, "task `first` takes `image`, which does not go into stage `inner`"),
        (r#""scope": "image", "in": ["image"], "out": ["big"]"#, "a nested stage has a scope of its own"),
        (
            r#""ended": {"big": "empty"}, "in": ["image"], "out": ["big"]"#,
            "a nested stage says what stands for its regions",
        ),
        (r#""after": ["last"], "in": ["image"], "out": ["big"]"#, "tasks wait for each other"),
    ];
    for (boundary, expected) in cases {
        let messages = text(&format!(r#"{{"stage": "inner", {boundary}, "tasks": [{first}]}}"#));
        assert!(messages.contains(expected), "{messages}\nexpected {expected}");
    }
}

#[test]
fn part_results_may_fan_in_to_an_image() {
    let shipped = &shipped_workflow("nuclei").unwrap().text;
    let text = shipped.replace(r#""stage": "segment","#, r#""stage": "segment", "scope": "image","#);
    assert_eq!(said(&text), "");
}

#[test]
fn messages_are_bounded() {
    let regions: Vec<_> = (0..500).map(|i| format!("\"nobody{i}\"")).collect();
    let text = format!(
        r#"{{"workflow": "w", "regions": {{"a": "mask"}}, "stages": [{{"stage": "s", "in": [], "out": ["a"], "tasks":
        [{{"task": "t", "op": "mask.area_filter", "in": [{}], "out": ["a"]}}]}}], "outputs": ["a"]}}"#,
        regions.join(",")
    );
    let workflow = read_workflow(&SourceText::new("w", text)).unwrap();
    assert_eq!(check_workflow(&workflow, &Catalogue::nuclei()).count(Severity::Error), 100);
    let task = r#"{"task": "t", "op": "x"},"#.repeat(2001);
    let many = format!(
        r#"{{"workflow": "w", "regions": {{}}, "stages": [{{"stage": "s", "in": [], "out": [], "tasks": [{}]}}], "outputs": ["a"]}}"#,
        task.trim_end_matches(',')
    );
    assert!(said(&many).contains("the workflow has 2001 tasks; expected at most 2000 tasks"));
}

/// Steps nested at random, with names that are different everywhere and waits that go back only.
fn steps(depth: u32) -> BoxedStrategy<Vec<StageStep>> {
    let step = if depth == 0 {
        Just(None).boxed()
    } else {
        prop_oneof![3 => Just(None), 1 => steps(depth - 1).prop_map(Some)].boxed()
    };
    proptest::collection::vec((step, any::<prop::sample::Index>(), any::<bool>()), 1..5)
        .prop_map(|drawn| {
            let mut steps: Vec<StageStep> = Vec::new();
            for (place, (inner, index, waits)) in drawn.into_iter().enumerate() {
                let after: Vec<String> = match waits && place > 0 {
                    true => vec![steps[index.index(place)].name().to_owned()],
                    false => Vec::new(),
                };
                steps.push(match inner {
                    Some(inner) => {
                        let mut stage = Stage::new(format!("s{place}"));
                        (stage.steps, stage.after) = (inner, after);
                        StageStep::Stage(stage)
                    }
                    None => {
                        let mut task = Task::new(format!("t{place}"), TaskOperation::BuiltIn("x".into()));
                        task.after = after;
                        StageStep::Task(task)
                    }
                });
            }
            steps
        })
        .boxed()
}

/// Names of all tasks and which come right after which.
fn waits(workflow: &Workflow) -> BTreeMap<String, Vec<String>> {
    let graph = workflow.graph();
    let name = |task: usize| graph.tasks()[task].name.clone();
    (0..graph.tasks().len())
        .map(|task| (name(task), graph.successors(task).into_iter().map(name).collect()))
        .collect()
}

proptest! {
    #[test]
    fn flattening_keeps_every_task_once_and_every_wait(steps in steps(3)) {
        let mut stage = Stage::new("top");
        stage.steps = steps;
        let workflow = Workflow { stages: vec![stage], ..Workflow::default() };
        let flat = workflow.flatten();
        prop_assert!(flat.stages[0].steps.iter().all(|step| matches!(step, StageStep::Task(_))));
        prop_assert_eq!(waits(&workflow), waits(&flat));
        let graph = workflow.graph();
        let order = graph.order().unwrap();
        prop_assert_eq!(order.len(), workflow.task_count());
        let place = |task: usize| order.iter().position(|t| *t == task);
        for task in 0..order.len() {
            prop_assert!(graph.successors(task).into_iter().all(|next| place(task) < place(next)));
        }
    }

    #[test]
    fn mutated_descriptors_never_panic(at in 0usize..6200, cut in 0usize..60, put in r#"[\[\]{}",:a-z0-9 ]{0,10}"#) {
        let text = &shipped_workflow("nuclei").unwrap().text;
        let (start, end) = (at.min(text.len()), (at + cut).min(text.len()));
        let mutated = format!("{}{put}{}", &text[..start], &text[end..]);
        let _ = said(&mutated);
        if let Ok(workflow) = read_workflow(&SourceText::new("m", mutated)) {
            let _ = workflow.flatten().to_string();
        }
    }

    #[test]
    fn words_exchanged_never_panic(from in 0usize..300, to in 0usize..300) {
        let text = &shipped_workflow("nuclei").unwrap().text;
        let words: Vec<&str> = text.split('"').collect();
        let mut exchanged = words.clone();
        exchanged.swap(from % words.len(), to % words.len());
        let _ = said(&exchanged.join("\""));
    }
}
