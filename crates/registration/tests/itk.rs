//! Transform texts and displacement fields as ITK reads them. Needs a Python with SimpleITK, named by `ONCEFLOW_SIMPLEITK`.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::fs::File;
use std::path::Path;
use std::process::Command;

use onceflow_imageio::{VectorField, VolumeForm};
use onceflow_kernels::registration::{Affine, Grid, Lattice, Transform};
use onceflow_region::VolumeGeometry;
use onceflow_registration::{affine_of_text, read_transform, to_itk, to_json, to_raw};

/// Axes that are turned and flipped, so that a mistaken sign shows.
fn geometry() -> VolumeGeometry {
    VolumeGeometry {
        spacing: [1.5, 2.0, 2.5],
        origin: [-12.5, 30.0, 7.25],
        directions: [[0.0, 1.0, 0.0], [-0.6, 0.0, 0.8], [-0.8, 0.0, -0.6]],
    }
}

fn transform(affine: Affine) -> Transform {
    let fixed = Grid::new([5, 6, 7], geometry()).unwrap();
    let lattice = Lattice::new(&fixed, 6.0).unwrap();
    let coefficients = (0..lattice.coefficients()).map(|at| (at * 37 % 101) as f64 / 50.0 - 1.0).collect();
    Transform { fixed, affine, lattice, coefficients }
}

const AFFINE: Affine = Affine([[1.1, 0.1, 0.0, 2.0], [-0.2, 0.9, 0.05, -1.0], [0.0, 0.1, 1.05, 0.5]]);
const IDENTITY: Affine = Affine::IDENTITY;

/// Where a voxel goes: cubic B-splines as they are defined.
fn mapped(transform: &Transform, index: [f64; 3]) -> [f64; 3] {
    let (lattice, geometry) = (&transform.lattice, geometry());
    let weights = |axis: usize| {
        let t = index[axis] * geometry.spacing[axis] / lattice.delta;
        let (k, r) = (t.floor() as usize, t - t.floor());
        let w = [
            (1.0 - r).powi(3),
            3.0 * r.powi(3) - 6.0 * r * r + 4.0,
            -3.0 * r.powi(3) + 3.0 * r * r + 3.0 * r + 1.0,
            r.powi(3),
        ];
        (k, w.map(|w| w / 6.0))
    };
    let [x, y, z] = [weights(0), weights(1), weights(2)];
    let mut moved = [0.0; 3];
    for (at, part) in moved.iter_mut().enumerate() {
        for (c, b, a) in (0..64).map(|n| (n / 16, n / 4 % 4, n % 4)) {
            let point = ((z.0 + c) * lattice.counts[1] + y.0 + b) * lattice.counts[0] + x.0 + a;
            *part += x.1[a] * y.1[b] * z.1[c] * transform.coefficients[at * lattice.points() + point];
        }
    }
    let p = geometry.place(index);
    let linear = transform.affine.apply(p);
    [0, 1, 2].map(|part| linear[part] + moved[part])
}

fn python(script: &str, folder: &Path) -> Option<String> {
    let Ok(python) = std::env::var("ONCEFLOW_SIMPLEITK") else {
        eprintln!("skipped: ONCEFLOW_SIMPLEITK names no Python with SimpleITK");
        return None;
    };
    let done = Command::new(python).args(["-c", script]).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(String::from_utf8(done.stdout).unwrap())
}

fn indices() -> impl Iterator<Item = [f64; 3]> {
    (0..5 * 6 * 7).map(|at| [at % 5, at / 5 % 6, at / 30].map(f64::from))
}

#[test]
fn transforms_are_read_again_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    for affine in [IDENTITY, AFFINE] {
        let transform = transform(affine);
        let json = folder.path().join("transform.json");
        std::fs::write(&json, to_json(&transform, "transform.raw")).unwrap();
        std::fs::write(folder.path().join("transform.raw"), to_raw(&transform)).unwrap();
        assert_eq!(read_transform(&json).unwrap(), transform);
        std::fs::write(folder.path().join("transform.raw"), vec![0; to_raw(&transform).len()]).unwrap();
        let error = read_transform(&json).unwrap_err().to_string();
        assert!(error.contains("transform.raw") && error.contains("others"), "{error}");
    }
}

#[test]
fn starts_are_read_from_matrices_and_texts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("start.txt");
    let read = |text: &str| {
        std::fs::write(&file, text).unwrap();
        affine_of_text(&file).map_err(|error| error.to_string())
    };
    assert_eq!(read("1 0 0 5\n0 1 0 6\n0 0 1 7\n0 0 0 1\n").unwrap().0[2], [0.0, 0.0, 1.0, 7.0]);
    let head = "#Insight Transform File V1.0\n#Transform 0\n";
    let turned = format!(
        "{head}Transform: AffineTransform_double_3_3\nParameters: 2 0 0 0 2 0 0 0 2 1 0 0\nFixedParameters: 10 0 0\n"
    );
    assert_eq!(read(&turned).unwrap().0[0], [2.0, 0.0, 0.0, -9.0]);
    for wrong in ["1 2 3", "a b", "1 0 0 5 0 1 0 6 0 0 1 7 0 0 0 2", "0 0 0 5 0 1 0 6 0 0 1 7 0 0 0 1", head]
    {
        assert!(read(wrong).unwrap_err().contains("start.txt"), "{wrong}");
    }
}

#[test]
fn simpleitk_maps_places_to_the_same_places() {
    let folder = tempfile::tempdir().unwrap();
    for affine in [IDENTITY, AFFINE] {
        let transform = transform(affine);
        std::fs::write(folder.path().join("transform.txt"), to_itk(&transform)).unwrap();
        let places: Vec<String> = indices().map(|i| format!("{:?}", geometry().place(i))).collect();
        let script = format!(
            "import SimpleITK as s\nt = s.ReadTransform('transform.txt')\nfor p in [{}]: print(*t.TransformPoint(p))",
            places.join(", ")
        );
        let Some(found) = python(&script, folder.path()) else { return };
        for (line, index) in found.lines().zip(indices()) {
            let expected = mapped(&transform, index);
            for (found, expected) in line.split(' ').zip(expected) {
                assert!(
                    (found.parse::<f64>().unwrap() - expected).abs() < 1e-9,
                    "{index:?} {line} {expected}"
                );
            }
        }
    }
}

#[test]
fn simpleitk_reads_displacement_fields_of_both_forms() {
    let (folder, transform) = (tempfile::tempdir().unwrap(), transform(AFFINE));
    let vectors: Vec<[f32; 3]> = indices()
        .map(|index| {
            let (to, from) = (mapped(&transform, index), geometry().place(index));
            [0, 1, 2].map(|part| (to[part] - from[part]) as f32)
        })
        .collect();
    let field = VectorField::new([5, 6, 7], &vectors, geometry()).unwrap();
    for (form, name) in
        [(VolumeForm::NiftiGz, "u.nii.gz"), (VolumeForm::Mha, "u.mha"), (VolumeForm::MhaPacked, "p.mha")]
    {
        form.write_vectors(&field, File::create(folder.path().join(name)).unwrap()).unwrap();
        let script = format!(
            "import SimpleITK as s\nu = s.ReadImage('{name}', s.sitkVectorFloat64)\nr = s.Image(u)\nt = s.DisplacementFieldTransform(u)\n\
             for z in range(1, 6):\n for y in range(1, 5):\n  for x in range(1, 4):\n   p = r.TransformIndexToPhysicalPoint((x, y, z)); print(x, y, z, *t.TransformPoint(p))"
        );
        let Some(found) = python(&script, folder.path()) else { return };
        assert_eq!(found.lines().count(), 5 * 4 * 3);
        for line in found.lines() {
            let numbers: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            let expected = mapped(&transform, [numbers[0], numbers[1], numbers[2]]);
            for (found, expected) in numbers[3..].iter().zip(expected) {
                assert!((found - expected).abs() < 2e-5, "{name}: {line}, expected {expected}");
            }
        }
    }
}
