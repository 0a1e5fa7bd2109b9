//! PNG files: whatever the bytes, an error or pixels of the size asked for, and a box equals the crop of the whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_imageio::open_bytes;
use onceflow_region::{Bounds, Region};

/// Larger images are read only in part: a fuzzer has no time for them.
const SMALL: u64 = 1 << 22;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = open_bytes("image", bytes.to_vec()) else { return };
    let info = source.info();
    let corner = Bounds::plane(0, 0, info.width.min(48), info.height.min(48)).expect("small");
    let part = source.read(corner);
    let Some(all) = info.bounds().filter(|all| info.bytes_of(all) <= SMALL) else { return };
    if let Ok(whole) = source.read(all) {
        assert_eq!(whole.bytes(), info.bytes_of(&all));
        let crop = whole.crop(corner).expect("the corner lies within");
        let part = part.expect("a corner of an image that can be read");
        // By digest, since a pixel that is no number does not equal itself.
        assert_eq!(Region::Dense(part).digest(), Region::Dense(crop).digest());
    }
});
