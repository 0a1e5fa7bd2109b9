//! The results of a segmentation as polygons, object by object.

use std::io::{self, Write};

use onceflow_kernels::outline;

use super::Segmented;
use crate::objects::{GeoJson, WindowGroups, components};
use crate::workspace::Workspace;

impl Segmented {
    /// Writes the outlines of all nuclei as GeoJSON for QuPath, in the order of their labels; in pixels of which those of
    /// the image have `ratio` on a side.
    ///
    /// # Errors
    /// When a pixel cannot be read, there is too little memory, or the file cannot be written.
    pub fn write_polygons(
        &mut self,
        ratio: f64,
        workspace: &Workspace<'_>,
        to: impl Write,
    ) -> io::Result<()> {
        let mut file = GeoJson::new(to)?.scaled(ratio);
        let image = self.layers.image();
        let (extents, _known) = components(&mut self.layers, workspace)?;
        let mut groups = WindowGroups::new(&extents, image, 0, workspace)?;
        while let Some(group) = groups.next_group()? {
            workspace.at("polygons", group.first as u64, extents.len() as u64);
            let labels = group.component_labels(self.layers.mask(group.window)?.view());
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
