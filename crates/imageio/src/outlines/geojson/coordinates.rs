//! `geometry`: polygons of any nesting, read into rings without a tree in between.

use std::fmt;

use serde::de::{Error, IgnoredAny};

use super::{DeserializeSeed, Deserializer, FoundFeatures, MapAccess, OutlineGeometry, SeqAccess, Visitor};

/// The geometry of a feature; null has none.
pub(super) struct GeometrySeed<'a>(pub(super) &'a mut FoundFeatures);

impl<'de> DeserializeSeed<'de> for GeometrySeed<'_> {
    type Value = OutlineGeometry;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<OutlineGeometry, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for GeometrySeed<'_> {
    type Value = OutlineGeometry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a geometry")
    }

    fn visit_unit<E>(self) -> Result<OutlineGeometry, E> {
        Ok(OutlineGeometry::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OutlineGeometry, A::Error> {
        let mut shape = CoordinateShape::default();
        while let Some(key) = map.next_key::<String>()? {
            if !shape.take(&key, self.0, &mut map)? {
                map.next_value::<IgnoredAny>()?;
            }
        }
        shape.finish()
    }
}

/// A geometry whose type may come after its coordinates.
#[derive(Debug, Default)]
pub(super) struct CoordinateShape {
    kind: Option<String>,
    depth: Option<usize>,
    geometry: OutlineGeometry,
}

impl CoordinateShape {
    /// Takes the value of a key that belongs to geometries.
    pub(super) fn take<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        found: &mut FoundFeatures,
        map: &mut A,
    ) -> Result<bool, A::Error> {
        match key {
            "type" => self.kind = Some(map.next_value()?),
            "coordinates" => {
                self.geometry.clear();
                self.depth =
                    map.next_value_seed(CoordinateList { found, geometry: &mut self.geometry })?.depth();
            }
            "geometries" => {
                self.depth = None;
                map.next_value_seed(Geometries { found, geometry: &mut self.geometry })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What kind of thing it says it is.
    pub(super) fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// The polygons; points and lines have no area and leave none.
    pub(super) fn finish<E: Error>(self) -> Result<OutlineGeometry, E> {
        let wanted = match self.kind.as_deref() {
            Some("Polygon") => 2,
            Some("MultiPolygon") => 3,
            Some("GeometryCollection") => return Ok(self.geometry),
            Some("Point" | "MultiPoint" | "LineString" | "MultiLineString") | None => {
                return Ok(OutlineGeometry::default());
            }
            Some(other) => return Err(E::custom(format!("a geometry of type `{}`", cut(other)))),
        };
        match self.depth {
            Some(depth) if depth != wanted => {
                Err(E::custom(format!("coordinates in {depth} lists where {wanted} make a polygon")))
            }
            _ => Ok(self.geometry),
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().take(40).collect()
}

/// The geometries of a collection, all into one.
struct Geometries<'a> {
    found: &'a mut FoundFeatures,
    geometry: &'a mut OutlineGeometry,
}

impl<'de> DeserializeSeed<'de> for Geometries<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Geometries<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of geometries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(more) = list.next_element_seed(GeometrySeed(self.found))? {
            self.geometry.append(&more).map_err(|problem| self.found.stop(problem))?;
        }
        Ok(())
    }
}

/// A list of coordinates, or one of its numbers.
enum CoordinateItem {
    Number(f64),
    /// How many lists lie in each other above a point; nothing is known of an empty one.
    List(Option<usize>),
}

impl CoordinateItem {
    fn depth(self) -> Option<usize> {
        if let CoordinateItem::List(depth) = self { depth } else { None }
    }
}

struct CoordinateList<'a> {
    found: &'a mut FoundFeatures,
    geometry: &'a mut OutlineGeometry,
}

impl<'de> DeserializeSeed<'de> for CoordinateList<'_> {
    type Value = CoordinateItem;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<CoordinateItem, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CoordinateList<'_> {
    type Value = CoordinateItem;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("coordinates")
    }

    fn visit_f64<E>(self, number: f64) -> Result<CoordinateItem, E> {
        Ok(CoordinateItem::Number(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<CoordinateItem, E> {
        Ok(CoordinateItem::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<CoordinateItem, E> {
        Ok(CoordinateItem::Number(number as f64))
    }

    fn visit_unit<E>(self) -> Result<CoordinateItem, E> {
        Ok(CoordinateItem::List(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<CoordinateItem, A::Error> {
        let CoordinateList { found, geometry } = self;
        let (mut numbers, mut count, mut inner) = ([0.0; 2], 0usize, None);
        while let Some(item) =
            list.next_element_seed(CoordinateList { found: &mut *found, geometry: &mut *geometry })?
        {
            match item {
                CoordinateItem::Number(number) if inner.is_none() => {
                    numbers.get_mut(count).map(|place| *place = number).unwrap_or_default();
                    count += 1;
                }
                CoordinateItem::List(depth) if count == 0 && (inner.is_none() || inner == Some(depth)) => {
                    inner = Some(depth);
                }
                _ => return Err(A::Error::custom("coordinates of different depths in one list")),
            }
        }
        match (count, inner) {
            (0, None) => Ok(CoordinateItem::List(None)),
            (1, _) => Err(A::Error::custom("a point with one coordinate")),
            (_, None) => {
                let point = geometry.point(numbers[0], numbers[1]);
                point.map_err(|problem| found.stop(problem))?;
                check(found, geometry)?;
                Ok(CoordinateItem::List(Some(0)))
            }
            (_, Some(depth)) => Ok(CoordinateItem::List(close(geometry, depth))),
        }
    }
}

/// A list of points is a ring, a list of rings a polygon.
fn close(geometry: &mut OutlineGeometry, inner: Option<usize>) -> Option<usize> {
    match inner? {
        0 => geometry.end_ring(),
        1 => geometry.end_shape(),
        _ => {}
    }
    inner.map(|depth| depth + 1)
}

/// A feature of its own may be too large, too.
fn check<E: Error>(found: &mut FoundFeatures, geometry: &OutlineGeometry) -> Result<(), E> {
    super::check_points(found.points + geometry.points()).map_err(|problem| found.stop(problem))
}
