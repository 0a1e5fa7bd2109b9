//! The published schema and the reader accept and refuse the same descriptors.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use onceflow_study::{
    DeviceKind, ParameterKind, RegionKind, Repeats, SHIPPED, Scope, SourceText, WORKFLOW_SCHEMA,
    read_workflow, shipped_workflow,
};
use serde_json::{Value, json};

fn schema() -> Value {
    serde_json::from_str(WORKFLOW_SCHEMA).unwrap()
}

/// A descriptor that uses every key, from which the cases below are made.
fn everything() -> Value {
    json!({
        "$schema": "workflow.schema.json",
        "workflow": "a-b", "version": 2, "about": "x",
        "parameters": {
            "p": { "type": "real", "default": 1, "unit": "px", "about": "x" },
            "q": { "type": "category", "default": "fast" },
            "c": { "type": "connectivity", "default": 4.0 }
        },
        "regions": { "image": "rgb8", "m": "mask", "n": "mask", "o": "any" },
        "programs": { "container": "c.sif", "memory": "1 GiB", "time": "2 min", "device": "gpu", "repeats": "close" },
        "stages": [{
            "stage": "s", "scope": "part", "in": ["image"], "out": ["o"], "ended": { "o": "empty" }, "after": [],
            "tasks": [
                { "task": "built-in", "op": "x.y", "in": ["image"], "reads": { "a": "p", "b": 8, "c": { "value": "w" } },
                  "out": ["m"], "ends": ["e"], "after": [], "forwards": ["image"] },
                { "stage": "inner", "in": ["m"], "out": ["n"], "tasks": [
                    { "task": "command", "op": {
                        "command": ["p", "{m}"], "files": ["f"], "container": "c.sif", "serve": true, "halo": 64,
                        "per_object": "m", "per_tile": 64, "memory": "600 MiB", "time": "1 h 30 min", "device": "gpu", "repeats": "close" },
                      "in": ["m"], "reads": ["p"], "out": ["n"] }
                ] },
                { "task": "python", "op": {
                    "python": "steps.py:flood", "files": [], "halo": "whole", "per_object": "n", "per_tile": 16, "memory": 5,
                    "time": 2.5, "device": "cpu", "repeats": "never" },
                  "out": ["o"] }
            ]
        }],
        "outputs": ["o"]
    })
}

const BUILT_IN: &str = "/stages/0/tasks/0";
const COMMAND: &str = "/stages/0/tasks/1/tasks/0/op";
const PYTHON: &str = "/stages/0/tasks/2/op";

/// Values for places of the descriptor, good ones and bad ones. It is long because it is one table, a line per key.
fn cases() -> Vec<(String, Value, bool)> {
    let at = |base: &str, key: &str| format!("{base}/{key}");
    let mut cases = Vec::new();
    let mut add = |place: String, good: &[Value], bad: &[Value]| {
        cases.extend(good.iter().map(|value| (place.clone(), value.clone(), true)));
        cases.extend(bad.iter().map(|value| (place.clone(), value.clone(), false)));
    };
    let name_good = [json!("a"), json!("_a.b-1")];
    let name_bad = [json!(""), json!("1a"), json!("-a"), json!("a b"), json!("é"), json!(1), json!(null)];
    add("/workflow".into(), &name_good, &name_bad);
    add("/version".into(), &[json!(1), json!(3.0)], &[json!(0), json!(-1), json!(1.5), json!("1")]);
    add("/about".into(), &[json!("")], &[json!(1)]);
    add("/$schema".into(), &[json!("")], &[json!(1)]);
    add(
        "/parameters".into(),
        &[json!({})],
        &[json!([]), json!({"a-b": {"type": "real"}}), json!({"a": {}}), json!({"a": 1})],
    );
    add("/parameters/p/type".into(), &[json!("real")], &[json!("category"), json!("float"), json!(1)]);
    add("/parameters/p/default".into(), &[json!(-2.5), json!(1e300)], &[json!("1"), json!(null), json!([1])]);
    add("/parameters/q/default".into(), &[json!("")], &[json!(1)]);
    add("/parameters/c/default".into(), &[json!(8)], &[json!(4.5), json!("8")]);
    add("/regions".into(), &[], &[json!([]), json!({"a b": "mask"}), json!({"a": "rgb16"}), json!({"a": 8})]);
    add("/stages".into(), &[], &[json!([]), json!({}), json!([1]), json!([{}])]);
    add("/outputs".into(), &[json!(["a", "b"])], &[json!([]), json!("a"), json!(["a", "a"]), json!([1])]);
    for place in
        ["/stages/0/stage", &at(BUILT_IN, "task"), &at(COMMAND, "per_object"), &at(PYTHON, "per_object")]
    {
        add(place.into(), &name_good, &name_bad);
    }
    add("/stages/0/scope".into(), &[json!("part")], &[json!("slide"), json!(1)]);
    add("/stages/0/in".into(), &[json!([]), json!(["a", "a"])], &[json!("a"), json!([""]), json!(null)]);
    for place in [
        "/stages/0/out",
        "/stages/0/after",
        &at(BUILT_IN, "out"),
        &at(BUILT_IN, "forwards"),
        &at(BUILT_IN, "ends"),
        &at(BUILT_IN, "after"),
    ] {
        add(
            place.into(),
            &[json!([]), json!(["a", "b"])],
            &[json!("a"), json!(["a", "a"]), json!([1]), json!(["a b"])],
        );
    }
    add(at(BUILT_IN, "in"), &[json!(["a", "a"])], &[json!({}), json!([1])]);
    add("/stages/0/ended".into(), &[json!({})], &[json!({"o": "full"}), json!({"o": 1}), json!(["o"])]);
    add(
        "/stages/0/tasks".into(),
        &[],
        &[json!([]), json!([1]), json!([{}]), json!([{"stage": "a"}]), json!([{"task": "a"}])],
    );
    let both = json!([{"task": "a", "stage": "b", "op": "x", "in": [], "out": [], "tasks": [{"task": "a", "op": "x"}]}]);
    add("/stages/0/tasks".into(), &[json!([{"task": "a", "op": ""}])], &[both]);
    add(
        at(BUILT_IN, "reads"),
        &[json!([]), json!({}), json!(["p"]), json!({"a": 2.5}), json!({"a": {"value": 1}})],
        &[
            json!("p"),
            json!([1]),
            json!(["a b"]),
            json!({"a": [1]}),
            json!({"a": {}}),
            json!({"a": {"value": 1, "b": 2}}),
            json!({"a": {"value": []}}),
            json!({"a": "a b"}),
            json!({"a": true}),
        ],
    );
    add(
        at(BUILT_IN, "op"),
        &[json!("anything"), json!({"command": ["a"]}), json!({"python": "a:b"})],
        &[json!(1), json!({}), json!([]), json!({"python": "a:b", "serve": true})],
    );
    add(at(COMMAND, "command"), &[json!(["a", ""])], &[json!([]), json!([""]), json!("a"), json!(["a", 1])]);
    add(at(COMMAND, "files"), &[json!(["a", "b"])], &[json!([""]), json!("a")]);
    add(at(COMMAND, "container"), &[json!("x")], &[json!(""), json!(1)]);
    add(at(COMMAND, "serve"), &[json!(false)], &[json!("yes"), json!(1)]);
    add(
        at(PYTHON, "python"),
        &[json!("a/b.py:f"), json!("c:d:e")],
        &[json!("a.py"), json!("a.py:"), json!(":f"), json!("a.py:f()"), json!("a.py:1")],
    );
    for base in [COMMAND, PYTHON] {
        add(
            at(base, "halo"),
            &[json!(0), json!(7.0), json!("whole")],
            &[json!(-1), json!(1.5), json!("none"), json!(4_294_967_296_u64)],
        );
        add(
            at(base, "per_tile"),
            &[json!(16), json!(256.0)],
            &[json!(15), json!(1.5), json!(-16), json!("256"), json!(4_294_967_296_u64)],
        );
        add(
            at(base, "memory"),
            &[json!("2 GiB"), json!("1.5gb"), json!("7"), json!(0)],
            &[json!("2 G"), json!("-1 B"), json!(-1), json!(1.5), json!("")],
        );
        add(
            at(base, "time"),
            &[json!("2 min"), json!("1d2s"), json!("90"), json!(0.5)],
            &[json!("30 min 1 h"), json!("2 minutes"), json!(""), json!(-1), json!("h")],
        );
        add(at(base, "device"), &[json!("cpu")], &[json!("tpu")]);
        add(at(base, "repeats"), &[json!("exact")], &[json!("always"), json!(true)]);
    }
    cases
}

fn reader_accepts(descriptor: &Value) -> Result<(), String> {
    read_workflow(&SourceText::new("w", descriptor.to_string())).map(drop).map_err(|d| d.to_string())
}

/// Sets the value at a place that the descriptor already has.
fn with(place: &str, value: Value) -> Value {
    let mut descriptor = everything();
    *descriptor.pointer_mut(place).unwrap_or_else(|| panic!("no {place}")) = value;
    descriptor
}

#[test]
fn the_schema_is_one() {
    assert!(jsonschema::meta::is_valid(&schema()));
}

#[test]
fn shipped_workflows_are_valid() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    for name in SHIPPED {
        let text = &shipped_workflow(name).unwrap().text;
        let errors: Vec<_> =
            validator.iter_errors(&serde_json::from_str(text).unwrap()).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
}

#[test]
fn schema_and_reader_agree() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let mut all = vec![("everything".to_owned(), everything(), true)];
    all.extend(
        cases()
            .into_iter()
            .map(|(place, value, good)| (format!("{place} = {value}"), with(&place, value), good)),
    );
    all.extend(
        without_keys().into_iter().map(|(place, value, good)| (format!("without {place}"), value, good)),
    );
    for (case, descriptor, good) in all {
        let reader = reader_accepts(&descriptor);
        assert_eq!(reader.is_ok(), good, "the reader, {case}: {reader:?}");
        let schema = validator.iter_errors(&descriptor).next().map(|error| error.to_string());
        assert_eq!(schema.is_none(), good, "the schema, {case}: {schema:?}");
    }
}

/// Each key taken away: what is needed and what is not.
fn without_keys() -> Vec<(String, Value, bool)> {
    let needed = [
        "/workflow",
        "/regions",
        "/stages",
        "/outputs",
        "/parameters/p/type",
        "/stages/0/stage",
        "/stages/0/in",
        "/stages/0/out",
        "/stages/0/tasks",
    ];
    let needed_too = [
        format!("{BUILT_IN}/task"),
        format!("{BUILT_IN}/op"),
        format!("{COMMAND}/command"),
        format!("{PYTHON}/python"),
    ];
    let needed: BTreeSet<String> = needed.iter().map(ToString::to_string).chain(needed_too).collect();
    let mut cases = Vec::new();
    for place in ["", "/parameters/p", "/stages/0", BUILT_IN, COMMAND, PYTHON] {
        let keys: Vec<String> =
            everything().pointer(place).unwrap().as_object().unwrap().keys().cloned().collect();
        for key in keys {
            let mut descriptor = everything();
            descriptor.pointer_mut(place).unwrap().as_object_mut().unwrap().remove(&key);
            let path = format!("{place}/{key}");
            let good = !needed.contains(&path);
            cases.push((path, descriptor, good));
        }
    }
    cases
}

#[test]
fn every_key_of_the_reader_is_in_the_schema() {
    let schema = schema();
    let places = [
        ("", "/properties"),
        ("/parameters/p", "/$defs/parameter/properties"),
        ("/stages/0", "/$defs/stage/properties"),
        (BUILT_IN, "/$defs/task/properties"),
        (COMMAND, "/$defs/command/properties"),
        (PYTHON, "/$defs/python/properties"),
    ];
    for (place, properties) in places {
        let mut descriptor = everything();
        descriptor.pointer_mut(place).unwrap()["zzzzzzzzzz"] = json!(1);
        let message = reader_accepts(&descriptor).unwrap_err();
        let (_, known) = message.split_once("expected one of ").unwrap();
        let known: BTreeSet<_> =
            known.split_once(", found").unwrap().0.split(", ").map(str::to_owned).collect();
        let published: BTreeSet<_> =
            schema.pointer(properties).unwrap().as_object().unwrap().keys().cloned().collect();
        assert_eq!(known, published, "{place}");
    }
}

#[test]
fn words_are_those_of_the_code() {
    let schema = schema();
    let check =
        |place: &str, words: Vec<&str>| assert_eq!(schema.pointer(place), Some(&json!(words)), "{place}");
    check("/$defs/regionKind/enum", RegionKind::ALL.map(RegionKind::word).to_vec());
    check("/$defs/parameter/properties/type/enum", ParameterKind::ALL.map(ParameterKind::word).to_vec());
    check("/$defs/stage/properties/scope/enum", Scope::ALL.map(Scope::word).to_vec());
    check("/$defs/device/enum", DeviceKind::WORDS.map(|(word, _)| word).to_vec());
    check("/$defs/repeats/enum", Repeats::WORDS.map(|(word, _)| word).to_vec());
}
