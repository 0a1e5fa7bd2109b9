//! GeoJSON as QuPath writes it, read as it streams by: a collection of features, a list of them, one, or a geometry.
//!
//! Detections and cells are the objects, a cell by its nucleus when it has one; in a file without any, the annotations
//! are. Classes whose names end in `*` are QuPath's ignored ones and never objects; `Region*` says where objects were drawn.
//! FeatureList with others in them, tiles and cores of tissue arrays only say where others lie.

mod coordinates;
mod feature;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::builder::{OutlineBuilder, OutlineGeometry, check_points};
use super::{FillRule, OutlineProblem};
use feature::{FeatureKind, FeatureList};

/// Reads a text.
pub(super) fn read(bytes: &[u8], builder: &mut OutlineBuilder) -> Result<(), OutlineProblem> {
    let mut found = FoundFeatures::default();
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = FeatureList(&mut found).deserialize(&mut json).and_then(|_| json.end());
    if let Err(error) = read {
        // What is wrong with an outline says more than where the reader then stopped.
        return Err(found.problem.unwrap_or_else(|| {
            let todo = "export the objects as GeoJSON again";
            OutlineProblem::new("GeoJSON with polygons", error.to_string(), todo)
        }));
    }
    found.add_to(builder)
}

/// What was found so far.
#[derive(Debug, Default)]
struct FoundFeatures {
    features: Vec<Feature>,
    left_out: usize,
    points: usize,
    problem: Option<OutlineProblem>,
}

#[derive(Debug)]
struct Feature {
    kind: FeatureKind,
    geometry: OutlineGeometry,
}

impl FoundFeatures {
    /// Keeps the problem; the reader gets a text to stop with.
    fn stop<E: serde::de::Error>(&mut self, problem: OutlineProblem) -> E {
        let error = E::custom(&problem.found);
        self.problem.get_or_insert(problem);
        error
    }

    fn keep<E: serde::de::Error>(&mut self, kind: FeatureKind, geometry: OutlineGeometry) -> Result<(), E> {
        if !geometry.has_area() || kind == FeatureKind::Ignored {
            self.left_out += 1;
            return Ok(());
        }
        self.points += geometry.points();
        check_points(self.points).map_err(|problem| self.stop(problem))?;
        self.features.push(Feature { kind, geometry });
        Ok(())
    }

    fn add_to(self, builder: &mut OutlineBuilder) -> Result<(), OutlineProblem> {
        let detected = self.features.iter().any(|feature| feature.kind == FeatureKind::Detection);
        let wanted = if detected { FeatureKind::Detection } else { FeatureKind::Annotation };
        for Feature { kind, geometry } in self.features {
            match kind {
                kind if kind == wanted => drop(builder.object(&geometry, FillRule::EvenOdd, &[])?),
                FeatureKind::Region => builder.area(geometry.hull()),
                _ => builder.leave_out(),
            }
        }
        (0..self.left_out).for_each(|_| builder.leave_out());
        Ok(())
    }
}
