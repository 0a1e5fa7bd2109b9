//! `geometry`: polygons of whatever nesting, read into rings without a tree in between.

use std::fmt;

use serde::de::{Error, IgnoredAny};

use super::{DeserializeSeed, Deserializer, Found, Geometry, MapAccess, SeqAccess, Visitor};

/// The geometry of a feature; null has none.
pub(super) struct GeometrySeed<'a>(pub(super) &'a mut Found);

impl<'de> DeserializeSeed<'de> for GeometrySeed<'_> {
    type Value = Geometry;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Geometry, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for GeometrySeed<'_> {
    type Value = Geometry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a geometry")
    }

    fn visit_unit<E>(self) -> Result<Geometry, E> {
        Ok(Geometry::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Geometry, A::Error> {
        let mut shape = Shape::default();
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
pub(super) struct Shape {
    kind: Option<String>,
    depth: Option<usize>,
    geometry: Geometry,
}

impl Shape {
    /// Takes the value of a key that belongs to geometries.
    pub(super) fn take<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        found: &mut Found,
        map: &mut A,
    ) -> Result<bool, A::Error> {
        match key {
            "type" => self.kind = Some(map.next_value()?),
            "coordinates" => {
                self.geometry.clear();
                self.depth = map.next_value_seed(List { found, geometry: &mut self.geometry })?.depth();
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
    pub(super) fn finish<E: Error>(self) -> Result<Geometry, E> {
        let wanted = match self.kind.as_deref() {
            Some("Polygon") => 2,
            Some("MultiPolygon") => 3,
            Some("GeometryCollection") => return Ok(self.geometry),
            Some("Point" | "MultiPoint" | "LineString" | "MultiLineString") | None => {
                return Ok(Geometry::default());
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
    found: &'a mut Found,
    geometry: &'a mut Geometry,
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
enum Item {
    Number(f64),
    /// How many lists lie in each other above a point; nothing is known of an empty one.
    List(Option<usize>),
}

impl Item {
    fn depth(self) -> Option<usize> {
        if let Item::List(depth) = self { depth } else { None }
    }
}

struct List<'a> {
    found: &'a mut Found,
    geometry: &'a mut Geometry,
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = Item;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Item, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("coordinates")
    }

    fn visit_f64<E>(self, number: f64) -> Result<Item, E> {
        Ok(Item::Number(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Item, E> {
        Ok(Item::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Item, E> {
        Ok(Item::Number(number as f64))
    }

    fn visit_unit<E>(self) -> Result<Item, E> {
        Ok(Item::List(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Item, A::Error> {
        let List { found, geometry } = self;
        let (mut numbers, mut count, mut inner) = ([0.0; 2], 0usize, None);
        while let Some(item) =
            list.next_element_seed(List { found: &mut *found, geometry: &mut *geometry })?
        {
            match item {
                Item::Number(number) if inner.is_none() => {
                    numbers.get_mut(count).map(|place| *place = number).unwrap_or_default();
                    count += 1;
                }
                Item::List(depth) if count == 0 && (inner.is_none() || inner == Some(depth)) => {
                    inner = Some(depth);
                }
                _ => return Err(A::Error::custom("coordinates of different depths in one list")),
            }
        }
        match (count, inner) {
            (0, None) => Ok(Item::List(None)),
            (1, _) => Err(A::Error::custom("a point with one coordinate")),
            (_, None) => {
                let point = geometry.point(numbers[0], numbers[1]);
                point.map_err(|problem| found.stop(problem))?;
                check(found, geometry)?;
                Ok(Item::List(Some(0)))
            }
            (_, Some(depth)) => Ok(Item::List(close(geometry, depth))),
        }
    }
}

/// A list of points is a ring, a list of rings a polygon.
fn close(geometry: &mut Geometry, inner: Option<usize>) -> Option<usize> {
    match inner? {
        0 => geometry.end_ring(),
        1 => geometry.end_shape(),
        _ => {}
    }
    inner.map(|depth| depth + 1)
}

/// A feature of its own may be too large, too.
fn check<E: Error>(found: &mut Found, geometry: &Geometry) -> Result<(), E> {
    super::check_points(found.points + geometry.points()).map_err(|problem| found.stop(problem))
}
