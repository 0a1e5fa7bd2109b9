//! Several images: files named after each in a folder, and a table of all.

use std::path::Path;

use serde_json::Value;

use super::{found, parameters};
use crate::args::SegmentArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::many::{self, NamedImage, Said};
use crate::terminal::Terminal;

/// What is told of each.
const COLUMNS: &[&str] = &["status", "objects", "foreground", "width", "height"];

/// Segments one after the other.
pub(super) fn run(args: &SegmentArgs, images: &[NamedImage], terminal: &Terminal) -> Result<Exit, Failure> {
    // What is wrong with the parameters is wrong for all.
    parameters::read(args.params.as_deref(), &args.parameter)?;
    let folders = Folders::new(args)?;
    let ended = many::each(images, terminal, |named| {
        let one = folders.of(args, named)?;
        match found(&one, terminal)? {
            Some((outcome, parameters)) => Ok(told(outcome.to_json(!args.no_normalize, &parameters))),
            None => Ok(folders.would_write(named, terminal)),
        }
    });
    let summary = folders.all().into_iter().flatten().next().filter(|_| !args.dry_run);
    many::tell(&ended, COLUMNS, summary, args.json, terminal)
}

/// What is told of one image: parameters are the same for all.
fn told(outcome: Value) -> Said {
    let object = outcome.as_object().cloned().unwrap_or_default();
    object
        .into_iter()
        .filter(|(key, _)| !["version", "parameters", "normalized"].contains(&key.as_str()))
        .collect()
}

/// Where files go.
struct Folders<'a> {
    masks: Option<&'a Path>,
    labels: Option<&'a Path>,
    polygons: Option<&'a Path>,
    overlays: Option<&'a Path>,
}

impl<'a> Folders<'a> {
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

    /// Files of one folder are told apart by their endings, or by a word before them.
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

    /// The arguments for one image alone.
    fn of(&self, args: &SegmentArgs, named: &NamedImage) -> Result<SegmentArgs, Failure> {
        let truth = args.truth.as_ref().map(|folder| many::named_after(folder, &named.name)).transpose()?;
        let files = if args.dry_run { [const { None }; 4] } else { self.files(named) };
        let [output, labels, polygons, overlay] = files;
        let images = vec![named.image.clone()];
        Ok(SegmentArgs { images, output, labels, polygons, overlay, truth, json: false, ..args.clone() })
    }

    fn would_write(&self, named: &NamedImage, terminal: &Terminal) -> Said {
        self.files(named)
            .iter()
            .flatten()
            .for_each(|path| terminal.say(&format!("would write {}", path.display())));
        Said::from_iter([("status".to_owned(), Value::from("dry run"))])
    }
}
