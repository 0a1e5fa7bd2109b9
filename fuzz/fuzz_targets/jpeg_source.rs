//! JPEG files: whatever the bytes, an error or pixels of the size stated, and a box equals the crop of the whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_imageio::open_bytes;
use onceflow_region::Bounds;

/// Larger images are not read: a fuzzer has no time for them.
const SMALL: u64 = 1 << 22;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = open_bytes("image.jpg", bytes.to_vec()) else { return };
    let info = source.info();
    let Some(all) = info.bounds().filter(|all| info.bytes_of(all) <= SMALL) else { return };
    if let Ok(whole) = source.read(all) {
        assert_eq!(whole.bytes(), info.bytes_of(&all));
        let corner = Bounds::plane(0, 0, info.width.min(9), info.height.min(9)).expect("small");
        assert_eq!(source.read(corner), Ok(whole.crop(corner).expect("the corner lies within")));
    }
});
