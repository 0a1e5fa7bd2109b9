//! Bytes of a file read into memory that is not zeroed first: zeroing is one more pass over memory.
//!
//! The standard library reads so too, but begins with a few bytes and asks for twice as many each time.
#![allow(unsafe_code, reason = "what a call of the system has written becomes a vector's")]

use std::fs::File;
use std::io;

use rustix::io::{Errno, pread};

/// Adds so many bytes from a place of a file on to others.
pub(super) fn append(file: &File, offset: u64, length: usize, to: &mut Vec<u8>) -> io::Result<()> {
    let end = to.len() + length;
    to.reserve(length);
    while to.len() < end {
        let missing = end - to.len();
        let at = offset + (length - missing) as u64;
        let read = match pread(file, &mut to.spare_capacity_mut()[..missing], at) {
            Ok((read, _)) => read.len(),
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        };
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // SAFETY: the call has written so many bytes of the spare capacity, which begins where the vector ends.
        unsafe { to.set_len(to.len() + read) };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_added_where_others_end_and_a_short_file_is_one() {
        let place = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..100_000u64).map(|at| (at * at % 251) as u8).collect();
        std::fs::write(place.path().join("file"), &bytes).unwrap();
        let file = File::open(place.path().join("file")).unwrap();
        let mut to = vec![7];
        for some in [0..0, 0..1, 5..70_000, 99_999..100_000] {
            append(&file, some.start as u64, some.len(), &mut to).unwrap();
            assert_eq!(to.split_off(1), bytes[some]);
        }
        for (offset, length) in [(99_999, 2), (100_000, 1), (1 << 40, 5)] {
            let error = append(&file, offset, length, &mut to).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        }
        assert!(append(&file, u64::MAX, 1, &mut to).is_err());
    }
}
