//! The head of NIfTI files, versions 1 and 2, in either byte order.

use onceflow_region::{ByteOrder, Element, SourceError, VolumeGeometry};

use super::WriteError;
use super::affine::{from_quaternion, from_rows, to_rows};
use super::header::{TODO, VolumeHeader, VolumePacking, bounds};
use super::write::WrittenVolume;
use crate::origin::ByteOrigin;

/// Bytes of the head of version 1 and of version 2.
pub(super) const HEAD: usize = 540;
const FIRST: u32 = 348;
const SECOND: u32 = 540;

/// Whether these bytes begin a NIfTI file.
pub(super) fn is_nifti(first: &[u8]) -> bool {
    NiftiFields::of(first).is_some()
}

/// Reads the head.
pub(super) fn header(
    origin: &ByteOrigin,
    head: &[u8],
    packing: VolumePacking,
) -> Result<VolumeHeader, SourceError> {
    let short = || origin.content("the head of a NIfTI file", format!("{} bytes", head.len()), TODO);
    let fields = NiftiFields::of(head).ok_or_else(short)?;
    if fields.in_two_files() {
        return Err(origin.content("a NIfTI volume in one file", "one in two files", "convert it to .nii"));
    }
    let header = VolumeHeader {
        format: "nifti",
        bounds: bounds(origin, sides(origin, &fields)?)?,
        stored: element(origin, fields.whole(fields.at(70, 12), 2))?,
        order: fields.order,
        packing,
        start: start(origin, &fields)?,
        scaling: scaling(&fields),
        geometry: geometry(&fields),
    };
    header.check(origin)?;
    Ok(header)
}

/// The numbers in the head, whose places differ from version to version.
struct NiftiFields<'a> {
    head: &'a [u8],
    order: ByteOrder,
    second: bool,
}

impl<'a> NiftiFields<'a> {
    fn of(head: &'a [u8]) -> Option<NiftiFields<'a>> {
        let [a, b, c, d, ..] = *head else { return None };
        let number = [a, b, c, d];
        let (order, length) = match (u32::from_le_bytes(number), u32::from_be_bytes(number)) {
            (length @ (FIRST | SECOND), _) => (ByteOrder::Little, length),
            (_, length @ (FIRST | SECOND)) => (ByteOrder::Big, length),
            _ => return None,
        };
        let second = length == SECOND;
        let magic = if second { head.get(4..7) } else { head.get(344..347) }?;
        let known = matches!(magic, b"n+1" | b"ni1" | b"n+2" | b"ni2");
        (known && head.len() >= length as usize).then_some(NiftiFields { head, order, second })
    }

    fn in_two_files(&self) -> bool {
        let magic = if self.second { &self.head[4..6] } else { &self.head[344..346] };
        magic == b"ni"
    }

    /// The place of a field in this version.
    fn at(&self, first: usize, second: usize) -> usize {
        if self.second { second } else { first }
    }

    /// A signed whole number of some bytes.
    fn whole(&self, at: usize, bytes: usize) -> i64 {
        let mut number = [0; 8];
        number[..bytes].copy_from_slice(&self.head[at..at + bytes]);
        if self.order == ByteOrder::Big {
            number[..bytes].reverse();
        }
        let shift = 64 - 8 * bytes as u32;
        i64::from_le_bytes(number) << shift >> shift
    }

    /// Real numbers that stand side by side; they are twice as long in version 2.
    fn reals<const N: usize>(&self, first: usize, second: usize) -> [f64; N] {
        let bytes = self.at(4, 8);
        let at = self.at(first, second);
        std::array::from_fn(|index| {
            let whole = self.whole(at + index * bytes, bytes);
            if self.second { f64::from_bits(whole as u64) } else { f64::from(f32::from_bits(whole as u32)) }
        })
    }
}

/// Columns, rows, depths and times; further axes must have one place.
fn sides(origin: &ByteOrigin, fields: &NiftiFields<'_>) -> Result<[u64; 4], SourceError> {
    let bytes = fields.at(2, 8);
    let side = |axis: usize| fields.whole(fields.at(40, 16) + axis * bytes, bytes);
    let axes = side(0);
    let refuse = |found: String| Err(origin.content("a volume with 1 to 4 axes", found, "split it first"));
    if !(1..=7).contains(&axes) {
        return refuse(format!("{axes} axes"));
    }
    let sides: Vec<i64> = (1..=axes as usize).map(side).collect();
    if sides.iter().skip(4).any(|&side| side != 1) {
        return refuse(format!("sides of {sides:?}"));
    }
    // A negative side becomes one that is refused as too long.
    Ok(std::array::from_fn(|axis| sides.get(axis).map_or(1, |&side| u64::try_from(side).unwrap_or(u64::MAX))))
}

fn element(origin: &ByteOrigin, kind: i64) -> Result<Element, SourceError> {
    let found = match kind {
        2 => return Ok(Element::U8),
        4 => return Ok(Element::I16),
        8 => return Ok(Element::I32),
        16 => return Ok(Element::F32),
        64 => return Ok(Element::F64),
        256 => return Ok(Element::I8),
        512 => return Ok(Element::U16),
        768 => return Ok(Element::U32),
        1024 => return Ok(Element::I64),
        1280 => return Ok(Element::U64),
        32 | 1792 | 2048 => "complex numbers".into(),
        128 | 2304 => "colours".into(),
        other => format!("values of type {other}"),
    };
    Err(origin.content("whole or real numbers of 8 to 64 bits", found, "convert it first"))
}

fn start(origin: &ByteOrigin, fields: &NiftiFields<'_>) -> Result<u64, SourceError> {
    let stated = if fields.second { fields.whole(168, 8) as f64 } else { fields.reals::<1>(108, 168)[0] };
    let least = if fields.second { SECOND } else { FIRST };
    match stated >= f64::from(least) && stated < 1e15 && stated.fract() == 0.0 {
        true => Ok(stated as u64),
        false => {
            Err(origin.content(&format!("values from byte {least} or later on"), format!("{stated}"), TODO))
        }
    }
}

/// A slope of 0 means that values are as they are.
fn scaling(fields: &NiftiFields<'_>) -> Option<(f64, f64)> {
    let [slope, intercept] = fields.reals(112, 176);
    let useful =
        slope.is_finite() && intercept.is_finite() && slope != 0.0 && (slope, intercept) != (1.0, 0.0);
    useful.then_some((slope, intercept))
}

/// The matrix goes before the rotation, and both before the spacing alone.
fn geometry(fields: &NiftiFields<'_>) -> VolumeGeometry {
    let unit = match fields.whole(fields.at(123, 500), 1) & 7 {
        1 => 1000.0,
        3 => 0.001,
        _ => 1.0,
    };
    let [code_bytes, rotation, matrix] = [fields.at(2, 4), fields.at(252, 344), fields.at(254, 348)];
    let [handed, x, y, z]: [f64; 4] = fields.reals(76, 104);
    let spacing = [x, y, z].map(|side| if side.is_finite() && side != 0.0 { side.abs() } else { 1.0 });
    let found = if fields.whole(matrix, code_bytes) > 0 {
        from_rows([fields.reals(280, 400), fields.reals(296, 432), fields.reals(312, 464)])
    } else if fields.whole(rotation, code_bytes) > 0 {
        let handed = if handed < 0.0 { -1.0 } else { 1.0 };
        from_quaternion(fields.reals(256, 352), handed, spacing, fields.reals(268, 376))
    } else {
        None
    };
    let geometry = found.unwrap_or(VolumeGeometry { spacing, ..VolumeGeometry::default() });
    let scaled = |lengths: [f64; 3]| lengths.map(|length| length * unit);
    VolumeGeometry { spacing: scaled(geometry.spacing), origin: scaled(geometry.origin), ..geometry }
}

/// The intent of vectors that say how far each place is moved.
const DISPLACEMENTS: i16 = 1006;

/// The head of a volume as version 1, with the four bytes that follow it.
pub(super) fn head(volume: &WrittenVolume) -> Result<Vec<u8>, WriteError> {
    let mut head = vec![0; 352];
    let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &FIRST.to_le_bytes());
    let size = volume.size;
    let vectors = volume.components > 1;
    let axes: i16 = match (vectors, size[3] > 1) {
        (true, _) => 5,
        (false, true) => 4,
        (false, false) => 3,
    };
    put(40, &axes.to_le_bytes());
    for (axis, name) in ["columns", "rows", "depths", "times"].into_iter().enumerate() {
        let most = i16::MAX as u64;
        let side = i16::try_from(size[axis]).map_err(|_| WriteError::Size {
            most,
            axis: name,
            found: size[axis],
        })?;
        put(42 + 2 * axis, &side.to_le_bytes());
    }
    (4..7).for_each(|axis| put(42 + 2 * axis, &1i16.to_le_bytes()));
    if vectors {
        put(50, &volume.components.to_le_bytes());
        put(68, &DISPLACEMENTS.to_le_bytes());
    }
    put(70, &kind(volume.element).to_le_bytes());
    put(72, &(volume.element.bytes() as i16 * 8).to_le_bytes());
    let [x, y, z] = volume.geometry.spacing;
    let put_reals = |put: &mut dyn FnMut(usize, &[u8]), at: usize, reals: &[f64]| {
        let places = (at..).step_by(4);
        places.zip(reals).for_each(|(at, &real)| put(at, &(real as f32).to_le_bytes()));
    };
    put_reals(&mut put, 76, &[1.0, x, y, z, 1.0, 1.0, 1.0, 1.0]);
    put_reals(&mut put, 108, &[352.0, 1.0, 0.0]);
    // Millimetres and seconds.
    put(123, &[2 | 8]);
    // The matrix is that of the scanner.
    put(254, &1i16.to_le_bytes());
    put_reals(&mut put, 280, to_rows(&volume.geometry).as_flattened());
    put(344, b"n+1\0");
    Ok(head)
}

fn kind(element: Element) -> i16 {
    match element {
        Element::U8 => 2,
        Element::I16 => 4,
        Element::I32 => 8,
        Element::F32 => 16,
        Element::F64 => 64,
        Element::I8 => 256,
        Element::U16 => 512,
        Element::U32 => 768,
        Element::I64 => 1024,
        Element::U64 => 1280,
    }
}
