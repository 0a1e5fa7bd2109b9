//! One operation, several instruction sets: the same source is compiled for each, and the processor's best is chosen
//! when it runs. Nothing but speed may depend on it.

use std::sync::OnceLock;

/// An instruction set that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Isa(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Set {
    /// The instructions that every processor of the platform has.
    Portable,
    /// 256 bits at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512 bits at a time.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Isa {
    /// The instructions of every processor: the reference.
    pub const PORTABLE: Self = Self(Set::Portable);

    /// The fastest one.
    pub fn best() -> Self {
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| Self::available().last().copied().unwrap_or(Self::PORTABLE))
    }

    /// All instruction sets of this processor, the slowest first.
    pub fn available() -> Vec<Self> {
        let mut sets = vec![Set::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            // All processors with AVX2 count and find bits by one instruction, too.
            let bits = is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("lzcnt");
            let bits = bits && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2");
            if bits && is_x86_feature_detected!("avx2") {
                sets.push(Set::Avx2);
                let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
                if wide && is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx512dq") {
                    sets.push(Set::Avx512);
                }
            }
        }
        sets.into_iter().map(Self).collect()
    }

    /// Its name.
    pub fn word(self) -> &'static str {
        match self.0 {
            Set::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "avx512",
        }
    }

    pub(crate) fn set(self) -> Set {
        self.0
    }
}

/// Compiles a function, which may have one generic type, once per instruction set: the function gets one more argument in
/// front, the [`Isa`] to use. What
/// it calls must be `#[inline(always)]` to be compiled along. Floating-point results do not depend on the set: the
/// compiler never fuses or reorders operations by itself.
macro_rules! versions {
    (
        $(#[$attribute:meta])*
        $vis:vis fn $name:ident $(<$generic:ident: $bound:ident>)? ($($argument:ident: $type:ty),* $(,)?)
        $(-> $result:ty)? $body:block
    ) => {
        $(#[$attribute])*
        #[allow(unsafe_code, reason = "an Isa exists only where the processor has what it names")]
        $vis fn $name $(<$generic: $bound>)? (isa: $crate::cpu::isa::Isa, $($argument: $type),*) $(-> $result)? {
            #[inline(always)]
            fn body $(<$generic: $bound>)? ($($argument: $type),*) $(-> $result)? $body
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn avx2 $(<$generic: $bound>)? ($($argument: $type),*) $(-> $result)? {
                body($($argument),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
            fn avx512 $(<$generic: $bound>)? ($($argument: $type),*) $(-> $result)? {
                body($($argument),*)
            }
            match isa.set() {
                $crate::cpu::isa::Set::Portable => body($($argument),*),
                // SAFETY: this processor has the instructions: such an `Isa` exists only there.
                #[cfg(target_arch = "x86_64")]
                $crate::cpu::isa::Set::Avx2 => unsafe { avx2($($argument),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                $crate::cpu::isa::Set::Avx512 => unsafe { avx512($($argument),*) },
            }
        }
    };
}

pub(crate) use versions;

#[cfg(test)]
mod tests {
    use super::*;

    versions! {
        /// A sum that vectorises.
        fn sum(values: &[u32]) -> u32 {
            values.iter().fold(0, |sum, value| sum.wrapping_add(*value))
        }
    }

    #[test]
    fn every_set_gives_the_same() {
        let values: Vec<u32> = (0..1000).map(|i| i * i).collect();
        let sums: Vec<u32> = Isa::available().into_iter().map(|isa| sum(isa, &values)).collect();
        assert!(sums.iter().all(|s| *s == sums[0]) && sums[0] == 332_833_500);
        assert_eq!(Isa::available().first(), Some(&Isa::PORTABLE));
        assert_eq!(Isa::available().last(), Some(&Isa::best()));
    }
}
