//! What of a part is counted: a table beside the pixels, so that equal pixels with different cores are different inputs.

use onceflow_kernels::Window;
use onceflow_region::{Region, Table};
use onceflow_runtime::OperationError;

/// What of a part is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    /// What of the part's pixels lies in the box that is studied.
    pub(crate) seen: Window,
    /// What of that belongs to the part.
    pub(crate) core: Window,
}

const COLUMNS: [&str; 8] =
    ["left", "top", "width", "height", "core_left", "core_top", "core_width", "core_height"];

impl Counted {
    /// All of an image.
    pub(crate) fn all(width: usize, height: usize) -> Self {
        let whole = Window { left: 0, top: 0, width, height };
        Self { seen: whole, core: whole }
    }

    /// As a source gives it.
    pub(crate) fn to_table(self) -> Table {
        let sides = |w: Window| [w.left, w.top, w.width, w.height].map(|side| side as f64);
        let numbers = COLUMNS.into_iter().zip(sides(self.seen).into_iter().chain(sides(self.core)));
        // Columns of one number with different names always make a table.
        Table::numbers(numbers).unwrap_or_default()
    }

    /// What a source says of an image; all of it is counted when it says nothing.
    pub(crate) fn from_region(region: &Region, width: usize, height: usize) -> Result<Self, OperationError> {
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
        let counted = Counted { seen: window(1, 2, 8, 7), core: window(3, 0, 5, 7) };
        let region = Region::Table(counted.to_table());
        assert_eq!(Counted::from_region(&region, 9, 9).unwrap(), counted);
        assert!(Counted::from_region(&region, 8, 9).is_err());
        let outside = Counted { core: window(4, 0, 5, 7), ..counted };
        assert!(Counted::from_region(&Region::Table(outside.to_table()), 9, 9).is_err());
        let all = Counted::from_region(&Region::Nothing, 4, 3).unwrap();
        assert_eq!(all.core, window(0, 0, 4, 3));
    }
}
