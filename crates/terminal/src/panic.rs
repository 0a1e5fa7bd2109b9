//! A panic is our bug: it becomes a message that says so, and exit code 5.

use crate::exit::Exit;

/// Replaces Rust's panic message, and ends the process with exit code 5 after a panic.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(String::new, |l| format!("{}:{}", l.file(), l.line()));
        report(&message_of(panic), &place);
        std::process::exit(i32::from(Exit::Internal.code()));
    }));
}

fn message_of(panic: &std::panic::PanicHookInfo<'_>) -> String {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

fn report(message: &str, place: &str) {
    use std::io::Write as _;
    // Nothing is left to do when this message cannot be written either.
    let _ = writeln!(
        std::io::stderr().lock(),
        "error: internal error (our bug): {message}\n  where      {place}, onceflow {}\n  to do      \
         report it at {}/issues with the command and, if you can, its files",
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_REPOSITORY"),
    );
}
