//! Features and what they are.

use std::fmt;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::coordinates::{CoordinateShape, GeometrySeed};
use super::{DeserializeSeed, Deserializer, FoundFeatures, MapAccess, OutlineGeometry, SeqAccess, Visitor};

/// What a feature is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FeatureKind {
    /// Drawn, or of no type that we know.
    Annotation,
    /// Found by a program, and often corrected by hand.
    Detection,
    /// Where objects were drawn.
    Region,
    /// No object.
    Ignored,
}

/// Features: a list of them, or an object that is one or holds some. Gives how many it went through.
pub(super) struct FeatureList<'a>(pub(super) &'a mut FoundFeatures);

impl<'de> DeserializeSeed<'de> for FeatureList<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<usize, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for FeatureList<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("features")
    }

    fn visit_unit<E>(self) -> Result<usize, E> {
        Ok(0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<usize, A::Error> {
        let mut all = 0;
        while let Some(inner) = list.next_element_seed(FeatureList(self.0))? {
            all += inner;
        }
        Ok(all)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<usize, A::Error> {
        let found = self.0;
        let mut feature = ReadFeature::default();
        while let Some(key) = map.next_key::<String>()? {
            feature.take(&key, found, &mut map)?;
        }
        let inner = feature.inner;
        feature.keep(found)?;
        Ok(inner + 1)
    }
}

/// A feature as far as it has been read.
#[derive(Debug, Default)]
struct ReadFeature {
    /// A geometry that stands alone.
    bare: CoordinateShape,
    outline: Option<OutlineGeometry>,
    nucleus: Option<OutlineGeometry>,
    properties: Properties,
    /// Features in it.
    inner: usize,
}

impl ReadFeature {
    fn take<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        found: &mut FoundFeatures,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key {
            "geometry" => self.outline = Some(map.next_value_seed(GeometrySeed(found))?),
            "nucleusGeometry" => self.nucleus = Some(map.next_value_seed(GeometrySeed(found))?),
            "properties" => self.properties = map.next_value_seed(PropertiesSeed(found))?,
            "features" | "childObjects" => self.inner += map.next_value_seed(FeatureList(found))?,
            key => {
                if !self.bare.take(key, found, map)? {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn keep<E: serde::de::Error>(self, found: &mut FoundFeatures) -> Result<(), E> {
        let kind = if self.inner > 0 { FeatureKind::Ignored } else { self.properties.kind() };
        let nucleus = self.nucleus.or(self.properties.nucleus).filter(OutlineGeometry::has_area);
        match nucleus.or(self.outline) {
            Some(geometry) => found.keep(kind, geometry),
            None if matches!(self.bare.kind(), None | Some("Feature" | "FeatureCollection")) => Ok(()),
            None => {
                let geometry = self.bare.finish()?;
                found.keep(kind, geometry)
            }
        }
    }
}

/// What a feature says of itself.
#[derive(Debug, Default)]
struct Properties {
    object: Option<String>,
    class: Option<String>,
    nucleus: Option<OutlineGeometry>,
}

impl Properties {
    fn kind(&self) -> FeatureKind {
        match (self.class.as_deref(), self.object.as_deref()) {
            (Some("Region*"), _) => FeatureKind::Region,
            (Some(class), _) if class.ends_with('*') => FeatureKind::Ignored,
            (_, Some("detection" | "cell" | "PathDetectionObject" | "PathCellObject")) => {
                FeatureKind::Detection
            }
            (_, Some("tile" | "tma_core" | "root" | "PathTileObject" | "TMACoreObject")) => {
                FeatureKind::Ignored
            }
            _ => FeatureKind::Annotation,
        }
    }
}

struct PropertiesSeed<'a>(&'a mut FoundFeatures);

impl<'de> DeserializeSeed<'de> for PropertiesSeed<'_> {
    type Value = Properties;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Properties, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for PropertiesSeed<'_> {
    type Value = Properties;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the properties of a feature")
    }

    fn visit_unit<E>(self) -> Result<Properties, E> {
        Ok(Properties::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Properties, A::Error> {
        let mut properties = Properties::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "objectType" | "object_type" => properties.object = word(&map.next_value()?),
                "classification" => properties.class = class(&map.next_value()?),
                "nucleusGeometry" => {
                    properties.nucleus = Some(map.next_value_seed(GeometrySeed(self.0))?);
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(properties)
    }
}

fn word(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// The name of a class: by itself, with a colour, or one of several.
fn class(value: &Value) -> Option<String> {
    let named = value.get("name").or_else(|| value.get("names").and_then(|names| names.get(0)));
    word(named.unwrap_or(value))
}
