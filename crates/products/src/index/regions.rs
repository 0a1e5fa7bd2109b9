//! Products that are regions: found by what they are and where.

use onceflow_region::{Bounds, RegionId, RegionKind, RegionQuery, Span};
use rusqlite::types::Type;
use rusqlite::{Row, ToSql, Transaction, named_params};

use super::{Index, unsigned};
use crate::{ProductError, ProductKey, ProductRegion};

/// The columns of a region, as `region_at` reads them.
pub(super) const COLUMNS: &str = "region.namespace, region.name, region.kind, region.timestamp, region.version, \
     region.x, region.width, region.y, region.height, region.z, region.depth, region.time, region.duration";

/// Notes which region a product is, or that it is none.
pub(super) fn put(
    change: &Transaction<'_>,
    key: &ProductKey,
    region: Option<&ProductRegion>,
) -> rusqlite::Result<()> {
    let Some(ProductRegion { id, bounds }) = region else {
        return change.prepare_cached("DELETE FROM region WHERE key = ?")?.execute([key.0]).map(drop);
    };
    let sql = "INSERT OR REPLACE INTO region VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let spans = [bounds.columns(), bounds.rows(), bounds.z(), bounds.time()];
    // No span is longer than the largest number of a column.
    let spans = spans.map(|span| [span.start(), span.length().cast_signed()]);
    let (kind, [x, y, z, time]) = (id.kind.word(), &spans);
    let names: [&dyn ToSql; 6] = [&key.0, &id.namespace, &id.key, &kind, &id.timestamp, &id.version];
    let numbers = [x, y, z, time].into_iter().flatten().map(|number| number as &dyn ToSql);
    let values: Vec<&dyn ToSql> = names.into_iter().chain(numbers).collect();
    change.prepare_cached(sql)?.execute(&values[..]).map(drop)
}

/// The region in columns from a number on; none where the product is no region.
pub(super) fn region_at(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<ProductRegion>> {
    let Some(namespace) = row.get::<_, Option<String>>(first)? else { return Ok(None) };
    let kind: String = row.get(first + 2)?;
    let unknown = |column| rusqlite::Error::InvalidColumnType(column, "region".into(), Type::Text);
    let kind = RegionKind::from_word(&kind).ok_or_else(|| unknown(first + 2))?;
    let id = RegionId {
        namespace,
        key: row.get(first + 1)?,
        kind,
        timestamp: row.get(first + 3)?,
        version: row.get(first + 4)?,
    };
    let span = |at: usize| {
        let span = Span::new(row.get(first + at)?, unsigned(row, first + at + 1)?);
        span.ok_or_else(|| rusqlite::Error::IntegralValueOutOfRange(first + at, 0))
    };
    Ok(Some(ProductRegion { id, bounds: Bounds::new(span(5)?, span(7)?, span(9)?, span(11)?) }))
}

impl Index {
    /// The keys of the regions that a query means, whose boxes share a place with another, the oldest first.
    pub(crate) fn regions(
        &self,
        query: &RegionQuery,
        within: Option<&Bounds>,
        most: usize,
    ) -> Result<Vec<ProductKey>, ProductError> {
        let any = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let spans = within.map(|within| [within.columns(), within.rows(), within.z(), within.time()]);
        let start = |axis: usize| spans.map(|spans| spans[axis].start());
        let end = |axis: usize| spans.map(|spans| spans[axis].end());
        self.with(|connection| {
            let mut found = connection.prepare_cached(FOUND)?;
            let values = named_params! {
                ":namespace": any(&query.namespace), ":name": any(&query.key), ":kind": query.kind.map(RegionKind::word),
                ":timestamp": query.timestamp, ":version": query.version,
                ":x": start(0), ":right": end(0), ":y": start(1), ":bottom": end(1),
                ":z": start(2), ":back": end(2), ":time": start(3), ":after": end(3),
                ":most": i64::try_from(most).unwrap_or(i64::MAX),
            };
            found.query_map(values, |row| Ok(ProductKey(row.get(0)?)))?.collect()
        })
    }
}

const FOUND: &str = "SELECT region.key FROM region JOIN product ON product.key = region.key \
    WHERE (:namespace IS NULL OR namespace = :namespace) AND (:name IS NULL OR name = :name) \
    AND (:kind IS NULL OR kind = :kind) AND (:timestamp IS NULL OR timestamp = :timestamp) \
    AND (:version IS NULL OR version = :version) \
    AND (:x IS NULL OR x < :right AND :x < x + width AND y < :bottom AND :y < y + height \
    AND z < :back AND :z < z + depth AND time < :after AND :time < time + duration) \
    ORDER BY created, region.key LIMIT :most";
