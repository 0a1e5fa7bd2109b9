//! How far around a part a study must read, so that objects at its border are whole.

use crate::{BoundValue, Catalogue, Study, Task, Value, Workflow};

/// The reach of an object when nothing bounds its size: nuclei are shorter at any resolution in use.
const REACH: u64 = 64;

impl Study {
    /// Pixels around a part that its tasks read under owned seams: the fixed distances of the operations along the longest
    /// way through the workflow, and twice the length of an object, once for an object that begins in the part and ends
    /// outside, and once for the surroundings that affect it.
    pub fn halo(&self, workflow: &Workflow, catalogue: &Catalogue) -> u64 {
        workflow.halo(catalogue).saturating_add(2 * self.reach(workflow, catalogue))
    }

    /// The length of the largest object that the parameters allow, taken as an ellipse three times as long as wide:
    /// an ellipse of A pixels that is 2 √A long is π times as long as wide.
    fn reach(&self, workflow: &Workflow, catalogue: &Catalogue) -> u64 {
        let tasks = workflow.tasks().filter_map(|task| {
            let bound = catalogue.get(task.op.built_in()?)?.largest.as_deref()?;
            self.largest_value(workflow, task, bound)
        });
        let length = |area: f64| (2.0 * area.max(0.0).sqrt()).ceil() as u64;
        tasks.reduce(f64::max).map_or(REACH, length)
    }

    /// The largest value that a row of the study can give to a parameter of a task's operation.
    fn largest_value(&self, workflow: &Workflow, task: &Task, parameter: &str) -> Option<f64> {
        let binding = task.reads.iter().find(|binding| binding.operation_parameter == parameter)?;
        let number = |value: &Value| match value {
            Value::Integer(whole) => Some(*whole as f64),
            Value::Real(real) => Some(*real),
            Value::Text(_) => None,
        };
        let name = match &binding.bound {
            BoundValue::Constant(value) => return number(value),
            BoundValue::Parameter(name) => name,
        };
        let default = workflow.parameter(name).and_then(|p| p.default.as_ref()).and_then(number);
        let fixed = self.fixed.iter().find(|(fixed, _)| fixed == name).and_then(|(_, value)| number(value));
        let varied = self.space.index_of(name).and_then(|at| self.space.parameters()[at].domain.ends());
        let varied = varied.map(|(_, high)| high).filter(|high| high.is_finite());
        // The reference row has the default, also where the range does not.
        [default, fixed, varied].into_iter().flatten().reduce(f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourceText, parse_study, read_workflow, shipped_workflow};

    fn halo(parameters: &str) -> u64 {
        let workflow = read_workflow(&shipped_workflow("nuclei").unwrap()).unwrap();
        let text = format!(
            "name = \"halo\"\nworkflow = \"nuclei\"\n[parameters]\n{parameters}\n[[metric]]\nname = \"n\"\nof = \"nuclei\"\n\
             measure = \"objects\"\n[[phase]]\nname = \"look\"\nmethod = \"mc\"\nrows = 5\n"
        );
        let file = parse_study(&SourceText::new("study.toml", text)).unwrap();
        let (study, said) = file.resolve(Some(&workflow), None);
        study.unwrap_or_else(|| panic!("{said}")).halo(&workflow, &Catalogue::nuclei())
    }

    #[test]
    fn the_largest_object_that_rows_allow_is_seen_twice() {
        assert_eq!(halo("G1 = [20, 80]"), 22 + 2 * 64, "areas below 1000");
        assert_eq!(halo("maxSizeSeg = { from = 900, to = 1600, step = 50 }"), 22 + 2 * 80);
        assert_eq!(halo("maxSize = { from = 900, to = 2500, step = 50 }"), 22 + 2 * 100);
        assert_eq!(
            halo("G1 = [20, 80]\nmaxSizeSeg = 400\nmaxSize = 400"),
            22 + 2 * 64,
            "never less than what the defaults allow"
        );
    }
}
