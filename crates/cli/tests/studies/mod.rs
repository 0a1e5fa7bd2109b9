//! A small study to run, changed in one place at a time, and what it says without what differs from run to run.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use super::shell::{Said, Shell};

/// Seventeen rows of a tile that is small enough to be run in a moment.
pub const STUDY: &str = r#"name = "small"
workflow = "nuclei"
seed = 3

[[image]]
name = "one"
file = "synth:96x80?seed=3"
truth = "synth:96x80?seed=3"

[parameters]
G1 = { from = 5, to = 80, step = 5 }
G2 = { from = 5, to = 45, step = 5 }
minSizeSeg = { from = 1, to = 41, step = 4 }

[[metric]]
name = "dice"
of = "nuclei"
measure = "dice"
against = "truth"

[[metric]]
name = "change"
of = "nuclei"
measure = "pixel_difference"
against = "default"

[[phase]]
name = "screen"
method = "moat"
trajectories = 4

[run]
workers = 2
memory = "64 MiB"
resamples = 50
"#;

/// The study with a text replaced, which must be there.
pub fn changed(from: &str, to: &str) -> String {
    assert!(STUDY.contains(from), "{from} is not in the study");
    STUDY.replace(from, to)
}

/// The study with one more table or key before the parameters.
pub fn with(more: &str) -> String {
    changed("[parameters]", &format!("{more}\n\n[parameters]"))
}

/// An image of tiles of which one, which is not looked at before, cannot be decoded.
pub fn broken_tile(shell: &Shell) {
    shell.ok("image convert synth:400x400?seed=5 b.tif --tile 64 --compression deflate");
    let mut bytes = std::fs::read(shell.path("b.tif")).unwrap();
    let at = bytes.len() / 6;
    bytes[at..at + 400].fill(0xff);
    shell.write("b.tif", bytes);
}

/// What was said, with every time and measured size replaced.
pub fn timeless(said: &Said) -> String {
    // Long accounts go on in a second line.
    let said = said.to_string().replace("\n            + ", " + ");
    let lines: Vec<String> = said.lines().map(line).collect();
    lines.join("\n")
}

/// Lines of the account hold seconds, which have no place in a snapshot; tasks stay.
fn line(line: &str) -> String {
    let words = line.trim_start();
    if words.starts_with("Work ") {
        return "[the account in seconds]".into();
    }
    if words.contains(" worker") && words.contains("; peak") {
        return "[time and memory]".into();
    }
    // How many objects were known when two workers met them at a time is a matter of time.
    if words.contains(" objects one by one, ") {
        return "[objects]".into();
    }
    if let Some((asked, terms)) = line.split_once(" tasks asked = ") {
        return format!("{asked} tasks asked = {}", ran(terms));
    }
    if words.starts_with("planned in") {
        return "[time]".into();
    }
    match line.rsplit_once("   ") {
        Some((before, time)) if time.ends_with(" s") && before.contains("computed") => {
            format!("{}   [time]", together(before))
        }
        _ => line.into(),
    }
}

/// The line of a phase with its computed and reused tasks as one number, for the same reason.
fn together(line: &str) -> String {
    let parts = line.split_once("computed ").and_then(|(name, rest)| {
        let (computed, rest) = rest.split_once("   reused ")?;
        let (reused, rest) = rest.split_once("   ")?;
        let number = |text: &str| text.trim().replace(',', "").parse::<u64>().ok();
        Some(format!("{name}computed and reused {}   {rest}", number(computed)? + number(reused)?))
    });
    parts.unwrap_or_else(|| line.to_owned())
}

/// Tasks whose objects were all known and those that computed some: which are which is a matter of time.
fn ran(terms: &str) -> String {
    let number =
        |term: &str| term.rsplit(' ').next().map_or(0, |text| text.replace(',', "").parse().unwrap_or(0));
    let is_run = |term: &&str| term.starts_with("object ") || term.starts_with("computed ");
    let (run, saved): (Vec<&str>, Vec<&str>) = terms.split(" + ").partition(is_run);
    let run: u64 = run.into_iter().map(number).sum();
    saved.into_iter().map(str::to_owned).chain([format!("run {run}")]).collect::<Vec<_>>().join(" + ")
}
