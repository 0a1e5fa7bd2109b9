//! Features as GeoJSON that QuPath opens: a detection for each object, with its outline and measurements.

use onceflow_kernels::Polygon;
use onceflow_kernels::features::{Features, Object};
use serde_json::{Map, Value, json};

use super::csv::status;

/// A `FeatureCollection`, one line per object. Coordinates are pixels of the image; measurements that are no numbers
/// are left out.
pub fn features_geojson(features: &Features) -> String {
    let mut text = String::from("{\"type\":\"FeatureCollection\",\"features\":[");
    for (row, object) in features.objects.iter().enumerate() {
        text.push_str(if row == 0 { "\n" } else { ",\n" });
        text.push_str(&feature(object, measurements(features, row)).to_string());
    }
    text.push_str("\n]}\n");
    text
}

fn measurements(features: &Features, row: usize) -> Map<String, Value> {
    let values = features.names.iter().zip(&features.columns).map(|(name, column)| (name, column[row]));
    values.filter(|(_, value)| value.is_finite()).map(|(name, value)| (name.clone(), json!(value))).collect()
}

fn feature(object: &Object, measurements: Map<String, Value>) -> Value {
    let label = object.extent.label.to_string();
    json!({
        "type": "Feature",
        "geometry": geometry(&object.polygons),
        "properties": {
            "objectType": "detection",
            "name": &label,
            "classification": { "name": "Nucleus", "color": COLOUR },
            "metadata": { "label": &label, "status": status(object) },
            "measurements": measurements,
        },
    })
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
