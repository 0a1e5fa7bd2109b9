//! Volumes: what is written is read again, boxes are those of the whole, real files are as other readers see them, and
//! every fault is an error.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod support;

use std::path::{Path, PathBuf};

use onceflow_imageio::{VectorField, VolumeForm, VolumeSource, open_volume, open_volume_bytes};
use onceflow_region::{Bounds, Element, Pixels, SourceError, Span, Volume, VolumeGeometry};

use support::Noise;

const FORMS: [VolumeForm; 4] =
    [VolumeForm::Nifti, VolumeForm::NiftiGz, VolumeForm::Mha, VolumeForm::MhaPacked];

fn span(start: i64, length: u64) -> Span {
    Span::new(start, length).unwrap()
}

fn whole(size: [u64; 4]) -> Bounds {
    let [x, y, z, time] = size.map(|side| span(0, side));
    Bounds::new(x, y, z, time)
}

fn geometry() -> VolumeGeometry {
    VolumeGeometry {
        spacing: [0.5, 0.75, 2.0],
        origin: [-12.5, 30.0, 7.25],
        directions: [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    }
}

fn ramp(size: [u64; 4]) -> Volume {
    let values = (0..size.iter().product::<u64>()).map(|index| (index * 37 % 30011) as i16 - 15000).collect();
    Volume::new(whole(size), Pixels::I16(values), geometry()).unwrap()
}

fn written(volume: &Volume, form: VolumeForm) -> Vec<u8> {
    let mut bytes = Vec::new();
    form.write(volume, &mut bytes).unwrap();
    bytes
}

fn all(source: &VolumeSource) -> Volume {
    source.read(source.info().bounds).unwrap()
}

#[test]
fn what_is_written_is_read_again() {
    let values = [
        Pixels::U8(vec![0, 1, 254, 255]),
        Pixels::I8(vec![-128, -1, 0, 127]),
        Pixels::U16(vec![0, 1, 65534, 65535]),
        Pixels::I16(vec![i16::MIN, -1, 0, i16::MAX]),
        Pixels::U32(vec![0, 1, 2, u32::MAX]),
        Pixels::I32(vec![i32::MIN, -1, 0, i32::MAX]),
        Pixels::U64(vec![0, 1, 2, u64::MAX]),
        Pixels::I64(vec![i64::MIN, -1, 0, i64::MAX]),
        Pixels::F32(vec![0.5, -1e30, f32::MIN_POSITIVE, 3.0]),
        Pixels::F64(vec![0.5, -1e300, f64::MIN_POSITIVE, 3.0]),
    ];
    for values in values {
        for form in FORMS {
            let volume = Volume::new(whole([2, 1, 2, 1]), values.clone(), geometry()).unwrap();
            let source = open_volume_bytes("a", written(&volume, form)).unwrap();
            assert_eq!(all(&source), volume, "{form:?}");
        }
    }
    let series = ramp([3, 4, 2, 5]);
    for form in FORMS {
        assert_eq!(all(&open_volume_bytes("a", written(&series, form)).unwrap()), series, "{form:?}");
    }
}

/// Value by value, from the formula that made them.
#[test]
fn boxes_are_those_of_the_whole() {
    let (size, mut noise) = ([7, 5, 6, 3], Noise(3));
    let volume = ramp(size);
    let Pixels::I16(expected) = volume.values() else { panic!() };
    for form in FORMS {
        let source = open_volume_bytes("a", written(&volume, form)).unwrap();
        for _ in 0..60 {
            let starts = size.map(|side| noise.below(side as usize) as u64);
            let sides: [u64; 4] =
                std::array::from_fn(|axis| 1 + noise.below((size[axis] - starts[axis]) as usize) as u64);
            let spans: [Span; 4] = std::array::from_fn(|axis| span(starts[axis] as i64, sides[axis]));
            let bounds = Bounds::new(spans[0], spans[1], spans[2], spans[3]);
            let part = source.read(bounds).unwrap();
            let Pixels::I16(found) = part.values() else { panic!() };
            let mut places = found.iter();
            for t in starts[3]..starts[3] + sides[3] {
                for z in starts[2]..starts[2] + sides[2] {
                    for y in starts[1]..starts[1] + sides[1] {
                        for x in starts[0]..starts[0] + sides[0] {
                            let index = ((t * size[2] + z) * size[1] + y) * size[0] + x;
                            assert_eq!(places.next(), Some(&expected[index as usize]), "{bounds}");
                        }
                    }
                }
            }
            assert_eq!(places.next(), None);
        }
    }
}

/// A part that is written alone lies where it lay in the whole.
#[test]
fn a_part_keeps_its_place_in_the_world() {
    let source = open_volume_bytes("a.mha", written(&ramp([7, 5, 6, 1]), VolumeForm::Mha)).unwrap();
    let part = source.read(Bounds::new(span(2, 3), span(1, 2), span(4, 2), Span::ONE)).unwrap();
    for form in FORMS {
        let alone = open_volume_bytes("part", written(&part, form)).unwrap();
        let (found, expected) = (alone.info().geometry, geometry().place([2.0, 1.0, 4.0]));
        assert_eq!((found.origin, found.spacing), (expected, geometry().spacing), "{form:?}");
        assert_eq!(all(&alone).values(), part.values());
    }
}

/// A NIfTI file of bytes in either order, as the standard describes it.
fn nifti(big: bool, slope: f32, unit: u8) -> Vec<u8> {
    let mut file = vec![0; 352];
    let mut put = |at: usize, little: &[u8]| {
        let mut bytes = little.to_vec();
        if big {
            bytes.reverse();
        }
        file[at..at + bytes.len()].copy_from_slice(&bytes);
    };
    put(0, &348i32.to_le_bytes());
    [3i16, 2, 1, 2].iter().enumerate().for_each(|(axis, side)| put(40 + 2 * axis, &side.to_le_bytes()));
    put(70, &512i16.to_le_bytes());
    [1.0f32, 0.5, 0.5, 2.0].iter().enumerate().for_each(|(at, size)| put(76 + 4 * at, &size.to_le_bytes()));
    put(108, &352f32.to_le_bytes());
    put(112, &slope.to_le_bytes());
    put(116, &(-10f32).to_le_bytes());
    put(123, &[unit]);
    file[344..348].copy_from_slice(b"n+1\0");
    for value in [1u16, 2, 300, 65535] {
        file.extend(if big { value.to_be_bytes() } else { value.to_le_bytes() });
    }
    file
}

#[test]
fn nifti_in_either_order_with_and_without_a_slope() {
    for big in [false, true] {
        let plain = all(&open_volume_bytes("a.nii", nifti(big, 0.0, 2)).unwrap());
        assert_eq!(plain.values(), &Pixels::U16(vec![1, 2, 300, 65535]));
        let scaled = open_volume_bytes("a.nii", nifti(big, 0.5, 2)).unwrap();
        assert_eq!(scaled.info().element, Element::F64);
        assert_eq!(all(&scaled).values(), &Pixels::F64(vec![-9.5, -9.0, 140.0, 32757.5]));
    }
    let spacing = |unit| open_volume_bytes("a.nii", nifti(false, 1.0, unit)).unwrap().info().geometry;
    assert_eq!((spacing(2).spacing, spacing(2).um_per_pixel()), ([0.5, 0.5, 2.0], Some(500.0)));
    assert_eq!((spacing(3).spacing, spacing(1).spacing), ([0.0005, 0.0005, 0.002], [500.0, 500.0, 2000.0]));
}

#[test]
fn metaimages_in_two_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mhd");
    let head = |data: &str| {
        format!(
            "NDims = 2\nDimSize = 2 2\nElementType = MET_SHORT\nElementByteOrderMSB = True\nHeaderSize = 3\n\
             ElementDataFile = {data}\n"
        )
    };
    std::fs::write(&path, head("a.raw")).unwrap();
    std::fs::write(folder.path().join("a.raw"), [9, 9, 9, 0, 1, 255, 255, 1, 0, 0, 7]).unwrap();
    let source = open_volume(&path).unwrap();
    assert_eq!(all(&source).values(), &Pixels::I16(vec![1, -1, 256, 7]));
    assert_eq!(source.info().format, "mhd");
    for (data, expected) in [("../a.raw", "the name of a file beside it"), ("none.raw", "check the name")] {
        std::fs::write(&path, head(data)).unwrap();
        let error = open_volume(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_metaimage_whose_head_has_no_number_where_one_belongs_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mhd");
    let lines = "NDims = 2\nDimSize = 2 2\nElementType = MET_UCHAR\nHeaderSize = 3\nElementSpacing = 0.5 0.25\n\
                 ElementDataFile = a.raw\n";
    std::fs::write(folder.path().join("a.raw"), [9, 9, 9, 1, 2, 3, 4]).unwrap();
    for (from, to, expected, found) in [
        ("HeaderSize = 3", "HeaderSize = three", "as HeaderSize", "three"),
        ("HeaderSize = 3", "HeaderSize = 3 4", "as HeaderSize", "3 4"),
        ("0.5 0.25", "0.5 0,25", "numbers as ElementSpacing", "0.5 0,25"),
        ("DimSize = 2 2", "DimSize = 2 2 x", "numbers as DimSize", "2 2 x"),
        ("NDims = 2", "NDims = two", "as NDims", "two"),
        ("0.5 0.25", "0.5 nan", "numbers as ElementSpacing", "0.5 nan"),
        ("0.5 0.25", "0.5 -0.25", "distances above 0", "[0.5, -0.25]"),
        (
            "HeaderSize = 3",
            "HeaderSize = 3\nTransformMatrix = 1 0 0",
            "4 numbers for the directions of 2 axes",
            "found 3",
        ),
    ] {
        std::fs::write(&path, lines).unwrap();
        assert_eq!(open_volume(&path).unwrap().info().geometry.spacing[..2], [0.5, 0.25]);
        std::fs::write(&path, lines.replace(from, to)).unwrap();
        let error = open_volume(&path).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(found), "{error}");
    }
}

fn read(bytes: Vec<u8>) -> Result<usize, SourceError> {
    let source = open_volume_bytes("changed", bytes)?;
    Ok(source.read(source.info().bounds)?.values().len())
}

#[test]
fn every_cut_is_an_error() {
    let volume = ramp([5, 4, 3, 2]);
    for form in FORMS {
        let file = written(&volume, form);
        assert!(read(file.clone()).is_ok());
        for length in 0..file.len() {
            assert!(read(file[..length].to_vec()).is_err(), "{form:?} cut to {length} of {}", file.len());
        }
    }
}

#[test]
fn no_changed_file_panics() {
    let (volume, mut noise) = (ramp([5, 4, 3, 2]), Noise(7));
    let mut refused = 0;
    for form in FORMS {
        let file = written(&volume, form);
        for _ in 0..1500 {
            let mut changed = file.clone();
            for _ in 0..1 + noise.below(3) {
                let place = noise.below(changed.len().min(400));
                changed[place] = noise.next() as u8;
            }
            refused += usize::from(read(changed).is_err());
        }
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn absurd_sizes_are_refused_before_memory_is_taken() {
    let message = |bytes: Vec<u8>| open_volume_bytes("a", bytes).map(|_| ()).unwrap_err().to_string();
    let mut file = nifti(false, 0.0, 2);
    for at in [42, 44, 46] {
        file[at..at + 2].copy_from_slice(&i16::MAX.to_le_bytes());
    }
    assert_eq!(
        message(file.clone()),
        "a: expected values for 32767 x 32767 x 32767 places and 1 times, found a file of 360 bytes, which cannot hold \
         them; copy or export the file again"
    );
    file[42..44].copy_from_slice(&(-5i16).to_le_bytes());
    assert!(message(file).contains("expected sides from 1 to 16777216"));
    let head = "ObjectType = Image\nNDims = 3\nDimSize = 9999999 9999999 9999999\nElementType = MET_DOUBLE\n\
                ElementDataFile = LOCAL\n";
    assert!(message(head.into()).contains("which cannot hold them"));
    let colours = head.replace("9999999 9999999 9999999\n", "1 1 1\nElementNumberOfChannels = 3\n");
    assert!(message(colours.into()).contains("expected one value per place, found 3"));
    let kind = head.replace("MET_DOUBLE", "MET_STRING");
    assert!(message(kind.into()).contains("found MET_STRING"));
}

fn real(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/registration3d").join(name);
    if !path.is_file() {
        eprintln!("skipped: the real volume {name} is not there");
        return None;
    }
    Some(path)
}

/// The sum over all values of value times (position modulo 65521, plus 1).
fn sum(values: &Pixels) -> f64 {
    let weighted = |index: usize, value: f64| value * ((index % 65521) as f64 + 1.0);
    match values {
        Pixels::U8(values) => values.iter().enumerate().map(|(i, &v)| weighted(i, f64::from(v))).sum(),
        Pixels::I16(values) => values.iter().enumerate().map(|(i, &v)| weighted(i, f64::from(v))).sum(),
        Pixels::F32(values) => values.iter().enumerate().map(|(i, &v)| weighted(i, f64::from(v))).sum(),
        Pixels::F64(values) => values.iter().enumerate().map(|(i, &v)| weighted(i, v)).sum(),
        other => panic!("{}", other.element()),
    }
}

/// Name, sides, sum, origin and directions as SimpleITK 2 gives them, or nibabel for the last one.
type Real = (&'static str, [u64; 4], f64, [f64; 3], [f64; 3], [f64; 3]);

const REAL: [Real; 5] = [
    (
        "brain-mni/ch2.nii.gz",
        [181, 217, 181, 1],
        5215554543594.0,
        [1.0; 3],
        [90.0, 125.0, -71.0],
        [-1.0, -1.0, 1.0],
    ),
    (
        "brain-mni/mni.nii.gz",
        [182, 218, 182, 1],
        358829029818785.0,
        [1.0; 3],
        [-90.0, 126.0, -72.0],
        [1.0, -1.0, 1.0],
    ),
    (
        "lung-ct/3DCT_lung_baseline_small.mha",
        [57, 78, 64, 1],
        -3124873886385.0,
        [2.732, 2.732, 5.0],
        [-152.461, -148.986, -1432.0],
        [1.0; 3],
    ),
    (
        "lung-ct/3DCT_lung_baseline_mask.mha",
        [115, 157, 129, 1],
        23626871231.0,
        [1.366, 1.366, 2.5],
        [-153.827, -150.352, -1434.5],
        [1.0; 3],
    ),
    (
        "prostate-mr-us/case000000_moving_labels.nii.gz",
        [64, 64, 60, 3],
        590996888.0,
        [0.4; 3],
        [-0.4, -0.4, 0.4],
        [-1.0, -1.0, 1.0],
    ),
];

#[test]
fn real_volumes_are_as_other_readers_see_them() {
    for (name, size, expected, spacing, origin, directions) in REAL {
        let Some(path) = real(name) else { return };
        let source = open_volume(&path).unwrap();
        let volume = all(&source);
        let found = sum(volume.values());
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{name}: {found}, expected {expected}");
        assert_eq!(volume.size(), size, "{name}");
        let near = |found: [f64; 3], expected: [f64; 3]| {
            found
                .iter()
                .zip(expected)
                .for_each(|(a, b)| assert!((a - b).abs() < 1e-6, "{name}: {a}, expected {b}"));
        };
        let geometry = source.info().geometry;
        near(geometry.spacing, spacing);
        near(geometry.origin, origin);
        near([0, 1, 2].map(|axis| geometry.directions[axis][axis]), directions);
    }
}

/// Displacements as other programs read them: NIfTI says what they are, plane after plane with the signs of its world;
/// MetaImage has three values per place.
#[test]
fn displacements_are_written_as_fields() {
    let vectors = [[1.0f32, 2.0, 3.0], [-4.0, 0.0, -6.5]];
    let field = VectorField::new([2, 1, 1], &vectors, geometry()).unwrap();
    let mut nifti = Vec::new();
    VolumeForm::Nifti.write_vectors(&field, &mut nifti).unwrap();
    let whole = |at: usize| i16::from_le_bytes([nifti[at], nifti[at + 1]]);
    assert_eq!([40, 42, 44, 46, 48, 50].map(whole), [5, 2, 1, 1, 1, 3]);
    assert_eq!((whole(68), whole(70)), (1006, 16), "a displacement field of 32-bit numbers");
    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
    };
    assert_eq!(floats(&nifti[352..]), [-1.0, 4.0, -2.0, 0.0, 3.0, -6.5]);
    let mut mha = Vec::new();
    VolumeForm::Mha.write_vectors(&field, &mut mha).unwrap();
    let head = mha.len() - 24;
    let text = std::str::from_utf8(&mha[..head]).unwrap();
    assert!(text.contains("ElementNumberOfChannels = 3\nElementType = MET_FLOAT\n"), "{text}");
    assert_eq!(floats(&mha[head..]), vectors.as_flattened());
    let mut packed = Vec::new();
    VolumeForm::NiftiGz.write_vectors(&field, &mut packed).unwrap();
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed[..]), &mut unpacked).unwrap();
    assert_eq!(unpacked, nifti);
    assert!(VectorField::new([2, 2, 1], &vectors, geometry()).is_err());
}
