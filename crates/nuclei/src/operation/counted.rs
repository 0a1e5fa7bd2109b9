//! The counted window of a part: a table beside the pixels, so that equal pixels with different cores are different inputs.

use onceflow_kernels::Window;
use onceflow_region::{Region, RegionError, Table};
use onceflow_runtime::OperationError;

/// The pixels of a part that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedWindow {
    /// The pixels of the part inside the studied box.
    pub seen: Window,
    /// The core of the part in these pixels.
    pub core: Window,
}

const COLUMNS: [&str; 8] =
    ["left", "top", "width", "height", "core_left", "core_top", "core_width", "core_height"];

impl CountedWindow {
    /// All of an image.
    pub fn all(width: usize, height: usize) -> Self {
        let whole = Window { left: 0, top: 0, width, height };
        Self { seen: whole, core: whole }
    }

    /// As a region.
    ///
    /// # Errors
    /// When the columns are no table: a bug.
    pub fn to_table(self) -> Result<Table, RegionError> {
        let sides = |w: Window| [w.left, w.top, w.width, w.height].map(|side| side as f64);
        let numbers = COLUMNS.into_iter().zip(sides(self.seen).into_iter().chain(sides(self.core)));
        Table::numbers(numbers)
    }

    /// The counted window of an image; all of it without a table.
    ///
    /// # Errors
    /// When the region holds no window, or one outside the image.
    pub fn from_region(region: &Region, width: usize, height: usize) -> Result<Self, OperationError> {
        if matches!(region, Region::Nothing) {
            return Ok(Self::all(width, height));
        }
        let read = region.as_table().and_then(Self::from_table);
        read.filter(|counted| counted.fits(width, height))
            .ok_or_else(|| OperationError::new("expected a box inside the part, found another"))
    }

    fn from_table(table: &Table) -> Option<Self> {
        let [left, top, width, height, core @ ..] =
            COLUMNS.map(|name| table.number(name).map(|x| x as usize));
        let window = |[left, top, width, height]: [Option<usize>; 4]| {
            Some(Window { left: left?, top: top?, width: width?, height: height? })
        };
        Some(Self { seen: window([left, top, width, height])?, core: window(core)? })
    }

    fn fits(&self, width: usize, height: usize) -> bool {
        let inside = |w: Window, width: usize, height: usize| {
            w.left.saturating_add(w.width) <= width && w.top.saturating_add(w.height) <= height
        };
        inside(self.seen, width, height) && inside(self.core, self.seen.width, self.seen.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_comes_back_from_its_table_when_it_lies_inside() {
        let window = |left, top, width, height| Window { left, top, width, height };
        let counted = CountedWindow { seen: window(1, 2, 8, 7), core: window(3, 0, 5, 7) };
        let region = Region::Table(counted.to_table().unwrap());
        assert_eq!(CountedWindow::from_region(&region, 9, 9).unwrap(), counted);
        assert!(CountedWindow::from_region(&region, 8, 9).is_err());
        let outside = CountedWindow { core: window(4, 0, 5, 7), ..counted };
        assert!(CountedWindow::from_region(&Region::Table(outside.to_table().unwrap()), 9, 9).is_err());
        let all = CountedWindow::from_region(&Region::Nothing, 4, 3).unwrap();
        assert_eq!(all.core, window(0, 0, 4, 3));
    }
}
