//! What the tasks of a workflow run: lines for a shell, and registered programs with their digests.

use std::collections::BTreeMap;
use std::sync::Arc;

use onceflow_study::{Diagnostic, Diagnostics, LocatedNode, SourceText, TableReader, parse_json};

/// A program that is registered: tasks run this file only as long as its content has this digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredProgram {
    /// Its name in commands.
    pub name: String,
    /// The file.
    pub file: String,
    /// BLAKE3 of the file, in hexadecimal digits.
    pub digest: String,
}

/// What a task runs.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskCommand {
    /// The line that a shell carries out.
    pub command: String,
    /// Its type, under which its duration is measured.
    pub kind: Option<String>,
    /// The size of its input.
    pub size: Option<f64>,
}

/// The commands of a workflow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkflowCommands {
    /// Registered programs.
    pub programs: Vec<RegisteredProgram>,
    /// Commands by task.
    pub tasks: BTreeMap<String, TaskCommand>,
}

/// Reads `programs` (by name: `file` and `blake3`), `commands` by type, and the `command` of each task of a workflow.
///
/// # Errors
/// When the text is no JSON, a task has no command, or an entry has another form.
pub fn read_commands(source: &Arc<SourceText>) -> Result<WorkflowCommands, Diagnostics> {
    let root = parse_json(source).map_err(|error| Diagnostics::from(*error))?;
    let mut messages = Diagnostics::default();
    let commands = commands_at(source, &root, &mut messages);
    match commands {
        Some(commands) if !messages.has_errors() => Ok(commands),
        _ => Err(messages),
    }
}

fn commands_at(
    source: &Arc<SourceText>,
    root: &LocatedNode,
    messages: &mut Diagnostics,
) -> Option<WorkflowCommands> {
    let mut fields = TableReader::new(source, root, "workflow", messages)?;
    let programs: Option<&LocatedNode> = fields.optional("programs");
    let by_type: Option<&LocatedNode> = fields.optional("commands");
    let tasks: &[LocatedNode] = fields.required("tasks")?;
    let entries = |node: Option<&'_ LocatedNode>| {
        node.and_then(LocatedNode::as_table).map(|table| table.entries.clone())
    };
    let mut commands = WorkflowCommands::default();
    for entry in entries(programs).unwrap_or_default() {
        commands.programs.extend(program(source, &entry.key, &entry.value, messages));
    }
    let mut types = BTreeMap::new();
    for entry in entries(by_type).unwrap_or_default() {
        let line: Option<String> = TableReader::read(source, "commands", &entry.value, messages);
        types.extend(line.map(|line| (entry.key.clone(), line)));
    }
    for node in tasks {
        let (id, task) = task(source, node, &types, messages)?;
        commands.tasks.insert(id, task);
    }
    Some(commands)
}

fn program(
    source: &Arc<SourceText>,
    name: &str,
    node: &LocatedNode,
    messages: &mut Diagnostics,
) -> Option<RegisteredProgram> {
    // It becomes the name of a file that nodes look for.
    let is_plain = !name.is_empty()
        && !name.starts_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte));
    if !is_plain {
        let message = Diagnostic::error(format!("the name of the program `{name}` cannot be used"));
        messages.push(message.at(source, node.span, "").expected_found("letters, digits, - _ . +", name));
        return None;
    }
    let mut fields = TableReader::new(source, node, "program", messages)?;
    let (file, digest) = (fields.required("file"), fields.required("blake3"));
    fields.finish();
    Some(RegisteredProgram { name: name.to_owned(), file: file?, digest: digest? })
}

fn task(
    source: &Arc<SourceText>,
    node: &LocatedNode,
    types: &BTreeMap<String, String>,
    messages: &mut Diagnostics,
) -> Option<(String, TaskCommand)> {
    let mut fields = TableReader::new(source, node, "task", messages)?;
    let id: String = fields.required("id")?;
    let (own, kind, size) =
        (fields.optional::<String>("command"), fields.optional::<String>("type"), fields.optional("size"));
    let of_type = || types.get(kind.as_ref()?).cloned();
    let Some(command) = own.or_else(of_type) else {
        fields.error_with_hint(
            "command",
            &format!("task `{id}` has no command"),
            "`command`, or `commands` of the workflow with its `type`",
            "write \"commands\": {\"ST\": \"st --input $ONCEFLOW_TASK\"} beside \"tasks\"",
        );
        return None;
    };
    Some((id, TaskCommand { command, kind, size }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<WorkflowCommands, String> {
        read_commands(&SourceText::new("flow.json", text)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_task_has_its_own_command_or_that_of_its_type() {
        let found = read(
            r#"{"programs": {"st": {"file": "bin/st", "blake3": "00"}}, "commands": {"ST": "st"},
                "tasks": [{"id": "a", "type": "ST", "size": 8}, {"id": "b", "type": "ST", "command": "st b"}]}"#,
        )
        .unwrap();
        assert_eq!((found.tasks["a"].command.as_str(), found.tasks["b"].command.as_str()), ("st", "st b"));
        assert_eq!((found.tasks["a"].size, found.programs[0].file.as_str()), (Some(8.0), "bin/st"));
    }

    #[test]
    fn what_is_missing_is_named_with_its_place() {
        let error = read("{\"tasks\": [\n{\"id\": \"a\"}]}").unwrap_err();
        assert!(error.contains("task `a` has no command") && error.contains("flow.json:2"), "{error}");
        let error =
            read(r#"{"programs": {"../st": {"file": "st", "blake3": ""}}, "tasks": []}"#).unwrap_err();
        assert!(error.contains("`../st` cannot be used"), "{error}");
        let error = read(r#"{"programs": {"st": {"file": "st"}}, "tasks": []}"#).unwrap_err();
        assert!(error.contains("blake3"), "{error}");
    }

    proptest! {
        #[test]
        fn no_text_does_harm(
            text in r#"(\{|\}|\[|\]|,|:|"tasks"|"id"|"command"|"programs"|"commands"|"a"|"type"|[0-9]{1,2}){0,40}"#, any in ".{0,80}",
        ) {
            let _ = (read(&text), read(&any));
        }
    }
}
