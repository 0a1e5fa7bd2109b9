//! An analysis from its JSON form, so that what a folder holds can be drawn and exchanged as if it were new.

use serde_json::Value as Json;

use crate::{
    Analysis, Correlation, Delta, Failures, IndexEstimate, Indices, IntervalMethod, MorrisIndex,
    OutputAnalysis, Pawn, RbdFast, SecondOrder, Technique, VarianceIndex, Verdict,
};

/// The names of all methods of intervals.
const INTERVALS: [&str; 5] = [
    "replicated scrambles with control",
    "replicated scrambles",
    "student t of the logarithm",
    "bootstrap",
    "none",
];

/// Reads what [`analysis_to_json`](super::analysis_to_json) gives; a number that is null is NaN.
///
/// # Errors
/// The name of the first part that is missing or is something else.
pub fn analysis_from_json(json: &Json) -> Result<Analysis, String> {
    let technique = Technique::from_word(&text(json, "method")?);
    let technique = technique.ok_or("method")?;
    let outputs = list(json, "outputs")?.iter().map(|json| output(technique, json));
    Ok(Analysis {
        technique,
        estimator: text(json, "estimator")?,
        rows: count(json, "rows")?,
        threshold: number(json, "threshold"),
        outputs: outputs.collect::<Result<_, String>>()?,
    })
}

fn output(technique: Technique, json: &Json) -> Result<OutputAnalysis, String> {
    let (parameters, interval, failures) = (list(json, "parameters")?, &json["interval"], &json["failures"]);
    let method = text(interval, "method")?;
    Ok(OutputAnalysis {
        name: text(json, "name")?,
        indices: indices(technique, parameters, json)?,
        interval: IntervalMethod {
            name: INTERVALS.into_iter().find(|known| *known == method).unwrap_or("other"),
            citation: text(interval, "citation")?,
            confidence: number(interval, "confidence"),
        },
        verdicts: parameters.iter().filter_map(verdict).collect(),
        failures: Failures {
            failed: count(failures, "failed")?,
            missing: count(failures, "missing")?,
            lost: parameters.iter().filter_map(|json| count(json, "lost").ok()).collect(),
            cluster: text(failures, "cluster").ok(),
        },
        warnings: list(json, "warnings")?.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
    })
}

fn indices(technique: Technique, parameters: &[Json], output: &Json) -> Result<Indices, String> {
    fn each<T>(list: &[Json], read: impl Fn(&Json, String) -> Result<T, String>) -> Result<Vec<T>, String> {
        list.iter().map(|json| read(json, text(json, "name")?)).collect()
    }
    Ok(match technique {
        Technique::Vbd => Indices::Vbd {
            factors: each(parameters, |json, name| {
                Ok(VarianceIndex { name, s1: estimate(json, "s1"), st: estimate(json, "st") })
            })?,
            pairs: output["pairs"]
                .as_array()
                .map_or_else(|| Ok(Vec::new()), |pairs| pairs.iter().map(pair).collect())?,
        },
        Technique::Morris => Indices::Morris(each(parameters, |json, name| {
            let (mu, sigma) = (number(json, "mu"), number(json, "sigma"));
            let (mu_star, effects) = (estimate(json, "mu_star"), count(json, "effects")?);
            Ok(MorrisIndex { name, mu, mu_star, sigma, effects })
        })?),
        Technique::Correlation => Indices::Correlation(each(parameters, |json, name| {
            let of = |key: &str| estimate(json, key);
            let (pearson, spearman, pcc) = (of("pearson"), of("spearman"), of("pcc"));
            Ok(Correlation {
                name,
                pearson,
                spearman,
                pcc,
                prcc: of("prcc"),
                src: of("src"),
                srrc: of("srrc"),
            })
        })?),
        Technique::RbdFast => {
            Indices::RbdFast(each(parameters, |json, name| Ok(RbdFast { name, s1: estimate(json, "s1") }))?)
        }
        Technique::Delta => Indices::Delta(each(parameters, |json, name| {
            let (delta, s1) = (estimate(json, "delta"), estimate(json, "s1"));
            Ok(Delta { name, delta, s1, dummy: number(json, "dummy") })
        })?),
        Technique::Pawn => Indices::Pawn(each(parameters, |json, name| {
            let (median, maximum) = (estimate(json, "median"), number(json, "maximum"));
            Ok(Pawn { name, median, maximum, mean: number(json, "mean"), dummy: number(json, "dummy") })
        })?),
    })
}

fn pair(json: &Json) -> Result<SecondOrder, String> {
    Ok(SecondOrder { first: text(json, "first")?, second: text(json, "second")?, s2: estimate(json, "s2") })
}

fn verdict(json: &Json) -> Option<Verdict> {
    let more_rows = json["more_rows"].as_u64();
    [Verdict::Influential, Verdict::NotInfluential, Verdict::Undecided { more_rows }]
        .into_iter()
        .find(|verdict| Some(verdict.word()) == json["verdict"].as_str())
}

fn estimate(json: &Json, key: &str) -> IndexEstimate {
    let [value, low, high] = ["", "_low", "_high"].map(|end| number(json, &format!("{key}{end}")));
    IndexEstimate { value, low, high }
}

fn number(json: &Json, key: &str) -> f64 {
    json[key].as_f64().unwrap_or(f64::NAN)
}

fn count(json: &Json, key: &str) -> Result<usize, String> {
    json[key].as_u64().and_then(|n| usize::try_from(n).ok()).ok_or_else(|| key.to_owned())
}

fn text(json: &Json, key: &str) -> Result<String, String> {
    json[key].as_str().map(str::to_owned).ok_or_else(|| key.to_owned())
}

fn list<'a>(json: &'a Json, key: &str) -> Result<&'a [Json], String> {
    json[key].as_array().map(Vec::as_slice).ok_or_else(|| key.to_owned())
}

#[cfg(test)]
mod tests {
    use onceflow_study::{
        Design, Domain, Method, MorrisDesign, Parameter, SaltelliDesign, Space, Trajectories,
    };

    use super::*;
    use crate::{AnalysisOptions, Outputs, analysis_to_json, analyze, sample};

    fn analysis(technique: Technique) -> Analysis {
        let parameters =
            ["a", "b", "c"].map(|name| Parameter::new(name, Domain::Continuous { from: 0.0, to: 1.0 }));
        let space = Space::new(parameters.to_vec(), Vec::new()).unwrap();
        let method = match technique {
            Technique::Vbd => {
                Method::Saltelli(SaltelliDesign { base: 64, second_order: true, replicates: 4 })
            }
            Technique::Morris => {
                Method::Morris(MorrisDesign { trajectories: 8, values: 4, kind: Trajectories::Plain })
            }
            _ => Method::MonteCarlo { rows: 200 },
        };
        let rows = sample(&space, &Design { method, seed: 5 }).unwrap();
        let model = |row: usize| {
            let x = rows.numbers(row);
            if row == 3 { f64::NAN } else { x[0] * x[1] + x[1] }
        };
        let outputs = Outputs::single("y", (0..rows.len()).map(model).collect());
        let options =
            AnalysisOptions { second_order: true, resamples: 50, ..AnalysisOptions::new(technique) };
        analyze(&space, &rows, &outputs, &options).unwrap()
    }

    #[test]
    fn every_analysis_comes_back() {
        for technique in Technique::ALL {
            let made = analysis(technique);
            let read = analysis_from_json(&analysis_to_json(&made)).unwrap();
            // NaN is not equal to itself, but prints as itself.
            assert_eq!(format!("{read:?}"), format!("{made:?}"));
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let mut json = analysis_to_json(&analysis(Technique::Morris));
        json["outputs"][0]["parameters"][1]["effects"] = Json::Null;
        assert_eq!(analysis_from_json(&json), Err("effects".into()));
        json["method"] = "other".into();
        assert_eq!(analysis_from_json(&json), Err("method".into()));
    }
}
