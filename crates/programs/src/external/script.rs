//! A script in a kept folder that repeats the task.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use super::ExternalOperation;

impl ExternalOperation {
    /// Writes a script that repeats the instance in its folder.
    pub(super) fn write_script(&self, folder: &Path, words: &[String]) -> io::Result<()> {
        let (words, _) = self.with_container(folder, words);
        let here = folder.display().to_string();
        let variable = |(name, value): &(String, OsString)| {
            let value = value.to_string_lossy();
            if value == here { format!("{name}=\"$PWD\"") } else { format!("{name}={}", quoted(&value)) }
        };
        let environment: Vec<String> = self.environment(folder).iter().map(variable).collect();
        let command: Vec<String> = words.iter().map(|word| quoted(&word.to_string_lossy())).collect();
        let task = if self.task.command.serve { "< task.json" } else { "" };
        let script = format!(
            "#!/bin/sh\n# Repeats the task {} as it was run.\ncd \"$(dirname \"$0\")\" || exit\nexec env -i {} \\\n  {} {task}\n",
            self.task.name,
            environment.join(" "),
            command.join(" ")
        );
        let path = folder.join("command.sh");
        fs::write(&path, script)?;
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        Ok(())
    }
}

/// A word as a shell reads it.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    let is_plain = !text.is_empty() && text.chars().all(plain);
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
