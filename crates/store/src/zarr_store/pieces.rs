//! A region as what files hold: arrays, tables, and a few numbers.

use std::borrow::Cow;

use onceflow_region::{
    Bounds, Column, Dense, Line, ObjectSet, PixelRun, Pixels, Points, Polygons, Region, RegionError,
    RegionKind, Span, Sparse, Table, Volume, VolumeGeometry,
};
use serde_json::{Value, json};

/// What a region consists of. Arrays become Zarr, tables Parquet.
#[derive(Default)]
pub(super) struct RegionPieces<'a> {
    pub(super) header: Value,
    pub(super) arrays: Vec<(&'static str, Cow<'a, Dense>)>,
    pub(super) tables: Vec<(&'static str, Cow<'a, Table>)>,
}

/// What the pieces of a kind are called, arrays and tables.
pub(super) fn names(kind: RegionKind) -> (&'static [&'static str], &'static [&'static str]) {
    match kind {
        RegionKind::Dense => (&["pixels"], &[]),
        RegionKind::Line | RegionKind::Volume => (&["values"], &[]),
        RegionKind::Sparse => (&["values"], &["offsets"]),
        RegionKind::Points => (&[], &["points", "columns"]),
        RegionKind::Polygons => (&[], &["corners", "rings", "shapes", "columns"]),
        RegionKind::Objects => (&[], &["runs", "features"]),
        RegionKind::Table => (&[], &["table"]),
        RegionKind::Image | RegionKind::Nothing => (&[], &[]),
    }
}

/// Whether a region of a kind is one array and nothing else, so that its folder can be that of the array.
pub(super) fn is_array(kind: RegionKind) -> bool {
    matches!(names(kind), ([_], []))
}

/// Takes a region apart; `None` for an image that is not read.
pub(super) fn apart(region: &Region) -> Result<Option<RegionPieces<'_>>, RegionError> {
    Ok(Some(match region {
        Region::Dense(dense) => {
            RegionPieces { arrays: vec![("pixels", Cow::Borrowed(dense))], ..RegionPieces::default() }
        }
        Region::Line(line) => RegionPieces {
            header: json!({"start": line.span().start()}),
            arrays: vec![("values", row(line.values())?)],
            ..RegionPieces::default()
        },
        Region::Volume(volume) => RegionPieces {
            header: json!({"bounds": sides(&volume.bounds()), "geometry": numbers(volume.geometry())}),
            arrays: vec![("values", plane(volume)?)],
            ..RegionPieces::default()
        },
        Region::Sparse(sparse) => {
            let offsets = sparse.offsets().iter().map(|&offset| offset.cast_signed()).collect();
            RegionPieces {
                header: json!({"bounds": sides(&sparse.bounds())}),
                arrays: vec![("values", row(sparse.values())?)],
                tables: vec![("offsets", table([("offset", Column::Integer(offsets))])?)],
            }
        }
        Region::Points(points) => {
            let along =
                |axis: usize| Column::Real(points.coordinates().iter().map(|point| point[axis]).collect());
            let places = table([("x", along(0)), ("y", along(1)), ("z", along(2))])?;
            tables(vec![("points", places), ("columns", Cow::Borrowed(points.columns()))])
        }
        Region::Polygons(polygons) => polygons_apart(polygons)?,
        Region::Objects(objects) => objects_apart(objects)?,
        Region::Table(table) => tables(vec![("table", Cow::Borrowed(table))]),
        Region::Nothing => RegionPieces::default(),
        Region::Image(_) => return Ok(None),
    }))
}

/// Puts a region together again; `None` when pieces are missing or do not fit each other.
pub(super) fn together(kind: RegionKind, pieces: RegionPieces<'_>) -> Option<Region> {
    let header = pieces.header;
    let mut arrays = pieces.arrays.into_iter().map(|(_, array)| array.into_owned());
    let mut tables = pieces.tables.into_iter().map(|(_, table)| table.into_owned());
    Some(match kind {
        RegionKind::Dense => Region::Dense(arrays.next()?),
        RegionKind::Line => {
            Region::Line(Line::new(header.get("start")?.as_i64()?, arrays.next()?.into_pixels()).ok()?)
        }
        RegionKind::Volume => {
            let (bounds, geometry) = (bounds(&header)?, geometry(header.get("geometry")?)?);
            Region::Volume(Volume::new(bounds, arrays.next()?.into_pixels(), geometry).ok()?)
        }
        RegionKind::Sparse => {
            let (bounds, offsets) = (bounds(&header)?, tables.next()?);
            let places =
                offsets.integers("offset")?.iter().map(|&offset| bounds.position_at(offset.cast_unsigned()));
            let places: Vec<_> = places.collect::<Option<_>>()?;
            Region::Sparse(Sparse::new(bounds, &places, arrays.next()?.into_pixels()).ok()?)
        }
        RegionKind::Points => points_together(&tables.next()?, &tables.next()?)?,
        RegionKind::Polygons => {
            let [corners, rings, shapes] = [tables.next()?, tables.next()?, tables.next()?];
            let corners = pairs(&corners)?;
            Region::Polygons(
                Polygons::from_parts(corners, ends(&rings)?, ends(&shapes)?, tables.next()?).ok()?,
            )
        }
        RegionKind::Objects => objects_together(&header, &tables.next()?, tables.next()?)?,
        RegionKind::Table => Region::Table(tables.next()?),
        RegionKind::Nothing => Region::Nothing,
        RegionKind::Image => return None,
    })
}

fn tables<'a>(tables: Vec<(&'static str, Cow<'a, Table>)>) -> RegionPieces<'a> {
    RegionPieces { tables, ..RegionPieces::default() }
}

fn table<'a, const N: usize>(columns: [(&str, Column); N]) -> Result<Cow<'a, Table>, RegionError> {
    Table::new(columns.into_iter().map(|(name, column)| (name.to_owned(), column)).collect()).map(Cow::Owned)
}

/// Values side by side as an array of one row.
fn row<'a>(values: &Pixels) -> Result<Cow<'a, Dense>, RegionError> {
    Dense::new(values.len(), 1, 1, values.clone()).map(Cow::Owned)
}

/// A volume as one plane: depths and times one below the other.
fn plane<'a>(volume: &Volume) -> Result<Cow<'a, Dense>, RegionError> {
    let width = volume.bounds().width() as usize;
    let height = volume.values().len().checked_div(width).unwrap_or(0);
    Dense::new(width, height, 1, volume.values().clone()).map(Cow::Owned)
}

fn polygons_apart(polygons: &Polygons) -> Result<RegionPieces<'_>, RegionError> {
    let (corners, rings, shapes) = polygons.parts();
    let along = |axis: usize| Column::Real(corners.iter().map(|corner| corner[axis]).collect());
    let ends =
        |ends: &[usize]| table([("end", Column::Integer(ends.iter().map(|&end| end as i64).collect()))]);
    Ok(tables(vec![
        ("corners", table([("x", along(0)), ("y", along(1))])?),
        ("rings", ends(rings)?),
        ("shapes", ends(shapes)?),
        ("columns", Cow::Borrowed(polygons.columns())),
    ]))
}

fn objects_apart(objects: &ObjectSet) -> Result<RegionPieces<'_>, RegionError> {
    let column = |value: fn(u32, &PixelRun) -> u32| {
        let runs =
            objects.objects().flat_map(|object| object.runs.iter().map(move |run| (object.label, run)));
        Column::Integer(runs.map(|(label, run)| i64::from(value(label, run))).collect())
    };
    let runs = table([
        ("label", column(|label, _| label)),
        ("row", column(|_, run| run.row)),
        ("start", column(|_, run| run.start)),
        ("length", column(|_, run| run.length)),
    ])?;
    let mut pieces = tables(vec![("runs", runs), ("features", Cow::Borrowed(objects.features()))]);
    pieces.header = json!({"width": objects.width(), "height": objects.height()});
    Ok(pieces)
}

fn objects_together(header: &Value, runs: &Table, features: Table) -> Option<Region> {
    let side = |key: &str| u32::try_from(header.get(key)?.as_u64()?).ok();
    let column = |name: &str| runs.integers(name);
    let [labels, rows, starts, lengths] =
        [column("label")?, column("row")?, column("start")?, column("length")?];
    let number = |value: i64| u32::try_from(value).ok();
    let run = |at: usize| {
        let run =
            PixelRun { row: number(rows[at])?, start: number(starts[at])?, length: number(lengths[at])? };
        Some((number(labels[at])?, run))
    };
    let runs: Vec<(u32, PixelRun)> = (0..labels.len()).map(run).collect::<Option<_>>()?;
    ObjectSet::from_runs(side("width")?, side("height")?, &runs, features).map(Region::Objects)
}

fn points_together(places: &Table, columns: &Table) -> Option<Region> {
    let [x, y, z] = [places.reals("x")?, places.reals("y")?, places.reals("z")?];
    let coordinates = (0..x.len()).map(|at| [x[at], y[at], z[at]]).collect();
    let mut points = Points::new(coordinates).ok()?;
    for (name, column) in columns.columns() {
        points.add_column(name.clone(), column.clone()).ok()?;
    }
    Some(Region::Points(points))
}

fn pairs(table: &Table) -> Option<Vec<[f64; 2]>> {
    let (x, y) = (table.reals("x")?, table.reals("y")?);
    Some(x.iter().zip(y).map(|(&x, &y)| [x, y]).collect())
}

fn ends(table: &Table) -> Option<Vec<usize>> {
    table.integers("end")?.iter().map(|&end| usize::try_from(end).ok()).collect()
}

fn sides(bounds: &Bounds) -> Value {
    let side = |span: Span| json!([span.start(), span.length()]);
    json!([side(bounds.columns()), side(bounds.rows()), side(bounds.z()), side(bounds.time())])
}

fn bounds(header: &Value) -> Option<Bounds> {
    let sides = header.get("bounds")?;
    let span = |axis: usize| {
        let side = sides.get(axis)?;
        Span::new(side.get(0)?.as_i64()?, side.get(1)?.as_u64()?)
    };
    Some(Bounds::new(span(0)?, span(1)?, span(2)?, span(3)?))
}

/// The numbers of a geometry, bit by bit: JSON has no word for what is no number.
fn numbers(geometry: &VolumeGeometry) -> Value {
    let VolumeGeometry { spacing, origin, directions } = geometry;
    let all = [spacing, origin].into_iter().chain(directions).flatten();
    all.map(|number| json!(number.to_bits())).collect()
}

fn geometry(numbers: &Value) -> Option<VolumeGeometry> {
    let vector = |row: usize| {
        let number = |axis: usize| numbers.get(row * 3 + axis)?.as_u64().map(f64::from_bits);
        Some([number(0)?, number(1)?, number(2)?])
    };
    Some(VolumeGeometry {
        spacing: vector(0)?,
        origin: vector(1)?,
        directions: [vector(2)?, vector(3)?, vector(4)?],
    })
}
