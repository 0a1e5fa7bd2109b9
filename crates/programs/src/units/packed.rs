//! The result of a unit as words: for each output its pixels in the order of the unit's runs, as runs of equal pixels where
//! those take fewer words.

use onceflow_region::Dense;

use super::set::{Unit, UnitRun, pixel_bytes};

/// The first word of an output whose pixels are stored one by one; otherwise it is the number of runs.
const ONE_BY_ONE: u32 = u32::MAX;

/// Bytes of a word.
const WORD: usize = size_of::<u32>();

/// The pixels of a unit in outputs whose upper left corner lies here in the part.
pub(super) fn pack(outputs: &[&Dense], unit: &Unit, (left, top): (usize, usize)) -> Vec<u32> {
    let mut words = Vec::new();
    for output in outputs {
        let mut pixels = Vec::new();
        unit.runs.iter().for_each(|run| pixels.extend_from_slice(row(output, run, (left, top))));
        encode(&pixels, pixel_bytes(output), &mut words);
    }
    words
}

/// Puts the pixels of a unit into rasters of its part, one for each output, of so many bytes per pixel.
pub(super) fn paint(words: &[u32], unit: &Unit, rasters: &mut [(Vec<u8>, usize)], width: usize) {
    let (mut words, pixels) = (words, unit.pixels());
    for (raster, size) in rasters {
        let (decoded, rest) = decode(words, *size, pixels);
        let mut from = decoded.as_slice();
        for run in &unit.runs {
            let (row, others) = from.split_at(run.len() * *size);
            let start = (run.y as usize * width + run.start as usize) * *size;
            raster[start..start + row.len()].copy_from_slice(row);
            from = others;
        }
        words = rest;
    }
}

/// The bytes of a run in an output.
fn row<'a>(output: &'a Dense, run: &UnitRun, (left, top): (usize, usize)) -> &'a [u8] {
    let size = pixel_bytes(output);
    let start = ((run.y as usize - top) * output.width() + run.start as usize - left) * size;
    &output.pixels().as_bytes()[start..start + run.len() * size]
}

fn encode(pixels: &[u8], size: usize, words: &mut Vec<u32>) {
    let each: Vec<&[u8]> = pixels.chunks_exact(size).collect();
    let runs: Vec<&[&[u8]]> = each.chunk_by(|one, other| one == other).collect();
    if runs.len() * run_words(size) >= pixels.len().div_ceil(WORD) {
        words.push(ONE_BY_ONE);
        push_bytes(pixels, words);
        return;
    }
    words.push(runs.len() as u32);
    for run in runs {
        words.push(run.len() as u32);
        push_bytes(run[0], words);
    }
}

/// So many pixels, and the words after them.
fn decode(words: &[u32], size: usize, pixels: usize) -> (Vec<u8>, &[u32]) {
    let (head, words) = words.split_at(1);
    let mut bytes = Vec::with_capacity(pixels * size);
    if head[0] == ONE_BY_ONE {
        let (raw, rest) = words.split_at((pixels * size).div_ceil(WORD));
        take_bytes(raw, pixels * size, &mut bytes);
        return (bytes, rest);
    }
    let (runs, rest) = words.split_at(head[0] as usize * run_words(size));
    for run in runs.chunks_exact(run_words(size)) {
        let mut pixel = Vec::with_capacity(size);
        take_bytes(&run[1..], size, &mut pixel);
        (0..run[0]).for_each(|_| bytes.extend_from_slice(&pixel));
    }
    (bytes, rest)
}

/// Words of a run of equal pixels: how many there are, and one of them.
fn run_words(size: usize) -> usize {
    1 + size.div_ceil(WORD)
}

/// Bytes as words, the last one filled up with zeros.
fn push_bytes(bytes: &[u8], words: &mut Vec<u32>) {
    words.extend(bytes.chunks(WORD).map(|chunk| {
        let mut word = [0; WORD];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_ne_bytes(word)
    }));
}

fn take_bytes(words: &[u32], count: usize, bytes: &mut Vec<u8>) {
    let length = bytes.len() + count;
    words.iter().for_each(|word| bytes.extend_from_slice(&word.to_ne_bytes()));
    bytes.truncate(length);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pixels_come_back_and_take_few_words(
            pixels in proptest::collection::vec((any::<u8>(), 1usize..40), 1..20),
            size in 1usize..9,
            noise in any::<bool>(),
        ) {
            let mut bytes = Vec::new();
            for (value, count) in pixels {
                let pixel = |n: usize| (0..size).map(move |at| if noise { (n * 7 + at) as u8 } else { value });
                (0..count).for_each(|n| bytes.extend(pixel(n)));
            }
            let mut words = Vec::new();
            encode(&bytes, size, &mut words);
            words.push(77);
            prop_assert_eq!(decode(&words, size, bytes.len() / size), (bytes.clone(), &[77][..]));
            prop_assert!(words.len() <= 2 + bytes.len().div_ceil(WORD));
        }
    }
}
