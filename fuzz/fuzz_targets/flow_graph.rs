//! Described flow graphs: any text gives graphs or messages; what is read is unrolled or refused, and of small graphs the
//! smallest attributes are found.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_reuse::attributes::{AttributeReport, is_flow_description, minimise, read_flow_descriptions};
use onceflow_study::SourceText;

/// Larger graphs take long, which is no fault.
const MOST: usize = 300;

fuzz_target!(|text: &str| {
    let source = SourceText::new("graph.toml", text);
    let _ = is_flow_description(&source);
    let graphs = match read_flow_descriptions(&source) {
        Ok(graphs) => graphs,
        Err(messages) => return assert!(messages.has_errors()),
    };
    for described in graphs.iter().take(8) {
        // A large graph is made of a small text: only its refusal, or its size, is of interest.
        let passes = described.loops.iter().map(|found| found.passes.min(64)).product::<usize>();
        if passes > 64 {
            let _ = described.loop_of_target();
            continue;
        }
        let Ok(graph) = described.unroll() else { continue };
        if graph.blocks().len() + graph.variables().len() > MOST {
            continue;
        }
        let found = minimise(&graph);
        assert!(found.bound <= found.least.bytes && found.least.bytes <= found.least_c3.bytes);
        assert!(found.least_c3.bytes <= found.initial.bytes);
        if let Ok(report) = AttributeReport::new(described) {
            let _ = report.to_string();
        }
    }
});
