//! Images and the regions that are kept of them.

use super::Context;
use crate::{Diagnostic, Diagnostics};

/// Boxes of truth need truth; regions that are kept must be the workflow's.
pub(crate) fn images(context: &Context<'_>, diagnostics: &mut Diagnostics) {
    for entry in context.images.iter().filter(|i| i.image.truth_box.is_some() && i.image.truth.is_none()) {
        let error =
            Diagnostic::error(format!("the image `{}` has a truth_box but no truth", entry.image.name));
        let error = error.at_place(Some(&entry.place), "").expected_found("truth with truth_box", "none");
        diagnostics.push(error.with_hint("name the file with the truth, or take truth_box away"));
    }
    regions(context, diagnostics);
}

fn regions(context: &Context<'_>, diagnostics: &mut Diagnostics) {
    let Some(workflow) = context.workflow else { return };
    let known: Vec<_> = workflow.regions.iter().map(|r| r.name.as_str()).collect();
    for region in context.file.run.keep_regions.iter().filter(|r| !known.contains(&r.value.as_str())) {
        let message = format!("the workflow `{}` has no region `{}`", workflow.name, region.value);
        diagnostics.push(context.unknown(region, message, "one of its regions", &known));
    }
}
