//! PNG files of golden sets.

#![allow(dead_code, reason = "each test file uses some of these")]

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use onceflow_kernels::Plane;

/// The golden set of this crate.
pub(crate) fn own() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden"))
}

/// An 8-bit grey image.
pub(crate) fn grey(path: &Path) -> Plane<u8> {
    let (data, width, height) = decode(path);
    Plane::from_vec(data, width, height).unwrap_or_else(|| panic!("{} is not 8-bit grey", path.display()))
}

/// An 8-bit colour image.
pub(crate) fn colour(path: &Path) -> Plane<[u8; 3]> {
    let (data, width, height) = decode(path);
    let pixels = data.as_chunks().0.to_vec();
    Plane::from_vec(pixels, width, height).unwrap_or_else(|| panic!("{} is not 8-bit RGB", path.display()))
}

/// An 8-bit colour image with transparency, which is dropped.
pub(crate) fn colour_without_alpha(path: &Path) -> Plane<[u8; 3]> {
    let (data, width, height) = decode(path);
    let pixels = data.as_chunks().0.iter().map(|&[red, green, blue, _]| [red, green, blue]).collect();
    Plane::from_vec(pixels, width, height).unwrap_or_else(|| panic!("{} is not 8-bit RGBA", path.display()))
}

/// A 16-bit grey image.
pub(crate) fn deep(path: &Path) -> Plane<u16> {
    let (data, width, height) = decode(path);
    let pixels = data.as_chunks().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
    Plane::from_vec(pixels, width, height).unwrap_or_else(|| panic!("{} is not 16-bit grey", path.display()))
}

fn decode(path: &Path) -> (Vec<u8>, usize, usize) {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().expect("a PNG");
    let mut data = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut data).expect("a frame");
    data.truncate(info.buffer_size());
    (data, info.width as usize, info.height as usize)
}
