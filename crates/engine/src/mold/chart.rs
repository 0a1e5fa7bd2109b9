//! A schedule as the bars of a Gantt chart.

use onceflow_cluster::batch::{JobEnd, Schedule, Workload, layout};
use onceflow_report::{BarOwner, GanttBar, GanttChart};

/// The bars of a schedule.
pub(super) fn chart(title: String, workload: &Workload, schedule: &Schedule) -> GanttChart {
    let bars = layout(workload, schedule).into_iter().map(|laid_out| {
        let (name, owner) = match laid_out.job {
            None => ("running at the beginning".to_owned(), BarOwner::Others),
            Some(job) if job < workload.others() => (workload.jobs()[job].id.clone(), BarOwner::Others),
            Some(job) if schedule.jobs[job].result == JobEnd::Timeout => {
                (workload.jobs()[job].id.clone(), BarOwner::Stopped)
            }
            Some(job) => (workload.jobs()[job].id.clone(), BarOwner::Ours),
        };
        GanttBar { name, start: laid_out.start, end: laid_out.end, nodes: laid_out.nodes, owner }
    });
    GanttChart { title, nodes: workload.nodes(), bars: bars.collect() }
}
