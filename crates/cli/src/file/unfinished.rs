//! Ctrl-C while files are written: unfinished files are removed.

use onceflow_engine::remove_unfinished;
use onceflow_terminal::Exit;

use crate::started::is_own_process;

/// From now on a signal ends the process at once, and removes unfinished files.
pub(crate) fn remove_on_signal() {
    if !is_own_process() {
        return;
    }
    // Without a handler a signal ends the process too; it may leave a temporary file.
    drop(ctrlc::set_handler(|| {
        let _nothing_more = remove_unfinished();
        std::process::exit(i32::from(Exit::Interrupted.code()));
    }));
}
