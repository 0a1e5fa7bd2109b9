//! What a segmentation writes.

use std::io::BufWriter;
use std::path::Path;

use onceflow_engine::{Overlay, Segmented, Workspace};
use onceflow_imageio::PNG_LABELS;
use onceflow_region::Source;
use onceflow_study::{Diagnostic, with_commas};
use onceflow_terminal::{Failure, Terminal};

use super::ImageAtWork;
use crate::args::SegmentArgs;
use crate::file::{extension, unsupported_extension};
use crate::picture::{OutputStream, PictureForm, write_rows, write_stream};

/// All files that are asked for.
pub(super) fn outputs(args: &SegmentArgs) -> Vec<&Path> {
    let all = [&args.output, &args.labels, &args.polygons, &args.overlay];
    all.into_iter().filter_map(Option::as_deref).collect()
}

/// Refuses unsupported file extensions, before the work.
pub(super) fn check_endings(args: &SegmentArgs) -> Result<(), Failure> {
    let pictures = [&args.output, &args.labels, &args.overlay];
    pictures.into_iter().flatten().try_for_each(|path| PictureForm::of(path).map(|_| ()))?;
    match args.polygons.as_deref() {
        Some(path) if path != Path::new("-") && !is_json(path) => {
            Err(unsupported_extension(path, ".geojson or .json", "name it nuclei.geojson, as QuPath expects"))
        }
        _ => Ok(()),
    }
}

fn is_json(path: &Path) -> bool {
    matches!(extension(path).as_deref(), Some("geojson" | "json"))
}

/// Writes them; labels last, since they may be too many for their file.
pub(super) fn write(
    args: &SegmentArgs,
    (image, truth): (&ImageAtWork<'_>, Option<(&str, &dyn Source)>),
    found: &mut Segmented,
    (workspace, terminal): (&Workspace<'_>, &Terminal),
) -> Result<(), Failure> {
    if let Some(path) = &args.output {
        write_rows(path, found.mask(), |take| found.give_mask(workspace, take), terminal)?;
    }
    if let Some(path) = &args.polygons {
        write_stream(path, terminal, |to| match to {
            OutputStream::File(file) => found.write_polygons(image.ratio(), workspace, BufWriter::new(file)),
            OutputStream::Standard(out) => {
                found.write_polygons(image.ratio(), workspace, BufWriter::new(out))
            }
        })?;
    }
    if let Some(path) = &args.overlay {
        let overlay = Overlay { image: image.source(), truth, scale: args.overlay_scale };
        let picture = found.overlay(&overlay);
        write_rows(path, picture, |take| found.give_overlay(&overlay, workspace, take), terminal)?;
    }
    if let Some(path) = &args.labels {
        refuse_many(path, found.objects)?;
        write_rows(path, found.labels(), |take| found.give_labels(workspace, take), terminal)?;
    }
    Ok(())
}

fn refuse_many(path: &Path, objects: u64) -> Result<(), Failure> {
    if objects <= PNG_LABELS || PictureForm::of(path)? != PictureForm::Png {
        return Ok(());
    }
    let number = |number: u64| with_commas(u128::from(number));
    let message = Diagnostic::error(format!("{} cannot hold the numbers of all nuclei", path.display()));
    let message = message.expected_found(format!("at most {} in a PNG", number(PNG_LABELS)), number(objects));
    let hint = format!("name it {}, which has 32 bits", path.with_extension("tif").display());
    Err(Failure::bad_input(message.with_hint(hint)))
}
