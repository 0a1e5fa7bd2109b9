//! A task with a Python function completed by what the function's file says: regions, parameters, options, key.

use std::sync::Arc;

use onceflow_study::{
    Binding, BoundValue, Diagnostic, Halo, NameRole, OperationDeclaration, ParameterKind, Python,
    PythonFunction, RegionKind, Repeats, Size, Task, Value as Number, Workflow, WorkflowParameter, counted,
    parse_duration,
};
use serde_json::Value;

/// Completes a task, and the parameters of its workflow.
///
/// # Errors
/// In a message: what the descriptor says and the function does not.
pub(super) fn complete(
    workflow: &mut Workflow,
    task: &mut Task,
    python: &mut Python,
    answer: &Value,
    interpreter: &str,
) -> Result<(), Box<Diagnostic>> {
    if let Some(error) = answer.get("error") {
        return Err(Box::new(refused(task, error)));
    }
    let function = Described(answer);
    take(workflow, task, python, &function)?;
    read(workflow, task, python, &function)?;
    make(workflow, task, &function)?;
    declare(task, python, &function)?;
    python.described = Some(Arc::new(PythonFunction {
        key: function.text("key"),
        uses: function.uses(),
        bundle: function.text("bundle"),
        asks_here: answer["seeded"].as_bool().unwrap_or_default(),
        interpreter: interpreter.into(),
    }));
    Ok(())
}

/// What Python says of a function.
struct Described<'a>(&'a Value);

impl Described<'_> {
    fn text(&self, key: &str) -> String {
        self.0[key].as_str().unwrap_or_default().to_owned()
    }

    fn list(&self, key: &str) -> &[Value] {
        self.0[key].as_array().map_or(&[], Vec::as_slice)
    }

    fn uses(&self) -> std::collections::BTreeMap<String, String> {
        let uses = self.0["uses"].as_object().into_iter().flatten();
        uses.map(|(name, what)| (name.clone(), what.as_str().unwrap_or_default().to_owned())).collect()
    }

    /// Names and kinds of its arguments before the star.
    fn takes(&self) -> impl Iterator<Item = (&str, Option<RegionKind>)> {
        self.list("takes").iter().map(|one| (one[0].as_str().unwrap_or_default(), kind(&one[1])))
    }

    /// Names, kinds and defaults of its parameters.
    fn reads(&self) -> impl Iterator<Item = (&str, ParameterKind, Option<Number>)> {
        self.list("reads").iter().map(|one| {
            let kind = one[1].as_str().and_then(ParameterKind::from_word).unwrap_or_default();
            (one[0].as_str().unwrap_or_default(), kind, number(&one[2]))
        })
    }

    fn option(&self, name: &str) -> Option<&Value> {
        self.0["options"].get(name)
    }

    fn words(&self, option: &str) -> Vec<String> {
        let words = self.option(option).and_then(Value::as_array).into_iter().flatten();
        words.filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

fn kind(word: &Value) -> Option<RegionKind> {
    word.as_str().and_then(RegionKind::from_word)
}

fn number(value: &Value) -> Option<Number> {
    let text = || value.as_str().map(|text| Number::Text(text.to_owned()));
    value.as_i64().map(Number::Integer).or_else(|| value.as_f64().map(Number::Real)).or_else(text)
}

/// An error with what Python says: it has expected and found, or a reason and what to do.
fn refused(task: &Task, error: &Value) -> Diagnostic {
    let text = |key: &str| error[key].as_str();
    let mut told = at(task, format!("task `{}`: {}", task.name, text("message").unwrap_or("it is refused")));
    if let (Some(expected), Some(found)) = (text("expected"), text("found")) {
        told = told.expected_found(expected, found);
    }
    told = text("why").map_or(told.clone(), |why| told.with_why(why));
    text("to_do").map_or(told.clone(), |hint| told.with_hint(hint))
}

fn at(task: &Task, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(message).at_place(task.place_of(NameRole::Operation, "").as_ref(), "")
}

/// Its regions: those of the descriptor, or arguments by their names.
fn take(
    workflow: &Workflow,
    task: &mut Task,
    python: &mut Python,
    function: &Described<'_>,
) -> Result<(), Box<Diagnostic>> {
    let names: Vec<&str> = function.takes().map(|(name, _)| name).collect();
    if !python.takes_known {
        task.inputs = names.iter().map(|name| (*name).to_owned()).collect();
        python.takes_known = true;
    }
    if names.len() != task.inputs.len() {
        let message = format!("task `{}` is given {}", task.name, counted(task.inputs.len(), "region"));
        let expected =
            format!("{} of {}: {}", counted(names.len(), "argument"), python.function, names.join(", "));
        return Err(Box::new(at(task, message).expected_found(expected, task.inputs.join(", "))));
    }
    let pairs = task.inputs.iter().zip(function.takes());
    let wrong = pairs.filter_map(|(name, (_, kind))| mismatch(workflow, task, NameRole::Input, name, kind));
    wrong.map(Box::new).next().map_or(Ok(()), Err)
}

fn make(workflow: &Workflow, task: &Task, function: &Described<'_>) -> Result<(), Box<Diagnostic>> {
    let Some(kinds) = function.0["makes"].as_array() else { return Ok(()) };
    if kinds.len() != task.outputs.len() {
        let message = format!("task `{}` makes {}", task.name, counted(task.outputs.len(), "region"));
        let expected = format!("{} of its function", counted(kinds.len(), "result"));
        return Err(Box::new(at(task, message).expected_found(expected, task.outputs.join(", "))));
    }
    let pairs = task.outputs.iter().zip(kinds);
    let wrong = pairs.filter_map(|(name, word)| mismatch(workflow, task, NameRole::Output, name, kind(word)));
    wrong.map(Box::new).next().map_or(Ok(()), Err)
}

/// A region that is declared as another kind than the function says.
fn mismatch(
    workflow: &Workflow,
    task: &Task,
    role: NameRole,
    name: &str,
    kind: Option<RegionKind>,
) -> Option<Diagnostic> {
    let declared = workflow.region(name)?;
    let kind = kind.filter(|kind| !declared.kind.fits(*kind))?;
    let error = Diagnostic::error(format!("the function of task `{}` has `{name}` as a {kind}", task.name));
    let error = error.at_place(task.place_of(role, name).as_ref(), "");
    Some(
        error
            .at_place(declared.place.as_ref(), "declared here")
            .expected_found(declared.kind.word(), kind.word()),
    )
}

/// Its parameters: those of the descriptor, or keyword-only arguments by their names.
fn read(
    workflow: &mut Workflow,
    task: &mut Task,
    python: &mut Python,
    function: &Described<'_>,
) -> Result<(), Box<Diagnostic>> {
    if !python.reads_known {
        python.reads_known = true;
        for (name, kind, default) in function.reads() {
            task.reads.push(Binding::same(name));
            if workflow.parameter(name).is_none() {
                let parameter = WorkflowParameter { default, ..WorkflowParameter::new(name, kind) };
                workflow.parameters.push(parameter);
            }
        }
    }
    let known: Vec<&str> = function.reads().map(|(name, ..)| name).collect();
    let bound: Vec<&str> = task.reads.iter().map(|binding| binding.operation_parameter.as_str()).collect();
    if let Some(name) = bound.iter().find(|name| !known.contains(name)) {
        let error = Diagnostic::error(format!("{} does not read `{name}`", python.function));
        let error = error.at_place(task.place_of(NameRole::Reads, name).as_ref(), "");
        let expected = if known.is_empty() { "no parameter".into() } else { known.join(", ") };
        return Err(Box::new(error.expected_found(expected, format!("`{name}`"))));
    }
    let open = function.reads().find(|(name, _, default)| default.is_none() && !bound.contains(name));
    if let Some((name, ..)) = open {
        let error =
            at(task, format!("task `{}` does not say what its function reads as `{name}`", task.name));
        return Err(Box::new(error.with_hint("name it in `reads`, or give it a default")));
    }
    let wrong = task.reads.iter().filter_map(|binding| other_kind(workflow, task, binding, function));
    wrong.map(Box::new).next().map_or(Ok(()), Err)
}

/// A parameter that is declared as another kind than the function says; a neighbourhood is a whole number.
fn other_kind(
    workflow: &Workflow,
    task: &Task,
    binding: &Binding,
    function: &Described<'_>,
) -> Option<Diagnostic> {
    let name = &binding.operation_parameter;
    let (_, wanted, _) = function.reads().find(|(known, ..)| known == name)?;
    let BoundValue::Parameter(parameter) = &binding.bound else { return None };
    let declared = workflow.parameter(parameter)?;
    let fits = declared.kind == wanted
        || (declared.kind, wanted) == (ParameterKind::Connectivity, ParameterKind::Integer);
    let error = || Diagnostic::error(format!("the function of task `{}` reads `{name}`", task.name));
    (!fits).then(|| {
        error()
            .at_place(task.place_of(NameRole::Reads, name).as_ref(), "")
            .at_place(declared.place.as_ref(), "declared here")
            .expected_found(wanted.word(), declared.kind.word())
    })
}

/// What its decorator says, where the descriptor says nothing.
fn declare(task: &mut Task, python: &mut Python, function: &Described<'_>) -> Result<(), Box<Diagnostic>> {
    let said =
        declared_by(function).map_err(|why| Box::new(at(task, format!("task `{}`: {why}", task.name))))?;
    let own = &mut python.declared;
    if own.halo == Halo::None {
        own.halo = said.halo;
    }
    if own.repeats == Repeats::Exact {
        own.repeats = said.repeats;
    }
    if own.per_object.is_none() && own.per_tile.is_none() {
        let place =
            said.per_object.and_then(|name| function.takes().position(|(argument, _)| argument == name));
        own.per_object = place.and_then(|place| task.inputs.get(place).cloned());
        own.per_tile = said.per_tile;
    }
    own.memory = own.memory.or(said.memory);
    own.time = own.time.or(said.time);
    if task.ends.is_empty() {
        task.ends = function.words("ends");
    }
    for file in function.words("files") {
        if !python.files.contains(&file) {
            python.files.push(file);
        }
    }
    Ok(())
}

fn declared_by(function: &Described<'_>) -> Result<OperationDeclaration, String> {
    let pixels = |value: &Value| value.as_u64().and_then(|pixels| u32::try_from(pixels).ok());
    let halo = match function.option("halo") {
        Some(Value::String(_)) => Halo::Whole,
        Some(value) => pixels(value).filter(|pixels| *pixels > 0).map_or(Halo::None, Halo::Pixels),
        None => Halo::None,
    };
    let word = function.option("repeats").and_then(Value::as_str);
    let repeats = Repeats::WORDS.into_iter().find(|(known, _)| Some(*known) == word);
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let memory = function.option("memory").map(plain).map(|text| Size::parse(&text)).transpose();
    let time = function.option("time").map(|value| match value {
        Value::String(text) => parse_duration(text),
        seconds => parse_duration(&format!("{seconds} s")),
    });
    let words = |error: onceflow_study::UnitError| error.to_string();
    Ok(OperationDeclaration {
        halo,
        repeats: repeats.map_or(Repeats::Exact, |(_, repeats)| repeats),
        per_object: function.option("per_object").and_then(Value::as_str).map(str::to_owned),
        per_tile: function.option("per_tile").and_then(pixels),
        memory: memory.map_err(words)?.map(|size| size.0),
        time: time.transpose().map_err(words)?,
        ..OperationDeclaration::default()
    })
}
