//! Several images: a table named after each in a folder, and one of all.

use serde_json::{Value, json};

use super::{check_target, measured};
use crate::args::{FeaturesArgs, TableWord};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::many::{self, NamedImage, Said};
use crate::terminal::Terminal;
use crate::verb::segment::parameters;

/// What is told of each.
const COLUMNS: &[&str] = &["status", "objects", "file"];

/// Measures one after the other.
pub(super) fn run(args: &FeaturesArgs, images: &[NamedImage], terminal: &Terminal) -> Result<Exit, Failure> {
    // What is wrong with the parameters is wrong for all.
    parameters::read(args.params.as_deref(), &args.parameter)?;
    let folder = many::folder(Some(&args.output), args.dry_run)?;
    let ending = match args.format {
        None | Some(TableWord::Csv) => "csv",
        Some(TableWord::Parquet) => "parquet",
        Some(TableWord::Geojson) => "geojson",
    };
    let ended = many::each(images, terminal, |named| {
        let file = many::file(folder, &named.name, ending).unwrap_or_default();
        let drawn =
            |folder: &Option<String>| folder.as_ref().map(|f| many::named_after(f, &named.name)).transpose();
        let (mask, labels) = (drawn(&args.mask)?, drawn(&args.labels)?);
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
        Ok(said(told))
    });
    many::tell(&ended, COLUMNS, folder.filter(|_| !args.dry_run), args.json, terminal)
}

fn said(told: Value) -> Said {
    told.as_object().cloned().unwrap_or_default()
}
