//! What a region holds, as descriptors name it.

use std::fmt;

/// What a region holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegionKind {
    /// Anything: a region of an imported workflow that does not say.
    #[default]
    Any,
    /// Colour image of three 8-bit channels.
    Rgb8,
    /// Grey image of 8 bits.
    U8,
    /// Grey image of 16 bits.
    U16,
    /// Image of signed 32-bit numbers.
    I32,
    /// Image of single-precision numbers.
    F32,
    /// Image of double-precision numbers.
    F64,
    /// 8-bit image that is 0 or 255.
    Mask,
    /// Image of object numbers, 0 outside.
    Labels,
    /// Volume of 8-bit numbers.
    VolumeU8,
    /// Volume of 16-bit numbers.
    VolumeU16,
    /// Volume of single-precision numbers.
    VolumeF32,
    /// 8-bit volume that is 0 or 255.
    VolumeMask,
    /// Volume of object numbers, 0 outside.
    VolumeLabels,
    /// Columns of numbers or words.
    Table,
    /// Objects with their shape and columns of features.
    Objects,
    /// Points in space.
    Points,
    /// Outlines in space.
    Polygons,
}

impl RegionKind {
    /// All kinds, in the order documentation lists them.
    pub const ALL: [Self; 18] = [
        Self::Any,
        Self::Rgb8,
        Self::U8,
        Self::U16,
        Self::I32,
        Self::F32,
        Self::F64,
        Self::Mask,
        Self::Labels,
        Self::VolumeU8,
        Self::VolumeU16,
        Self::VolumeF32,
        Self::VolumeMask,
        Self::VolumeLabels,
        Self::Table,
        Self::Objects,
        Self::Points,
        Self::Polygons,
    ];

    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Rgb8 => "rgb8",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::I32 => "i32",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Mask => "mask",
            Self::Labels => "labels",
            Self::VolumeU8 => "volume_u8",
            Self::VolumeU16 => "volume_u16",
            Self::VolumeF32 => "volume_f32",
            Self::VolumeMask => "volume_mask",
            Self::VolumeLabels => "volume_labels",
            Self::Table => "table",
            Self::Objects => "objects",
            Self::Points => "points",
            Self::Polygons => "polygons",
        }
    }

    /// The kind with that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.word() == word)
    }

    /// Bytes of one pixel or voxel; 0 for kinds without pixels, and for [`RegionKind::Any`].
    pub fn bytes_per_pixel(self) -> u32 {
        match self {
            Self::Rgb8 => 3,
            Self::U8 | Self::Mask | Self::VolumeU8 | Self::VolumeMask => 1,
            Self::U16 | Self::VolumeU16 => 2,
            Self::I32 | Self::F32 | Self::Labels | Self::VolumeF32 | Self::VolumeLabels => 4,
            Self::F64 => 8,
            Self::Any | Self::Table | Self::Objects | Self::Points | Self::Polygons => 0,
        }
    }

    /// Whether it consists of objects, so that an operation can work object by object.
    pub fn has_objects(self) -> bool {
        matches!(
            self,
            Self::Any
                | Self::Mask
                | Self::Labels
                | Self::VolumeMask
                | Self::VolumeLabels
                | Self::Objects
                | Self::Polygons
        )
    }

    /// Whether a program can read or write it as a file.
    pub fn has_file(self) -> bool {
        use RegionKind::{F32, F64, I32, Labels, Mask, Rgb8, Table, U8, U16};
        matches!(self, Rgb8 | U8 | U16 | I32 | F32 | F64 | Mask | Labels | Table)
    }

    /// Whether a region of this kind can be used where `wanted` is expected.
    pub fn fits(self, wanted: Self) -> bool {
        self == wanted || self == Self::Any || wanted == Self::Any
    }
}

impl fmt::Display for RegionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_each_kind_once() {
        for kind in RegionKind::ALL {
            assert_eq!(RegionKind::from_word(kind.word()), Some(kind));
        }
        assert_eq!(RegionKind::from_word("rgb16"), None);
    }
}
