//! Comparison of a mask with the reference row's and with the truth, as counts that add up over parts.

use onceflow_kernels::compare::{self, Boundary, Counts, ExactSum, SizesDiffer};
use onceflow_kernels::{Connectivity, Plane, View, Window, label};
use onceflow_region::{Column, Region, Table};
use onceflow_runtime::{Done, OperationError};
use onceflow_study::Against;

use super::regions::{from_table, grey, labels};
use super::{Arguments, Counted};

/// The counts of a part: of a result alone, and against what the study asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) alone: Counts,
    pub(crate) default: Counts,
    pub(crate) truth: Counts,
}

impl Comparison {
    /// The counts against something.
    pub(crate) fn against(&self, against: Against) -> &Counts {
        match against {
            Against::Nothing => &self.alone,
            Against::Default => &self.default,
            Against::Truth => &self.truth,
        }
    }

    /// Adds the counts of another part.
    pub(crate) fn add(&mut self, other: &Self) {
        self.alone += other.alone;
        self.default += other.default;
        self.truth += other.truth;
    }
}

/// Counts of a mask, alone and against what is there of reference and truth.
pub(super) fn compare(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let mask = arguments.grey(0)?;
    let Counted { seen, core } = Counted::from_region(arguments.region(3)?, mask)?;
    let result = label(seen.of(mask), Connectivity::Eight).plane;
    let boundary = arguments.integer(0)? != 0;
    let against = |other: Option<Plane<u32>>| -> Result<Counts, OperationError> {
        let counts = other.map(|other| counts(result.view(), other.view(), core, boundary));
        Ok(counts.transpose().map_err(|error| OperationError::new(error.to_string()))?.unwrap_or_default())
    };
    // The reference row's part is cut as this one is; the truth comes as it is counted.
    let default = against(objects(arguments.region(1)?, Some(seen))?)?;
    let truth = against(objects(arguments.region(2)?, None)?)?;
    // Either knows the result; it is counted by itself only where there is neither.
    let known = [default, truth].into_iter().find(|counts| counts.parts > 0);
    let alone = known.map_or_else(|| compare::count_owned(result.view(), core), |counts| counts.alone());
    from_table(Ok(to_table(&Comparison { alone, default, truth })))
}

/// The comparison in a table that [`compare`] made.
pub(crate) fn counts_of(region: &Region) -> Option<Comparison> {
    let table = region.as_table()?;
    Some(Comparison { alone: from_row(table, 0)?, default: from_row(table, 1)?, truth: from_row(table, 2)? })
}

fn counts(
    result: View<'_, u32>,
    other: View<'_, u32>,
    core: Window,
    boundary: bool,
) -> Result<Counts, SizesDiffer> {
    let count = if boundary { compare::compare_boundaries_owned } else { compare::compare_owned };
    count(result, other, core)
}

/// The objects of a mask or label image, or of a window of it; `None` when there is none.
fn objects(region: &Region, window: Option<Window>) -> Result<Option<Plane<u32>>, OperationError> {
    let dense = match region {
        Region::Nothing => return Ok(None),
        Region::Dense(dense) => dense,
        _ => return Err(OperationError::new("expected a mask or a label image to compare with")),
    };
    if let Some(mask) = grey(dense) {
        return Ok(Some(label(shown(mask, window)?, Connectivity::Eight).plane));
    }
    labels(dense)
        .map(|view| Ok(Some(shown(view, window)?.to_plane())))
        .transpose()?
        .ok_or_else(|| OperationError::new("expected labels of 32 bits"))
}

/// What an image shows in a window.
fn shown<T>(view: View<'_, T>, window: Option<Window>) -> Result<View<'_, T>, OperationError> {
    let Some(Window { left, top, width, height }) = window else { return Ok(view) };
    let outside = || OperationError::new("expected a reference of the part's size, found a smaller one");
    view.crop(left, top, width, height).ok_or_else(outside)
}

/// How a count is written and read.
type Field = (&'static str, fn(&Counts) -> u64, fn(&mut Counts) -> &mut u64);

const FIELDS: [Field; 12] = [
    ("parts", |c| c.parts, |c| &mut c.parts),
    ("compared", |c| c.compared, |c| &mut c.compared),
    ("pixels", |c| c.pixels, |c| &mut c.pixels),
    ("foreground", |c| c.foreground, |c| &mut c.foreground),
    ("reference_foreground", |c| c.reference_foreground, |c| &mut c.reference_foreground),
    ("common", |c| c.common, |c| &mut c.common),
    ("objects", |c| c.objects, |c| &mut c.objects),
    ("reference_objects", |c| c.reference_objects, |c| &mut c.reference_objects),
    ("matched", |c| c.matched, |c| &mut c.matched),
    ("boundary_parts", |c| c.boundary.parts, |c| &mut c.boundary.parts),
    ("boundary_undefined", |c| c.boundary.undefined, |c| &mut c.boundary.undefined),
    ("boundary_largest_squared", |c| c.boundary.largest_squared, |c| &mut c.boundary.largest_squared),
];

/// Sums of fractions have more bits than a column of whole numbers.
const OVERLAP: &str = "matched_overlap";
const MEANS: &str = "boundary_means";

fn to_table(comparison: &Comparison) -> Table {
    let rows = [comparison.alone, comparison.default, comparison.truth];
    let against = ["nothing", "default", "truth"].map(str::to_owned).into();
    let integers =
        |get: fn(&Counts) -> u64| Column::Integer(rows.iter().map(|c| get(c).cast_signed()).collect());
    let sums = |get: fn(&Counts) -> ExactSum| {
        Column::Text(rows.iter().map(|c| get(c).to_units().to_string()).collect())
    };
    let mut columns = vec![("against".to_owned(), Column::Text(against))];
    columns.extend(FIELDS.iter().map(|(name, get, _)| ((*name).to_owned(), integers(*get))));
    columns.push((OVERLAP.to_owned(), sums(|c| c.matched_overlap)));
    columns.push((MEANS.to_owned(), sums(|c| c.boundary.means)));
    // Columns of three values with different names always make a table.
    Table::new(columns).unwrap_or_default()
}

fn from_row(table: &Table, row: usize) -> Option<Counts> {
    let mut counts = Counts::default();
    for (name, _, place) in &FIELDS {
        *place(&mut counts) = table.integers(name)?.get(row)?.cast_unsigned();
    }
    let sum = |name: &str| Some(ExactSum::from_units(table.texts(name)?.get(row)?.parse().ok()?));
    counts.matched_overlap = sum(OVERLAP)?;
    counts.boundary = Boundary { means: sum(MEANS)?, ..counts.boundary };
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_comes_back_from_its_table() {
        let plane = |data: Vec<u32>| Plane::from_vec(data, 3, 2).unwrap();
        let (a, b) = (plane(vec![1, 1, 0, 0, 0, 2]), plane(vec![1, 0, 0, 0, 2, 2]));
        let both = compare::compare_boundaries(a.view(), b.view()).unwrap();
        let comparison =
            Comparison { alone: compare::count(a.view()), default: both, truth: Counts::default() };
        assert_eq!(counts_of(&Region::Table(to_table(&comparison))), Some(comparison));
        assert_eq!(counts_of(&Region::Nothing), None);
    }
}
