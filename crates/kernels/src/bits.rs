//! Masks as bits: 64 pixels in one word, the leftmost in the lowest bit.

mod cross;
mod flood;
mod flood_rows;
mod mask;
#[cfg(target_arch = "x86_64")]
mod wide;

use std::mem;

pub(crate) use cross::{beyond_cross, dilate_cross};
pub(crate) use flood::{BitFlood, Seeds};
pub(crate) use flood_rows::fill_right;
pub use mask::{Bits, Mask};
pub(crate) use mask::{BitsMut, BitsView, MaskTarget};

/// Where in a row of words its mask begins or ends: the columns of pixels that differ from the one before, from the left.
/// Before the first and after the last column nothing is set, so that columns come in pairs of start and end.
#[inline(always)]
pub(crate) fn edges(words: &[u64], width: usize, edges: &mut Vec<u32>) {
    let count = write_edges(words, width, edges);
    edges.truncate(count);
}

/// [`edges`] without the final truncation: returns the number of edges; entries behind them, at least two, are undefined.
#[inline(always)]
pub(crate) fn write_edges(words: &[u64], width: usize, edges: &mut Vec<u32>) -> usize {
    let (mut count, mut before) = (0, 0);
    edges.resize(edges.len().max(words.len() * 64 + STEP), 0);
    for (at, word) in words.iter().enumerate() {
        let mut changes = word ^ (word << 1 | before);
        before = word >> 63;
        let mut places = edges[count..].as_chunks_mut::<STEP>().0.iter_mut();
        count += changes.count_ones() as usize;
        while changes != 0 {
            // The number of changes is hard for the branch predictor: up to three superfluous entries are written and then
            // overwritten by those of the next word.
            let Some(some) = places.next() else { break };
            for place in some {
                *place = at as u32 * 64 + changes.trailing_zeros();
                changes &= changes.wrapping_sub(1);
            }
        }
    }
    if before != 0 {
        edges[count] = width as u32;
        count += 1;
    }
    count
}

/// Edges written at a time.
const STEP: usize = 4;

/// The runs of a row of words as pairs of start and end, from the left.
pub(crate) fn runs(words: &[u64]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let (mut at, mut before, mut changes) = (0, 0, 0u64);
    let mut next_edge = move || {
        while changes == 0 {
            let Some(word) = words.get(at) else {
                return (mem::take(&mut before) != 0).then_some(at * 64);
            };
            changes = word ^ (word << 1 | before);
            before = word >> 63;
            at += 1;
        }
        let edge = (at - 1) * 64 + changes.trailing_zeros() as usize;
        changes &= changes - 1;
        Some(edge)
    };
    std::iter::from_fn(move || Some((next_edge()?, next_edge()?)))
}

/// Packs the pixels that are not 0; bits beyond the row are 0.
#[inline(always)]
pub(crate) fn pack(row: &[u8], words: &mut Vec<u64>) {
    words.resize(row.len().div_ceil(64), 0);
    pack_into(row, words);
}

/// [`pack`] into exactly as many words as the row needs.
#[inline(always)]
pub(crate) fn pack_into(row: &[u8], words: &mut [u64]) {
    let (chunks, rest) = row.as_chunks::<64>();
    pack_chunks(chunks, words);
    if let (Some(word), false) = (words.get_mut(chunks.len()), rest.is_empty()) {
        let mut last = [0; 64];
        last[..rest.len()].copy_from_slice(rest);
        *word = pack_chunk(&last);
    }
}

/// [`pack_into`] for the pixels that `wanted` accepts; it never accepts 0.
#[inline(always)]
pub(crate) fn pack_where(row: &[u8], wanted: impl Fn(u8) -> bool, words: &mut [u64]) {
    for (word, chunk) in words.iter_mut().zip(row.chunks(64)) {
        let mut flags = [0; 64];
        flags[..chunk.len()].copy_from_slice(chunk);
        *word = pack_chunk(&flags.map(|flag| u8::from(wanted(flag))));
    }
}

/// Writes a row of pixels: [`crate::ON`] where a bit is set, else 0.
#[inline(always)]
pub(crate) fn expand(words: &[u64], row: &mut [u8]) {
    expand_flipped(words, 0, row);
}

/// [`expand`] of the words XOR `flip`.
#[inline(always)]
pub(crate) fn expand_flipped(words: &[u64], flip: u64, row: &mut [u8]) {
    let (whole, rest) = row.as_chunks_mut::<64>();
    expand_chunks(words, flip, whole);
    if let (Some(word), false) = (words.get(whole.len()), rest.is_empty()) {
        let mut last = [[0; 64]];
        expand_chunks(&[*word], flip, &mut last);
        rest.copy_from_slice(&last[0][..rest.len()]);
    }
}

/// [`expand_flipped`] for whole words.
#[inline(always)]
fn expand_chunks(words: &[u64], flip: u64, chunks: &mut [[u8; 64]]) {
    #[cfg(target_arch = "x86_64")]
    if let Some(wide) = wide::Wide::here() {
        return chunks.iter_mut().zip(words).for_each(|(pixels, word)| wide.expand(word ^ flip, pixels));
    }
    chunks.iter_mut().zip(words).for_each(|(pixels, word)| expand_eights(word ^ flip, pixels));
}

#[inline(always)]
fn expand_eights(word: u64, pixels: &mut [u8; 64]) {
    for (pixels, bits) in pixels.as_chunks_mut::<8>().0.iter_mut().zip(word.to_le_bytes()) {
        *pixels = EIGHTS[usize::from(bits)];
    }
}

/// The eight pixels of every byte of bits.
static EIGHTS: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut at = 0;
    while at < 256 * 8 {
        table[at / 8][at % 8] = if ((at / 8) >> (at % 8)) & 1 == 1 { crate::ON } else { 0 };
        at += 1;
    }
    table
};

/// Inverts the first `width` columns.
#[inline(always)]
pub(crate) fn invert(words: &mut [u64], width: usize) {
    words.iter_mut().for_each(|word| *word = !*word);
    if let Some(last) = words.last_mut().filter(|_| !width.is_multiple_of(64)) {
        *last &= (1 << (width % 64)) - 1;
    }
}

/// Packs chunk after chunk.
#[inline(always)]
fn pack_chunks(chunks: &[[u8; 64]], words: &mut [u64]) {
    #[cfg(target_arch = "x86_64")]
    if let Some(wide) = wide::Wide::here() {
        return words.iter_mut().zip(chunks).for_each(|(word, chunk)| *word = wide.pack(chunk));
    }
    words.iter_mut().zip(chunks).for_each(|(word, chunk)| *word = pack_chunk(chunk));
}

/// Every x86-64 processor compares 16 bytes and collects the results in one step each.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "SSE2 belongs to x86-64; the compiler wants that said where it is used")]
#[inline(always)]
fn pack_chunk(chunk: &[u8; 64]) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_setzero_si128};
    let mut empty = 0;
    for (at, bytes) in chunk.as_chunks::<16>().0.iter().enumerate() {
        let both = u128::from_le_bytes(*bytes);
        // SAFETY: every x86-64 processor has SSE2, and these instructions touch no memory.
        let equal = unsafe {
            let bytes = _mm_set_epi64x((both >> 64) as i64, both as i64);
            _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()))
        };
        empty |= u64::from(equal as u16) << (16 * at);
    }
    !empty
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn pack_chunk(chunk: &[u8; 64]) -> u64 {
    pack_eight_by_eight(chunk)
}

/// [`pack_chunk`] without special instructions: the highest bit of each byte says whether it is not 0, and a multiplication
/// collects eight of these bits.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn pack_eight_by_eight(chunk: &[u8; 64]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let mut word = 0;
    for (at, bytes) in chunk.as_chunks::<8>().0.iter().enumerate() {
        let bytes = u64::from_le_bytes(*bytes);
        let set = (((bytes & LOW) + LOW) | bytes) & !LOW;
        word |= ((set >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * at);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Small enough for Miri.
    #[test]
    fn chunks_of_known_pixels() {
        let row: Vec<u8> = (0..130).map(|column| if column % 3 == 0 { 0 } else { column }).collect();
        let (mut words, mut pixels) = (Vec::new(), vec![7; row.len()]);
        pack(&row, &mut words);
        expand(&words, &mut pixels);
        assert!(
            pixels.iter().zip(&row).all(|(pixel, value)| *pixel == if *value == 0 { 0 } else { crate::ON })
        );
        assert_eq!(runs(&words).count(), 43);
        assert!(row.as_chunks().0.iter().all(|chunk| pack_chunk(chunk) == pack_eight_by_eight(chunk)));
    }

    proptest! {
        #[test]
        fn bits_say_which_pixels_are_not_zero(row in prop::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 0..200)) {
            let set: Vec<bool> = row.iter().map(|pixel| *pixel != 0).collect();
            let mut words = Vec::new();
            pack(&row, &mut words);
            prop_assert_eq!(words.len(), row.len().div_ceil(64));
            for (column, bit) in (0..words.len() * 64).map(|c| (c, words[c / 64] >> (c % 64) & 1 == 1)) {
                prop_assert_eq!(bit, set.get(column) == Some(&true));
            }
            for chunk in row.as_chunks::<64>().0 {
                let (word, mut eights) = (pack_eight_by_eight(chunk), [7; 64]);
                prop_assert_eq!(pack_chunk(chunk), word);
                expand_eights(word, &mut eights);
                #[cfg(target_arch = "x86_64")]
                if let Some(wide) = wide::Wide::here() {
                    let mut pixels = [7; 64];
                    wide.expand(word, &mut pixels);
                    prop_assert_eq!((wide.pack(chunk), pixels), (word, eights));
                }
            }
            let mut found = Vec::new();
            edges(&words, row.len(), &mut found);
            let at = |column: usize| column < set.len() && set[column];
            let expected: Vec<u32> =
                (0..=set.len()).filter(|c| at(*c) != (*c > 0 && at(c - 1))).map(|c| c as u32).collect();
            prop_assert_eq!(found, expected);
            let mut pixels = vec![7; row.len()];
            expand(&words, &mut pixels);
            let on: Vec<u8> = set.iter().map(|set| crate::ON * u8::from(*set)).collect();
            prop_assert_eq!(pixels, on);
            invert(&mut words, row.len());
            for (column, bit) in (0..words.len() * 64).map(|c| (c, words[c / 64] >> (c % 64) & 1 == 1)) {
                prop_assert_eq!(bit, set.get(column) == Some(&false));
            }
        }
    }
}
