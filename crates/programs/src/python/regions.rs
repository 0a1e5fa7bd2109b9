//! Regions in shared memory: inputs are written where a worker reads them, outputs are read where it wrote them.

use std::io;
use std::sync::{Arc, Weak};

use onceflow_kernels::{Bits, View};
use onceflow_region::{Bounds, ByteOrder, Column, Dense, Element, Pixels, Region, Source, Table, rgb8};
use onceflow_study::{OpRegion, RegionKind};
use serde_json::{Value, json};

use super::memory::{PAGE, SharedMemory};
use crate::files;

/// Rows of a whole image that are read at once.
const ROWS: u64 = 512;

/// The memory of one worker, and what it holds.
#[derive(Debug)]
pub(crate) struct WorkerMemory {
    shared: SharedMemory,
    /// The inputs of the last call by their places: one that is given again is there already.
    held: Vec<(usize, Weak<Region>)>,
}

/// Regions of one call, as the line to the worker names them.
pub(crate) struct Given {
    pub(super) inputs: Vec<Value>,
    pub(super) outputs: Vec<Value>,
    slots: Vec<Slot>,
}

/// Where an output will be; a table has no place.
#[derive(Clone, Copy, Debug)]
struct Slot {
    kind: RegionKind,
    at: usize,
    width: usize,
    height: usize,
}

impl WorkerMemory {
    /// Memory without regions.
    pub(crate) fn new(shared: SharedMemory) -> Self {
        Self { shared, held: Vec::new() }
    }

    pub(super) fn shared(&self) -> &SharedMemory {
        &self.shared
    }

    /// Writes the inputs of a call, and makes room for its outputs of so many columns and rows.
    pub(crate) fn give(
        &mut self,
        inputs: &[Arc<Region>],
        wanted: (&[OpRegion], &[OpRegion]),
        size: (u64, u64),
    ) -> io::Result<Given> {
        let (taken, made) = wanted;
        let mut end = 0;
        let inputs = inputs.iter().zip(taken).map(|(region, wanted)| {
            let slot = Slot::of_input(region, wanted.kind, &mut end)?;
            Ok((region, slot))
        });
        let inputs = inputs.collect::<io::Result<Vec<_>>>()?;
        let slots = made.iter().map(|wanted| Slot::new(wanted.kind, size, &mut end));
        let slots = slots.collect::<io::Result<Vec<_>>>()?;
        self.shared.reserve(end)?;
        let lines = inputs.iter().map(|(region, slot)| match (region.as_ref(), slot) {
            (Region::Table(table), _) => Ok(json!({ "kind": "table", "columns": columns(table) })),
            (_, slot) => self.write(region, *slot).map(|()| slot.line()),
        });
        let lines = lines.collect::<io::Result<Vec<_>>>()?;
        let held = inputs.iter().map(|(region, slot)| (slot.at, Arc::downgrade(region)));
        self.held = held.collect();
        Ok(Given { inputs: lines, outputs: slots.iter().map(Slot::line).collect(), slots })
    }

    fn write(&mut self, region: &Arc<Region>, slot: Slot) -> io::Result<()> {
        let is_same = |(at, held): &(usize, Weak<Region>)| {
            *at == slot.at && held.upgrade().is_some_and(|held| Arc::ptr_eq(&held, region))
        };
        if self.held.iter().any(is_same) {
            return Ok(());
        }
        // What lies here is overwritten, and so is what follows from it.
        self.held.retain(|(at, _)| *at != slot.at);
        let to = &mut self.shared.bytes_mut()[slot.at..slot.at + slot.bytes()];
        match region.as_ref() {
            Region::Dense(dense) => write_dense(to, dense, slot.kind),
            Region::Image(source) => write_source(to, source.as_ref(), slot.kind)?,
            other => {
                return Err(io::Error::other(format!("expected a {}, found {:?}", slot.kind, other.kind())));
            }
        }
        Ok(())
    }

    /// The outputs of a call, which the worker has written; those that are tables it has told.
    ///
    /// # Errors
    /// In words: what was expected and what was found.
    pub(crate) fn take(&self, given: &Given, tables: &Value) -> Result<Vec<Region>, String> {
        let read = |(number, slot): (usize, &Slot)| match slot.kind {
            RegionKind::Table => told_table(&tables[number]).map(Region::Table),
            _ => self.read(slot).map(Region::Dense),
        };
        given.slots.iter().enumerate().map(read).collect()
    }

    fn read(&self, slot: &Slot) -> Result<Dense, String> {
        let (width, height) = (slot.width, slot.height);
        let bytes = &self.shared.bytes()[slot.at..slot.at + slot.bytes()];
        let made = match (slot.kind, View::new(bytes, width, height)) {
            (RegionKind::Mask, Some(view)) => Dense::of_bits(width, height, Bits::of(view).into_words()),
            (kind, _) => {
                let (element, channels) = files::element(kind).ok_or("a kind without pixels")?;
                let pixels = Pixels::from_bytes(element, bytes.to_vec(), ByteOrder::Little);
                Dense::new(width, height, channels, pixels)
            }
        };
        made.map_err(|error| error.to_string())
    }
}

impl Slot {
    /// The place of an input; its kind follows from its pixels where the workflow does not say it.
    fn of_input(region: &Region, wanted: RegionKind, end: &mut usize) -> io::Result<Self> {
        let (kind, size) = match region {
            Region::Dense(dense) => {
                let channels = dense.channels();
                let own = kind_of(dense.element(), channels).unwrap_or(wanted);
                let kind = if wanted == RegionKind::Any { own } else { wanted };
                (kind, (dense.width() as u64, dense.height() as u64))
            }
            Region::Image(source) => (RegionKind::Rgb8, (source.info().width, source.info().height)),
            _ => (wanted, (0, 0)),
        };
        Self::new(kind, size, end)
    }

    fn new(kind: RegionKind, (width, height): (u64, u64), end: &mut usize) -> io::Result<Self> {
        let too_large = || io::Error::other("a region that is larger than the memory of this machine");
        let (at, width) = (*end, usize::try_from(width).map_err(|_| too_large())?);
        let slot = Self { kind, at, width, height: usize::try_from(height).map_err(|_| too_large())? };
        let area = slot.width.checked_mul(slot.height);
        let bytes = area.and_then(|area| area.checked_mul(kind.bytes_per_pixel() as usize));
        let bytes = bytes.and_then(|bytes| bytes.checked_next_multiple_of(PAGE)).ok_or_else(too_large)?;
        *end = at.checked_add(bytes).ok_or_else(too_large)?;
        Ok(slot)
    }

    fn bytes(&self) -> usize {
        self.width * self.height * self.kind.bytes_per_pixel() as usize
    }

    fn line(&self) -> Value {
        let shape = match self.kind {
            RegionKind::Rgb8 => vec![self.height, self.width, 3],
            _ => vec![self.height, self.width],
        };
        json!({ "kind": self.kind.word(), "at": self.at, "shape": shape })
    }
}

fn kind_of(element: Element, channels: usize) -> Option<RegionKind> {
    let kinds = [RegionKind::Rgb8, RegionKind::U8, RegionKind::U16, RegionKind::I32, RegionKind::Labels];
    let mut kinds = kinds.into_iter().chain([RegionKind::F32, RegionKind::F64]);
    kinds.find(|kind| files::element(*kind) == Some((element, channels)))
}

fn write_dense(to: &mut [u8], dense: &Dense, kind: RegionKind) {
    match (kind, dense.as_bits()) {
        (RegionKind::Mask, Some(words)) => write_bits(to, words, dense.width()),
        (RegionKind::Mask, None) => {
            let from = dense.pixels().as_bytes();
            to.iter_mut().zip(from).for_each(|(to, from)| *to = u8::from(*from != 0));
        }
        _ => {
            let from = dense.pixels().as_bytes();
            let count = from.len().min(to.len());
            to[..count].copy_from_slice(&from[..count]);
        }
    }
}

/// The pixels of a mask as NumPy has them: 0 or 1.
fn write_bits(to: &mut [u8], words: &[u64], width: usize) {
    let across = width.div_ceil(64).max(1);
    for (row, words) in to.chunks_mut(width.max(1)).zip(words.chunks(across)) {
        for (pixels, word) in row.chunks_mut(64).zip(words) {
            let bytes = word.to_le_bytes().map(|bits| ONES[usize::from(bits)]);
            pixels.copy_from_slice(&bytes.as_flattened()[..pixels.len()]);
        }
    }
}

/// Eight pixels of a mask, by their bits.
static ONES: [[u8; 8]; 256] = ones();

const fn ones() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut at = 0;
    while at < 256 * 8 {
        table[at / 8][at % 8] = ((at / 8) >> (at % 8) & 1) as u8;
        at += 1;
    }
    table
}

/// A whole image, some rows at a time.
fn write_source(to: &mut [u8], source: &dyn Source, kind: RegionKind) -> io::Result<()> {
    let (width, height) = (source.info().width, source.info().height);
    let mut rest = to;
    for top in (0..height).step_by(ROWS as usize) {
        let strip = i64::try_from(top).ok().and_then(|y| Bounds::plane(0, y, width, ROWS.min(height - top)));
        let strip = strip.ok_or_else(|| io::Error::other("the image is larger than 2^63 pixels"))?;
        let mut dense = source.read(strip).map_err(io::Error::other)?;
        if kind == RegionKind::Rgb8 {
            dense = rgb8(&dense).map_err(io::Error::other)?;
        }
        let from = dense.pixels().as_bytes();
        let (now, later) = rest.split_at_mut(from.len().min(rest.len()));
        now.copy_from_slice(&from[..now.len()]);
        rest = later;
    }
    Ok(())
}

/// Columns of a table as JSON; real numbers as their digits, since some have no JSON.
fn columns(table: &Table) -> Vec<Value> {
    let column = |(name, column): &(String, Column)| match column {
        Column::Integer(values) => json!([name, "integer", values]),
        Column::Real(values) => {
            let texts: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
            json!([name, "real", texts])
        }
        Column::Text(values) => json!([name, "text", values]),
    };
    table.columns().iter().map(column).collect()
}

fn told_table(told: &Value) -> Result<Table, String> {
    let columns = told.as_array().ok_or("expected a table, found none")?;
    let columns = columns.iter().map(|one| {
        let name = one[0].as_str().ok_or("expected columns with names")?;
        Ok((name.to_owned(), told_column(&one[1], &one[2])?))
    });
    let columns = columns.collect::<Result<Vec<_>, String>>()?;
    Table::new(columns).map_err(|error| error.to_string())
}

fn told_column(kind: &Value, values: &Value) -> Result<Column, String> {
    let values = values.as_array().map_or(&[][..], Vec::as_slice);
    let wrong = || "expected a column of numbers or words".to_owned();
    let real = |value: &Value| value.as_str().and_then(|text| text.parse::<f64>().ok());
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match kind.as_str() {
        Some("integer") => values.iter().map(Value::as_i64).collect::<Option<_>>().map(Column::Integer),
        Some("real") => values.iter().map(real).collect::<Option<_>>().map(Column::Real),
        Some("text") => values.iter().map(text).collect::<Option<_>>().map(Column::Text),
        _ => None,
    }
    .ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spec(kind: RegionKind) -> OpRegion {
        OpRegion { name: "a".into(), kind }
    }

    /// What comes back when a worker copies its input into its output.
    fn back(region: Region, kind: RegionKind, size: (u64, u64)) -> Region {
        let mut memory = WorkerMemory::new(SharedMemory::new(None).unwrap());
        let region = Arc::new(region);
        let given = memory.give(std::slice::from_ref(&region), (&[spec(kind)], &[spec(kind)]), size).unwrap();
        let [from, to] =
            [&given.inputs[0], &given.outputs[0]].map(|line| line["at"].as_u64().unwrap() as usize);
        let bytes = given.slots[0].bytes();
        memory.shared.bytes_mut().copy_within(from..from + bytes, to);
        memory.take(&given, &Value::Null).unwrap().remove(0)
    }

    #[test]
    fn every_kind_comes_back() {
        use RegionKind::{F32, F64, I32, Labels, Rgb8, U8, U16};
        let cases = [
            (U8, 1, Pixels::U8(vec![0, 1, 2, 3, 4, 255])),
            (Rgb8, 3, Pixels::U8((0..18).collect())),
            (U16, 1, Pixels::U16(vec![0, 1, 2, 3, 4, 65535])),
            (I32, 1, Pixels::I32(vec![i32::MIN, -1, 0, 1, 2, i32::MAX])),
            (Labels, 1, Pixels::U32(vec![0, 1, 70_000, u32::MAX, 4, 5])),
            (F32, 1, Pixels::F32(vec![0.1, -0.0, f32::MAX, f32::INFINITY, 4.0, 5.0])),
            (F64, 1, Pixels::F64(vec![0.1, -0.0, f64::MAX, 1e-300, 4.0, 5.0])),
        ];
        for (kind, channels, pixels) in cases {
            let region = Region::Dense(Dense::new(3, 2, channels, pixels).unwrap());
            assert!(back(region.clone(), kind, (3, 2)).is_same(&region), "{kind}");
        }
    }

    proptest! {
        #[test]
        fn masks_are_ones_and_come_back(width in 1usize..150, height in 1usize..5, seed in any::<u64>(), bits: bool) {
            let on = |at: usize| (seed >> (at % 61)) & 1 == 1;
            let bytes: Vec<u8> = (0..width * height).map(|at| if on(at) { 255 } else { 0 }).collect();
            let plain = Dense::new(width, height, 1, Pixels::U8(bytes.clone())).unwrap();
            let packed = Bits::of(View::new(&bytes, width, height).unwrap()).into_words();
            let mask = if bits { Dense::of_bits(width, height, packed).unwrap() } else { plain.clone() };
            let mut memory = WorkerMemory::new(SharedMemory::new(None).unwrap());
            let region = Arc::new(Region::Dense(mask.clone()));
            memory.give(&[region], (&[spec(RegionKind::Mask)], &[]), (0, 0)).unwrap();
            let seen: Vec<u8> = bytes.iter().map(|byte| byte / 255).collect();
            prop_assert_eq!(&memory.shared.bytes()[..seen.len()], &seen[..]);
            let size = (width as u64, height as u64);
            let again = back(Region::Dense(mask), RegionKind::Mask, size);
            prop_assert!(again.is_same(&Region::Dense(plain)));
        }
    }

    #[test]
    fn a_table_is_told() {
        let table = Table::new(vec![
            ("whole".into(), Column::Integer(vec![1, -2])),
            ("real".into(), Column::Real(vec![0.1, f64::INFINITY])),
            ("word".into(), Column::Text(vec!["x\"y".into(), "ü".into()])),
        ]);
        let table = table.unwrap();
        let told = columns(&table).into();
        assert_eq!(told_table(&told), Ok(table));
        assert!(told_table(&json!([["a", "real", ["x"]]])).is_err());
    }

    #[test]
    fn a_region_that_is_given_again_is_not_written_again() {
        let mut memory = WorkerMemory::new(SharedMemory::new(None).unwrap());
        let grey = |value| Arc::new(Region::Dense(Dense::new(2, 2, 1, Pixels::U8(vec![value; 4])).unwrap()));
        let (one, other) = (grey(7), grey(8));
        let wanted = [spec(RegionKind::U8)];
        let give = |memory: &mut WorkerMemory, region: &Arc<Region>| {
            memory.give(std::slice::from_ref(region), (&wanted, &[]), (0, 0)).unwrap();
        };
        give(&mut memory, &one);
        memory.shared.bytes_mut()[0] = 99;
        give(&mut memory, &one);
        assert_eq!(memory.shared.bytes()[..4], [99, 7, 7, 7]);
        give(&mut memory, &other);
        assert_eq!(memory.shared.bytes()[..4], [8; 4]);
        give(&mut memory, &one);
        assert_eq!(memory.shared.bytes()[..4], [7; 4]);
    }
}
