//! Comparison of a mask with the reference row's and with the truth, as counts that add up over parts.

use std::sync::Arc;

use onceflow_kernels::compare::{self, Boundary, ComparisonCounts, ExactSum, LabelledRuns, SizesDiffer};
use onceflow_kernels::{Connectivity, Plane, View, Window, label};
use onceflow_region::{Column, Region, RegionError, Table};
use onceflow_runtime::{Done, OperationError};
use onceflow_study::Against;

use super::lookup::CallContext;
use super::regions::{from_table, grey, labels};
use super::{Arguments, CountedWindow};

/// The id of the operation that compares masks.
pub const COMPARE: &str = "metric.compare";

/// The counts of a part: of a result alone, against the reference row, and against the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartComparison {
    /// Counts of the result alone.
    pub alone: ComparisonCounts,
    /// Counts against the reference row.
    pub default: ComparisonCounts,
    /// Counts against the truth.
    pub truth: ComparisonCounts,
}

impl PartComparison {
    /// The counts against one of them.
    pub fn against(&self, against: Against) -> &ComparisonCounts {
        match against {
            Against::Nothing => &self.alone,
            Against::Default => &self.default,
            Against::Truth => &self.truth,
        }
    }

    /// Adds the counts of another part.
    pub fn add(&mut self, other: &Self) {
        self.alone += other.alone;
        self.default += other.default;
        self.truth += other.truth;
    }
}

/// Counts of a mask or label image, alone and against reference and truth if they exist.
pub(super) fn compare(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let (width, height) = match result_labels(arguments)? {
        Some(labels) => (labels.width(), labels.height()),
        None => arguments.mask(0).map(|mask| (mask.width(), mask.height()))?,
    };
    let counted = CountedWindow::from_region(arguments.region(3)?, width, height)?;
    let comparison = match arguments.integer(0)? {
        0 => compare_runs(arguments, counted)?,
        _ => compare_planes(arguments, counted)?,
    };
    from_table(to_table(&comparison))
}

/// The labels of the result, when it is a label image: touching objects stay apart.
fn result_labels<'a>(arguments: &Arguments<'a>) -> Result<Option<View<'a, u32>>, OperationError> {
    Ok(arguments.region(0)?.as_dense().and_then(labels))
}

/// The objects of the result in a window.
fn result_runs(arguments: &Arguments<'_>, seen: Window) -> Result<LabelledRuns, OperationError> {
    if let Some(labels) = result_labels(arguments)? {
        return Ok(LabelledRuns::of_labels(shown(labels, Some(seen))?));
    }
    let mask = arguments.mask(0)?;
    let all = (seen.width, seen.height) == (mask.width(), mask.height());
    Ok(LabelledRuns::of_mask(if all { mask } else { seen.of(arguments.grey(0)?).into() }))
}

/// Counts of pixels and objects need only runs; those of reference and truth are cached.
fn compare_runs(
    arguments: &Arguments<'_>,
    CountedWindow { seen, core }: CountedWindow,
) -> Result<PartComparison, OperationError> {
    let result = result_runs(arguments, seen)?;
    let against = |input: usize, window| -> Result<ComparisonCounts, OperationError> {
        let other = others(arguments, input, window)?;
        let counts = other.map(|other| compare::compare_runs(&result, &other, core));
        Ok(counts.transpose().map_err(sizes_differ)?.unwrap_or_default())
    };
    // The reference row's part is cropped like this one; the truth comes cropped.
    let (default, truth) = (against(1, Some(seen))?, against(2, None)?);
    Ok(PartComparison { alone: compare::count_runs(&result, core), default, truth })
}

/// Distances between boundaries need all pixels.
fn compare_planes(
    arguments: &Arguments<'_>,
    CountedWindow { seen, core }: CountedWindow,
) -> Result<PartComparison, OperationError> {
    let result = match result_labels(arguments)? {
        Some(labels) => shown(labels, Some(seen))?.to_plane(),
        None => label(seen.of(arguments.grey(0)?), Connectivity::Eight).plane,
    };
    let against = |input: usize, window| -> Result<ComparisonCounts, OperationError> {
        let other = objects(arguments.region(input)?, window)?.map(ComparedObjects::into_plane);
        let counts = other.map(|other| compare::compare_boundaries_owned(result.view(), other.view(), core));
        Ok(counts.transpose().map_err(sizes_differ)?.unwrap_or_default())
    };
    let (default, truth) = (against(1, Some(seen))?, against(2, None)?);
    Ok(PartComparison { alone: compare::count_owned(result.view(), core), default, truth })
}

fn sizes_differ(error: SizesDiffer) -> OperationError {
    OperationError::new(error.to_string())
}

/// The objects of an input, or of a window of it, cached for all comparisons with it; `None` without an input.
fn others(
    arguments: &Arguments<'_>,
    input: usize,
    window: Option<Window>,
) -> Result<Option<Arc<LabelledRuns>>, OperationError> {
    let Some(objects) = objects(arguments.region(input)?, window)? else { return Ok(None) };
    let Some((known, content)) = arguments.known.zip(arguments.digests.get(input)) else {
        return Ok(Some(Arc::new(objects.into_runs())));
    };
    let sides = window.map(|w| [w.left, w.top, w.width, w.height].map(|side| side as u64));
    let context = known.context(&[*content], sides.as_ref().map_or(&[], |sides| sides.as_slice()));
    Ok(Some(
        known.labelled(CallContext { site: arguments.site, row: arguments.row, context }, || {
            objects.into_runs()
        }),
    ))
}

/// The comparison in a table of the operation [`COMPARE`]; none if the region is no such table.
pub fn counts_of(region: &Region) -> Option<PartComparison> {
    let table = region.as_table()?;
    Some(PartComparison {
        alone: from_row(table, 0)?,
        default: from_row(table, 1)?,
        truth: from_row(table, 2)?,
    })
}

/// Objects to compare with.
enum ComparedObjects<'a> {
    Mask(View<'a, u8>),
    Labels(View<'a, u32>),
}

impl ComparedObjects<'_> {
    fn into_runs(self) -> LabelledRuns {
        match self {
            Self::Mask(mask) => LabelledRuns::of_mask(mask),
            Self::Labels(labels) => LabelledRuns::of_labels(labels),
        }
    }

    fn into_plane(self) -> Plane<u32> {
        match self {
            Self::Mask(mask) => label(mask, Connectivity::Eight).plane,
            Self::Labels(labels) => labels.to_plane(),
        }
    }
}

/// The objects of a mask or label image, or of a window of it; `None` without an image.
fn objects(region: &Region, window: Option<Window>) -> Result<Option<ComparedObjects<'_>>, OperationError> {
    let dense = match region {
        Region::Nothing => return Ok(None),
        Region::Dense(dense) => dense,
        _ => return Err(OperationError::new("expected a mask or a label image to compare with")),
    };
    if let Some(mask) = grey(dense) {
        return Ok(Some(ComparedObjects::Mask(shown(mask, window)?)));
    }
    let labels = labels(dense).ok_or_else(|| OperationError::new("expected labels of 32 bits"))?;
    Ok(Some(ComparedObjects::Labels(shown(labels, window)?)))
}

/// The window of an image.
fn shown<T>(view: View<'_, T>, window: Option<Window>) -> Result<View<'_, T>, OperationError> {
    let Some(Window { left, top, width, height }) = window else { return Ok(view) };
    let outside = || OperationError::new("expected a reference of the part's size, found a smaller one");
    view.crop(left, top, width, height).ok_or_else(outside)
}

/// The name of a count, and functions that read and write it.
type CountField = (&'static str, fn(&ComparisonCounts) -> u64, fn(&mut ComparisonCounts) -> &mut u64);

const FIELDS: [CountField; 12] = [
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

/// Sums of fractions, as text since they have more than 64 bits.
const OVERLAP: &str = "matched_overlap";
const MEANS: &str = "boundary_means";

fn to_table(comparison: &PartComparison) -> Result<Table, RegionError> {
    let rows = [comparison.alone, comparison.default, comparison.truth];
    let against = ["nothing", "default", "truth"].map(str::to_owned).into();
    let integers = |get: fn(&ComparisonCounts) -> u64| {
        Column::Integer(rows.iter().map(|c| get(c).cast_signed()).collect())
    };
    let sums = |get: fn(&ComparisonCounts) -> ExactSum| {
        Column::Text(rows.iter().map(|c| get(c).to_units().to_string()).collect())
    };
    let mut columns = vec![("against".to_owned(), Column::Text(against))];
    columns.extend(FIELDS.iter().map(|(name, get, _)| ((*name).to_owned(), integers(*get))));
    columns.push((OVERLAP.to_owned(), sums(|c| c.matched_overlap)));
    columns.push((MEANS.to_owned(), sums(|c| c.boundary.means)));
    Table::new(columns)
}

fn from_row(table: &Table, row: usize) -> Option<ComparisonCounts> {
    let mut counts = ComparisonCounts::default();
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
        let comparison = PartComparison {
            alone: compare::count(a.view()),
            default: both,
            truth: ComparisonCounts::default(),
        };
        assert_eq!(counts_of(&Region::Table(to_table(&comparison).unwrap())), Some(comparison));
        assert_eq!(counts_of(&Region::Nothing), None);
    }
}
