//! The parameters of a study, merged with those of its workflow.

use super::super::entry::{ParameterEntry, WrittenValues};
use super::Context;
use crate::value::whole;
use crate::{
    Diagnosed, Diagnostic, Diagnostics, Domain, Parameter, ParameterKind, SourceLocation, SourceSpan, Value,
    WorkflowParameter,
};

/// The parameters of a study, varying and not.
pub(crate) struct ResolvedParameters {
    pub(crate) varying: Vec<LocatedParameter>,
    pub(crate) fixed: Vec<(String, Value)>,
    /// Names in the file that could not be resolved: other checks must not report them as unknown.
    pub(crate) broken: Vec<String>,
}

/// A parameter that varies, and its positions for messages.
pub(crate) struct LocatedParameter {
    pub(crate) parameter: Parameter,
    /// What stands behind its name.
    pub(crate) span: SourceSpan,
    /// Where its default is said.
    pub(crate) default: Option<SourceLocation>,
}

impl ResolvedParameters {
    /// Names of parameters that vary, and of their groups.
    pub(crate) fn factor_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.varying.iter().map(|p| p.parameter.name.as_str()).collect();
        for group in self.varying.iter().filter_map(|p| p.parameter.group.as_deref()) {
            if !names.contains(&group) {
                names.push(group);
            }
        }
        names.extend(self.broken.iter().map(String::as_str));
        names
    }
}

/// Merges the file's parameters with the workflow's.
pub(crate) fn parameters(context: &Context<'_>, diagnostics: &mut Diagnostics) -> ResolvedParameters {
    let mut resolved = ResolvedParameters { varying: Vec::new(), fixed: Vec::new(), broken: Vec::new() };
    for entry in &context.file.parameters {
        let known = match declaration(context, entry) {
            Ok(known) => known,
            Err(unknown) => {
                diagnostics.push(*unknown);
                resolved.broken.push(entry.name.value.clone());
                continue;
            }
        };
        let merger = ParameterMerger { context, entry, known };
        match merger.merge() {
            Some(Ok(MergedParameter::Varying(placed))) => resolved.varying.push(*placed),
            Some(Ok(MergedParameter::Fixed(value))) => resolved.fixed.push((entry.name.value.clone(), value)),
            Some(Err(error)) => {
                diagnostics.push(*error);
                resolved.broken.push(entry.name.value.clone());
            }
            None => resolved.broken.push(entry.name.value.clone()),
        }
    }
    unlisted(context, &mut resolved, diagnostics);
    resolved
}

fn declaration<'a>(
    context: &Context<'a>,
    entry: &ParameterEntry,
) -> Diagnosed<Option<&'a WorkflowParameter>> {
    let Some(workflow) = context.workflow else { return Ok(None) };
    let name = &entry.name.value;
    let found = workflow.parameter(name);
    if found.is_none() {
        let known: Vec<_> = workflow.parameters.iter().map(|p| p.name.as_str()).collect();
        let message = format!("the workflow `{}` has no parameter `{name}`", workflow.name);
        return Err(Box::new(context.unknown(&entry.name, message, "one of its parameters", &known)));
    }
    Ok(found)
}

/// Parameters that the file does not list keep the workflow's defaults.
fn unlisted(context: &Context<'_>, resolved: &mut ResolvedParameters, diagnostics: &mut Diagnostics) {
    let listed = |p: &&WorkflowParameter| !context.file.parameters.iter().any(|e| e.name.value == p.name);
    let workflow = context.workflow.into_iter().flat_map(|w| &w.parameters);
    for parameter in workflow.filter(listed) {
        if let Some(default) = &parameter.default {
            resolved.fixed.push((parameter.name.clone(), parameter.kind.tidy(default)));
            continue;
        }
        let name = &parameter.name;
        let error = Diagnostic::error(format!("`{name}` neither varies nor has a default"));
        let error =
            error.at_place(parameter.place.as_ref(), "").expected_found("a default, or a range", "neither");
        diagnostics.push(error.with_hint(format!("write {name} = … under [parameters]")));
    }
}

enum MergedParameter {
    Varying(Box<LocatedParameter>),
    Fixed(Value),
}

/// One entry and its declaration.
struct ParameterMerger<'a> {
    context: &'a Context<'a>,
    entry: &'a ParameterEntry,
    known: Option<&'a WorkflowParameter>,
}

impl ParameterMerger<'_> {
    /// `None` when the values could not be read, which has been reported.
    fn merge(&self) -> Option<Diagnosed<MergedParameter>> {
        let values = self.entry.values.as_ref()?;
        Some(match &values.value {
            WrittenValues::Fixed(value) => self.fixed(value, values.span),
            other => self.varying(other, values.span).map(|p| MergedParameter::Varying(Box::new(p))),
        })
    }

    fn fixed(&self, value: &Value, span: SourceSpan) -> Diagnosed<MergedParameter> {
        let kind = self.kind(matches!(value, Value::Text(_)))?;
        self.check_value(kind, value, span)?;
        Ok(MergedParameter::Fixed(kind.tidy(value)))
    }

    fn varying(&self, values: &WrittenValues, span: SourceSpan) -> Diagnosed<LocatedParameter> {
        let entry = self.entry;
        let words =
            matches!(values, WrittenValues::List(list) if list.iter().any(|v| matches!(v, Value::Text(_))));
        let kind = self.kind(words)?;
        let domain = self.domain(values, kind, span)?;
        let distribution = entry.distribution.as_ref().map(|d| d.value.clone()).unwrap_or_default();
        self.check_domain(&domain, distribution.is_unbounded(), span)?;
        if let Err(error) = distribution.check(&domain) {
            let span = entry.distribution.as_ref().map_or(span, |d| d.span);
            return Err(self.error(
                span,
                "has a distribution that does not fit",
                error.expected,
                error.found,
            ));
        }
        let (default, place) = self.default(kind)?;
        let name = entry.name.value.clone();
        let parameter = Parameter {
            kind,
            distribution,
            default,
            group: entry.group.as_ref().map(|g| g.value.clone()),
            stage: self.context.workflow.and_then(|w| w.reader_of(&name)).map(str::to_owned),
            unit: entry.unit.clone().or_else(|| self.known.and_then(|k| k.unit.clone())),
            about: entry.about.clone().or_else(|| self.known.and_then(|k| k.about.clone())),
            ..Parameter::new(name, domain)
        };
        Ok(LocatedParameter { parameter, span, default: place })
    }

    /// The workflow says how a value is read; a study may only repeat it.
    fn kind(&self, words: bool) -> Diagnosed<ParameterKind> {
        let usual = if words { ParameterKind::Category } else { ParameterKind::Real };
        let Some(said) = &self.entry.kind else { return Ok(self.known.map_or(usual, |k| k.kind)) };
        match self.known.filter(|known| known.kind != said.value) {
            None => Ok(said.value),
            Some(known) => {
                let (expected, found) = (known.kind.word(), said.value.word());
                let mut error = self.error(said.span, "is of another type in the workflow", expected, found);
                error.hint = Some("leave `type` out: the workflow knows it".into());
                Err(Box::new(error.at_place(known.place.as_ref(), "the workflow's")))
            }
        }
    }

    fn domain(&self, values: &WrittenValues, kind: ParameterKind, span: SourceSpan) -> Diagnosed<Domain> {
        match (values, kind) {
            (WrittenValues::Range { .. }, ParameterKind::Category) => {
                Err(self.error(span, "is a category", "a list of words", "a range"))
            }
            (WrittenValues::Range { .. }, ParameterKind::Connectivity) => {
                Err(self.error(span, "is a connectivity", "a list such as [4, 8]", "a range"))
            }
            (WrittenValues::Range { from, to, step }, _) => self.range(*from, *to, *step, kind, span),
            (WrittenValues::List(list), _) => self.list(list, kind, span),
            (WrittenValues::Fixed(value), _) => self.list(std::slice::from_ref(value), kind, span),
        }
    }

    fn range(
        &self,
        from: f64,
        to: f64,
        step: Option<f64>,
        kind: ParameterKind,
        span: SourceSpan,
    ) -> Diagnosed<Domain> {
        let numbers = [Some(from), Some(to), step];
        let part = numbers.into_iter().flatten().find(|x| x.is_finite() && x.fract() != 0.0);
        match (kind, part, step) {
            (ParameterKind::Integer, Some(part), _) => {
                Err(self.error(span, "is an integer", "whole numbers", part))
            }
            (ParameterKind::Integer, None, None | Some(1.0)) => self.integers(from, to, span),
            (_, _, Some(step)) => Ok(Domain::Steps { from, to, step }),
            (_, _, None) => Ok(Domain::Continuous { from, to }),
        }
    }

    fn integers(&self, from: f64, to: f64, span: SourceSpan) -> Diagnosed<Domain> {
        if let (Some(from), Some(to)) = (whole(from), whole(to)) {
            return Ok(Domain::Integers { from, to });
        }
        let expected = "ends between -2^53 and 2^53";
        Err(self.error(span, "is an integer", expected, format!("{from}..{to}")))
    }

    fn list(&self, list: &[Value], kind: ParameterKind, span: SourceSpan) -> Diagnosed<Domain> {
        let mut seen = std::collections::HashMap::new();
        for value in list {
            self.check_value(kind, value, span)?;
            let same = kind.canonical(value).and_then(|canonical| seen.insert(canonical, value));
            if let Some(other) = same {
                let found = format!("{other} and {value}, which are read as one");
                return Err(self.error(span, "has a value twice", "different values", found));
            }
        }
        if kind == ParameterKind::Category {
            return Ok(Domain::Categories(list.iter().map(ToString::to_string).collect()));
        }
        Ok(Domain::Values(list.iter().filter_map(Value::as_f64).collect()))
    }

    /// A value must fit the kind, and an integer that is written must be one.
    fn check_value(&self, kind: ParameterKind, value: &Value, span: SourceSpan) -> Diagnosed<()> {
        let is_part = matches!(value, Value::Real(x) if x.fract() != 0.0);
        let fits = kind.canonical(value).is_some() && !(is_part && kind == ParameterKind::Integer);
        if fits {
            return Ok(());
        }
        let expected = match kind {
            ParameterKind::Category => "words in quotes",
            ParameterKind::Integer => "whole numbers",
            ParameterKind::Real | ParameterKind::Connectivity => "numbers",
        };
        let article = if kind == ParameterKind::Integer { "an" } else { "a" };
        Err(self.error(span, &format!("is {article} {}", kind.word()), expected, format!("`{value}`")))
    }

    fn check_domain(&self, domain: &Domain, unbounded: bool, span: SourceSpan) -> Diagnosed<()> {
        let Err(error) = domain.check(unbounded) else { return Ok(()) };
        let message = format!("`{}` cannot be sampled: {error}", self.entry.name.value);
        let mut diagnostic = self.context.error(span, message);
        if matches!(error, crate::DomainError::TooFew(1)) {
            let name = &self.entry.name.value;
            diagnostic.hint = Some(format!("give it more values, or fix it: {name} = … without brackets"));
        }
        Err(Box::new(diagnostic))
    }

    /// The study's own default, else the workflow's; and where it stands.
    fn default(&self, kind: ParameterKind) -> Diagnosed<(Option<Value>, Option<SourceLocation>)> {
        if let Some(default) = &self.entry.default {
            self.check_value(kind, &default.value, default.span)?;
            let place = SourceLocation::new(&self.context.file.source, default.span);
            return Ok((Some(kind.tidy(&default.value)), Some(place)));
        }
        let known = self.known.filter(|k| k.default.is_some());
        Ok((
            known.and_then(|k| k.default.as_ref()).map(|d| kind.tidy(d)),
            known.and_then(|k| k.place.clone()),
        ))
    }

    fn error(
        &self,
        span: SourceSpan,
        message: &str,
        expected: impl Into<String>,
        found: impl ToString,
    ) -> Box<Diagnostic> {
        let message = format!("`{}` {message}", self.entry.name.value);
        Box::new(self.context.error(span, message).expected_found(expected, found.to_string()))
    }
}
