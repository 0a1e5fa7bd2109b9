//! How far around a part a workflow must see.

use super::{Halo, Scope, Task, TaskOperation, Workflow};
use crate::Catalogue;

impl Workflow {
    /// Pixels that fixed distances add up to along the longest way through the tasks that see parts.
    ///
    /// How far connected pixels are followed is not among them: it depends on the objects, and each task follows the
    /// same ones. A workflow whose tasks wait for each other has no ways; it cannot be run.
    pub fn halo(&self, catalogue: &Catalogue) -> u64 {
        let flat = self.flatten();
        let graph = flat.graph();
        let Ok(order) = graph.order() else { return 0 };
        let mut reached = vec![0; graph.tasks().len()];
        for task in order {
            let placed = &graph.tasks()[task];
            // A task that sees whole images has nothing around them.
            if placed.stage.scope == Scope::Part {
                let before = graph.region_edges().iter().filter(|(_, to)| *to == task);
                let before = before.map(|(from, _)| reached[*from]).max().unwrap_or(0);
                reached[task] = before + placed.task.fixed_halo(catalogue);
            }
        }
        reached.into_iter().max().unwrap_or(0)
    }
}

impl Task {
    fn fixed_halo(&self, catalogue: &Catalogue) -> u64 {
        let halo = match &self.op {
            TaskOperation::BuiltIn(id) => catalogue.get(id).map(|spec| spec.halo),
            TaskOperation::Command(command) => Some(command.declared.halo),
            TaskOperation::Python(python) => Some(python.declared.halo),
            TaskOperation::Foreign(_) => None,
        };
        match halo {
            Some(Halo::Pixels(pixels) | Halo::Objects(pixels)) => pixels.into(),
            Some(Halo::None | Halo::Whole) | None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OpSpec, RegionKind, Stage, StageStep, read_workflow, shipped_workflow};

    #[test]
    fn structuring_elements_of_the_shipped_workflows_add_up() {
        for name in ["nuclei", "nuclei-paper"] {
            let workflow = read_workflow(&shipped_workflow(name).unwrap()).unwrap();
            assert_eq!(workflow.halo(&Catalogue::nuclei()), 18 + 2 + 1 + 1, "{name}");
        }
    }

    fn task(name: &str, inputs: &[&str]) -> StageStep {
        let mut task = Task::new(name, TaskOperation::BuiltIn(name.into()));
        task.inputs = inputs.iter().map(|name| (*name).to_owned()).collect();
        task.outputs = vec![format!("{name}_made")];
        StageStep::Task(task)
    }

    #[test]
    fn the_longest_way_counts_and_what_sees_whole_images_does_not() {
        let spec = |id: &str, halo| OpSpec::new(id, "", 1.0).makes(&[("made", RegionKind::Mask)]).sees(halo);
        let halos =
            [("a", Halo::Pixels(5)), ("b", Halo::Objects(2)), ("c", Halo::Whole), ("d", Halo::Pixels(3))];
        let catalogue = Catalogue::new(halos.map(|(id, halo)| spec(id, halo)));
        let mut parts = Stage::new("parts");
        parts.steps = vec![task("d", &["b_made", "c_made"]), task("b", &["image"]), task("c", &["a_made"])];
        let mut image = Stage::new("image");
        image.steps = vec![task("a", &["image"])];
        let mut workflow = Workflow { stages: vec![image, parts], ..Workflow::default() };
        assert_eq!(workflow.halo(&catalogue), 5 + 3);
        workflow.stages[0].scope = Scope::Image;
        assert_eq!(workflow.halo(&catalogue), 2 + 3);
    }
}
