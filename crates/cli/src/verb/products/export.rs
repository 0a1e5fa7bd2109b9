//! `onceflow products export`: a kept region as an image, whole or a box of it.

use onceflow_engine::{ProductKey, ProductStore, StoredPixels, StoredPixelsError, stored_pixels};
use onceflow_imageio::png_bytes;
use onceflow_study::Diagnostic;
use onceflow_terminal::{Exit, Failure, Terminal};
use serde_json::json;

use super::{failed, open, size_words, unknown_key};
use crate::args::ExportArgs;
use crate::file::OutputTarget;

/// Reads the region and writes the image.
pub(super) fn run(args: &ExportArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let store = open(&args.store)?;
    let key = the_key(&store, &args.key)?;
    let target = OutputTarget::new(Some(&args.output));
    target.refuse_foreign(args.force)?;
    let found = stored_pixels(&store, &key, args.within).map_err(refused)?;
    let dense = found.region.as_dense().ok_or_else(|| refused(StoredPixelsError::NoPixels))?;
    let bytes = png_bytes(dense).map_err(|error| {
        let error = Diagnostic::error(format!("the region is no image that PNG holds: {error}"));
        Failure::bad_input(
            error.with_hint("regions of labels, masks and grey or colour images can be exported"),
        )
    })?;
    target.write_bytes(&bytes, terminal)?;
    tell(args, (dense.width(), dense.height()), &found, terminal)?;
    Ok(Exit::Ok)
}

fn tell(
    args: &ExportArgs,
    (width, height): (usize, usize),
    found: &StoredPixels,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let (read, all) = found.pieces;
    if args.store.json {
        return terminal.json(&json!({
            "version": 1, "output": args.output.display().to_string(), "width": width, "height": height,
            "pieces": { "read": read, "all": all }, "bytes_read": found.read_bytes,
        }));
    }
    let bytes = size_words(found.read_bytes);
    terminal.say(&format!(
        "{width} x {height} pixels written to {}; {read} of {all} pieces read, {bytes}",
        args.output.display()
    ));
    Ok(())
}

/// The only key that begins with these digits.
fn the_key(store: &ProductStore, digits: &str) -> Result<ProductKey, Failure> {
    let keys = store.keys(digits, 2).map_err(failed)?;
    match keys[..] {
        [] => Err(unknown_key(digits)),
        [key] => Ok(key),
        _ => {
            let error = Diagnostic::error(format!("several results have keys that begin with `{digits}`"));
            Err(Failure::bad_input(
                error.with_hint("give more digits; onceflow why STUDY --row N names the keys of a row"),
            ))
        }
    }
}

fn refused(error: StoredPixelsError) -> Failure {
    let diagnostic = Diagnostic::error(error.to_string());
    match error {
        StoredPixelsError::Store(error) => failed(error),
        StoredPixelsError::Lost => Failure::bad_input(
            diagnostic.with_hint("onceflow products verify sets damage aside; a run computes it again"),
        ),
        StoredPixelsError::NoRegion | StoredPixelsError::Ended(_) => Failure::bad_input(
            diagnostic.with_hint("onceflow why STUDY --row N names the keys of the regions of a row"),
        ),
        _ => Failure::bad_input(diagnostic),
    }
}
