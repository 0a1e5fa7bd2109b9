//! A flow cut down to one task and what it needs.

use super::{Flow, FlowInput, FlowStage, FlowTask};

impl Flow {
    /// The task and all whose regions it needs; the task is what a row gives.
    pub fn up_to(&self, task: usize) -> Self {
        let mut needed = vec![false; self.tasks.len()];
        needed[task] = true;
        // Tasks come after those whose regions they take.
        for at in (0..=task).rev().filter(|at| needed[*at]).collect::<Vec<_>>() {
            self.mark(at, &mut needed);
        }
        let place = |at: usize| needed[..at].iter().filter(|needed| **needed).count();
        let kept = |at: &usize| needed[*at];
        let stage = |stage: &FlowStage| FlowStage {
            tasks: stage.tasks.iter().copied().filter(kept).map(place).collect(),
            ..stage.clone()
        };
        let narrowed = |at: usize| {
            let own = &self.tasks[at];
            let after = own.after.iter().copied().filter(kept).map(place).collect();
            FlowTask {
                inputs: own.inputs.iter().map(|input| input.moved(&place)).collect(),
                after,
                ..own.clone()
            }
        };
        Self {
            stages: self.stages.iter().map(stage).collect(),
            tasks: (0..self.tasks.len()).filter(kept).map(narrowed).collect(),
            sources: self.sources.clone(),
            results: vec![place(task)],
        }
    }

    /// A task and all tasks whose regions it needs, ascending.
    pub fn makers(&self, task: usize) -> Vec<usize> {
        let mut needed = vec![false; self.tasks.len()];
        needed[task] = true;
        self.mark(task, &mut needed);
        (0..self.tasks.len()).filter(|task| needed[*task]).collect()
    }

    fn mark(&self, at: usize, needed: &mut [bool]) {
        for maker in self.tasks[at].inputs.iter().filter_map(|input| input.maker()) {
            if !needed[maker] {
                needed[maker] = true;
                self.mark(maker, needed);
            }
        }
    }
}

impl FlowInput {
    fn moved(self, place: &dyn Fn(usize) -> usize) -> Self {
        match self {
            Self::Source(source) => Self::Source(source),
            Self::Task { task, output } => Self::Task { task: place(task), output },
            Self::Reference { task, output } => Self::Reference { task: place(task), output },
        }
    }
}

#[cfg(test)]
mod tests {
    use onceflow_study::{Catalogue, read_workflow, shipped_workflow};

    use super::*;

    #[test]
    fn a_task_keeps_what_it_needs_and_nothing_else() {
        let workflow = read_workflow(&shipped_workflow("nuclei").unwrap()).unwrap();
        let flow = Flow::new(&workflow, &Catalogue::nuclei()).unwrap();
        let names = |flow: &Flow| flow.tasks.iter().map(|task| task.name.clone()).collect::<Vec<_>>();
        let narrow = flow.up_to(flow.task("t4").unwrap());
        assert_eq!(names(&narrow), ["statistics", "normalize", "t2", "t3", "t4"]);
        assert_eq!(narrow.results, [4]);
        for task in &narrow.tasks {
            for (taken, wanted) in task.inputs.iter().zip(&flow.tasks[flow.task(&task.name).unwrap()].inputs)
            {
                let maker =
                    |flow: &Flow, input: &FlowInput| input.maker().map(|task| flow.tasks[task].name.clone());
                assert_eq!(maker(&narrow, taken), maker(&flow, wanted));
            }
        }
        assert_eq!(names(&flow.up_to(0)), names(&flow)[..1]);
    }
}
