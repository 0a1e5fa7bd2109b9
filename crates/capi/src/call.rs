//! A call from C: no panic passes, and the words of an error stay until the next one of the same thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use onceflow_memo::MemoError;

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// What is said of an error.
pub(crate) struct ErrorWords(String);

impl From<String> for ErrorWords {
    fn from(words: String) -> Self {
        Self(words)
    }
}

impl From<&str> for ErrorWords {
    fn from(words: &str) -> Self {
        Self(words.to_owned())
    }
}

impl From<MemoError> for ErrorWords {
    fn from(error: MemoError) -> Self {
        Self(error.to_string())
    }
}

/// The result of a call, or `failed`.
pub(crate) fn called<T>(failed: T, work: impl FnOnce() -> Result<T, ErrorWords>) -> T {
    let words = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(done)) => return done,
        Ok(Err(ErrorWords(words))) => words,
        Err(_) => "internal error of onceflow; please report it".to_owned(),
    };
    let words = CString::new(words.replace('\0', " ")).unwrap_or_default();
    LAST.with(|last| last.replace(words));
    failed
}

/// The words of the last error of this thread, until the next one; empty when there was none.
#[unsafe(no_mangle)]
pub extern "C" fn onceflow_error() -> *const c_char {
    LAST.with(|last| last.borrow().as_ptr())
}

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn onceflow_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
