//! Objects as GeoJSON that QuPath opens: a detection for each, with its outline and its measurements.

use std::io::{self, Write};

use onceflow_kernels::Polygon;
use serde_json::{Map, Value, json};

use super::file::status;

/// A `FeatureCollection`, one line per object. Coordinates are pixels of the image.
#[derive(Debug)]
pub(crate) struct GeoJson<W> {
    to: W,
    empty: bool,
}

impl<W: Write> GeoJson<W> {
    /// Begins a collection.
    pub(crate) fn new(mut to: W) -> io::Result<Self> {
        to.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[")?;
        Ok(Self { to, empty: true })
    }

    /// Adds an object.
    pub(crate) fn add(
        &mut self,
        label: u32,
        at_border: bool,
        polygons: &[Polygon],
        measurements: Option<Map<String, Value>>,
    ) -> io::Result<()> {
        let before = if self.empty { "\n" } else { ",\n" };
        self.empty = false;
        write!(self.to, "{before}{}", feature(label, at_border, polygons, measurements))
    }

    /// Ends the collection.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.to.write_all(b"\n]}\n")?;
        self.to.flush()
    }
}

fn feature(
    label: u32,
    at_border: bool,
    polygons: &[Polygon],
    measurements: Option<Map<String, Value>>,
) -> Value {
    let label = label.to_string();
    let mut properties = json!({
        "objectType": "detection",
        "name": &label,
        "classification": { "name": "Nucleus", "color": COLOUR },
        "metadata": { "label": &label, "status": status(at_border) },
    });
    if let Some(measurements) = measurements {
        properties["measurements"] = measurements.into();
    }
    json!({ "type": "Feature", "geometry": geometry(polygons), "properties": properties })
}

/// The colour of outlines.
const COLOUR: [u8; 3] = [255, 240, 0];

/// A polygon, or several where parts of an object touch in corners only or not at all.
fn geometry(polygons: &[Polygon]) -> Value {
    let rings = |polygon: &Polygon| -> Value {
        std::iter::once(&polygon.outer).chain(&polygon.holes).map(|ring| json!(ring)).collect()
    };
    match polygons {
        [polygon] => json!({ "type": "Polygon", "coordinates": rings(polygon) }),
        several => {
            let several: Value = several.iter().map(rings).collect();
            json!({ "type": "MultiPolygon", "coordinates": several })
        }
    }
}
