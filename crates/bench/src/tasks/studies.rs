//! One study whose task is a Python function, or the same function as a program that serves: whole commands in turn.

use std::path::{Path, PathBuf};
use std::time::Duration;

use onceflow_terminal::Failure;

use crate::program::{failed, run};

/// Commands of each form; the quickest counts.
const ROUNDS: usize = 3;

const LIMIT: Duration = Duration::from_secs(900);

const FUNCTION: &str = r#"{ "python": "steps.py:dark" }"#;
const SERVED: &str =
    r#"{ "command": ["python3", "served.py"], "files": ["served.py", "onceflow_serve.py"], "serve": true }"#;

/// Seconds of the study with the function, and with the served program; their results must be the same.
pub(super) fn both(folder: &Path, side: u64) -> Result<(f64, f64), Failure> {
    let forms = [("function", FUNCTION), ("served", SERVED)];
    for (name, operation) in forms {
        write(folder, name, operation, side)?;
    }
    let mut best = [f64::INFINITY; 2];
    for round in 0..ROUNDS {
        for ((name, _), best) in forms.iter().zip(&mut best) {
            let study = folder.join(format!("{name}.toml")).display().to_string();
            // A folder that is complete would not be computed again.
            let out = out(folder, name, side, round).display().to_string();
            let words = ["run", &study, "-o", &out, "--allow-commands", "--workers", "1"];
            *best = best.min(run(&words, LIMIT)?.seconds);
        }
    }
    let rows = |name: &str| std::fs::read(out(folder, name, side, 0).join("rows.csv")).map_err(failed);
    if rows("function")? != rows("served")? {
        return Err(failed("the function and the program give other results"));
    }
    Ok((best[0], best[1]))
}

fn out(folder: &Path, name: &str, side: u64, round: usize) -> PathBuf {
    folder.join(format!("{name}-{side}-{round}"))
}

fn write(folder: &Path, name: &str, operation: &str, side: u64) -> Result<(), Failure> {
    let workflow = format!(
        r#"{{ "workflow": "{name}", "version": 1, "parameters": {{ "level": {{ "type": "integer", "default": 100 }} }},
  "regions": {{ "image": "rgb8", "found": "mask" }},
  "stages": [ {{ "stage": "s", "in": ["image"], "out": ["found"], "tasks": [
    {{ "task": "dark", "op": {operation}, "in": ["image"], "reads": ["level"], "out": ["found"] }} ] }} ],
  "outputs": ["found"] }}"#
    );
    // About as many pixels in each study, at least as many parts as rows would need.
    let (width, rows) = if side <= 64 { (512, 24) } else { (side * 2, 12) };
    let study = format!(
        "name = \"{name}\"\nworkflow = \"{name}.json\"\nseed = 1\n\n[[image]]\nname = \"one\"\nfile = \"synth:{width}x{width}?seed=7\"\n\n\
         [parameters]\nlevel = {{ from = 1, to = 250, step = 1 }}\n\n[[metric]]\nname = \"change\"\nof = \"found\"\n\
         measure = \"pixel_difference\"\nagainst = \"default\"\n\n[[phase]]\nname = \"all\"\nmethod = \"lhs\"\nrows = {rows}\n\n\
         [parts]\nsize = {side}\n"
    );
    std::fs::write(folder.join(format!("{name}.json")), workflow).map_err(failed)?;
    std::fs::write(folder.join(format!("{name}.toml")), study).map_err(failed)
}
