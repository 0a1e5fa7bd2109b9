//! An operation of one's own that works unit by unit: on the objects of an input, or on tiles. Its output must consist of
//! the outputs of the units.

use super::WorkflowChecker;
use crate::workflow::{Halo, NameRole, OperationDeclaration, Repeats, Task};
use crate::{Diagnostic, RegionKind};

impl<'w> WorkflowChecker<'w> {
    pub(super) fn check_units(&mut self, task: &'w Task, declared: &'w OperationDeclaration) {
        match (&declared.per_object, declared.per_tile) {
            (None, None) => return,
            (Some(_), Some(_)) => {
                let message = format!("task `{}` is declared to work on objects and on tiles", task.name);
                let error =
                    Diagnostic::error(message).expected_found("one of both", "`per_object` and `per_tile`");
                self.push_tiles(task, error.with_hint("take one of them away"));
            }
            (Some(name), None) => self.check_objects(task, name),
            (None, Some(_)) => self.check_tiles(task, declared),
        }
        self.check_assembled(task, declared);
        if let Some(status) = task.ends.first() {
            let diagnostic = Diagnostic::error(
                "an operation that works on one object or tile at a time cannot end its part",
            )
            .at_place(task.place_of(NameRole::Ends, status).as_ref(), "")
            .with_why("it is not given those that are known: it cannot say whether there is more to do")
            .with_hint("take `ends` away, or the declaration");
            self.push(diagnostic);
        }
        if declared.repeats == Repeats::Never {
            let diagnostic =
                Diagnostic::warning(format!("what task `{}` works on one by one is never reused", task.name))
                    .at_place(task.place_of(NameRole::Declares, units_key(declared)).as_ref(), "")
                    .with_why("it is declared to give other results each time");
            self.push(diagnostic);
        }
    }

    fn check_objects(&mut self, task: &'w Task, name: &'w str) {
        let place = task.place_of(NameRole::Declares, "per_object");
        if !task.inputs.iter().any(|input| input == name) && task.op.takes_are_known() {
            let message = format!("`per_object` names `{name}`, which task `{}` does not take", task.name);
            self.unknown(message, place.as_ref(), name, || task.inputs.iter().map(String::as_str).collect());
        } else if let Some(region) = self.regions.get(name).filter(|r| !r.kind.has_objects()) {
            let diagnostic = Diagnostic::error(format!("`{name}` has no objects to treat one by one"))
                .at_place(place.as_ref(), "")
                .expected_found("a mask, labels, objects or polygons", region.kind.word());
            self.push(diagnostic);
        }
    }

    fn check_tiles(&mut self, task: &'w Task, declared: &'w OperationDeclaration) {
        if declared.halo == Halo::Whole {
            let message = format!("task `{}` sees the whole image, so no tile of it stands alone", task.name);
            let error =
                Diagnostic::error(message).expected_found("a number of pixels as `halo`", "\"whole\"");
            self.push_tiles(task, error.with_hint("say how far it sees, or take `per_tile` away"));
        }
    }

    /// The outputs of units must be pixels whose values do not depend on the number of units.
    fn check_assembled(&mut self, task: &'w Task, declared: &'w OperationDeclaration) {
        let kinds = &self.regions;
        let kind = |name: &String| kinds.get(name.as_str()).map(|region| region.kind);
        let given = |name: &&String| declared.per_object.as_ref().is_none_or(|of| of == *name);
        let numbered = |name: &String| kind(name) == Some(RegionKind::Labels);
        let numbers_known = task.inputs.iter().filter(given).any(numbered) || !task.op.takes_are_known();
        let made: Vec<_> = task.outputs.iter().map(|name| (name, kind(name))).collect();
        for (name, kind) in made {
            let why = match kind {
                Some(RegionKind::Table) => "a table has no pixels that tell where a line came from",
                Some(RegionKind::Labels) if !numbers_known => {
                    "numbers that are given out one after another depend on all that are given"
                }
                _ => continue,
            };
            let hint = "make a mask or an image of it, or take the declaration away";
            let diagnostic =
                Diagnostic::error(format!("`{name}` cannot be put together from objects or tiles"))
                    .at_place(task.place_of(NameRole::Output, name).as_ref(), "")
                    .with_why(why)
                    .with_hint(hint);
            self.push(diagnostic);
        }
    }

    fn push_tiles(&mut self, task: &'w Task, error: Diagnostic) {
        self.push(error.at_place(task.place_of(NameRole::Declares, "per_tile").as_ref(), ""));
    }
}

fn units_key(declared: &OperationDeclaration) -> &'static str {
    if declared.per_object.is_some() { "per_object" } else { "per_tile" }
}
