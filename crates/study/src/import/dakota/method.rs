//! The block `method`: which of Dakota's methods is which of our designs.

use std::sync::LazyLock;

use super::super::ImportReport;
use super::block::{DakotaBlock, Statement, find};
use crate::{Design, LatinHypercube, Method, MorrisDesign, SaltelliDesign, SourceSpan, Trajectories};

/// Methods that are read.
const SUPPORTED: &[&str] = &["psuade_moat", "sampling", "dace", "fsu_quasi_mc", "multidim_parameter_study"];

/// Dakota's other methods.
const UNSUPPORTED: &[&str] = &[
    "adaptive_sampling",
    "asynch_pattern_search",
    "bayes_calibration",
    "branch_and_bound",
    "centered_parameter_study",
    "coliny_beta",
    "coliny_cobyla",
    "coliny_direct",
    "coliny_ea",
    "coliny_pattern_search",
    "coliny_solis_wets",
    "conmin_frcg",
    "conmin_mfd",
    "dl_solver",
    "dot_bfgs",
    "dot_frcg",
    "dot_mmfd",
    "dot_slp",
    "dot_sqp",
    "efficient_global",
    "fsu_cvt",
    "function_train",
    "genie_direct",
    "genie_opt_darts",
    "global_evidence",
    "global_interval_est",
    "global_reliability",
    "gpais",
    "hybrid",
    "importance_sampling",
    "list_parameter_study",
    "local_evidence",
    "local_interval_est",
    "local_reliability",
    "mesh_adaptive_search",
    "moga",
    "multi_start",
    "multifidelity_sampling",
    "multilevel_sampling",
    "ncsu_direct",
    "nl2sol",
    "nlpql_sqp",
    "nlssol_sqp",
    "nonlinear_cg",
    "npsol_sqp",
    "optpp_cg",
    "optpp_fd_newton",
    "optpp_g_newton",
    "optpp_newton",
    "optpp_pds",
    "optpp_q_newton",
    "pareto_set",
    "pof_darts",
    "polynomial_chaos",
    "richardson_extrap",
    "rkd_darts",
    "soga",
    "stoch_collocation",
    "surrogate_based_global",
    "surrogate_based_local",
    "vector_parameter_study",
];

/// Keywords inside a method.
const OPTIONS: &[&str] = &[
    "samples",
    "initial_samples",
    "seed",
    "fixed_seed",
    "partitions",
    "sample_type",
    "random",
    "incremental_random",
    "lhs",
    "incremental_lhs",
    "low_discrepancy",
    "oas",
    "oa_lhs",
    "box_behnken",
    "central_composite",
    "grid",
    "halton",
    "hammersley",
    "variance_based_decomp",
    "vbd_sampling_method",
    "pick_and_freeze",
    "binned",
];

/// Keywords of the block.
pub(super) fn words() -> &'static [&'static str] {
    static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| [SUPPORTED, UNSUPPORTED, OPTIONS].concat());
    &WORDS
}

/// A design, and how finely each variable is cut when it is a grid of unequal sides.
pub(super) struct DakotaDesign {
    pub(super) design: Design,
    pub(super) partitions: Option<(SourceSpan, Vec<u64>)>,
}

/// Whether the method is one that by default varies only uncertain variables.
pub(super) fn is_sampling(block: &DakotaBlock) -> bool {
    block.statements.iter().any(|s| s.keyword == "sampling")
}

/// The design a block asks for, with `variables` varying.
pub(super) fn plan(block: &DakotaBlock, variables: usize, report: &mut ImportReport) -> Option<DakotaDesign> {
    let name = method_name(block, report)?;
    let seed = find(&block.statements, "seed", report).and_then(|s| s.whole(report)).unwrap_or(0);
    if name.keyword == "multidim_parameter_study" {
        let partitions = partitions(block, name, variables, report)?;
        let method = Method::Grid(crate::GridDesign { values: 2, fraction: 1 });
        return Some(DakotaDesign { design: Design { method, seed }, partitions: Some(partitions) });
    }
    let method = match name.keyword {
        "psuade_moat" => Method::Morris(moat(block, name, variables, report)?),
        _ => sampled(block, name, report)?,
    };
    Some(DakotaDesign { design: Design { method, seed }, partitions: None })
}

fn method_name<'a>(block: &'a DakotaBlock, report: &mut ImportReport) -> Option<&'a Statement> {
    let is_method = |s: &&Statement| SUPPORTED.contains(&s.keyword) || UNSUPPORTED.contains(&s.keyword);
    let named: Vec<&Statement> = block.statements.iter().filter(is_method).collect();
    let expected = format!("one of {}", SUPPORTED.join(", "));
    match named[..] {
        [] => report.error(block.span, "this block names no known method", expected, "none"),
        [name, ..] if !SUPPORTED.contains(&name.keyword) => {
            report.error(name.span, "this method is not supported", expected, format!("`{}`", name.keyword));
        }
        [name] => return Some(name),
        [_, second, ..] => {
            let found = format!("`{}` too", second.keyword);
            report.error(second.span, "two methods in one block", "one method", found);
        }
    }
    None
}

/// As Dakota does, samples are rounded up to whole trajectories and partitions to an odd number.
fn moat(
    block: &DakotaBlock,
    name: &Statement,
    variables: usize,
    report: &mut ImportReport,
) -> Option<MorrisDesign> {
    let per = variables as u64 + 1;
    let mut trajectories = 10;
    if let Some(samples) = find(&block.statements, "samples", report) {
        let rows = samples.whole(report)?.max(1);
        trajectories = rows.div_ceil(per);
        if !rows.is_multiple_of(per) {
            let said =
                format!("samples must be a multiple of {per}: {} are taken for {rows}", trajectories * per);
            report.warning(samples.span, said);
        }
    } else {
        report.note(name.span, format!("no samples are given: {} are taken", trajectories * per));
    }
    let values = moat_values(block, report)?;
    Some(MorrisDesign { trajectories, values, kind: Trajectories::Plain })
}

fn moat_values(block: &DakotaBlock, report: &mut ImportReport) -> Option<u64> {
    let Some(statement) = find(&block.statements, "partitions", report) else {
        return Some(MorrisDesign::VALUES);
    };
    let partitions = statement.whole(report)?;
    match partitions {
        0 => {
            report.warning(statement.span, "partitions must be positive: 3 are taken");
            Some(MorrisDesign::VALUES)
        }
        p if p.is_multiple_of(2) => {
            let said =
                format!("partitions must be odd: {} are taken for {p}, which is {} values", p + 1, p + 2);
            report.warning(statement.span, said);
            Some(p + 2)
        }
        p => Some(p + 1),
    }
}

fn partitions(
    block: &DakotaBlock,
    name: &Statement,
    variables: usize,
    report: &mut ImportReport,
) -> Option<(SourceSpan, Vec<u64>)> {
    let Some(statement) = find(&block.statements, "partitions", report) else {
        report.error(name.span, "the grid has no `partitions`", format!("{variables} whole numbers"), "none");
        return None;
    };
    let numbers = statement.numbers(report)?;
    let good = numbers.iter().all(|x| x.fract() == 0.0 && (0.0..=65535.0).contains(x));
    if numbers.len() != variables || !good {
        let expected = format!("{variables} whole numbers from 0 to 65535, one for each variable");
        let found = format!("{numbers:?}").chars().take(80).collect::<String>();
        report.error(statement.span, "`partitions` cannot be read", expected, found);
        return None;
    }
    Some((statement.span, numbers.into_iter().map(|x| x as u64).collect()))
}

/// Methods that only differ in how `samples` points are thrown.
fn sampled(block: &DakotaBlock, name: &Statement, report: &mut ImportReport) -> Option<Method> {
    let samples = find(&block.statements, "samples", report)
        .or_else(|| find(&block.statements, "initial_samples", report));
    let Some(samples) = samples else {
        report.error(name.span, "the method has no `samples`", "samples = a number of rows", "none");
        return None;
    };
    let rows = samples.whole(report)?;
    if rows == 0 {
        report.error(samples.span, "there is nothing to sample", "samples above 0", "0");
        return None;
    }
    if decomposes(block, report) {
        let replicates = SaltelliDesign::REPLICATES;
        return Some(Method::Saltelli(SaltelliDesign { base: rows, second_order: false, replicates }));
    }
    points(block, name, rows, report)
}

/// Whether variances are decomposed by picking and freezing, which needs its own rows.
fn decomposes(block: &DakotaBlock, report: &mut ImportReport) -> bool {
    let has = |word| block.statements.iter().find(|s| s.keyword == word);
    let Some(statement) = has("variance_based_decomp") else { return false };
    if has("binned").is_some() {
        report.note(statement.span, "binned decomposition needs no rows of its own: analyse with `rbd-fast`");
        return false;
    }
    true
}

fn points(block: &DakotaBlock, name: &Statement, rows: u64, report: &mut ImportReport) -> Option<Method> {
    let latin = Method::LatinHypercube { rows, kind: LatinHypercube::Plain };
    let (choices, default): (&[&str], _) = match name.keyword {
        "sampling" => (&["random", "incremental_random", "lhs", "incremental_lhs", "low_discrepancy"], "lhs"),
        "dace" => (&["random", "lhs", "oas", "oa_lhs", "grid", "box_behnken", "central_composite"], "none"),
        _ => (&["halton", "hammersley"], "none"),
    };
    let said = block.statements.iter().find(|s| choices.contains(&s.keyword));
    match said.map_or(default, |s| s.keyword) {
        "random" | "incremental_random" => Some(Method::MonteCarlo { rows }),
        "lhs" => Some(latin),
        "incremental_lhs" => Some(Method::LatinHypercube { rows, kind: LatinHypercube::Nested }),
        "halton" => Some(Method::Halton { rows, scrambled: false }),
        "hammersley" => Some(Method::Hammersley { rows, scrambled: false }),
        "low_discrepancy" => Some(Method::Sobol { rows, scrambled: true }),
        word @ ("oas" | "oa_lhs") => {
            report
                .warning(name.span, format!("`{word}` is not supported: a Latin hypercube is used instead"));
            Some(latin)
        }
        word => {
            let expected = match name.keyword {
                "dace" => "one of random, lhs, oas, oa_lhs",
                _ => "halton or hammersley",
            };
            report.error(name.span, format!("`{}` needs a kind of sample", name.keyword), expected, word);
            None
        }
    }
}
