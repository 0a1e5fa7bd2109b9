//! Several images: files named after each in a folder, and a table of all.

use std::path::Path;

use onceflow_kernels::compare::ComparisonCounts;
use onceflow_terminal::{Exit, Failure, Terminal};
use serde_json::Value;

use super::{found, parameters};
use crate::agreement::fields;
use crate::args::SegmentArgs;
use crate::many::{self, DrawnFolder, ImageFields, NamedImage};

/// Columns of the summary.
const COLUMNS: &[&str] = &["status", "objects", "foreground", "width", "height"];
/// The same where there is truth.
const COMPARED: &[&str] = &[
    "status",
    "dice",
    "object_f1",
    "panoptic_quality",
    "objects",
    "reference_objects",
    "matched",
    "foreground",
    "width",
    "height",
];

/// Segments one after the other.
pub(super) fn run(args: &SegmentArgs, images: &[NamedImage], terminal: &Terminal) -> Result<Exit, Failure> {
    // Wrong parameters are an error for all images.
    parameters::read(args.params.as_deref(), &args.parameter)?;
    let folders = SegmentFolders::new(args)?;
    let summary = folders.all().into_iter().flatten().next().filter(|_| !args.dry_run);
    many::refuse_foreign_summary(summary, args.force)?;
    let truths = args.truth.as_deref().map(DrawnFolder::of).transpose()?;
    let mut all: Option<ComparisonCounts> = None;
    let ended = many::each(images, terminal, |named| {
        let one = folders.of(args, named, truth_of(truths.as_ref(), named, terminal));
        match found(&one, terminal)? {
            Some((outcome, parameters)) => {
                let sum = |counts: ComparisonCounts| all.take().unwrap_or_default() + counts;
                all = outcome.agreement.map(sum).or(all.take());
                told(outcome.to_json(!args.no_normalize, &parameters))
            }
            None => Ok(folders.would_write(named, terminal)),
        }
    });
    let columns = if all.is_some() { COMPARED } else { COLUMNS };
    many::tell(&ended, (columns, all.as_ref().map(fields)), summary, args.json, terminal)
}

/// The truth of an image; one without is segmented all the same.
fn truth_of(truths: Option<&DrawnFolder>, named: &NamedImage, terminal: &Terminal) -> Option<String> {
    let found = truths?.named_after(named);
    if found.is_err() {
        terminal.say(&format!("note: no truth for {}", named.name));
    }
    found.ok()
}

/// The fields of one image, without the parameters, which are the same for all.
fn told(outcome: Value) -> Result<ImageFields, Failure> {
    let mut fields = many::fields(outcome)?;
    fields.retain(|key, _| !["version", "parameters", "normalized"].contains(&key.as_str()));
    Ok(fields)
}

/// The output folders.
struct SegmentFolders<'a> {
    masks: Option<&'a Path>,
    labels: Option<&'a Path>,
    polygons: Option<&'a Path>,
    overlays: Option<&'a Path>,
}

impl<'a> SegmentFolders<'a> {
    fn new(args: &'a SegmentArgs) -> Result<Self, Failure> {
        let folder = |path: &'a Option<std::path::PathBuf>| many::folder(path.as_deref(), args.dry_run);
        Ok(Self {
            masks: folder(&args.output)?,
            labels: folder(&args.labels)?,
            polygons: folder(&args.polygons)?,
            overlays: folder(&args.overlay)?,
        })
    }

    fn all(&self) -> [Option<&'a Path>; 4] {
        [self.masks, self.labels, self.polygons, self.overlays]
    }

    /// Files in the same folder differ by their extensions, or by a word before them.
    fn files(&self, named: &NamedImage) -> [Option<std::path::PathBuf>; 4] {
        let twice = |folder: Option<&Path>| {
            self.all().iter().flatten().filter(|other| Some(**other) == folder).count() > 1
        };
        let name = |folder: Option<&Path>, word: &str| match twice(folder) {
            true => format!("{}.{word}", named.name),
            false => named.name.clone(),
        };
        [
            many::file(self.masks, &name(self.masks, "mask"), "png"),
            many::file(self.labels, &name(self.labels, "labels"), "tif"),
            many::file(self.polygons, &name(self.polygons, "nuclei"), "geojson"),
            many::file(self.overlays, &name(self.overlays, "overlay"), "png"),
        ]
    }

    /// The arguments of one image.
    fn of(&self, args: &SegmentArgs, named: &NamedImage, truth: Option<String>) -> SegmentArgs {
        let files = if args.dry_run { [const { None }; 4] } else { self.files(named) };
        let [output, labels, polygons, overlay] = files;
        let images = vec![named.image.clone()];
        SegmentArgs { images, output, labels, polygons, overlay, truth, json: false, ..args.clone() }
    }

    fn would_write(&self, named: &NamedImage, terminal: &Terminal) -> ImageFields {
        self.files(named)
            .iter()
            .flatten()
            .for_each(|path| terminal.say(&format!("would write {}", path.display())));
        ImageFields::from_iter([("status".to_owned(), Value::from("dry run"))])
    }
}
