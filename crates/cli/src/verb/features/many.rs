//! Several images: a table named after each in a folder, and one of all.

use onceflow_terminal::{Exit, Failure, Terminal};
use serde_json::json;

use super::{check_target, measured};
use crate::args::{FeatureFormatWord, FeaturesArgs};
use crate::many::{self, DrawnFolder, NamedImage};
use crate::verb::segment::parameters;

/// Columns of the summary.
const COLUMNS: &[&str] = &["status", "objects", "file"];

/// Measures one after the other.
pub(super) fn run(args: &FeaturesArgs, images: &[NamedImage], terminal: &Terminal) -> Result<Exit, Failure> {
    // Wrong parameters are an error for all images.
    parameters::read(args.params.as_deref(), &args.parameter)?;
    let folder = many::folder(Some(&args.output), args.dry_run)?;
    let summary = folder.filter(|_| !args.dry_run);
    many::refuse_foreign_summary(summary, args.force)?;
    let ending = match args.format {
        None | Some(FeatureFormatWord::Csv) => "csv",
        Some(FeatureFormatWord::Parquet) => "parquet",
        Some(FeatureFormatWord::Geojson) => "geojson",
    };
    let drawn = |folder: &Option<String>| folder.as_deref().map(DrawnFolder::or_empty);
    let (masks, labels) = (drawn(&args.mask), drawn(&args.labels));
    let ended = many::each(images, terminal, |named| {
        let file = many::file(folder, &named.name, ending).unwrap_or_default();
        let drawn = |folder: &Option<DrawnFolder>| {
            folder.as_ref().map(|folder| folder.named_after(named)).transpose()
        };
        let (mask, labels) = (drawn(&masks)?, drawn(&labels)?);
        let images = vec![named.image.clone()];
        let one = FeaturesArgs {
            images,
            output: file.clone(),
            mask,
            labels,
            format: None,
            json: false,
            ..args.clone()
        };
        if !args.dry_run {
            check_target(&one)?;
        }
        let told = match measured(&one, terminal)? {
            Some(found) => json!({ "status": found.status_word(), "objects": found.objects(), "file": file }),
            None => json!({ "status": "dry run" }),
        };
        many::fields(told)
    });
    many::tell(&ended, (COLUMNS, None), summary, args.json, terminal)
}
