//! `onceflow bench`.

use crate::args::{BenchArgs, BenchSubject};
use crate::bench;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Measures and prints the figures.
pub(crate) fn run(args: &BenchArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let (name, figures) = match args.subject {
        BenchSubject::Sensitivity => ("sensitivity", bench::sensitivity::figures(terminal, args)?),
        BenchSubject::Plan => ("plan", bench::plan::figures(terminal)?),
        BenchSubject::Region => ("region", bench::region::figures(terminal, args)?),
        BenchSubject::Run => ("run", bench::run::figures(terminal, args)?),
        BenchSubject::Seams => ("seams", bench::seams::figures(terminal, args)?),
        BenchSubject::Kernels => ("kernels", bench::kernels::figures(terminal, args)?),
    };
    if args.json {
        terminal.json(&bench::to_json(name, &figures))?;
    } else {
        terminal.result(&bench::to_text(&figures))?;
    }
    Ok(Exit::Ok)
}
