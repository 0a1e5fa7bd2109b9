//! What a system says of a file, in words.

use std::io::{self, ErrorKind};

/// Why the system refuses, without the number of the error.
pub fn io_words(error: &io::Error) -> String {
    let words = match error.kind() {
        ErrorKind::NotFound => "nothing of that name",
        ErrorKind::PermissionDenied => "permission denied",
        ErrorKind::StorageFull => "no space left on the disk",
        ErrorKind::QuotaExceeded => "no space left of what you may use of the disk",
        ErrorKind::ReadOnlyFilesystem => "a disk that can only be read",
        ErrorKind::IsADirectory => "a folder",
        ErrorKind::AlreadyExists => "something of that name that is there already",
        ErrorKind::NotADirectory => "a file where a folder is expected",
        ErrorKind::UnexpectedEof => "an end that comes too early",
        _ => {
            let text = error.to_string();
            return text.split(" (os error ").next().unwrap_or_default().to_owned();
        }
    };
    // An error of our own has better words than its kind.
    if error.raw_os_error().is_none() && error.get_ref().is_some() {
        error.to_string()
    } else {
        words.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_errors_are_left_out() {
        assert_eq!(io_words(&io::Error::from_raw_os_error(28)), "no space left on the disk");
        assert_eq!(io_words(&io::Error::from_raw_os_error(13)), "permission denied");
        assert!(!io_words(&io::Error::from_raw_os_error(5)).contains("os error"));
        assert_eq!(io_words(&io::Error::other("the journal is another's")), "the journal is another's");
    }
}
