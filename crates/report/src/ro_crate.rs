//! The run described for archives and registries: an RO-Crate by the profile of workflow runs.

use serde_json::{Value as Json, json};

use crate::words::{headline, how};
use crate::{Answer, Provenance, RunEnding};

/// The profiles that the folder of a run conforms to.
const PROFILES: [(&str, &str); 3] = [
    ("https://w3id.org/ro/wfrun/process/0.5", "Process Run Crate"),
    ("https://w3id.org/ro/wfrun/workflow/0.5", "Workflow Run Crate"),
    ("https://w3id.org/workflowhub/workflow-ro-crate/1.0", "Workflow RO-Crate"),
];

/// Files that a run writes: name, type, what it holds.
const FILES: [(&str, &str, &str); 13] = [
    ("study.toml", "application/toml", "What was asked"),
    ("rows.csv", "text/csv", "One line per row: parameters, and metrics over all images"),
    ("metrics.csv", "text/csv", "One line per row and image"),
    ("indices.json", "application/json", "Indices with intervals and verdicts"),
    ("best.json", "application/json", "The proposed values, and the best row behind them"),
    ("report.html", "text/html", "The report"),
    ("answer.txt", "text/plain", "The answer in words"),
    ("trace.json", "application/json", "When each task ran"),
    ("reuse.csv", "text/csv", "Results that were found to be equal during the run"),
    ("objects.csv", "text/csv", "The rows whose objects each task reused"),
    ("granularity.json", "application/json", "Which tasks were split or fused, and why"),
    ("provenance.json", "application/json", "Where it came from"),
    ("costs.jsonl", "application/jsonl", "The cost of each task"),
];

/// The files of a run with this ending; some are written only when the run is complete.
fn files(ending: &RunEnding) -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    let complete = *ending == RunEnding::Complete;
    FILES.iter().filter(move |(name, _, _)| complete || !["indices.json", "answer.txt"].contains(name))
}

/// The text of `ro-crate-metadata.json`, as JSON.
pub fn ro_crate(answer: &Answer, provenance: &Provenance, ending: &RunEnding) -> Json {
    let mut graph = vec![descriptor(), root(answer, provenance, ending), workflow(answer), program()];
    graph.push(json!({
        "@id": "#onceflow-workflow",
        "@type": "ComputerLanguage",
        "name": "Onceflow workflow descriptor",
    }));
    graph.push(action(answer, provenance, ending));
    graph.extend(files(ending).map(
        |(name, kind, what)| json!({ "@id": name, "@type": "File", "name": what, "encodingFormat": kind }),
    ));
    graph.extend(provenance.files.iter().enumerate().map(|(place, file)| {
        let mut entity = json!({
            "@id": input(place),
            "@type": "CreativeWork",
            "name": format!("{} of {}", file.role, file.image),
            "alternateName": file.file,
        });
        if !file.digest.is_empty() {
            entity["identifier"] = json!(format!("blake3:{}", file.digest));
        }
        entity
    }));
    graph.extend(answer.table.parameters.iter().enumerate().map(|(place, name)| {
        json!({
            "@id": parameter(place),
            "@type": "FormalParameter",
            "additionalType": "PropertyValue",
            "name": name,
        })
    }));
    graph.extend(PROFILES.iter().map(|(id, name)| {
        let version = id.rsplit('/').next();
        json!({ "@id": id, "@type": "CreativeWork", "name": name, "version": version })
    }));
    json!({
        "@context": ["https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run"],
        "@graph": graph,
    })
}

fn id(name: &str) -> Json {
    json!({ "@id": name })
}

fn input(place: usize) -> String {
    format!("#input-{place}")
}

fn parameter(place: usize) -> String {
    format!("#parameter-{place}")
}

fn descriptor() -> Json {
    json!({
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": id("./"),
        "conformsTo": [id("https://w3id.org/ro/crate/1.1"), id(PROFILES[2].0)],
    })
}

fn root(answer: &Answer, provenance: &Provenance, ending: &RunEnding) -> Json {
    let parts: Vec<Json> =
        std::iter::once("workflow.json").chain(files(ending).map(|f| f.0)).map(id).collect();
    json!({
        "@id": "./",
        "@type": "Dataset",
        "name": answer.study,
        "description": headline(answer),
        "datePublished": provenance.ended,
        "license": "No licence was stated for these results.",
        "conformsTo": PROFILES.iter().map(|(profile, _)| id(profile)).collect::<Vec<_>>(),
        "mainEntity": id("workflow.json"),
        "hasPart": parts,
        "mentions": id("#run"),
    })
}

fn workflow(answer: &Answer) -> Json {
    let parameters: Vec<Json> =
        (0..answer.table.parameters.len()).map(|place| id(&parameter(place))).collect();
    json!({
        "@id": "workflow.json",
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": answer.workflow,
        "encodingFormat": "application/json",
        "programmingLanguage": id("#onceflow-workflow"),
        "input": parameters,
    })
}

fn program() -> Json {
    json!({
        "@id": "#onceflow",
        "@type": "SoftwareApplication",
        "name": "Onceflow",
        "url": env!("CARGO_PKG_REPOSITORY"),
        "softwareVersion": env!("CARGO_PKG_VERSION"),
    })
}

fn action(answer: &Answer, provenance: &Provenance, ending: &RunEnding) -> Json {
    let inputs = std::iter::once("study.toml".to_owned()).chain((0..provenance.files.len()).map(input));
    let results = files(ending).skip(1).map(|(name, _, _)| id(name));
    let (status, error) = match ending {
        RunEnding::Complete => ("http://schema.org/CompletedActionStatus", None),
        RunEnding::Stopped => ("http://schema.org/FailedActionStatus", Some("stopped before its end")),
        RunEnding::TooManyFailures => ("http://schema.org/FailedActionStatus", Some("too many rows failed")),
    };
    let mut action = json!({
        "@id": "#run",
        "@type": "CreateAction",
        "name": provenance.command,
        "description": how(answer),
        "instrument": id("workflow.json"),
        "agent": id("#onceflow"),
        "startTime": provenance.began,
        "endTime": provenance.ended,
        "actionStatus": status,
        "object": inputs.map(|input| id(&input)).collect::<Vec<_>>(),
        "result": results.collect::<Vec<_>>(),
    });
    if let Some(error) = error {
        action["error"] = json!(error);
    }
    action
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{Amounts, MetricTable, UsedFile, WorkAccount};

    fn answer() -> Answer {
        Answer {
            tuning: None,
            study: "s".into(),
            workflow: "w 1".into(),
            seed: 1,
            images: Vec::new(),
            metrics: Vec::new(),
            halo: 0,
            seams: onceflow_study::Seams::Exact,
            table: MetricTable { parameters: vec!["G1".into(), "G2".into()], ..MetricTable::default() },
            phases: Vec::new(),
            best: None,
            work: WorkAccount { tasks: Amounts::default(), ..WorkAccount::default() },
            notes: Vec::new(),
        }
    }

    fn references(value: &Json, found: &mut Vec<String>) {
        match value {
            Json::Object(object) if object.len() == 1 && object.contains_key("@id") => {
                found.push(object["@id"].as_str().unwrap_or_default().into());
            }
            Json::Object(object) => object.values().for_each(|value| references(value, found)),
            Json::Array(values) => values.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }

    #[test]
    fn whatever_is_referred_to_is_described_once() {
        let files = ["a.png", "b.png"].map(|file| UsedFile {
            image: "one".into(),
            role: "image",
            file: file.into(),
            digest: "00".into(),
        });
        let provenance = Provenance { files: files.to_vec(), ..Provenance::default() };
        let made = ro_crate(&answer(), &provenance, &RunEnding::Stopped);
        let graph = made["@graph"].as_array().unwrap();
        let ids: Vec<&str> = graph.iter().map(|entity| entity["@id"].as_str().unwrap()).collect();
        let known: HashSet<&str> = ids.iter().copied().collect();
        assert_eq!(known.len(), ids.len());
        let mut found = Vec::new();
        graph.iter().for_each(|entity| references(entity, &mut found));
        let foreign = ["https://w3id.org/ro/crate/1.1"];
        assert!(
            found.iter().all(|id| known.contains(id.as_str()) || foreign.contains(&id.as_str())),
            "{found:?}"
        );
        assert_eq!(graph.iter().filter(|e| e["@type"] == "FormalParameter").count(), 2);
    }
}
