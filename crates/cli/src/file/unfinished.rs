//! Ctrl-C while files are written: what is not finished is removed.

use onceflow_engine::remove_unfinished;

use crate::exit::Exit;

/// From now on a signal ends the process at once, and leaves nothing that is half written behind.
pub(crate) fn remove_on_signal() {
    // Without a handler a signal ends the process too; what it may leave is a file with a name of its own.
    drop(ctrlc::set_handler(|| {
        let _nothing_more = remove_unfinished();
        std::process::exit(Exit::Interrupted as i32);
    }));
}
