//! The workflows that come with the program, and the ranges in which their parameters are studied.

use std::sync::Arc;

use crate::{Domain, SourceText};

/// Names of the shipped workflows.
pub const SHIPPED: [&str; 4] = ["nuclei", "nuclei-paper", "registration", "registration-paper"];

/// The published JSON Schema of workflow descriptors.
pub const WORKFLOW_SCHEMA: &str = include_str!("../../../docs/reference/schema/workflow.schema.json");

/// The descriptor of a shipped workflow.
pub fn shipped_workflow(name: &str) -> Option<Arc<SourceText>> {
    let text = match name {
        "nuclei" => include_str!("shipped/nuclei.json"),
        "nuclei-paper" => include_str!("shipped/nuclei-paper.json"),
        "registration" => include_str!("shipped/registration.json"),
        "registration-paper" => include_str!("shipped/registration-paper.json"),
        _ => return None,
    };
    Some(SourceText::new(format!("<shipped>/{name}.json"), text))
}

/// The ranges in which the papers study the 15 parameters of both workflows for nuclei, in the workflows' order.
///
/// The default of `G2` (45) lies outside its range: that is how it was published.
pub fn shipped_ranges() -> Vec<(&'static str, Domain)> {
    let steps = |from, to, step| Domain::Steps { from, to, step };
    let connectivity = || Domain::Values(vec![4.0, 8.0]);
    vec![
        ("blue", steps(210.0, 240.0, 10.0)),
        ("green", steps(210.0, 240.0, 10.0)),
        ("red", steps(210.0, 240.0, 10.0)),
        ("T1", steps(2.5, 7.5, 0.5)),
        ("T2", steps(2.5, 7.5, 0.5)),
        ("reconConnectivity", connectivity()),
        ("fillHolesConnectivity", connectivity()),
        ("G1", steps(5.0, 80.0, 5.0)),
        ("minSize", steps(2.0, 40.0, 2.0)),
        ("maxSize", steps(900.0, 1500.0, 50.0)),
        ("G2", steps(2.0, 40.0, 2.0)),
        ("minSizePl", steps(5.0, 80.0, 5.0)),
        ("watershedConnectivity", connectivity()),
        ("minSizeSeg", steps(2.0, 40.0, 2.0)),
        ("maxSizeSeg", steps(900.0, 1500.0, 50.0)),
    ]
}

/// The ranges in which a parameter of the workflows for registration is studied; none for one that is the same in all rows.
pub fn registration_range(name: &str) -> Option<Domain> {
    let kind = name.split('_').next().unwrap_or_default();
    Some(match kind {
        "bending" | "p1" | "p2" | "p3" => {
            Domain::Values(vec![0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0])
        }
        "step" => Domain::Steps { from: 0.25, to: 2.0, step: 0.25 },
        "iterations" if name == "iterations_5" => Domain::Steps { from: 5.0, to: 40.0, step: 5.0 },
        "iterations" => Domain::Steps { from: 5.0, to: 200.0, step: 5.0 },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalogue, Workflow, check_workflow, read_workflow};

    const NUCLEI: [&str; 2] = ["nuclei", "nuclei-paper"];

    fn read(name: &str) -> Workflow {
        read_workflow(&shipped_workflow(name).unwrap()).unwrap_or_else(|d| panic!("{d}"))
    }

    #[test]
    fn shipped_workflows_have_nothing_to_be_said_about() {
        assert!(SHIPPED.into_iter().all(|name| read(name).name == name));
        for name in NUCLEI {
            let workflow = read(name);
            assert_eq!(check_workflow(&workflow, &Catalogue::nuclei()).to_string(), "");
        }
        assert_eq!(shipped_workflow("nuclear"), None);
    }

    #[test]
    fn their_text_form() {
        insta::assert_snapshot!(read("nuclei"));
        insta::assert_snapshot!(read("nuclei-paper"));
    }

    #[test]
    fn ranges_belong_to_the_parameters_in_their_order() {
        let ranges = shipped_ranges();
        for name in NUCLEI {
            let names: Vec<_> = read(name).parameters.into_iter().map(|p| p.name).collect();
            assert_eq!(names, ranges.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        }
        let points: f64 = ranges.iter().map(|(_, domain)| domain.count().unwrap() as f64).product();
        assert!(
            (2.0e13..2.2e13).contains(&points),
            "the grid has about 21 trillion points, found {points:e}"
        );
        let outside = |p: &crate::WorkflowParameter| {
            let (_, domain) = ranges.iter().find(|(name, _)| *name == p.name).unwrap();
            !domain.spans(p.default.as_ref().unwrap())
        };
        let outside: Vec<_> = read("nuclei").parameters.into_iter().filter(outside).map(|p| p.name).collect();
        assert_eq!(outside, ["G2"]);
    }

    #[test]
    fn costs_add_up() {
        let catalogue = Catalogue::nuclei();
        for name in NUCLEI {
            let cost = |t: &crate::Task| catalogue.get(t.op.built_in().unwrap()).unwrap().cost_ns_per_pixel;
            let total: f64 = read(name).tasks().map(cost).sum();
            assert!((total - 55.3).abs() < 1e-9, "{name}: {total}");
        }
    }

    #[test]
    fn the_papers_tasks_are_a_chain_and_ours_are_not() {
        let paper = read("nuclei-paper");
        let graph = paper.graph();
        assert!((1..7).all(|task| graph.successors(task).contains(&(task + 1))), "each before the next");
        let nuclei = read("nuclei");
        let t2 = nuclei.tasks().position(|t| t.name == "t2").unwrap();
        assert!(!nuclei.graph().successors(t2 - 1).contains(&t2), "t1 and t2 need nothing of each other");
        assert_eq!(nuclei.reader_of("fillHolesConnectivity"), Some("segment"));
        assert_eq!(paper.reader_of("blue"), Some("segmentation"));
        assert_eq!(paper.reader_of("image"), None);
    }
}
