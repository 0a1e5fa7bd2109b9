//! `method` of a phase with the sizes and options that belong to it.

use super::at_least;
use crate::located::TableReader;
use crate::{GridDesign, LatinHypercube, Method, MorrisDesign, SaltelliDesign, Trajectories};

mod tune;

/// A method before its sizes are known.
#[derive(Clone, Copy)]
enum MethodName {
    Morris,
    Saltelli,
    MonteCarlo,
    LatinHypercube,
    Halton,
    Hammersley,
    SobolSequence,
    Grid,
    Tune,
}

/// In a study `sobol` means the indices, as in the literature; the sequence has a name of its own.
const WORDS: [(&str, MethodName); 16] = [
    ("morris", MethodName::Morris),
    ("moat", MethodName::Morris),
    ("vbd", MethodName::Saltelli),
    ("sobol", MethodName::Saltelli),
    ("saltelli", MethodName::Saltelli),
    ("mc", MethodName::MonteCarlo),
    ("monte-carlo", MethodName::MonteCarlo),
    ("random", MethodName::MonteCarlo),
    ("lhs", MethodName::LatinHypercube),
    ("latin-hypercube", MethodName::LatinHypercube),
    ("halton", MethodName::Halton),
    ("hammersley", MethodName::Hammersley),
    ("sobol-sequence", MethodName::SobolSequence),
    ("grid", MethodName::Grid),
    ("full-factorial", MethodName::Grid),
    ("tune", MethodName::Tune),
];

const LATIN_HYPERCUBES: [(&str, LatinHypercube); 5] = [
    ("plain", LatinHypercube::Plain),
    ("centred", LatinHypercube::Centred),
    ("centered", LatinHypercube::Centred),
    ("maximin", LatinHypercube::Maximin),
    ("nested", LatinHypercube::Nested),
];

#[derive(Clone, Copy)]
enum TrajectoryWord {
    Plain,
    Optimised,
    Radial,
}

const TRAJECTORIES: [(&str, TrajectoryWord); 4] = [
    ("plain", TrajectoryWord::Plain),
    ("optimised", TrajectoryWord::Optimised),
    ("optimized", TrajectoryWord::Optimised),
    ("radial", TrajectoryWord::Radial),
];

/// What could be read of a method.
pub(super) enum ReadMethod {
    /// All of it, and the key that holds its size.
    Complete(Method, &'static str),
    /// The method is known, but not its size.
    WithoutSize,
    /// The method is not known, so that its other keys cannot be checked.
    Unknown,
}

/// Reads `method` and what belongs to it.
pub(super) fn read_method(fields: &mut TableReader<'_, '_>) -> ReadMethod {
    if !fields.has("method") {
        let _missing: Option<&str> = fields.required("method");
        return ReadMethod::Unknown;
    }
    let Some(word) = fields.word("method", &WORDS) else { return ReadMethod::Unknown };
    if is_mistaken_sequence(fields, word) {
        return ReadMethod::Unknown;
    }
    let (method, size) = complete(fields, word);
    method.map_or(ReadMethod::WithoutSize, |method| ReadMethod::Complete(method, size))
}

/// `method = "sobol"` with `rows` means the sequence to people who know it from elsewhere.
fn is_mistaken_sequence(fields: &mut TableReader<'_, '_>, word: MethodName) -> bool {
    let asks_rows = fields.table().get("rows").is_some() && fields.table().get("base").is_none();
    let mistaken = matches!(word, MethodName::Saltelli) && asks_rows;
    if mistaken {
        fields.error_with_hint(
            "rows",
            "variance decomposition has a size `base`, not `rows`",
            "the key `base`",
            "write base = …, or method = \"sobol-sequence\" for rows along Sobol's sequence",
        );
    }
    mistaken
}

fn complete(fields: &mut TableReader<'_, '_>, word: MethodName) -> (Option<Method>, &'static str) {
    match word {
        MethodName::Morris => (morris(fields).map(Method::Morris), "trajectories"),
        MethodName::Saltelli => (saltelli(fields).map(Method::Saltelli), "base"),
        MethodName::Grid => (Some(Method::Grid(grid(fields))), "method"),
        MethodName::Tune => (Some(Method::Tune(tune::design(fields))), "method"),
        _ => (rows(fields, word), "rows"),
    }
}

fn size(fields: &mut TableReader<'_, '_>, key: &str, least: u64) -> Option<u64> {
    if fields.has(key) { at_least(fields, key, least) } else { fields.required(key) }
}

fn rows(fields: &mut TableReader<'_, '_>, word: MethodName) -> Option<Method> {
    let rows = size(fields, "rows", 2);
    let method = match word {
        MethodName::LatinHypercube => {
            let kind = fields.word("kind", &LATIN_HYPERCUBES).unwrap_or_default();
            Method::LatinHypercube { rows: rows?, kind }
        }
        MethodName::Halton => Method::Halton { scrambled: scrambled(fields), rows: rows? },
        MethodName::Hammersley => Method::Hammersley { scrambled: scrambled(fields), rows: rows? },
        MethodName::SobolSequence => Method::Sobol { scrambled: scrambled(fields), rows: rows? },
        _ => Method::MonteCarlo { rows: rows? },
    };
    Some(method)
}

fn scrambled(fields: &mut TableReader<'_, '_>) -> bool {
    fields.optional("scrambled").unwrap_or(true)
}

fn morris(fields: &mut TableReader<'_, '_>) -> Option<MorrisDesign> {
    let trajectories = size(fields, "trajectories", 2);
    let values = at_least(fields, "values", 2).unwrap_or(MorrisDesign::VALUES);
    let kind = match fields.word("kind", &TRAJECTORIES).unwrap_or(TrajectoryWord::Plain) {
        TrajectoryWord::Plain => Trajectories::Plain,
        TrajectoryWord::Radial => Trajectories::Radial,
        TrajectoryWord::Optimised => {
            let usual = Trajectories::usual_candidates(trajectories.unwrap_or(0));
            let least = trajectories.unwrap_or(1);
            Trajectories::Optimised { candidates: at_least(fields, "candidates", least).unwrap_or(usual) }
        }
    };
    Some(MorrisDesign { trajectories: trajectories?, values, kind })
}

fn saltelli(fields: &mut TableReader<'_, '_>) -> Option<SaltelliDesign> {
    let base = size(fields, "base", 2);
    let second_order = fields.optional("second_order").unwrap_or(false);
    let replicates = fields.parsed("replicates", check_replicates);
    // A small base is not refused because of the default number of replicates.
    let usual = base.map_or(1, |base| SaltelliDesign::REPLICATES.min(base));
    if let (Some(base), Some(found)) = (base, replicates)
        && found > base
    {
        fields.error("replicates", "there are more replicates than base rows", format!("at most {base}"));
    }
    Some(SaltelliDesign { base: base?, second_order, replicates: replicates.unwrap_or(usual) })
}

/// More replicates than this only waste the sequences.
fn check_replicates(replicates: u64) -> Result<u64, String> {
    let fits = (1..=1024).contains(&replicates);
    if fits { Ok(replicates) } else { Err("a whole number from 1 to 1024; 4 to 16 are usual".to_owned()) }
}

fn grid(fields: &mut TableReader<'_, '_>) -> GridDesign {
    let values = at_least(fields, "values", 2).unwrap_or(MorrisDesign::VALUES);
    GridDesign { values, fraction: at_least(fields, "fraction", 1).unwrap_or(1) }
}
