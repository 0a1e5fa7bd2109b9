//! Constraints against the ranges: one that cuts them makes parameters depend on each other.

use super::{Context, ResolvedParameters, and};
use crate::located::Located;
use crate::{Constraint, Diagnostic, Diagnostics, Parameter, Reach, SourceSpan, Value};

/// Reads the constraints, substitutes numbers for fixed parameters, and reports their effect on the ranges.
pub(crate) fn constraints(
    context: &Context<'_>,
    parameters: &ResolvedParameters,
    diagnostics: &mut Diagnostics,
) -> Vec<Constraint> {
    let varying: Vec<Parameter> = parameters.varying.iter().map(|p| p.parameter.clone()).collect();
    let mut read = Vec::new();
    for text in &context.file.constraints {
        match parse(context, parameters, text) {
            Ok(Some(constraint)) => read.push(Located { value: constraint, span: text.span }),
            Ok(None) => {}
            Err(error) => diagnostics.push(*error),
        }
    }
    for constraint in &read {
        diagnostics.0.extend(broken_by_defaults(context, constraint, &varying));
        match constraint.value.reach(&varying) {
            Reach::Always => {}
            Reach::Never => diagnostics.push(never(context, constraint, &varying)),
            Reach::Sometimes => cut(context, constraint, &varying, diagnostics),
        }
    }
    if !read.is_empty() && read.iter().all(|c| c.value.reach(&varying) == Reach::Always) {
        diagnostics.push(hold_everywhere(context, read.len()));
    }
    read.into_iter().map(|c| c.value).collect()
}

/// `None` when it mentions a parameter that could not be read, which has been reported.
fn parse(
    context: &Context<'_>,
    parameters: &ResolvedParameters,
    text: &Located<String>,
) -> Result<Option<Constraint>, Box<Diagnostic>> {
    let inside = SourceSpan { start: text.span.start + 1, end: text.span.end.saturating_sub(1) };
    if context.file.source.text.get(inside.start..inside.end) != Some(&text.value) {
        let error = context.error(text.span, "this constraint cannot be read");
        let error = error.expected_found("plain quotes on one line, without backslashes", "other ones");
        return Err(Box::new(error));
    }
    let varying = parameters.varying.iter().map(|p| p.parameter.name.as_str());
    let fixed = parameters.fixed.iter().map(|(name, _)| name.as_str());
    let broken = parameters.broken.iter().map(String::as_str);
    let known: Vec<&str> = varying.chain(fixed).chain(broken).collect();
    let mut constraint = Constraint::parse(&context.file.source, inside, &known)?;
    for name in constraint.names() {
        if parameters.broken.contains(&name) {
            return Ok(None);
        }
        constraint = with_number(context, parameters, text.span, constraint, &name)?;
    }
    Ok(Some(constraint))
}

/// Substitutes the number of a fixed parameter, and refuses words.
fn with_number(
    context: &Context<'_>,
    parameters: &ResolvedParameters,
    span: SourceSpan,
    constraint: Constraint,
    name: &str,
) -> Result<Constraint, Box<Diagnostic>> {
    let varying = parameters.varying.iter().find(|p| p.parameter.name == name);
    let fixed = parameters.fixed.iter().find(|(fixed, _)| fixed == name).map(|(_, value)| value);
    match (varying, fixed.map(Value::as_f64)) {
        (Some(placed), _) if placed.parameter.domain.is_categorical() => {}
        (Some(_), _) => return Ok(constraint),
        (None, Some(Some(number))) => return Ok(constraint.with_fixed(name, number)),
        (None, _) => {}
    }
    let error = context.error(span, "this constraint compares words");
    Err(Box::new(error.expected_found("parameters that are numbers", format!("`{name}`"))))
}

fn never(context: &Context<'_>, constraint: &Located<Constraint>, parameters: &[Parameter]) -> Diagnostic {
    let error = context.error(constraint.span, format!("no values satisfy `{}`", constraint.value));
    let error =
        error.expected_found("a constraint that some values satisfy", ranges(&constraint.value, parameters));
    error.with_hint("change the ranges, or turn the comparison round")
}

/// The reference row has the defaults, and so have parameters that a phase leaves out.
fn broken_by_defaults(
    context: &Context<'_>,
    constraint: &Located<Constraint>,
    parameters: &[Parameter],
) -> Option<Diagnostic> {
    let default = |name: &str| {
        let parameter = parameters.iter().find(|p| p.name == name)?;
        parameter.default.as_ref().and_then(Value::as_f64)
    };
    let names = constraint.value.names();
    let values =
        names.iter().map(|n| default(n).map(|x| format!("{n} = {x}"))).collect::<Option<Vec<_>>>()?;
    if names.is_empty() || constraint.value.holds(&|name| default(name).unwrap_or(f64::NAN)) {
        return None;
    }
    let warning = Diagnostic::warning(format!("the defaults break the constraint `{}`", constraint.value));
    let warning = warning.at(&context.file.source, constraint.span, "");
    Some(
        warning
            .expected_found("defaults that satisfy it", and(&values))
            .with_hint("write default = … beside a range"),
    )
}

/// Parameters that depend on each other have no indices of their own, unless they move as one group.
fn cut(
    context: &Context<'_>,
    constraint: &Located<Constraint>,
    parameters: &[Parameter],
    diagnostics: &mut Diagnostics,
) {
    let names = constraint.value.names();
    let coupled = factors(&names, parameters).len() > 1;
    let apart = context.file.phases.iter().filter(|_| coupled).find_map(|p| {
        p.moves_factors_apart().filter(|_| keeps(p.keep.as_ref(), &names, parameters)).map(|word| (p, word))
    });
    let Some((phase, word)) = apart else {
        let note = format!(
            "the constraint `{}` cuts the ranges: rows that break it are drawn again",
            constraint.value
        );
        return diagnostics.push(Diagnostic::note(note).at(&context.file.source, constraint.span, ""));
    };
    let message = format!(
        "the constraint `{}` cuts the ranges, so {word} cannot tell its parameters apart",
        constraint.value
    );
    let error = context.error(constraint.span, message);
    let error = error.at(&context.file.source, phase.name.span, format!("this phase is {word}"));
    let error = error.expected_found(
        "a constraint that holds everywhere in the ranges",
        ranges(&constraint.value, parameters),
    );
    let why = match word {
        "vbd" => "variance decomposition needs independent parameters",
        _ => "elementary effects move one parameter at a time, also to where the constraint does not hold",
    };
    diagnostics.push(error.with_why(why).with_hint(alternatives(&names)));
}

fn alternatives(names: &[String]) -> String {
    let difference = match names {
        [first, second] => format!("study `width = {second} - {first}` in place of one of them"),
        _ => "study a difference in place of one of them".to_owned(),
    };
    format!(
        "put {} into one group (group = \"…\"), {difference}, or use method = \"lhs\" with analysis = [\"delta\", \"pawn\"]",
        and(names)
    )
}

/// The factors that the named parameters belong to.
fn factors<'a>(names: &[String], parameters: &'a [Parameter]) -> Vec<&'a str> {
    let mut factors = Vec::new();
    for parameter in parameters.iter().filter(|p| names.contains(&p.name)) {
        let factor = parameter.group.as_deref().unwrap_or(&parameter.name);
        if !factors.contains(&factor) {
            factors.push(factor);
        }
    }
    factors
}

/// Whether a phase may vary more than one of the factors: only a list of names says otherwise beforehand.
fn keeps(keep: Option<&super::super::entry::KeepEntry>, names: &[String], parameters: &[Parameter]) -> bool {
    let Some(kept) = keep.and_then(|k| k.names.as_ref()) else { return true };
    let kept = |name: &str| kept.iter().any(|k| k.value == name);
    let varies = |p: &&Parameter| kept(&p.name) || p.group.as_deref().is_some_and(kept);
    let varying: Vec<Parameter> = parameters.iter().filter(varies).cloned().collect();
    factors(names, &varying).len() > 1
}

/// `minSize 2..40, maxSize 30..90`.
fn ranges(constraint: &Constraint, parameters: &[Parameter]) -> String {
    let range = |name: &String| {
        let ends = parameters.iter().find(|p| p.name == *name).and_then(|p| p.domain.ends());
        ends.map_or_else(|| name.clone(), |(from, to)| format!("{name} {from}..{to}"))
    };
    let ranges: Vec<_> = constraint.names().iter().map(range).collect();
    if ranges.is_empty() { "numbers only".into() } else { ranges.join(", ") }
}

fn hold_everywhere(context: &Context<'_>, count: usize) -> Diagnostic {
    let subject = if count == 1 { "the constraint holds" } else { "the constraints hold" };
    let mut words: Vec<String> = Vec::new();
    for word in context.file.phases.iter().filter_map(|p| p.moves_factors_apart()) {
        if !words.iter().any(|w| w == word) && word == "vbd" {
            words.push(word.to_owned());
        }
    }
    let indices = if words.is_empty() {
        String::new()
    } else {
        format!(" and the indices of {} are valid", and(&words))
    };
    Diagnostic::note(format!("{subject} everywhere in the ranges, so no row is lost{indices}"))
}
