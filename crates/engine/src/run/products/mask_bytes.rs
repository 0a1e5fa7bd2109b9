//! Masks as bytes: the lengths of their runs of equal bits, or the bits where these are shorter. Runs take a fraction of the
//! time that a general compressor needs, and hardly more bytes.

use std::borrow::Cow;

use onceflow_region::{Dense, Region};

/// How masks begin that are kept as bits, and as runs.
const BITS: &[u8; 8] = b"ofmask 1";
const RUNS: &[u8; 8] = b"ofmask 2";
/// Bytes before the bits or runs: the mark, columns, rows.
const HEAD: usize = 24;
/// What stands for a pixel that is set.
const SET: u8 = 255;
/// The most bytes of the length of a run.
const LONGEST_LENGTH: usize = 10;
/// Words whose runs are found together, and starts of runs that are found together.
const CHUNK: usize = 256;
const AT_ONCE: usize = 4;

/// A mask as bytes; none for a region that is no mask.
pub(super) fn encoded_mask(dense: &Dense) -> Option<Vec<u8>> {
    Some(encoded_words(&bits(dense)?, dense.width(), dense.height()))
}

/// A mask of bits as bytes: rows of whole words.
pub(super) fn encoded_words(words: &[u64], width: usize, height: usize) -> Vec<u8> {
    let runs = run_lengths(words, 8 * words.len());
    let mut bytes = Vec::with_capacity(HEAD + runs.as_ref().map_or(8 * words.len(), Vec::len));
    bytes.extend_from_slice(if runs.is_some() { RUNS } else { BITS });
    bytes.extend_from_slice(&(width as u64).to_le_bytes());
    bytes.extend_from_slice(&(height as u64).to_le_bytes());
    match runs {
        Some(runs) => bytes.extend_from_slice(&runs),
        None => words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes())),
    }
    bytes
}

/// Whether bytes begin as those of a mask.
pub(super) fn is_mask(bytes: &[u8]) -> bool {
    bytes.starts_with(BITS) || bytes.starts_with(RUNS)
}

/// The mask of bytes; none where they are not those of a mask, or of one of more pixels.
pub(super) fn decoded_mask(bytes: &[u8], most_pixels: u64) -> Option<Region> {
    let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let (width, height) = (usize::try_from(number(8)?).ok()?, usize::try_from(number(16)?).ok()?);
    (width as u64).checked_mul(height as u64).filter(|pixels| *pixels <= most_pixels)?;
    let count = width.div_ceil(64).checked_mul(height)?;
    let rest = bytes.get(HEAD..)?;
    let words = if bytes.starts_with(RUNS) { words_of_runs(rest, count)? } else { words_of_bits(rest)? };
    Dense::of_bits(width, height, words).ok().map(Region::Dense)
}

/// The bits of a mask: one channel of bytes, each 0 or 255.
pub(super) fn bits(dense: &Dense) -> Option<Cow<'_, [u64]>> {
    if let Some(words) = dense.as_bits() {
        return Some(words.into());
    }
    let values = dense.as_u8().filter(|_| dense.channels() == 1 && dense.width() > 0)?;
    if !values.iter().all(|value| matches!(*value, 0 | SET)) {
        return None;
    }
    let word = |pixels: &[u8]| {
        pixels.iter().enumerate().fold(0, |word, (at, value)| word | u64::from(*value == SET) << at)
    };
    Some(values.chunks(dense.width()).flat_map(|row| row.chunks(64).map(word)).collect())
}

/// The lengths of the runs of equal bits, the first one of zeros; none when they take as many bytes as allowed.
fn run_lengths(words: &[u64], allowed: usize) -> Option<Vec<u8>> {
    let (mut lengths, mut begun, mut last) = (Vec::with_capacity(words.len()), 0, 0);
    let mut starts = vec![0; 64 * CHUNK + AT_ONCE];
    for (number, chunk) in words.chunks(CHUNK).enumerate() {
        let count = run_starts(chunk, &mut last, &mut starts);
        write_lengths(&mut lengths, &starts[..count], (64 * CHUNK * number) as u64, &mut begun);
        if lengths.len() >= allowed {
            return None;
        }
    }
    write_lengths(&mut lengths, &[0], 64 * words.len() as u64, &mut begun);
    (lengths.len() < allowed).then_some(lengths)
}

/// Where runs begin in words after a bit; gives how many. The number of steps rarely depends on the bits: jumps that are not
/// foreseen would take most of the time.
fn run_starts(words: &[u64], last: &mut u64, starts: &mut [u32]) -> usize {
    let mut count = 0;
    for (number, word) in words.iter().enumerate() {
        let mut left = word ^ (word << 1 | *last);
        *last = word >> 63;
        let end = count + left.count_ones() as usize;
        while count < end {
            for start in &mut starts[count..count + AT_ONCE] {
                *start = 64 * number as u32 + left.trailing_zeros();
                left &= left.wrapping_sub(1);
            }
            count += AT_ONCE;
        }
        count = end;
    }
    count
}

/// Appends the lengths of the runs that end at these places behind a first one. A length has seven bits a byte, the last byte
/// without the eighth.
fn write_lengths(lengths: &mut Vec<u8>, ends: &[u32], first: u64, begun: &mut u64) {
    let mut at = lengths.len();
    // Longer runs than two bytes are as long as a chunk: one at most begins and one ends in it.
    lengths.resize(at + 2 * ends.len() + 2 * LONGEST_LENGTH, 0);
    for end in ends {
        let end = first + u64::from(*end);
        let mut length = end - *begun;
        *begun = end;
        while length >= 1 << 14 {
            lengths[at] = length as u8 | 0x80;
            length >>= 7;
            at += 1;
        }
        let is_long = length >= 0x80;
        lengths[at] = length as u8 & 0x7f | u8::from(is_long) << 7;
        lengths[at + 1] = (length >> 7) as u8;
        at += 1 + usize::from(is_long);
    }
    lengths.truncate(at);
}

/// So many words of runs; none where the runs have other lengths.
fn words_of_runs(runs: &[u8], count: usize) -> Option<Vec<u64>> {
    let end = (count as u64).checked_mul(64)?;
    let (mut words, mut at, mut set) = (vec![0; count], 0_u64, false);
    let mut rest = runs;
    while !rest.is_empty() {
        let next = at.checked_add(read_length(&mut rest)?).filter(|next| *next <= end)?;
        if set {
            set_bits(&mut words, at, next);
        }
        (at, set) = (next, !set);
    }
    (at == end).then_some(words)
}

fn read_length(runs: &mut &[u8]) -> Option<u64> {
    let mut length = 0_u64;
    for place in 0..LONGEST_LENGTH {
        let (byte, rest) = runs.split_first()?;
        *runs = rest;
        length |= u64::from(byte & 0x7f).checked_shl(7 * place as u32)?;
        if byte & 0x80 == 0 {
            return Some(length);
        }
    }
    None
}

/// Sets the bits from one place up to another.
fn set_bits(words: &mut [u64], at: u64, end: u64) {
    let (first, last) = ((at / 64) as usize, (end / 64) as usize);
    let (from, to) = (u64::MAX << (at % 64), !(u64::MAX << (end % 64)));
    if first == last {
        words.get_mut(first).into_iter().for_each(|word| *word |= from & to);
        return;
    }
    words[first] |= from;
    words[first + 1..last].fill(u64::MAX);
    words.get_mut(last).into_iter().for_each(|word| *word |= to);
}

fn words_of_bits(bytes: &[u8]) -> Option<Vec<u64>> {
    let word = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
    let whole = bytes.len().is_multiple_of(8).then_some(bytes)?;
    whole.chunks_exact(8).map(word).collect()
}

#[cfg(test)]
mod tests {
    use onceflow_region::Pixels;
    use proptest::prelude::*;

    use super::*;

    fn mask(width: usize, values: &[u8]) -> Dense {
        Dense::new(width, values.len() / width, 1, Pixels::U8(values.to_vec())).unwrap()
    }

    fn check(width: usize, values: &[u8]) {
        let bytes = encoded_mask(&mask(width, values)).unwrap();
        assert!(is_mask(&bytes) && bytes.len() <= HEAD + values.len() / width * 8 * width.div_ceil(64));
        let again = decoded_mask(&bytes, values.len() as u64).unwrap();
        assert_eq!(again.as_dense().unwrap().as_u8().unwrap(), values);
        assert_eq!(encoded_mask(again.as_dense().unwrap()), Some(bytes), "the same bytes from bits");
    }

    proptest! {
        #[test]
        fn masks_are_read_as_they_were_written(
            width in 1_usize..200,
            runs in prop::collection::vec((prop_oneof![1_usize..300, 10_000_usize..40_000], any::<bool>()), 1..40),
        ) {
            let pixels = runs.iter().flat_map(|(length, set)| vec![if *set { SET } else { 0 }; *length]);
            let mut values: Vec<u8> = pixels.collect();
            values.resize(values.len().next_multiple_of(width), 0);
            check(width, &values);
        }

        #[test]
        fn no_bytes_make_it_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..80), runs: bool, small: bool) {
            if let Some(head) = bytes.get_mut(..8) {
                head.copy_from_slice(if runs { RUNS } else { BITS });
            }
            if small && let Some(sizes) = bytes.get_mut(8..24) {
                sizes.iter_mut().enumerate().for_each(|(at, byte)| if at % 8 != 0 { *byte = 0 });
            }
            if let Some(Region::Dense(dense)) = decoded_mask(&bytes, 1 << 20) {
                prop_assert!(encoded_mask(&dense).is_some());
            }
        }
    }

    #[test]
    fn masks_with_few_runs_take_few_bytes_and_noise_no_more_than_its_bits() {
        let blocks: Vec<u8> = (0..1 << 20).map(|at| if at % 1024 / 128 % 2 == 1 { SET } else { 0 }).collect();
        assert!(encoded_mask(&mask(1024, &blocks)).unwrap().len() < 20_000);
        let noise: Vec<u8> = (0..1 << 16).map(|at: u32| if at.is_multiple_of(2) { SET } else { 0 }).collect();
        assert_eq!(encoded_mask(&mask(256, &noise)).unwrap().len(), HEAD + (1 << 13));
        check(1024, &blocks);
        check(256, &noise);
    }

    #[test]
    fn runs_of_other_lengths_than_the_mask_are_refused() {
        let bytes = encoded_mask(&mask(64, &[SET; 128])).unwrap();
        assert_eq!(bytes[HEAD..], [0, 0x80, 1], "no zeros, then 128 ones");
        for runs in [&[0, 0x80, 2][..], &[0, 0x7f], &[0, 0x80], &[], &[0xff; 11]] {
            assert!(decoded_mask(&[&bytes[..HEAD], runs].concat(), 128).is_none(), "{runs:?}");
        }
        assert!(
            decoded_mask(&bytes, 128).is_some() && decoded_mask(&bytes, 127).is_none(),
            "too many pixels"
        );
    }
}
