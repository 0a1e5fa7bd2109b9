//! What is kept of a command or a block: any bytes are an entry or none, and an entry is the bytes that it was read from.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_memo::MemoEntry;

fuzz_target!(|bytes: &[u8]| {
    if let Some(entry) = MemoEntry::decode(bytes) {
        assert_eq!(entry.encode(), bytes);
    }
});
