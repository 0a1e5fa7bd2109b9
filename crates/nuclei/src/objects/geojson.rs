//! Objects as GeoJSON that QuPath opens: a detection for each, with its outline and its measurements.

use std::io::{self, Write};

use onceflow_kernels::Polygon;
use serde_json::{Map, Value, json};

use super::border_word;

/// A `FeatureCollection`, one line per object. Coordinates are pixels of the image.
#[derive(Debug)]
pub struct GeoJson<W> {
    to: W,
    empty: bool,
    /// Pixels of the file's image per pixel of the objects.
    ratio: f64,
}

impl<W: Write> GeoJson<W> {
    /// Begins a collection.
    pub fn new(mut to: W) -> io::Result<Self> {
        to.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[")?;
        Ok(Self { to, empty: true, ratio: 1.0 })
    }

    /// Writes coordinates in pixels of which the objects' have `ratio` on a side.
    #[must_use]
    pub fn scaled(self, ratio: f64) -> Self {
        Self { ratio, ..self }
    }

    /// Adds an object.
    pub fn add(
        &mut self,
        label: u32,
        at_border: bool,
        polygons: &[Polygon],
        measurements: Option<Map<String, Value>>,
    ) -> io::Result<()> {
        let before = if self.empty { "\n" } else { ",\n" };
        self.empty = false;
        write!(self.to, "{before}{}", feature(label, at_border, geometry(polygons, self.ratio), measurements))
    }

    /// Ends the collection.
    pub fn finish(mut self) -> io::Result<()> {
        self.to.write_all(b"\n]}\n")?;
        self.to.flush()
    }
}

fn feature(label: u32, at_border: bool, geometry: Value, measurements: Option<Map<String, Value>>) -> Value {
    let label = label.to_string();
    let mut properties = json!({
        "objectType": "detection",
        "name": &label,
        "classification": { "name": "Nucleus", "color": COLOUR },
        "metadata": { "label": &label, "status": border_word(at_border) },
    });
    if let Some(measurements) = measurements {
        properties["measurements"] = measurements.into();
    }
    json!({ "type": "Feature", "geometry": geometry, "properties": properties })
}

/// The colour of outlines.
const COLOUR: [u8; 3] = [255, 240, 0];

/// A polygon, or several if parts of an object touch in corners only or not at all.
fn geometry(polygons: &[Polygon], ratio: f64) -> Value {
    let ring = |ring: &Vec<[u32; 2]>| match ratio {
        1.0 => json!(ring),
        ratio => ring.iter().map(|place| json!(place.map(|at| f64::from(at) * ratio))).collect(),
    };
    let rings = |polygon: &Polygon| -> Value {
        std::iter::once(&polygon.outer).chain(&polygon.holes).map(ring).collect()
    };
    match polygons {
        [polygon] => json!({ "type": "Polygon", "coordinates": rings(polygon) }),
        several => {
            let several: Value = several.iter().map(rings).collect();
            json!({ "type": "MultiPolygon", "coordinates": several })
        }
    }
}

#[cfg(test)]
mod tests {
    use onceflow_imageio::{Outlines, Working};
    use onceflow_kernels::{Plane, outline};
    use onceflow_region::{Details, Element, ImageInfo, ImageScale, Source};
    use proptest::prelude::*;

    use super::GeoJson;

    proptest! {
        #[test]
        fn outlines_drawn_again_are_the_labels_they_came_from(
            width in 1usize..20, height in 1usize..20, values in prop::collection::vec(0u32..5, 400),
        ) {
            let labels: Vec<u32> = values[..width * height].to_vec();
            let plane = Plane::from_vec(labels.clone(), width, height).unwrap();
            let mut file = Vec::new();
            let mut json = GeoJson::new(&mut file).unwrap();
            // Objects are numbered in the order of the file.
            let mut numbers = [0u32; 5];
            for label in 1..5 {
                if labels.contains(&label) {
                    numbers[label as usize] = numbers.iter().max().unwrap() + 1;
                    json.add(label, false, &outline(plane.view(), label, [0, 0]), None).unwrap();
                }
            }
            json.finish().unwrap();
            prop_assume!(labels.iter().any(|label| *label > 0));
            let (wide, high) = (width as u64, height as u64);
            let info = ImageInfo {
                format: "test".into(),
                width: wide,
                height: high,
                channels: 1,
                element: Element::U8,
                um_per_pixel: None,
                scales: vec![ImageScale::whole(wide, high)],
                details: Details::default(),
            };
            let drawn = Outlines::parse("t", &file).unwrap().over(&info, &Working::whole(&info));
            let drawn = drawn.read(info.bounds().unwrap()).unwrap();
            let expected: Vec<u32> = labels.iter().map(|label| numbers[*label as usize]).collect();
            prop_assert_eq!(drawn.as_u32().unwrap(), expected.as_slice());
        }
    }
}
