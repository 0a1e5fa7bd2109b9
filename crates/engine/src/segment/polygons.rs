//! What was found as polygons: one object after the other.

use std::io::{self, Write};

use onceflow_kernels::outline;

use super::Segmented;
use crate::Desk;
use crate::features::{GeoJson, Groups, components};

impl Segmented {
    /// Writes the outlines of all nuclei as GeoJSON that QuPath opens, by their numbers.
    ///
    /// # Errors
    /// When a pixel cannot be read, there is too little memory, or the file cannot be written.
    pub fn write_polygons(&mut self, desk: &Desk<'_>, to: impl Write) -> io::Result<()> {
        let mut file = GeoJson::new(to)?;
        let image = self.sheet.image();
        let (extents, _known) = components(&mut self.sheet, desk)?;
        let mut groups = Groups::new(&extents, image, 0, desk)?;
        while let Some(group) = groups.next_group()? {
            desk.at("polygons", group.first as u64, extents.len() as u64);
            let labels = group.component_labels(self.sheet.mask(group.window)?.view());
            for extent in group.extents {
                let shown = group.show(labels.view(), extent)?;
                let origin = [extent.left, extent.top].map(|place| place as u32);
                let at_border = extent.touches_border(image.width, image.height);
                file.add(extent.label, at_border, &outline(shown, extent.label, origin), None)?;
            }
        }
        file.finish()
    }
}
