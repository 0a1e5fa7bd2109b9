//! What a segmentation writes.

use std::io::BufWriter;
use std::path::Path;

use onceflow_engine::{Desk, Overlay, Segmented};
use onceflow_region::{PNG_LABELS, Source};
use onceflow_study::{Diagnostic, with_commas};

use crate::args::SegmentArgs;
use crate::failure::Failure;
use crate::picture::{PictureForm, Stream, write_rows, write_stream};
use crate::terminal::Terminal;

/// All files that are asked for.
pub(super) fn outputs(args: &SegmentArgs) -> Vec<&Path> {
    let all = [&args.output, &args.labels, &args.polygons, &args.overlay];
    all.into_iter().filter_map(Option::as_deref).collect()
}

/// Refuses files whose names say no form, before the work.
pub(super) fn check_endings(args: &SegmentArgs) -> Result<(), Failure> {
    let pictures = [&args.output, &args.labels, &args.overlay];
    pictures.into_iter().flatten().try_for_each(|path| PictureForm::of(path).map(|_| ()))?;
    match args.polygons.as_deref() {
        Some(path) if path != Path::new("-") && !is_json(path) => {
            let name = path.display().to_string();
            let message = Diagnostic::error(format!("{name} has an ending that says no form of outlines"));
            let message = message.expected_found("a file that ends with .geojson", name);
            Err(Failure::bad_input(message.with_hint("name it nuclei.geojson, as QuPath expects")))
        }
        _ => Ok(()),
    }
}

fn is_json(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    matches!(ending.as_deref(), Some("geojson" | "json"))
}

/// Writes them; labels last, since they may be too many for their file.
pub(super) fn write(
    args: &SegmentArgs,
    (image, truth): (&dyn Source, Option<(&str, &dyn Source)>),
    found: &mut Segmented,
    (desk, terminal): (&Desk<'_>, &Terminal),
) -> Result<(), Failure> {
    if let Some(path) = &args.output {
        write_rows(path, found.mask(), |take| found.give_mask(desk, take), terminal)?;
    }
    if let Some(path) = &args.polygons {
        write_stream(path, terminal, |to| match to {
            Stream::File(file) => found.write_polygons(desk, BufWriter::new(file)),
            Stream::Standard(out) => found.write_polygons(desk, BufWriter::new(out)),
        })?;
    }
    if let Some(path) = &args.overlay {
        let overlay = Overlay { image, truth, scale: args.overlay_scale };
        let picture = found.overlay(&overlay);
        write_rows(path, picture, |take| found.give_overlay(&overlay, desk, take), terminal)?;
    }
    if let Some(path) = &args.labels {
        refuse_many(path, found.objects)?;
        write_rows(path, found.labels(), |take| found.give_labels(desk, take), terminal)?;
    }
    Ok(())
}

fn refuse_many(path: &Path, objects: u64) -> Result<(), Failure> {
    if objects <= PNG_LABELS || PictureForm::of(path)? != PictureForm::Png {
        return Ok(());
    }
    let number = |number: u64| with_commas(u128::from(number));
    let message = Diagnostic::error(format!("{} cannot number all nuclei", path.display()));
    let message = message.expected_found(format!("at most {} in a PNG", number(PNG_LABELS)), number(objects));
    let hint = format!("name it {}, which has 32 bits", path.with_extension("tif").display());
    Err(Failure::bad_input(message.with_hint(hint)))
}
