//! The bytes of packs: whatever they are, records are found or not. Checksums are mended, so that what they guard is reached.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_products::scan_bytes;

const NAME: &str = "00000000000000000000000000000000.pack3";

fuzz_target!(|bytes: &[u8]| {
    let (records, lost) = scan_bytes(NAME, bytes);
    assert!(lost <= bytes.len() as u64 && records <= bytes.len());
    scan_bytes(NAME, &with_sum(b"OFK2", bytes, bytes.len()));
    scan_bytes(NAME, &with_sum(b"OFB2", bytes, bytes.len().min(48)));
});

/// A record of these bytes whose head and checksum are right: the checksum is over the first `summed` of them.
fn with_sum(magic: &[u8; 4], bytes: &[u8], summed: usize) -> Vec<u8> {
    let mut record = bytes.to_vec();
    record.resize(record.len().max(48), 0);
    let summed = summed.max(48);
    record[..4].copy_from_slice(magic);
    if magic == b"OFK2" {
        record[4..8].copy_from_slice(&(summed as u32 - 8).to_le_bytes());
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(NAME.as_bytes()).update(&0u64.to_le_bytes()).update(&record[..summed]);
    let sum = hasher.finalize();
    record.splice(summed..summed, sum.as_bytes()[..16].iter().copied());
    record
}
