//! The fixed JSON form: other programs rely on its names.

use serde_json::{Map, Value as Json, json};

use super::figures::{IndexFigure, IndexFigures, figures};
use crate::{Analysis, Indices, OutputAnalysis, SecondOrder, Verdict};

/// `{"version": 1, "method": "vbd", …, "outputs": [{"name": …, "parameters": [{"name": …, "s1": …, "s1_low": …}]}]}`;
/// numbers that are not finite are null.
pub fn analysis_to_json(analysis: &Analysis) -> Json {
    let outputs: Vec<Json> = analysis.outputs.iter().map(output).collect();
    json!({
        "version": 1,
        "method": analysis.technique.word(),
        "estimator": analysis.estimator,
        "rows": analysis.rows,
        "threshold": analysis.threshold,
        "outputs": outputs,
    })
}

fn output(output: &OutputAnalysis) -> Json {
    let entries = figures(&output.indices);
    let parameters: Vec<Json> = entries.iter().enumerate().map(|(i, f)| parameter(output, f, i)).collect();
    let mut object = json!({ "name": output.name, "parameters": parameters });
    if let Indices::Vbd { pairs, .. } = &output.indices
        && !pairs.is_empty()
    {
        object["pairs"] = pairs.iter().map(pair).collect();
    }
    let interval = &output.interval;
    object["interval"] =
        json!({ "method": interval.name, "citation": interval.citation, "confidence": interval.confidence });
    let failures = &output.failures;
    object["failures"] =
        json!({ "failed": failures.failed, "missing": failures.missing, "cluster": failures.cluster });
    object["warnings"] = json!(output.warnings);
    object
}

fn parameter(output: &OutputAnalysis, entry: &IndexFigures<'_>, place: usize) -> Json {
    let mut object = Map::new();
    object.insert("name".into(), entry.name.into());
    for (name, figure) in &entry.figures {
        insert(&mut object, name, *figure);
    }
    if let Some(verdict) = output.verdicts.get(place) {
        object.insert("verdict".into(), verdict.word().into());
        if let Verdict::Undecided { more_rows } = verdict {
            object.insert("more_rows".into(), json!(more_rows));
        }
    }
    if let Some(lost) = output.failures.lost.get(place) {
        object.insert("lost".into(), json!(lost));
    }
    Json::Object(object)
}

fn insert(object: &mut Map<String, Json>, name: &str, figure: IndexFigure) {
    match figure {
        IndexFigure::Count(n) => _ = object.insert(name.into(), n.into()),
        figure => object.extend(figure.flat(name).into_iter().map(|(name, x)| (name, json!(x)))),
    }
}

fn pair(pair: &SecondOrder) -> Json {
    let mut object = Map::new();
    object.insert("first".into(), pair.first.as_str().into());
    object.insert("second".into(), pair.second.as_str().into());
    insert(&mut object, "s2", IndexFigure::Estimate(pair.s2));
    Json::Object(object)
}
