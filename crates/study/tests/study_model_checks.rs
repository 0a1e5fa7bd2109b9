//! What is wrong with a study of one's own model, which has no workflow, is said just as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use support::messages;

/// A study without a workflow, given what stands under `[parameters]` and after it, must give exactly this message.
#[track_caller]
fn check(parameters: &str, expected: &str) {
    let text = format!("name = \"own\"\n[parameters]\n{parameters}\n");
    let messages = messages(&text, None).join("\n");
    assert_eq!(messages.trim_start_matches("study.toml:"), expected, "{text}");
}

#[test]
fn mistakes_in_parameters_are_pointed_at() {
    check(
        r#"x = { from = 1, to = 2 }
y = { from = 0, to = 1, distribution = "loguniform" }"#,
        "4:40: error: `y` has a distribution that does not fit; expected a lower end above 0, found 0",
    );
    check(
        r#"x = { from = 1, to = 2, distribution = "normal", mean = 0, sd = -1 }"#,
        "3:40: error: `x` has a distribution that does not fit; expected a standard deviation above 0, found -1",
    );
    check(
        r#"x = { distribution = "normal", mean = 0, sd = 1 }
y = { from = 0, distribution = "lognormal", mean = 0, sd = 1 }"#,
        "",
    );
    check(
        r#"x = { values = ["a", "b"], weights = [1] }"#,
        "3:38: error: `x` has a distribution that does not fit; expected one weight for each value, found 1 for 2 values",
    );
    check(
        r#"x = { values = ["a", 2] }"#,
        "3:5: error: `x` is a category; expected words in quotes, found `2`",
    );
    check(
        "x = { from = 1, to = 2, peak = 3 }",
        "3:25: error: the parameter `x` has no key `peak`; expected one of type, default, group, unit, about, distribution, values, from, to, step, found `peak`",
    );
    check(
        r#"x = { from = 1, to = 2, type = "int" }"#,
        r#"3:32: error: `type` cannot be read; expected one of real, integer, connectivity, category, found "int""#,
    );
    check(
        "# nothing varies",
        "1:1: error: nothing can be sampled: expected at least one parameter, found none; to do: list what varies under [parameters], such as G1 = { from = 5, to = 80, step = 5 }",
    );
    check(
        "x = 3",
        "1:1: error: nothing can be sampled: expected at least one parameter, found none; to do: list what varies under [parameters], such as G1 = { from = 5, to = 80, step = 5 }",
    );
    check(
        r#"x = { from = 0, to = 9e18, type = "integer" }"#,
        "3:5: error: `x` is an integer; expected ends between -2^53 and 2^53, found 0..9000000000000000000",
    );
    check(
        r#"x = { from = 0, to = 10 }
[image]
name = "a""#,
        "4:1: error: `image` is a list of tables; expected [[image]], found a table; to do: write [[image]] with two brackets",
    );
    check(
        r#"x = { from = 0, to = 10, group = "pair" }
y = { from = 5, to = 20, group = "pair" }
z = { from = 5, to = 20, group = "z" }"#,
        "",
    );
    check(
        r#"x = { from = 0, to = 1 }
[[metric]]
name = "y"
against = "truth""#,
        r#"6:11: error: the metric `y` compares with the truth, but no image has one; expected `truth` with at least one image, found none; to do: add truth = "…" to an image, or write against = "default""#,
    );
}

#[test]
fn defaults_outside_their_ranges_are_warned_of() {
    check(
        "x = { from = 1, to = 2, default = 3 }",
        "3:5: warning: the default of x lies outside its range; expected a range that holds the default, found 1..2; to do: widen the range to 3, or write default = 2 here",
    );
    check(
        "x = { from = 1, to = 2, step = 0.5, default = 1.2 }",
        "note: the default of x (1.2) lies between two values of its range; the reference row is run as it is",
    );
    check(
        r#"x = ["a", "b"]
y = { values = ["c", "d"], default = "e" }"#,
        r#"4:5: warning: the default of y lies outside its range; expected a range that holds the default, found c, d; to do: add "e" to the values, or write default = … here"#,
    );
}

#[test]
fn mistakes_in_phases_are_pointed_at() {
    check(
        r#"x = { from = 0, to = 10 }
y = { from = 5, to = 20 }
[[phase]]
name = "p"
method = "lhs"
rows = 10
kind = "center""#,
        r#"9:8: error: `kind` cannot be read; expected one of plain, centred, centered, maximin, nested, found "center"; to do: write "centred""#,
    );
    check(
        r#"x = { from = 0, to = 1e6, step = 1 }
y = { from = 0, to = 1e6, step = 1 }
[[phase]]
name = "p"
method = "grid""#,
        "7:10: error: phase `p` would make 1,000,002,000,001 rows; expected at most 1,000,000,000, found 1,000,002,000,001; to do: take larger steps, raise `fraction`, or use a method with `rows`",
    );
    check(
        r#"x = { from = 0, to = 1 }
[[phase]]
name = "p"
method = "mc"
rows = 1_000_000_000_000"#,
        "7:8: error: phase `p` would make 1,000,000,000,000 rows; expected at most 1,000,000,000, found 1,000,000,000,000; to do: reduce `rows`",
    );
    check(
        r#"x = { from = 0, to = 1 }
[[phase]]
name = "p"
method = "mc"
rows = 99999999999999999999"#,
        "7:8: error: `rows` cannot be read; expected a whole number below 2^63, found 100000000000000000000",
    );
    check(
        r#"x = { from = 0, to = 1 }
[[phase]]
name = "p"
method = "morris"
trajectories = 20
kind = "optimised"
candidates = 10"#,
        "9:14: error: `candidates` cannot be read; expected a whole number, 20 or more, found 10",
    );
    check(
        r#"x = { from = 0, to = 1 }
[[phase]]
name = "p"
method = "morris"
trajectories = 20
[[phase]]
name = "q"
method = "vbd"
base = 64
keep = { phase = "p" }"#,
        "12:8: warning: no default of x: a parameter that `keep` leaves out stands at its default; to do: write default = … beside the range",
    );
}

#[test]
fn defaults_that_break_a_constraint_are_said_and_may_leave_a_phase_nothing() {
    check(
        "x = { from = 0, to = 5, default = 4 }\ny = { from = 3, to = 10, default = 3 }\n[[metric]]\nname = \"f\"",
        "",
    );
    let parameters = "x = { from = 0, to = 5, default = 5 }\ny = { from = 3, to = 5, default = 3 }";
    let phase = "[[phase]]\nname = \"p\"\nmethod = \"mc\"\nrows = 8\nkeep = [\"y\"]";
    let text = format!("name = \"c\"\nconstraints = [\"x < y\"]\n[parameters]\n{parameters}\n{phase}");
    assert_eq!(
        messages(&text, None),
        [
            "study.toml:10:8: error: phase `p` cannot be sampled: expected a constraint that some values satisfy, found `5 < y`, which none does; to do: keep other parameters, or change the defaults",
            "study.toml:2:16: warning: the defaults break the constraint `x < y`; expected defaults that satisfy it, found x = 5 and y = 3; to do: write default = … beside a range",
            "study.toml:2:16: note: the constraint `x < y` cuts the ranges: rows that break it are drawn again",
        ]
    );
}

#[test]
fn an_uneven_base_is_noted() {
    let phase = "[[phase]]\nname = \"p\"\nmethod = \"vbd\"\nbase = 100\nreplicates = 4";
    check(
        &format!("x = {{ from = 0, to = 5 }}\n{phase}"),
        "7:8: note: the base rows of `p` are not evenly spread; expected 4 (the replicates) times a power of two, found 100; to do: write base = 128, which is",
    );
}

#[test]
fn names_are_not_empty_and_messages_not_endless() {
    check(
        "\"\" = { from = 0, to = 5 }",
        "3:1: error: this name is empty; expected a name, found an empty text",
    );
    let many: String = (0..2000).map(|i| format!("x{i} = true\n")).collect();
    let messages = messages(&format!("name = \"m\"\n[parameters]\n{many}"), None);
    assert_eq!((messages.len(), messages[100].as_str()), (101, "note: 1900 more messages are left out"));
    let many: String = (0..10_001).map(|i| format!("x{i} = {{from=0,to=1}}\n")).collect();
    check(&many, "10003:1: error: there are too many parameters; expected at most 10000, found 10001");
}
