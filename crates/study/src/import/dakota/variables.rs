//! The block `variables`: sections of one type each, whose lists become parameters.

use std::sync::LazyLock;

use super::super::ImportReport;
use super::super::checked::ImportedParameter;
use super::block::{DakotaBlock, Literal, Statement, find};
use super::shape::{UnnamedParameter, shapes};
use crate::{Parameter, ParameterKind, SourceSpan, Value};

/// A type of variable that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    ContinuousDesign,
    DesignRange,
    DesignSet(SetElement),
    Normal,
    LogNormal,
    Uniform,
    LogUniform,
    Triangular,
    Weibull,
    UncertainSet(SetElement),
}

/// What a set holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetElement {
    Integer,
    Text,
    Real,
}

/// In the order in which Dakota lists the variables of a study, with the names it gives those without descriptors.
const TYPES: [(Type, &str, &str); 14] = [
    (Type::ContinuousDesign, "continuous_design", "cdv_"),
    (Type::DesignRange, "discrete_design_range", "ddriv_"),
    (Type::DesignSet(SetElement::Integer), "discrete_design_set_integer", "ddsiv_"),
    (Type::DesignSet(SetElement::Text), "discrete_design_set_string", "ddssv_"),
    (Type::DesignSet(SetElement::Real), "discrete_design_set_real", "ddsrv_"),
    (Type::Normal, "normal_uncertain", "nuv_"),
    (Type::LogNormal, "lognormal_uncertain", "lnuv_"),
    (Type::Uniform, "uniform_uncertain", "uuv_"),
    (Type::LogUniform, "loguniform_uncertain", "luuv_"),
    (Type::Triangular, "triangular_uncertain", "tuv_"),
    (Type::Weibull, "weibull_uncertain", "wuv_"),
    (Type::UncertainSet(SetElement::Integer), "discrete_uncertain_set_integer", "dusiv_"),
    (Type::UncertainSet(SetElement::Text), "discrete_uncertain_set_string", "dussv_"),
    (Type::UncertainSet(SetElement::Real), "discrete_uncertain_set_real", "dusrv_"),
];

/// Types of variables that have no counterpart here.
const UNSUPPORTED: &[&str] = &[
    "exponential_uncertain",
    "beta_uncertain",
    "gamma_uncertain",
    "gumbel_uncertain",
    "frechet_uncertain",
    "histogram_bin_uncertain",
    "poisson_uncertain",
    "binomial_uncertain",
    "negative_binomial_uncertain",
    "geometric_uncertain",
    "hypergeometric_uncertain",
    "histogram_point_uncertain",
    "continuous_interval_uncertain",
    "discrete_interval_uncertain",
];

/// Variables that stay as they are: sections to be skipped.
const STATE: &[&str] = &["continuous_state", "discrete_state_range", "discrete_state_set"];

/// Sets whose type follows as a keyword of its own.
const SETS: [&str; 2] = ["discrete_design_set", "discrete_uncertain_set"];

/// Keywords inside a section.
const OPTIONS: &[&str] = &[
    "integer",
    "string",
    "real",
    "lower_bounds",
    "upper_bounds",
    "initial_point",
    "initial_state",
    "descriptors",
    "means",
    "std_deviations",
    "error_factors",
    "lambdas",
    "zetas",
    "modes",
    "alphas",
    "betas",
    "elements",
    "elements_per_variable",
    "set_probabilities",
    "active",
    "all",
    "design",
    "uncertain",
    "state",
    "id_variables",
];

/// Keywords of the block.
pub(super) fn words() -> &'static [&'static str] {
    static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let types: Vec<&str> = TYPES.iter().map(|(_, word, _)| *word).collect();
        [&types, SETS.as_slice(), UNSUPPORTED, STATE, OPTIONS].concat()
    });
    &WORDS
}

/// Older spellings: `cdv_lower_bounds`, `num_set_values`.
pub(super) fn unaliased(word: &str) -> &str {
    match word {
        "num_set_values" => return "elements_per_variable",
        "set_values" => return "elements",
        "set_probs" => return "set_probabilities",
        "nond_sampling" => return "sampling",
        _ => {}
    }
    let prefixes = ["cdv_", "ddv_", "nuv_", "lnuv_", "uuv_", "luuv_", "tuv_", "wuv_", "csv_", "dsv_"];
    prefixes.into_iter().find_map(|prefix| word.strip_prefix(prefix)).unwrap_or(word)
}

/// The lists of one type of variable.
pub(super) struct VariableSection<'a> {
    pub(super) of: Type,
    pub(super) span: SourceSpan,
    pub(super) count: usize,
    pub(super) lists: &'a [Statement],
}

/// More variables than any design can take; checked before names are made.
const MOST_VARIABLES: u64 = 100_000;

/// Reads the sections in Dakota's order of variables. `sampling` studies vary only the uncertain ones, when there are
/// some and the block does not say otherwise.
pub(super) fn parameters(
    block: &DakotaBlock,
    sampling: bool,
    report: &mut ImportReport,
) -> Vec<ImportedParameter> {
    let mut sections = sections(block, report);
    keep_active(block, sampling, &mut sections, report);
    sections.sort_by_key(|s| TYPES.iter().position(|(of, ..)| *of == s.of));
    sections.iter().flat_map(|s| section_parameters(s, report)).collect()
}

fn sections<'a>(block: &'a DakotaBlock, report: &mut ImportReport) -> Vec<VariableSection<'a>> {
    let statements = &block.statements[..];
    let starts: Vec<usize> = (0..statements.len()).filter(|i| starts_section(statements, *i)).collect();
    let mut sections: Vec<VariableSection<'a>> = Vec::new();
    for (n, start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(statements.len());
        if let Some(section) = section(statements, *start, end, report) {
            if sections.iter().any(|s| s.of == section.of) {
                let found = "a second section of its type";
                report.error(section.span, "repeated type of variable", "all of a type together", found);
            }
            sections.push(section);
        }
    }
    if sections.is_empty() && !report.diagnostics.has_errors() {
        report.error(block.span, "there is nothing to vary", format!("one of {}", supported()), "none");
    }
    sections
}

fn supported() -> String {
    let words: Vec<&str> = TYPES.iter().map(|(_, word, _)| *word).collect();
    words.join(", ")
}

fn starts_section(statements: &[Statement], at: usize) -> bool {
    let word = statements[at].keyword;
    let is_type = TYPES.iter().any(|(_, w, _)| *w == word) || set_type(statements, at).is_some();
    is_type || UNSUPPORTED.contains(&word) || STATE.contains(&word)
}

/// `integer`, `string` or `real` belongs to the set that was named last.
fn set_type(statements: &[Statement], at: usize) -> Option<Type> {
    let element = match statements[at].keyword {
        "integer" => SetElement::Integer,
        "string" => SetElement::Text,
        "real" => SetElement::Real,
        _ => return None,
    };
    let is_set = |s: &&Statement| s.keyword.ends_with("_set") || s.keyword.ends_with("_uncertain");
    match statements[..at].iter().rev().find(is_set)?.keyword {
        "discrete_design_set" => Some(Type::DesignSet(element)),
        "discrete_uncertain_set" => Some(Type::UncertainSet(element)),
        _ => None,
    }
}

fn section<'a>(
    statements: &'a [Statement],
    start: usize,
    end: usize,
    report: &mut ImportReport,
) -> Option<VariableSection<'a>> {
    let Statement { keyword, span, .. } = &statements[start];
    if STATE.contains(keyword) {
        report.note(*span, format!("`{keyword}` is skipped: these variables stay as they are"));
        return None;
    }
    if UNSUPPORTED.contains(keyword) {
        let expected = format!("one of {}", supported());
        report.error(*span, "this type of variable is not supported", expected, format!("`{keyword}`"));
        return None;
    }
    let plain = TYPES.iter().find(|(_, word, _)| word == keyword).map(|(of, ..)| *of);
    let of = plain.or_else(|| set_type(statements, start))?;
    let count = statements[start].whole(report)?;
    if count == 0 || count > MOST_VARIABLES {
        let expected = format!("1 to {MOST_VARIABLES} variables");
        report.error(*span, "invalid number of variables", expected, count.to_string());
        return None;
    }
    Some(VariableSection { of, span: *span, count: count as usize, lists: &statements[start + 1..end] })
}

fn keep_active(
    block: &DakotaBlock,
    sampling: bool,
    sections: &mut Vec<VariableSection<'_>>,
    report: &mut ImportReport,
) {
    let position = block.statements.iter().position(|s| s.keyword == "active");
    let said = position.and_then(|at| block.statements.get(at + 1)).map(|s| s.keyword);
    let any_uncertain = sections.iter().any(|s| !is_design(s.of));
    let wanted = match said {
        Some("design") => true,
        Some("uncertain") => false,
        Some(_) => return,
        None if sampling && any_uncertain => false,
        None => return,
    };
    let dropped: Vec<SourceSpan> =
        sections.iter().filter(|s| is_design(s.of) != wanted).map(|s| s.span).collect();
    sections.retain(|s| is_design(s.of) == wanted);
    for span in dropped {
        report.warning(
            span,
            "these variables are not active and do not vary; write `active all` if they should",
        );
    }
}

fn is_design(of: Type) -> bool {
    matches!(of, Type::ContinuousDesign | Type::DesignRange | Type::DesignSet(_))
}

fn section_parameters(section: &VariableSection<'_>, report: &mut ImportReport) -> Vec<ImportedParameter> {
    let Some(shapes) = shapes(section, report) else { return Vec::new() };
    let names = names(section, report);
    let defaults = defaults(section, &shapes, report);
    let mut placed = Vec::with_capacity(shapes.len());
    for ((shape, (name, name_span)), default) in shapes.into_iter().zip(names).zip(defaults) {
        let UnnamedParameter { domain, distribution, kind, span } = shape;
        let parameter = Parameter { kind, distribution, default, ..Parameter::new(name, domain) };
        placed.push(ImportedParameter { parameter, name: name_span, values: span });
    }
    placed
}

fn names(section: &VariableSection<'_>, report: &mut ImportReport) -> Vec<(String, SourceSpan)> {
    let prefix = TYPES.iter().find(|(of, ..)| *of == section.of).map_or("", |(.., prefix)| prefix);
    let Some(list) = find(section.lists, "descriptors", report) else {
        return (1..=section.count).map(|i| (format!("{prefix}{i}"), section.span)).collect();
    };
    let names = list.texts(report).unwrap_or_default();
    section.check_length(list, names.len(), report);
    names.into_iter().zip(list.values.iter().map(|item| item.span)).collect()
}

fn defaults(
    section: &VariableSection<'_>,
    shapes: &[UnnamedParameter],
    report: &mut ImportReport,
) -> Vec<Option<Value>> {
    let none = vec![None; shapes.len()];
    let Some(list) = find(section.lists, "initial_point", report) else { return none };
    section.check_length(list, list.values.len(), report);
    let of = |shape: &UnnamedParameter, literal: &Literal| match (shape.kind, literal, literal.whole()) {
        (_, Literal::Text(text), _) => Value::Text(text.clone()),
        (ParameterKind::Integer, _, Some(whole)) => Value::Integer(whole),
        (_, Literal::Number(x), _) => Value::Real(*x),
    };
    shapes.iter().zip(&list.values).map(|(shape, item)| Some(of(shape, &item.value))).collect()
}

impl<'a> VariableSection<'a> {
    /// The numbers of a list with one for each variable.
    pub(super) fn optional(
        &self,
        keyword: &str,
        report: &mut ImportReport,
    ) -> Option<(&'a Statement, Vec<f64>)> {
        let list = find(self.lists, keyword, report)?;
        let numbers = list.numbers(report)?;
        self.check_length(list, numbers.len(), report).then_some((list, numbers))
    }

    /// The same for a list that must be there.
    pub(super) fn required(
        &self,
        keyword: &str,
        report: &mut ImportReport,
    ) -> Option<(&'a Statement, Vec<f64>)> {
        if !self.has(keyword) {
            let message = format!("these variables have no `{keyword}`");
            report.error(self.span, message, format!("`{keyword}` with {} numbers", self.count), "none");
        }
        self.optional(keyword, report)
    }

    pub(super) fn has(&self, keyword: &str) -> bool {
        self.lists.iter().any(|s| s.keyword == keyword)
    }

    fn check_length(&self, list: &Statement, length: usize, report: &mut ImportReport) -> bool {
        if length != self.count {
            let expected = format!("{} values, one for each variable", self.count);
            report.error(
                list.span,
                format!("`{}` has the wrong length", list.keyword),
                expected,
                length.to_string(),
            );
        }
        length == self.count
    }
}
