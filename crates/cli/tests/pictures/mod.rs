//! Pictures that tests read and make.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::path::{Path, PathBuf};

use onceflow_imageio::png_bytes;
use onceflow_region::{Dense, Pixels};

/// All pixels of a file.
pub fn read(path: &Path) -> Dense {
    let source = onceflow_imageio::open(path).unwrap();
    source.read(source.info().bounds().unwrap()).unwrap()
}

/// A grey PNG of 8 bits.
pub fn grey_png(width: usize, values: &[u8]) -> Vec<u8> {
    let pixels = Pixels::U8(values.to_vec());
    png_bytes(&Dense::new(width, values.len() / width, 1, pixels).unwrap()).unwrap()
}

/// A TIFF without compression, little-endian: so many values of so many bits per pixel, with a format of samples
/// (1 whole, 2 signed, 3 real), from the bytes of the pixels.
pub fn tiff(width: u32, height: u32, values: u16, bits: u16, format: u16, pixels: &[u8]) -> Vec<u8> {
    let colours = if values >= 3 { 2 } else { 1 };
    let beside = u32::from(values).saturating_sub(if values >= 3 { 3 } else { 1 });
    let mut tags: Vec<[u32; 4]> = vec![
        [256, 4, 1, width],
        [257, 4, 1, height],
        [258, 3, 1, u32::from(bits)],
        [259, 3, 1, 1],
        [262, 3, 1, colours],
        [277, 3, 1, u32::from(values)],
        [278, 4, 1, height],
        [279, 4, 1, pixels.len() as u32],
        [339, 3, 1, u32::from(format)],
    ];
    if beside == 1 {
        tags.push([338, 3, 1, 2]);
    }
    tags.push([273, 4, 1, 0]);
    tags.sort();
    // Bits and formats of three values do not fit into their entry.
    let lists = 8 + 2 + 12 * tags.len() as u32 + 4;
    let length = 2 * u32::from(values);
    let mut bytes = b"II\x2a\0\x08\0\0\0".to_vec();
    bytes.extend((tags.len() as u16).to_le_bytes());
    for [tag, kind, count, value] in tags {
        let (count, value) = match tag {
            258 | 339 if values == 2 => (2, value << 16 | value),
            258 if values > 1 => (u32::from(values), lists),
            339 if values > 1 => (u32::from(values), lists + length),
            273 => (1, lists + 2 * length),
            _ => (count, value),
        };
        bytes.extend([tag as u16, kind as u16].map(u16::to_le_bytes).as_flattened());
        bytes.extend([count, value].map(u32::to_le_bytes).as_flattened());
    }
    bytes.extend([0; 4]);
    bytes.extend((0..values).flat_map(|_| bits.to_le_bytes()));
    bytes.extend((0..values).flat_map(|_| format.to_le_bytes()));
    bytes.extend(pixels);
    bytes
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
