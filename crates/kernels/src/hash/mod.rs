//! Hashes of words, and the arithmetic they share: NH over 32-bit words, and polynomials modulo 2⁶¹ − 1.

mod object;

pub use object::ObjectHash;

/// The modulus of polynomials, a Mersenne prime.
pub(crate) const PRIME: u64 = (1 << 61) - 1;

/// SplitMix64.
pub(crate) const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The product of a word's two halves, each with its key's added.
#[inline(always)]
pub(crate) fn product(word: u64, key: u64) -> u64 {
    let low = (word as u32).wrapping_add(key as u32);
    let high = ((word >> 32) as u32).wrapping_add((key >> 32) as u32);
    u64::from(low) * u64::from(high)
}

/// The remainder of a number below 2¹²² modulo [`PRIME`].
#[inline(always)]
pub(crate) fn modulo(value: u128) -> u64 {
    let folded = (value as u64 & PRIME) + (value >> 61) as u64;
    let folded = (folded & PRIME) + (folded >> 61);
    if folded >= PRIME { folded - PRIME } else { folded }
}
