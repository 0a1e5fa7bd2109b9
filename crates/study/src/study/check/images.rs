//! Images and the regions that are kept of them.

use super::Context;
use crate::{Diagnostic, Diagnostics};

/// A workflow needs images; regions that are kept must be the workflow's.
pub(crate) fn images(context: &Context<'_>, diagnostics: &mut Diagnostics) {
    if context.file.workflow.is_some() && context.images.is_empty() && context.file.sheet.is_none() {
        let warning = Diagnostic::warning("the study has no image, so its workflow cannot be run");
        diagnostics.push(warning.with_hint("add [[image]] with name and file, or images = \"images.csv\""));
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
