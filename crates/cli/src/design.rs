//! The design: options of the command line, else those of the problem.

use clap::ValueEnum as _;
use onceflow_study::{
    Design, Diagnostic, GridDesign, LatinHypercube, Method, MorrisDesign, SaltelliDesign, Trajectories,
};
use onceflow_terminal::Failure;
use serde_json::{Value, json};

use crate::args::{DesignKindWord, MethodWord, SampleArgs};

/// The design of the command line; what it leaves open comes from `given`, the design of the problem or its phase.
pub(crate) fn design(
    args: &SampleArgs,
    given: Option<&Design>,
    seed: Option<u64>,
) -> Result<Design, Failure> {
    let seed = args.seed.or(given.map(|d| d.seed)).or(seed).unwrap_or(0);
    let method = match (args.method, given) {
        (Some(word), given) => start(word, given.map(|d| &d.method).filter(|m| is(m, word)), args)?,
        (None, Some(given)) => given.method.clone(),
        (None, None) => return Err(no_method()),
    };
    let method = args.n.map_or(method.clone(), |n| method.with_size(n));
    let method = with_options(method, args)?;
    refuse_idle(&method, args)?;
    Ok(Design { method, seed })
}

/// A number of rows for scripts; beyond 64 bits it is rounded to a real.
pub(crate) fn rows_json(rows: u128) -> Value {
    u64::try_from(rows).map_or_else(|_| json!(rows as f64), |rows| json!(rows))
}

/// How a sample of this method can be made larger, or what could be.
pub(crate) fn extension(method: &Method) -> &'static str {
    match method {
        Method::LatinHypercube { kind: LatinHypercube::Nested, .. } => "extendable: by doubling N",
        Method::LatinHypercube { .. } => "not extendable; --kind nested can be doubled",
        Method::Hammersley { .. } => "not extendable; halton and sobol are",
        Method::Grid(_) => "not extendable: it is complete",
        Method::Morris(MorrisDesign { kind: Trajectories::Optimised { .. }, .. }) => {
            "not extendable: all trajectories were chosen together; --kind plain and radial are"
        }
        _ => "extendable: a larger N begins with these rows",
    }
}

fn is(method: &Method, word: MethodWord) -> bool {
    word.to_possible_value().is_some_and(|value| value.get_name() == method.word())
}

/// The method of that word: as the problem has it, or with its documented defaults and the size of `--n`.
fn start(word: MethodWord, given: Option<&Method>, args: &SampleArgs) -> Result<Method, Failure> {
    if let Some(method) = given {
        return Ok(method.clone());
    }
    if word == MethodWord::Grid {
        return Ok(Method::Grid(GridDesign { values: MorrisDesign::VALUES, fraction: 1 }));
    }
    let n = args.n.ok_or_else(|| no_size(word))?;
    Ok(match word {
        MethodWord::Saltelli => Method::Saltelli(SaltelliDesign {
            base: n,
            second_order: false,
            replicates: SaltelliDesign::REPLICATES,
        }),
        MethodWord::Morris => Method::Morris(MorrisDesign {
            trajectories: n,
            values: MorrisDesign::VALUES,
            kind: Trajectories::Plain,
        }),
        MethodWord::Lhs => Method::LatinHypercube { rows: n, kind: LatinHypercube::Plain },
        MethodWord::Halton => Method::Halton { rows: n, scrambled: true },
        MethodWord::Hammersley => Method::Hammersley { rows: n, scrambled: true },
        MethodWord::Sobol => Method::Sobol { rows: n, scrambled: true },
        MethodWord::Mc | MethodWord::Grid => Method::MonteCarlo { rows: n },
    })
}

/// The method with the options that belong to it.
fn with_options(mut method: Method, args: &SampleArgs) -> Result<Method, Failure> {
    match &mut method {
        Method::Saltelli(saltelli) => {
            saltelli.second_order |= args.second_order;
            saltelli.replicates = args.replicates.unwrap_or(saltelli.replicates);
        }
        Method::Morris(morris) => {
            morris.values = args.values.unwrap_or(morris.values);
            morris.kind = trajectories(morris, args)?;
        }
        Method::Grid(grid) => {
            grid.values = args.values.unwrap_or(grid.values);
            grid.fraction = args.fraction.unwrap_or(grid.fraction);
        }
        Method::LatinHypercube { kind, .. } => *kind = hypercube(*kind, args)?,
        Method::Halton { scrambled, .. }
        | Method::Hammersley { scrambled, .. }
        | Method::Sobol { scrambled, .. } => *scrambled = (*scrambled || args.scramble) && !args.no_scramble,
        Method::MonteCarlo { .. } => {}
        Method::Tune(_) => return Err(tunes()),
    }
    Ok(method)
}

/// The rows of a phase that tunes follow from what earlier rows gave.
fn tunes() -> Failure {
    let error = Diagnostic::error("a phase that tunes has no sample");
    let error = error.expected_found("a design whose rows are known", "method = \"tune\"");
    Failure::bad_input(error.with_hint("onceflow tune STUDY -o DIR, or name a design with --method"))
}

fn trajectories(morris: &MorrisDesign, args: &SampleArgs) -> Result<Trajectories, Failure> {
    let candidates = |given: Option<u64>| {
        let default = Trajectories::usual_candidates(morris.trajectories);
        Trajectories::Optimised { candidates: args.candidates.or(given).unwrap_or(default) }
    };
    match (args.kind, morris.kind) {
        (None, Trajectories::Optimised { candidates: given }) => Ok(candidates(Some(given))),
        (None, kind) => Ok(kind),
        (Some(DesignKindWord::Plain), _) => Ok(Trajectories::Plain),
        (Some(DesignKindWord::Radial), _) => Ok(Trajectories::Radial),
        (Some(DesignKindWord::Optimised), Trajectories::Optimised { candidates: given }) => {
            Ok(candidates(Some(given)))
        }
        (Some(DesignKindWord::Optimised), _) => Ok(candidates(None)),
        (Some(kind), _) => Err(wrong_kind("morris", "plain, optimised or radial", kind)),
    }
}

fn hypercube(given: LatinHypercube, args: &SampleArgs) -> Result<LatinHypercube, Failure> {
    match args.kind {
        None => Ok(given),
        Some(DesignKindWord::Plain) => Ok(LatinHypercube::Plain),
        Some(DesignKindWord::Centred) => Ok(LatinHypercube::Centred),
        Some(DesignKindWord::Maximin) => Ok(LatinHypercube::Maximin),
        Some(DesignKindWord::Nested) => Ok(LatinHypercube::Nested),
        Some(kind) => Err(wrong_kind("lhs", "plain, centred, maximin or nested", kind)),
    }
}

/// Refuses an option that has no effect with the method.
fn refuse_idle(method: &Method, args: &SampleArgs) -> Result<(), Failure> {
    let word = method.word();
    let optimised =
        matches!(method, Method::Morris(MorrisDesign { kind: Trajectories::Optimised { .. }, .. }));
    let sequence = matches!(word, "halton" | "hammersley" | "sobol");
    let options = [
        ("--second-order", args.second_order, word == "saltelli", "saltelli"),
        ("--replicates", args.replicates.is_some(), word == "saltelli", "saltelli"),
        ("--kind", args.kind.is_some(), matches!(word, "lhs" | "morris"), "lhs and morris"),
        ("--candidates", args.candidates.is_some(), optimised, "--kind optimised of morris"),
        ("--values", args.values.is_some(), matches!(word, "morris" | "grid"), "morris and grid"),
        ("--fraction", args.fraction.is_some(), word == "grid", "grid"),
        (
            "--n",
            args.n.is_some(),
            word != "grid",
            "every method but grid, whose size follows from the values",
        ),
        ("--scramble", args.scramble, sequence, "halton, hammersley and sobol"),
        ("--no-scramble", args.no_scramble, sequence, "halton, hammersley and sobol"),
    ];
    let idle = options.iter().find(|(_, said, applies, _)| *said && !applies);
    idle.map_or(Ok(()), |(option, _, _, methods)| {
        Err(Failure::bad_input(
            Diagnostic::error(format!("{option} has no effect with method {word}"))
                .expected_found(format!("{option} with {methods}"), format!("method {word}"))
                .with_hint(format!("leave {option} out, or choose another --method")),
        ))
    })
}

fn wrong_kind(method: &str, kinds: &str, found: DesignKindWord) -> Failure {
    let found = found.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned());
    Failure::bad_input(
        Diagnostic::error(format!("{method} has no kind `{found}`"))
            .expected_found(kinds, format!("`{found}`"))
            .with_hint("onceflow sample --help lists the kinds"),
    )
}

fn no_method() -> Failure {
    Failure::bad_input(
        Diagnostic::error("no sampling method")
            .expected_found("--method, or a problem with a method", "neither")
            .with_hint("add --method morris --n 20 to screen, or --method saltelli --n 1024 to decompose"),
    )
}

fn no_size(word: MethodWord) -> Failure {
    let what = match word {
        MethodWord::Saltelli => "base rows",
        MethodWord::Morris => "trajectories",
        _ => "rows",
    };
    Failure::bad_input(
        Diagnostic::error("no sample size")
            .expected_found(format!("--n with the number of {what}"), "no --n")
            .with_hint(format!(
                "add --n, for example --n {}",
                if word == MethodWord::Morris { 20 } else { 1024 }
            )),
    )
}
