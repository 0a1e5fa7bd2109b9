//! Values with bytes: what the macro `block!` keeps and identifies by.

/// A value that can be kept. Numbers are little-endian, so that stores may move between machines.
pub trait BlockValue: Sized {
    /// The value as bytes; equal values have equal bytes.
    fn to_block_bytes(&self) -> Vec<u8>;

    /// The value that these bytes are; none when they are another type's.
    fn from_block_bytes(bytes: &[u8]) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ty)*) => { $(
        impl BlockValue for $number {
            fn to_block_bytes(&self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }

            fn from_block_bytes(bytes: &[u8]) -> Option<Self> {
                Some(Self::from_le_bytes(bytes.try_into().ok()?))
            }
        }

        impl BlockValue for Vec<$number> {
            fn to_block_bytes(&self) -> Vec<u8> {
                self.iter().flat_map(|number| number.to_le_bytes()).collect()
            }

            fn from_block_bytes(bytes: &[u8]) -> Option<Self> {
                let (numbers, rest) = bytes.as_chunks();
                rest.is_empty().then(|| numbers.iter().map(|number| <$number>::from_le_bytes(*number)).collect())
            }
        }
    )* };
}

numbers!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);

impl BlockValue for String {
    fn to_block_bytes(&self) -> Vec<u8> {
        self.clone().into_bytes()
    }

    fn from_block_bytes(bytes: &[u8]) -> Option<Self> {
        Self::from_utf8(bytes.to_vec()).ok()
    }
}

/// A text in the program: it identifies, and cannot be what is kept, since its bytes have no owner.
impl BlockValue for &str {
    fn to_block_bytes(&self) -> Vec<u8> {
        self.as_bytes().to_vec()
    }

    fn from_block_bytes(_: &[u8]) -> Option<Self> {
        None
    }
}
