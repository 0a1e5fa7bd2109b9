//! The onceflow command.
fn main() {}
