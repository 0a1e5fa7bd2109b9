//! The benchmarks of onceflow: figures measured on this machine, beside their goals and the figures of peers.
//! `onceflow bench` starts this program.

mod args;
mod cluster;
mod figure;
mod kernels;
mod mold;
mod package;
mod plan;
mod products;
mod program;
mod python;
mod region;
mod run;
mod seams;
mod sensitivity;
mod tasks;
mod tune;

use std::process::ExitCode;

use clap::Parser as _;
use onceflow_allocator::CountingAllocator;
use onceflow_terminal::{Exit, Failure, Terminal, report_panics};

use args::{BenchArgs, BenchSubject};
use figure::{BenchFigure, to_json, to_text};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    report_panics();
    let args = BenchArgs::parse();
    let terminal = Terminal::new(args.progress);
    match measure(&args, &terminal) {
        Ok(()) => Exit::Ok.into(),
        Err(failure) => terminal.report(failure, args.json).into(),
    }
}

/// Functions as tasks need plain Python, the rest the package.
fn python_figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = tasks::figures(terminal, args)?;
    if package::is_asked(args) {
        figures.extend(package::figures(terminal, args)?);
    }
    Ok(figures)
}

/// Measures the subject and prints its figures.
fn measure(args: &BenchArgs, terminal: &Terminal) -> Result<(), Failure> {
    let (name, figures) = match args.subject {
        BenchSubject::Sensitivity => ("sensitivity", sensitivity::figures(terminal, args)?),
        BenchSubject::Plan => ("plan", plan::figures(terminal)?),
        BenchSubject::Region => ("region", region::figures(terminal, args)?),
        BenchSubject::Run => ("run", run::figures(terminal, args)?),
        BenchSubject::Seams => ("seams", seams::figures(terminal, args)?),
        BenchSubject::Products => ("products", products::figures(terminal, args)?),
        BenchSubject::Mold => ("mold", mold::figures(terminal, args)?),
        BenchSubject::Cluster => ("cluster", cluster::figures(terminal, args)?),
        BenchSubject::Tune => ("tune", tune::figures(terminal, args)?),
        BenchSubject::Python => ("python", python_figures(terminal, args)?),
        BenchSubject::Kernels => ("kernels", kernels::figures(terminal, args)?),
    };
    if args.json { terminal.json(&to_json(name, &figures)) } else { terminal.result(&to_text(&figures)) }
}
