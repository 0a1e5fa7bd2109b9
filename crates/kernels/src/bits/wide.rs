//! Packing 64 pixels into a word and expanding them by AVX-512 instructions.
#![allow(unsafe_code, reason = "the compiler wants it said that the processor has these instructions")]

use std::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_movm_epi8, _mm512_storeu_si512, _mm512_test_epi8_mask,
};

use crate::cpu::isa::{Isa, Set};

/// Proof that the processor has AVX-512.
#[derive(Clone, Copy)]
pub(super) struct Wide(());

impl Wide {
    /// `None` on other processors.
    #[inline(always)]
    pub(super) fn here() -> Option<Self> {
        (Isa::best().set() == Set::Avx512).then_some(Self(()))
    }

    /// The word of 64 pixels.
    #[inline(always)]
    pub(super) fn pack(self, chunk: &[u8; 64]) -> u64 {
        // SAFETY: the processor has the instructions: a `Wide` exists only there.
        unsafe { pack(chunk) }
    }

    /// 64 pixels of a word.
    #[inline(always)]
    pub(super) fn expand(self, word: u64, pixels: &mut [u8; 64]) {
        // SAFETY: as above.
        unsafe { expand(word, pixels) }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn pack(chunk: &[u8; 64]) -> u64 {
    // SAFETY: all 64 bytes that are read are those of the chunk, and they may lie anywhere.
    let pixels: __m512i = unsafe { _mm512_loadu_si512(chunk.as_ptr().cast()) };
    _mm512_test_epi8_mask(pixels, pixels)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn expand(word: u64, pixels: &mut [u8; 64]) {
    // SAFETY: all 64 bytes that are written are those of the pixels, and they may lie anywhere.
    unsafe { _mm512_storeu_si512(pixels.as_mut_ptr().cast(), _mm512_movm_epi8(word)) };
}
