//! A command that answers: what it said, within a time.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A command of a batch system takes no longer.
const LONGEST: Duration = Duration::from_secs(60);
/// An answer has no more bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Why a command gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CommandError {
    /// It could not be started.
    #[error("{program} cannot be started: {why}")]
    Start { program: String, why: String },
    /// It ended with an error: its complaint, and what else it said.
    #[error("{said}")]
    Failed { said: String, out: String },
    /// It took too long.
    #[error("no answer in {} s", LONGEST.as_secs())]
    Late,
    /// It said something else.
    #[error("{0}")]
    Answer(String),
}

/// What a command said.
pub(crate) fn answer(words: &[String]) -> Result<String, CommandError> {
    let Some((program, arguments)) = words.split_first() else { return Err(CommandError::Late) };
    let start = |why: String| CommandError::Start { program: program.clone(), why };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| start(error.to_string()))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let read = |pipe: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(pipe) = pipe {
                let _torn = pipe.take(MOST_BYTES).read_to_end(&mut bytes);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let out = read(out.map(|pipe| Box::new(pipe) as Box<dyn std::io::Read + Send>));
    let err = read(err.map(|pipe| Box::new(pipe) as Box<dyn std::io::Read + Send>));
    let began = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if began.elapsed() < LONGEST => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                let _gone = (child.kill(), child.wait());
                return Err(CommandError::Late);
            }
        }
    };
    let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    if status.success() {
        return Ok(out);
    }
    let said = [err.trim(), out.trim()].into_iter().find(|said| !said.is_empty()).map(str::to_owned);
    let said = said.unwrap_or_else(|| format!("{program} ended with {status}"));
    Err(CommandError::Failed { said, out })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_what_a_command_said_and_errors_say_why() {
        let said = |script: &str| answer(&["sh", "-c", script].map(str::to_owned));
        assert_eq!(said("echo 12"), Ok("12\n".into()));
        let failed = CommandError::Failed { said: "no".into(), out: "7\n".into() };
        assert_eq!(said("echo 7; echo no >&2; exit 1"), Err(failed));
        assert!(matches!(answer(&["no-such-program-here".into()]), Err(CommandError::Start { .. })));
    }
}
