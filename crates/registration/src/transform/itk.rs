//! Transform texts of ITK: written as a B-spline transform of order 3, after an affine one in a composite where there is one;
//! affine ones are read as starts.
//!
//! ITK applies the transforms of a composite from the last to the first. Ours is A x + u(x), so that its coefficients there
//! are those of the displacement before the affine part: the inverse of A's matrix times ours.

use std::path::Path;

use onceflow_kernels::registration::{Affine, Transform};
use onceflow_region::VolumeGeometry;
use onceflow_study::Diagnostic;

use crate::RegistrationError;

/// The first line of a text.
const FIRST: &str = "#Insight Transform File V1.0";

/// The longest text of an affine transform.
const LONGEST: u64 = 1 << 20;

const COMPOSITE: &str = "CompositeTransform";
const SPLINE: &str = "BSplineTransform";

/// The transform text of ITK.
pub fn to_itk(transform: &Transform) -> String {
    if transform.affine == Affine::IDENTITY {
        return format!("{FIRST}\n{}", spline(0, transform, &transform.coefficients));
    }
    let matrix = transform.affine.linear();
    // A matrix without inverse folds the whole space; its displacements are written as they are.
    let inverse = inverse(&matrix).unwrap_or(Affine::IDENTITY.linear());
    let coefficients = turned(&inverse, &transform.coefficients);
    let offset = transform.affine.0.map(|row| row[3]);
    let parameters: Vec<f64> = matrix.into_iter().flatten().chain(offset).collect();
    format!(
        "{FIRST}\n#Transform 0\nTransform: {COMPOSITE}_double_3_3\n#Transform 1\nTransform: AffineTransform_double_3_3\nParameters: {}\nFixedParameters: 0 0 0\n{}",
        list(&parameters),
        spline(2, transform, &coefficients),
    )
}

/// With one more layer of points before the first along each axis: ITK leaves places on the border of a lattice where they
/// are when rounding puts them outside.
fn spline(number: usize, transform: &Transform, coefficients: &[f64]) -> String {
    let (counts, spacing) = (transform.lattice.counts, transform.lattice.delta);
    let geometry = VolumeGeometry { spacing: [spacing; 3], ..*transform.fixed.geometry() };
    let mut fixed: Vec<f64> = counts.iter().map(|count| *count as f64 + 1.0).collect();
    fixed.extend(geometry.place([-2.0; 3]));
    fixed.extend(geometry.spacing);
    // Rows of the matrix whose columns are the axes.
    fixed.extend((0..9).map(|at| geometry.directions[at % 3][at / 3]));
    format!(
        "#Transform {number}\nTransform: {SPLINE}_double_3_3\nParameters: {}\nFixedParameters: {}\n",
        list(&padded(counts, coefficients)),
        list(&fixed)
    )
}

/// The coefficients with a layer of zeros before the first along each axis.
fn padded([columns, rows, depths]: [usize; 3], coefficients: &[f64]) -> Vec<f64> {
    let mut padded = Vec::with_capacity(3 * (columns + 1) * (rows + 1) * (depths + 1));
    for component in coefficients.chunks_exact((columns * rows * depths).max(1)) {
        padded.resize(padded.len() + (columns + 1) * (rows + 1), 0.0);
        for plane in component.chunks_exact((columns * rows).max(1)) {
            padded.resize(padded.len() + columns + 1, 0.0);
            for row in plane.chunks_exact(columns.max(1)) {
                padded.push(0.0);
                padded.extend(row);
            }
        }
    }
    padded
}

/// The coefficients with each vector multiplied by a matrix.
fn turned(matrix: &[[f64; 3]; 3], coefficients: &[f64]) -> Vec<f64> {
    let count = coefficients.len() / 3;
    let vector = |at: usize| [0, 1, 2].map(|part| coefficients[part * count + at]);
    let part = |row: &[f64; 3], v: [f64; 3]| row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
    matrix.iter().flat_map(|row| (0..count).map(move |at| part(row, vector(at)))).collect()
}

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

/// A transform of a text, with its numbers.
struct TextEntry<'t> {
    kind: &'t str,
    parameters: Vec<f64>,
    fixed: Vec<f64>,
}

/// The affine part of a start: four lines of four numbers, or an affine transform of ITK as text.
///
/// # Errors
/// When the file cannot be read, or holds something else.
pub fn affine_of_text(path: &Path) -> Result<Affine, RegistrationError> {
    let unreadable = |error| RegistrationError::unreadable(path, &error);
    let found = std::fs::metadata(path).map_err(unreadable)?;
    if !found.is_file() || found.len() > LONGEST {
        return Err(wrong(path, "a text of at most 1 MiB", "something else"));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let text = String::from_utf8_lossy(&bytes);
    if text.starts_with(FIRST) {
        let entries = entries(path, &text)?;
        return match &entries[..] {
            [linear] => affine(path, linear),
            [composite, linear] if composite.is(COMPOSITE) => affine(path, linear),
            _ => Err(wrong(path, "one affine transform", &kinds(&entries))),
        };
    }
    let numbers: Option<Vec<f64>> = text
        .split([' ', ',', '\t', '\n', '\r'])
        .filter(|word| !word.is_empty())
        .map(|w| w.parse().ok())
        .collect();
    let found =
        numbers.as_ref().map_or("other words".to_owned(), |numbers| format!("{} numbers", numbers.len()));
    match numbers.as_deref() {
        Some([upper @ .., 0.0, 0.0, 0.0, 1.0]) if upper.len() == 12 => finite(path, rows(upper)),
        _ => {
            Err(wrong(path, "a matrix of 4 x 4 numbers whose last row is 0 0 0 1, or a text of ITK", &found))
        }
    }
}

fn rows(numbers: &[f64]) -> [[f64; 4]; 3] {
    [0, 1, 2].map(|row| [0, 1, 2, 3].map(|column| numbers.get(row * 4 + column).copied().unwrap_or(f64::NAN)))
}

impl TextEntry<'_> {
    fn is(&self, kind: &str) -> bool {
        self.kind.strip_prefix(kind).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    }
}

fn kinds(entries: &[TextEntry<'_>]) -> String {
    if entries.is_empty() {
        "none".into()
    } else {
        entries.iter().map(|e| e.kind).collect::<Vec<_>>().join(", ")
    }
}

fn entries<'t>(path: &Path, text: &'t str) -> Result<Vec<TextEntry<'t>>, RegistrationError> {
    let mut entries: Vec<TextEntry<'t>> = Vec::new();
    for line in text.lines() {
        let Some((key, value)) = line.split_once(':') else { continue };
        match (key.trim(), entries.last_mut()) {
            ("Transform", _) => {
                entries.push(TextEntry { kind: value.trim(), parameters: Vec::new(), fixed: Vec::new() });
            }
            ("Parameters", Some(entry)) => entry.parameters = numbers(path, value)?,
            ("FixedParameters", Some(entry)) => entry.fixed = numbers(path, value)?,
            _ => {}
        }
    }
    Ok(entries)
}

fn numbers(path: &Path, text: &str) -> Result<Vec<f64>, RegistrationError> {
    let number = |word: &str| word.parse::<f64>().ok().filter(|number| number.is_finite());
    let numbers: Option<Vec<f64>> = text.split_whitespace().map(number).collect();
    numbers.ok_or_else(|| wrong(path, "finite numbers", "other words"))
}

/// The rows of an affine, rigid by matrix, or translation transform; the fixed parameters are its centre.
fn affine(path: &Path, entry: &TextEntry<'_>) -> Result<Affine, RegistrationError> {
    let p = &entry.parameters;
    if entry.is("TranslationTransform") && p.len() == 3 {
        return Ok(Affine::translation([p[0], p[1], p[2]]));
    }
    let by_matrix = entry.is("AffineTransform") || entry.is("MatrixOffsetTransformBase");
    if !by_matrix || p.len() != 12 {
        return Err(wrong(path, "an AffineTransform or TranslationTransform", entry.kind));
    }
    let centre = |axis: usize| entry.fixed.get(axis).copied().unwrap_or(0.0);
    let row = |row: usize| {
        let matrix = [p[row * 3], p[row * 3 + 1], p[row * 3 + 2]];
        let turned = (0..3).map(|axis| matrix[axis] * centre(axis)).sum::<f64>();
        [matrix[0], matrix[1], matrix[2], p[9 + row] + centre(row) - turned]
    };
    finite(path, [row(0), row(1), row(2)])
}

/// Refuses what is not finite, has no inverse or mirrors the world.
fn finite(path: &Path, rows: [[f64; 4]; 3]) -> Result<Affine, RegistrationError> {
    let affine = Affine(rows);
    let refused = || wrong(path, "a matrix of finite numbers with a determinant above 0", "another");
    if affine.is_proper() { Ok(affine) } else { Err(refused()) }
}

/// The inverse of a matrix; none where it has none.
fn inverse(m: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let minor = |r: [usize; 2], c: [usize; 2]| m[r[0]][c[0]] * m[r[1]][c[1]] - m[r[0]][c[1]] * m[r[1]][c[0]];
    let others = |at: usize| [(at + 1) % 3, (at + 2) % 3];
    let cofactor = |row: usize, column: usize| minor(others(row), others(column));
    let determinant = (0..3).map(|column| m[0][column] * cofactor(0, column)).sum::<f64>();
    let usable = determinant.is_finite() && determinant.abs() > 1e-12;
    usable.then(|| [0, 1, 2].map(|row| [0, 1, 2].map(|column| cofactor(column, row) / determinant)))
}

fn wrong(path: &Path, expected: &str, found: &str) -> RegistrationError {
    let message = Diagnostic::error(format!("cannot read the transform {}", path.display()));
    message.expected_found(expected, found).into()
}
