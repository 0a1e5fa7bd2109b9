//! Colour normalization.

use onceflow_kernels::colour::{ColourStatistics, ColourSums, transfer as transfer_colour};
use onceflow_region::{Bounds, Region, Source, Table, into_rgb8};
use onceflow_runtime::{Done, OperationError};

use super::Arguments;
use super::regions::{colour, done, from_colour, from_table};
use crate::pixels::normalized;

/// Rows of a whole image per read: a compromise between memory and decoding a chunk twice.
pub const ROWS: u64 = 512;

const NAMES: [&str; 6] = ["mean_l", "mean_a", "mean_b", "deviation_l", "deviation_a", "deviation_b"];
const PIXELS: &str = "tissue_pixels";

/// Mean and deviation of the tissue's colour over a whole image, read strip by strip.
pub(super) fn statistics(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let found = match arguments.region(0)? {
        Region::Image(source) => over_source(source.as_ref())?,
        _ => over_view(arguments)?,
    };
    let numbers = NAMES.into_iter().zip(found.mean.into_iter().chain(found.deviation));
    from_table(Table::numbers(numbers.chain([(PIXELS, found.pixels as f64)])))
}

/// The colours normalized to the target, with given statistics.
pub(super) fn transfer(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let statistics = from_numbers(arguments.table(1)?)?;
    Ok(done([from_colour(transfer_colour(arguments.colour(0)?, &statistics))?]))
}

/// Statistics and normalization over one part, as in the papers.
pub(super) fn normalize(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    Ok(done([from_colour(normalized(arguments.colour(0)?))?]))
}

fn over_view(arguments: &Arguments<'_>) -> Result<ColourStatistics, OperationError> {
    let mut statistics = ColourSums::new();
    statistics.add(arguments.colour(0)?);
    Ok(statistics.finish())
}

fn over_source(source: &dyn Source) -> Result<ColourStatistics, OperationError> {
    let (width, height) = (source.info().width, source.info().height);
    let mut statistics = ColourSums::new();
    for top in (0..height).step_by(ROWS as usize) {
        let strip = i64::try_from(top).ok().and_then(|y| Bounds::plane(0, y, width, ROWS.min(height - top)));
        let strip = strip.ok_or_else(|| OperationError::new("the image is larger than 2^63 pixels"))?;
        let dense = source.read(strip).map_err(|error| OperationError::new(error.to_string()))?;
        let dense = into_rgb8(dense).map_err(|error| OperationError::new(error.to_string()))?;
        statistics.add(colour(&dense).ok_or_else(|| OperationError::new("expected 8-bit colour pixels"))?);
    }
    Ok(statistics.finish())
}

fn from_numbers(table: &Table) -> Result<ColourStatistics, OperationError> {
    let number = |name: &str| {
        table.number(name).ok_or_else(|| OperationError::new(format!("expected `{name}` in the statistics")))
    };
    let [l, a, b, dl, da, db] = NAMES.map(number);
    let (mean, deviation) = ([l?, a?, b?], [dl?, da?, db?]);
    Ok(ColourStatistics { mean, deviation, pixels: number(PIXELS)? as u64 })
}
