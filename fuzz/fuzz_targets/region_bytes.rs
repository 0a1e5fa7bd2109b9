//! The bytes of regions: whatever they are, an error or a region that is written as it was read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_store::blob::BlobContent as _;
use onceflow_store::codec::{EncodedRegion, decode, encode, memory};

fuzz_target!(|bytes: &[u8]| {
    let Ok(region) = decode(&mut &bytes[..], bytes.len() as u64) else { return };
    let mut again = Vec::new();
    encode(&region, &mut again).expect("what was read can be written");
    assert!(again == bytes, "what was read is written as it was");
    assert_eq!(EncodedRegion::new(&region).expect("what was read").length(), bytes.len() as u64);
    assert_eq!(memory(&mut &bytes[..]).expect("what was read"), region.bytes());
    // Labels of a vast plane cannot be painted; whatever can be must not panic.
    if let Some(objects) = region.as_objects()
        && u64::from(objects.width()) * u64::from(objects.height()) < 1 << 20
    {
        let _ = objects.to_labels();
    }
});
