//! Figures of the store of results: lookups, publishing beside plain files, very many entries, and studies that find what
//! earlier ones computed.

mod memo;
mod store;
mod studies;

use onceflow_terminal::{Failure, Terminal};

use crate::args::BenchArgs;
use crate::figure::{BenchFigure, Goal};

/// Measures them.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<BenchFigure>, Failure> {
    type Section = fn() -> Result<Vec<BenchFigure>, Failure>;
    let sections: [(&str, Section); 10] = [
        ("lookups", store::lookups),
        ("publishing", store::publishing),
        ("small", store::small),
        ("entries", store::entries),
        ("again", studies::again),
        ("overlap", studies::overlap),
        ("empty", studies::empty),
        ("commands", memo::commands),
        ("blocks", memo::blocks),
        ("attributes", memo::attributes),
    ];
    let mut figures = Vec::new();
    for (name, section) in sections {
        if args.only.as_ref().is_none_or(|only| name.contains(only.as_str())) {
            let _progress = terminal.progress(format!("measuring the store: {name}"));
            figures.extend(section()?);
        }
    }
    Ok(figures)
}

fn figure(name: impl Into<String>, value: f64, unit: &'static str, goal: Option<Goal>) -> BenchFigure {
    BenchFigure { name: name.into(), value, unit, goal, peer: None }
}
