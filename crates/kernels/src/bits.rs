//! Masks as bits: 64 pixels in one word, the leftmost in the lowest bit.

/// Where in a row of words its mask begins or ends: the columns of pixels that differ from the one before, from the left.
/// Before the first and after the last column nothing is set, so that columns come in pairs of start and end.
#[inline]
pub(crate) fn edges(words: &[u64], width: usize, edges: &mut Vec<u32>) {
    edges.clear();
    let mut before = 0;
    for (at, word) in words.iter().enumerate() {
        let mut changes = word ^ (word << 1 | before);
        before = word >> 63;
        while changes != 0 {
            edges.push(at as u32 * 64 + changes.trailing_zeros());
            changes &= changes - 1;
        }
    }
    if before != 0 {
        edges.push(width as u32);
    }
}

/// Packs the pixels that are not 0; what is beyond the row is not set.
#[inline]
pub(crate) fn pack(row: &[u8], words: &mut Vec<u64>) {
    let (chunks, rest) = row.as_chunks::<64>();
    words.clear();
    words.extend(chunks.iter().map(pack_chunk));
    if !rest.is_empty() {
        let mut last = [0; 64];
        last[..rest.len()].copy_from_slice(rest);
        words.push(pack_chunk(&last));
    }
}

/// Sets what is not set among the first `width` columns, and the other way round.
#[inline]
pub(crate) fn invert(words: &mut [u64], width: usize) {
    words.iter_mut().for_each(|word| *word = !*word);
    if let Some(last) = words.last_mut().filter(|_| !width.is_multiple_of(64)) {
        *last &= (1 << (width % 64)) - 1;
    }
}

/// Whether a column from `start` to before `end` is set.
#[inline]
pub(crate) fn any_set(words: &[u64], start: usize, end: usize) -> bool {
    let (first, last) = (start / 64, (end - 1) / 64);
    let from_start = u64::MAX << (start % 64);
    let to_end = u64::MAX >> (63 - (end - 1) % 64);
    if first == last {
        return words[first] & from_start & to_end != 0;
    }
    let between = words[first + 1..last].iter().any(|word| *word != 0);
    words[first] & from_start != 0 || between || words[last] & to_end != 0
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

/// The same with what every processor has: the highest bit of each byte says whether it is not 0, and a product moves
/// eight of these bits together.
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
                prop_assert_eq!(pack_chunk(chunk), pack_eight_by_eight(chunk));
            }
            let mut found = Vec::new();
            edges(&words, row.len(), &mut found);
            let at = |column: usize| column < set.len() && set[column];
            let expected: Vec<u32> =
                (0..=set.len()).filter(|c| at(*c) != (*c > 0 && at(c - 1))).map(|c| c as u32).collect();
            prop_assert_eq!(found, expected);
            for (start, end) in (0..row.len()).flat_map(|s| (s + 1..=row.len()).step_by(7).map(move |e| (s, e))) {
                prop_assert_eq!(any_set(&words, start, end), set[start..end].contains(&true));
            }
            invert(&mut words, row.len());
            for (column, bit) in (0..words.len() * 64).map(|c| (c, words[c / 64] >> (c % 64) & 1 == 1)) {
                prop_assert_eq!(bit, set.get(column) == Some(&false));
            }
        }
    }
}
