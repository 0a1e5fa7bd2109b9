//! Functions of Python files described: their files are read by Python, and nothing of them is run.

use std::io::{BufRead as _, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use onceflow_study::Diagnostic;
use serde_json::{Value, json};

use super::source::{BOOT, DESCRIBE, VARIABLE, first_line, interpreter};

/// What Python says of functions.
pub(super) struct Answers {
    /// The program that said it, without the scripts that stand before it on the path.
    pub(super) interpreter: String,
    /// One answer for each function.
    pub(super) functions: Vec<Value>,
}

/// The most bytes of an answer.
const LONGEST: u64 = 256 << 20;

/// Asks Python for functions of files under a folder, each by file and name.
///
/// # Errors
/// When there is no Python, or it is too old.
pub(super) fn ask(folder: &Path, functions: &[(&str, &str)]) -> Result<Answers, Box<Diagnostic>> {
    let program = interpreter().ok_or_else(|| missing("none"))?;
    let functions: Vec<Value> =
        functions.iter().map(|(file, name)| json!({ "file": file, "function": name })).collect();
    let root = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let request = json!({ "root": root.display().to_string(), "functions": functions });
    let text = format!("{}{request}\n", first_line(DESCRIBE));
    let said = run(&program, &text).map_err(|found| missing(&found))?;
    let answer: Value = serde_json::from_str(&said).map_err(|_| missing("another program of that name"))?;
    let functions = answer["functions"].as_array().cloned().unwrap_or_default();
    let interpreter = answer["interpreter"].as_str().unwrap_or_default().to_owned();
    Ok(Answers { interpreter, functions })
}

/// Runs Python with this input; what it prints, or why there is nothing.
fn run(program: &Path, text: &str) -> Result<String, String> {
    let mut command = Command::new(program);
    // Packages are those that a worker sees, which has neither these variables nor the user's own folder of packages.
    command.args(["-s", "-W", "ignore", "-c", BOOT]).env_remove("PYTHONPATH").env_remove("PYTHONHOME");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| onceflow_region::io_words(&error).to_string())?;
    // One that ends before it has read everything says why.
    let _ = child.stdin.take().map(|mut input| input.write_all(text.as_bytes()));
    // Both pipes are read at once: a full one would stop the program.
    let errors = child.stderr.take().map(|errors| std::thread::spawn(move || last_line(errors)));
    let mut said = String::new();
    let read = child.stdout.take().map(|output| output.take(LONGEST).read_to_string(&mut said));
    let status = child.wait().map_err(|error| error.to_string())?;
    if status.success() && matches!(read, Some(Ok(_))) {
        return Ok(said);
    }
    let last = errors.and_then(|errors| errors.join().ok()).flatten();
    Err(last.unwrap_or_else(|| status.to_string()))
}

/// The last line of a program's errors that is not empty; all are read, and long ones are cut.
fn last_line(errors: impl std::io::Read) -> Option<String> {
    let lines = std::io::BufReader::new(errors).split(b'\n').map_while(Result::ok);
    let last = lines.filter(|line| !line.trim_ascii().is_empty()).last()?;
    Some(String::from_utf8_lossy(&last[..last.len().min(1000)]).into_owned())
}

fn missing(found: &str) -> Box<Diagnostic> {
    let error = Diagnostic::error("Python functions need Python");
    let error = error.expected_found("python3 on the PATH, 3.11 or later", found);
    Box::new(error.with_hint(format!("install it, or name another program in {VARIABLE}")))
}
