//! Logs of programs: what they print goes into files under the folder of a run, one for each task, site and row.

mod list;
mod names;
mod tail;

pub use list::{AskedLog, FoundLog, LogEntry, find_logs, forget_logs, list_logs};
pub(crate) use names::{LOGS, encoded, log_name, part_name};
pub(crate) use tail::{LogMode, keep, last_line};
