//! The onceflow command.

use onceflow_allocator::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> std::process::ExitCode {
    onceflow_cli::command(onceflow_cli::Started::by_system()).into()
}
