//! Zarr and OME-Zarr folders: whatever their metadata and chunks, an error or pixels of the size asked for, and a box
//! equals the crop of the whole. The input is the files one after the other, each after a line `#name length`.
#![no_main]

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use onceflow_imageio::OmeZarr;
use onceflow_region::{Bounds, Region, Source};

/// Larger images are read only in part: a fuzzer has no time for them.
const SMALL: u64 = 1 << 20;

fn files(mut bytes: &[u8]) -> BTreeMap<String, Arc<[u8]>> {
    let mut files = BTreeMap::new();
    while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
        let line = String::from_utf8_lossy(&bytes[..end]).into_owned();
        bytes = &bytes[end + 1..];
        let Some((name, length)) = line.strip_prefix('#').and_then(|line| line.rsplit_once(' ')) else { continue };
        let length = length.parse::<usize>().unwrap_or(0).min(bytes.len());
        files.insert(name.to_owned(), Arc::from(&bytes[..length]));
        bytes = &bytes[length..];
    }
    files
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = OmeZarr::from_files("image", files(bytes)) else { return };
    let info = source.info();
    for (scale, size) in info.scales.iter().enumerate().take(3) {
        let Some(corner) = Bounds::plane(0, 0, size.width.min(48), size.height.min(48)) else { continue };
        let part = source.read_scale(scale, corner);
        let Some(all) = info.scale_bounds(scale).filter(|all| info.bytes_of(all) <= SMALL) else { continue };
        if let Ok(whole) = source.read_parallel(scale, all, NonZeroUsize::MIN) {
            assert_eq!(whole.bytes(), info.bytes_of(&all));
            let crop = whole.crop(corner).expect("the corner lies within");
            let part = part.expect("a corner of an image that can be read");
            // By digest, since a pixel that is no number does not equal itself.
            assert_eq!(Region::Dense(part).digest(), Region::Dense(crop).digest());
        }
    }
    let _ = source.digest();
});
