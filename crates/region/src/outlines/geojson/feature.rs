//! Features and what they are.

use std::fmt;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::coordinates::{GeometrySeed, Shape};
use super::{DeserializeSeed, Deserializer, Found, Geometry, MapAccess, SeqAccess, Visitor};

/// What a feature is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) struct Features<'a>(pub(super) &'a mut Found);

impl<'de> DeserializeSeed<'de> for Features<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<usize, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Features<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("features")
    }

    fn visit_unit<E>(self) -> Result<usize, E> {
        Ok(0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<usize, A::Error> {
        let mut all = 0;
        while let Some(inner) = list.next_element_seed(Features(self.0))? {
            all += inner;
        }
        Ok(all)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<usize, A::Error> {
        let found = self.0;
        let mut feature = Read::default();
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
struct Read {
    /// A geometry that stands alone.
    bare: Shape,
    outline: Option<Geometry>,
    nucleus: Option<Geometry>,
    properties: Properties,
    /// Features in it.
    inner: usize,
}

impl Read {
    fn take<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        found: &mut Found,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key {
            "geometry" => self.outline = Some(map.next_value_seed(GeometrySeed(found))?),
            "nucleusGeometry" => self.nucleus = Some(map.next_value_seed(GeometrySeed(found))?),
            "properties" => self.properties = map.next_value_seed(PropertiesSeed(found))?,
            "features" | "childObjects" => self.inner += map.next_value_seed(Features(found))?,
            key => {
                if !self.bare.take(key, found, map)? {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn keep<E: serde::de::Error>(self, found: &mut Found) -> Result<(), E> {
        let kind = if self.inner > 0 { Kind::Ignored } else { self.properties.kind() };
        let nucleus = self.nucleus.or(self.properties.nucleus).filter(Geometry::has_area);
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
    nucleus: Option<Geometry>,
}

impl Properties {
    fn kind(&self) -> Kind {
        match (self.class.as_deref(), self.object.as_deref()) {
            (Some("Region*"), _) => Kind::Region,
            (Some(class), _) if class.ends_with('*') => Kind::Ignored,
            (_, Some("detection" | "cell" | "PathDetectionObject" | "PathCellObject")) => Kind::Detection,
            (_, Some("tile" | "tma_core" | "root" | "PathTileObject" | "TMACoreObject")) => Kind::Ignored,
            _ => Kind::Annotation,
        }
    }
}

struct PropertiesSeed<'a>(&'a mut Found);

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
