//! Pictures that tests read and make.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::path::{Path, PathBuf};

use onceflow_region::{Dense, Pixels, png_bytes};

/// All pixels of a file.
pub fn read(path: &Path) -> Dense {
    let source = onceflow_region::open(path).unwrap();
    source.read(source.info().bounds().unwrap()).unwrap()
}

/// A grey PNG of 8 bits.
pub fn grey_png(width: usize, values: &[u8]) -> Vec<u8> {
    let pixels = Pixels::U8(values.to_vec());
    png_bytes(&Dense::new(width, values.len() / width, 1, pixels).unwrap()).unwrap()
}

/// A black colour PNG with 16 bits per channel.
pub fn deep_colour_png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&vec![0; (6 * width * height) as usize]).unwrap();
    writer.finish().unwrap();
    bytes
}

/// A folder of data beside the repository; where it is not, that is said.
pub fn shared(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name);
    if !folder.exists() {
        eprintln!("skipped: there is no {}", folder.display());
    }
    folder.exists().then(|| folder.canonicalize().unwrap())
}
