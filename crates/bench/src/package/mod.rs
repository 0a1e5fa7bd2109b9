//! The Python package beside SALib and Optuna: what importing it takes, an analysis, and asking and telling.

use onceflow_terminal::{Failure, Terminal};
use serde_json::json;

use crate::args::BenchArgs;
use crate::figure::{BenchFigure, Goal};
use crate::python::PythonPeer;

/// What the Python with the package is asked through.
const SCRIPT: &str = include_str!("package.py");

/// All figures; they need a Python in which `onceflow` is installed.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<BenchFigure>, Failure> {
    let Some(python) = PythonPeer::find(args.python.as_deref(), SCRIPT) else { return Err(no_package()) };
    terminal.say(&format!("python  {}", python.name()));
    let wanted = |name: &str| args.only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    let mut figures = Vec::new();
    for Section { name, ask, unit, goal } in sections() {
        if !wanted(name) {
            continue;
        }
        let _progress = terminal.progress(name);
        let found = python.ask(&json!({ "do": ask, "peers": !args.no_peer }))?;
        let value = found["value"].as_f64();
        let value = value.ok_or_else(|| Failure::internal("the package gave no figure"))?;
        figures.push(BenchFigure { name: name.into(), value, unit, goal, peer: found["peer"].as_f64() });
    }
    Ok(figures)
}

/// Whether any of the figures is asked for.
pub(crate) fn is_asked(args: &BenchArgs) -> bool {
    args.only
        .as_ref()
        .is_none_or(|only| sections().iter().any(|section| section.name.contains(only.as_str())))
}

/// One figure: its name, and what is asked for it.
struct Section {
    name: &'static str,
    ask: &'static str,
    unit: &'static str,
    goal: Option<Goal>,
}

fn sections() -> [Section; 4] {
    let section = |name, ask, unit, goal| Section { name, ask, unit, goal: Some(goal) };
    [
        section("import, beyond that of NumPy", "import", "s", Goal::AtMost(0.15)),
        section("analyze, Saltelli 4096 x 30, second order", "analyze", "s", Goal::Ratio(20.0)),
        section("ask and tell, one row in memory", "ask", "us", Goal::AtMost(20.0)),
        section("ask and tell, one row in a journal", "journal", "us", Goal::AtMost(200.0)),
    ]
}

fn no_package() -> Failure {
    let error = onceflow_study::Diagnostic::error("no Python here has the package onceflow");
    Failure::environment(
        error
            .expected_found("a Python that can import onceflow", "none of .peers/bin/python and python3")
            .with_hint("pip install ./crates/py, then name that Python by --python"),
    )
}
