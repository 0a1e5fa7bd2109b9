//! Texts of studies to start from: for a workflow, for one's own model, and from a problem read elsewhere.

mod images;
mod ranges;
mod write;

use std::fmt::Write as _;

pub use self::images::{ImagesTemplate, sheet_text};
use self::write::{key, parameter_value, phase, text};
use crate::{Catalogue, Halo, Parameter, Problem, Task, Workflow, WorkflowParameter};

/// A commented study of a workflow, every parameter with a range; `reference` is how the study names the workflow.
pub fn workflow_template(workflow: &Workflow, reference: &str) -> String {
    study_template(workflow, reference, IMAGES, false)
}

/// The same with images of a sheet.
pub fn images_template(workflow: &Workflow, reference: &str, images: &ImagesTemplate) -> String {
    study_template(workflow, reference, &images.text(), images.with_truth)
}

fn study_template(workflow: &Workflow, reference: &str, images: &str, with_truth: bool) -> String {
    let mut out = format!(
        "# Which parameters of {} change its result, and by how much?\n\
         name     = {}\n\
         workflow = {}\n\
         seed     = 2026                    # the same seed makes the same rows\n\
         # constraints = [\"minSize < maxSize\"]   # between parameters; `onceflow check` says what they do\n",
        workflow.name,
        text(&format!("{}-study", workflow.name)),
        text(reference),
    );
    out.push_str(&images.replace("\"owned\"      ", seams(workflow)));
    out.push_str(
        "\n[parameters]                        # what varies; take a line away and its default stays\n",
    );
    let lines = workflow.parameters.iter().map(|p| (key(&p.name), ranges::proposed(workflow, p), remark(p)));
    push_aligned(&mut out, lines.collect());
    push_metrics(&mut out, workflow.outputs.first().map_or("result", String::as_str), with_truth);
    out.push_str(PHASES);
    out.push_str(RUN);
    out
}

const IMAGES: &str = r#"
[[image]]                           # for many: images = "images.csv" with the columns name,file,truth and your own
name  = "first"
file  = "slides/first.svs"          # relative to this file
# box   = [0, 0, 4096, 4096]        # x, y, width, height in full-resolution pixels; without it: the whole image
# truth = "truth/first.geojson"     # mask, label image, GeoJSON or ImageScope XML

[parts]
um_per_pixel = 0.25                 # work at this resolution
size         = 4096                 # images are cut into parts of this size
seams        = "owned"              # exact | owned | independent
background   = "skip"               # skip | keep
# per_image  = 4                    # so many parts of each image; without it: all of them
"#;

/// As the papers did where a task takes a part for the whole image, padded to the width of the line.
fn seams(workflow: &Workflow) -> &'static str {
    let catalogue = Catalogue::nuclei();
    let halo = |task: &Task| catalogue.get(task.op.built_in()?).map(|spec| spec.halo);
    let alone = workflow.tasks().any(|task| halo(task) == Some(Halo::Whole));
    if alone { "\"independent\"" } else { "\"owned\"      " }
}

const PHASES: &str = r#"
[[phase]]
name         = "screen"
method       = "moat"               # which parameters matter at all?
trajectories = 20

[[phase]]
name   = "decompose"
method = "vbd"                      # how much of the variation does each explain?
base   = 256
keep   = { phase = "screen", share = 0.10 }   # those whose effect reaches 10 % of the largest
"#;

const RUN: &str = r#"
[run]
# workers    = 2                    # default: what the machine allows
# memory     = "2 GiB"              # default: three quarters of what there is
failures     = "drop"               # drop | bounds | stop
stop_above   = 0.05                 # more failed rows than this share: stop and say why
"#;

fn push_metrics(out: &mut String, output: &str, with_truth: bool) {
    let output = text(output);
    let change = format!(
        "name    = \"change\"\n\
         of      = {output}\n\
         measure = \"pixel_difference\"\n\
         against = \"default\"                 # the result with default values; \"truth\" where images have it\n"
    );
    if with_truth {
        let _infallible = write!(
            out,
            "\n[[metric]]                          # the first metric is the one the answer speaks of\n\
             name    = \"dice\"\n\
             of      = {output}\n\
             measure = \"dice\"\n\
             against = \"truth\"                   # images without truth take no part in it\n\
             \n[[metric]]\n{change}"
        );
        return;
    }
    let _infallible = write!(
        out,
        "\n[[metric]]                          # the first metric is the one the answer speaks of\n{change}\
         \n\
         # [[metric]]\n\
         # name    = \"dice\"\n\
         # of      = {output}\n\
         # measure = \"dice\"\n\
         # against = \"truth\"                 # needs truth = … with at least one image\n"
    );
}

/// `grey; default 80; top-hat above this marks a candidate`.
fn remark(parameter: &WorkflowParameter) -> String {
    let default = parameter.default.as_ref().map(|d| format!("default {d}"));
    let parts = [default, parameter.unit.clone(), parameter.about.clone()];
    // A line break would end the comment.
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ").replace(char::is_control, " ")
}

fn push_aligned(out: &mut String, lines: Vec<(String, String, String)>) {
    let width = |part: fn(&(String, String, String)) -> &String| {
        lines.iter().map(|line| part(line).chars().count()).max().unwrap_or(0).min(40)
    };
    let (names, values) = (width(|l| &l.0), width(|l| &l.1));
    for (name, value, remark) in &lines {
        let line = format!("{name:<names$} = {value:<values$}  # {remark}");
        let line = if remark.is_empty() { line.trim_end_matches("# ") } else { &line };
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// A commented study of one's own model: no workflow, only the statistics.
pub fn model_template() -> String {
    MODEL.to_owned()
}

const MODEL: &str = r#"# Which parameters of my own model matter? Onceflow chooses the rows and analyses the outputs; you run the model:
#   onceflow sample  --problem study.toml --phase screen -o X.csv
#   my-model X.csv > Y.csv                        # columns: row, y; rows may be missing or in any order
#   onceflow analyze --problem study.toml --method morris -X X.csv -Y Y.csv
name = "my-model"
seed = 2026                                       # the same seed makes the same rows
# constraints = ["x1 < x2"]

[parameters]
x1   = { from = 0.0, to = 1.0, default = 0.5 }                                   # any number between the ends
x2   = { from = 1, to = 100, type = "integer", default = 10 }                    # whole numbers
x3   = { from = 0.5, to = 2.5, step = 0.5, default = 1.0, unit = "mm" }          # 0.5, 1.0, … 2.5
x4   = { values = [4, 8], default = 8 }                                          # these numbers
mode = { values = ["fast", "good"], default = "good" }                           # words
x5   = { from = 0.001, to = 10, distribution = "loguniform", default = 0.1 }     # also triangular, normal, lognormal, weibull, weights

[[metric]]                                        # the outputs of the model, by their columns in Y.csv
name = "y"

[[phase]]
name         = "screen"
method       = "moat"                             # which parameters matter at all?
trajectories = 20

[[phase]]
name   = "decompose"
method = "vbd"                                    # how much of the variation does each explain?
base   = 256
keep   = { phase = "screen", metric = "y", share = 0.10 }
"#;

/// A study without a workflow that asks what a problem asks.
pub fn problem_template(name: &str, problem: &Problem) -> String {
    let mut out = format!("name = {}\n", text(name));
    if let Some(design) = &problem.design {
        let _infallible = writeln!(out, "seed = {}", design.seed);
    }
    let constraints: Vec<_> = problem.space.constraints().iter().map(|c| text(&c.to_string())).collect();
    if !constraints.is_empty() {
        let _infallible = writeln!(out, "constraints = [{}]", constraints.join(", "));
    }
    out.push_str("\n[parameters]\n");
    let line = |p: &Parameter| (key(&p.name), parameter_value(p), String::new());
    push_aligned(&mut out, problem.space.parameters().iter().map(line).collect());
    for output in &problem.outputs {
        let _infallible = write!(out, "\n[[metric]]\nname = {}\n", text(output));
    }
    if let Some(design) = &problem.design {
        out.push_str(&phase("sample", &design.method));
    }
    out
}
