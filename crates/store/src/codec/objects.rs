//! Sets of objects: the plane, the labels with how many runs each has, the runs, the features.

use onceflow_region::{ObjectSet, PixelRun};

use super::CodecError;
use super::reading::FieldReader;
use super::table;
use super::writing::FieldWriter;

pub(super) fn put(objects: &ObjectSet, to: &mut impl FieldWriter) -> Result<(), CodecError> {
    for number in [u64::from(objects.width()), u64::from(objects.height()), objects.len() as u64] {
        to.number(number)?;
    }
    for object in objects.objects() {
        to.number(u64::from(object.label))?;
        to.number(object.runs.len() as u64)?;
        to.wide(object.runs, run_bytes)?;
    }
    table::put(objects.features(), to)
}

pub(super) fn take(fields: &mut FieldReader<'_>) -> Result<ObjectSet, CodecError> {
    let [width, height] = [take_side(fields)?, take_side(fields)?];
    // An object has at least its label, a count and one run.
    let count = fields.count("objects", 28)?;
    let mut objects = ObjectsBuilder::new(width, height);
    for _ in 0..count {
        let label = fields.number("label")?;
        let runs = fields.count("runs", 12)?;
        objects.push(label, &fields.wide("runs", runs as u64, run)?)?;
    }
    let mut set = objects.finish()?;
    for (name, column) in table::take(fields)?.into_columns() {
        set.add_feature(name, column)?;
    }
    Ok(set)
}

fn take_side(fields: &mut FieldReader<'_>) -> Result<u32, CodecError> {
    let side = fields.number("side of the plane")?;
    u32::try_from(side).map_err(|_| CodecError::form("a side that u32 counts", side))
}

fn run_bytes(run: PixelRun) -> [u8; 12] {
    let mut bytes = [0; 12];
    bytes[..4].copy_from_slice(&run.row.to_le_bytes());
    bytes[4..8].copy_from_slice(&run.start.to_le_bytes());
    bytes[8..].copy_from_slice(&run.length.to_le_bytes());
    bytes
}

fn run(bytes: [u8; 12]) -> PixelRun {
    let part = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    PixelRun { row: part(0), start: part(4), length: part(8) }
}

/// Makes only sets that a plane of labels could have made.
struct ObjectsBuilder {
    set: ObjectSet,
    last: u64,
}

impl ObjectsBuilder {
    fn new(width: u32, height: u32) -> ObjectsBuilder {
        ObjectsBuilder { set: ObjectSet::empty(width, height), last: 0 }
    }

    fn push(&mut self, label: u64, runs: &[PixelRun]) -> Result<(), CodecError> {
        let narrow = u32::try_from(label).ok().filter(|_| label > self.last && !runs.is_empty());
        let narrow = narrow.ok_or_else(|| CodecError::form("ascending labels with runs", label))?;
        let inside = |run: &PixelRun| {
            let end = u64::from(run.start) + u64::from(run.length);
            run.length > 0 && run.row < self.set.height() && end <= u64::from(self.set.width())
        };
        if !runs.iter().all(inside)
            || !runs.is_sorted_by(|a, b| (a.row, end(a)) < (b.row, u64::from(b.start)))
        {
            return Err(CodecError::form(
                "runs in order within the plane",
                format!("others of label {label}"),
            ));
        }
        let labelled: Vec<(u32, PixelRun)> = runs.iter().map(|&run| (narrow, run)).collect();
        self.set.push(&labelled);
        self.last = label;
        Ok(())
    }

    /// No pixel has two labels.
    fn finish(self) -> Result<ObjectSet, CodecError> {
        let mut runs: Vec<PixelRun> = self.set.objects().flat_map(|object| object.runs).copied().collect();
        runs.sort_unstable();
        match runs.is_sorted_by(|a, b| a.row < b.row || end(a) <= u64::from(b.start)) {
            true => Ok(self.set),
            false => Err(CodecError::form("one label per pixel", "two")),
        }
    }
}

fn end(run: &PixelRun) -> u64 {
    u64::from(run.start) + u64::from(run.length)
}
