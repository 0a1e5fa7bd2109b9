//! Results under SALib's names, for programs written for its dictionaries.

use serde_json::{Map, Value as Json, json};

use super::figures::coefficients;
use crate::{Analysis, Correlation, IndexEstimate, Indices, SecondOrder, VarianceIndex};

/// SALib's dictionary: `S1`, `S1_conf`, `ST`, …, each a list in the order of `names`; a `_conf` is half the width of
/// our interval. Of several outputs, a dictionary of these by output, as SALib does.
pub fn analysis_to_salib(analysis: &Analysis) -> Json {
    match analysis.outputs.as_slice() {
        [one] => dictionary(&one.indices),
        outputs => Json::Object(outputs.iter().map(|o| (o.name.clone(), dictionary(&o.indices))).collect()),
    }
}

fn dictionary(indices: &Indices) -> Json {
    let mut lists = SalibLists(Map::new());
    match indices {
        Indices::Vbd { factors, pairs } => {
            lists.estimates("S1", factors.iter().map(|f| f.s1));
            lists.estimates("ST", factors.iter().map(|f| f.st));
            if !pairs.is_empty() {
                lists.0.insert("S2".into(), matrix(factors, pairs, |s2| s2.value));
                lists.0.insert("S2_conf".into(), matrix(factors, pairs, |s2| s2.half_width()));
            }
            lists.names(factors.iter().map(|f| f.name.as_str()));
        }
        Indices::Morris(factors) => {
            lists.names(factors.iter().map(|f| f.name.as_str()));
            lists.numbers("mu", factors.iter().map(|f| f.mu));
            lists.estimates("mu_star", factors.iter().map(|f| f.mu_star));
            lists.numbers("sigma", factors.iter().map(|f| f.sigma));
        }
        Indices::Correlation(parameters) => correlations(&mut lists, parameters),
        Indices::RbdFast(parameters) => {
            lists.estimates("S1", parameters.iter().map(|p| p.s1));
            lists.names(parameters.iter().map(|p| p.name.as_str()));
        }
        Indices::Delta(parameters) => {
            lists.estimates("delta", parameters.iter().map(|p| p.delta));
            lists.estimates("S1", parameters.iter().map(|p| p.s1));
            lists.names(parameters.iter().map(|p| p.name.as_str()));
        }
        Indices::Pawn(parameters) => {
            lists.numbers("mean", parameters.iter().map(|p| p.mean));
            lists.numbers("median", parameters.iter().map(|p| p.median.value));
            lists.numbers("maximum", parameters.iter().map(|p| p.maximum));
            lists.names(parameters.iter().map(|p| p.name.as_str()));
        }
    }
    Json::Object(lists.0)
}

/// SALib has no correlations; the names are ours.
fn correlations(lists: &mut SalibLists, parameters: &[Correlation]) {
    for (i, name) in ["pearson", "spearman", "pcc", "prcc", "src", "srrc"].into_iter().enumerate() {
        lists.estimates(name, parameters.iter().map(|c| coefficients(c)[i].1));
    }
    lists.names(parameters.iter().map(|c| c.name.as_str()));
}

struct SalibLists(Map<String, Json>);

impl SalibLists {
    fn names<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        self.0.insert("names".into(), names.map(Json::from).collect());
    }

    fn numbers(&mut self, key: &str, numbers: impl Iterator<Item = f64>) {
        self.0.insert(key.into(), numbers.map(|x| json!(x)).collect());
    }

    fn estimates(&mut self, key: &str, estimates: impl Iterator<Item = IndexEstimate> + Clone) {
        self.numbers(key, estimates.clone().map(|e| e.value));
        self.numbers(&format!("{key}_conf"), estimates.map(|e| e.half_width()));
    }
}

/// Upper triangle; the rest is null, where SALib has NaN.
fn matrix(factors: &[VarianceIndex], pairs: &[SecondOrder], number: impl Fn(&IndexEstimate) -> f64) -> Json {
    let place = |name: &str| factors.iter().position(|f| f.name == name);
    let mut rows = vec![vec![Json::Null; factors.len()]; factors.len()];
    for pair in pairs {
        if let (Some(i), Some(j)) = (place(&pair.first), place(&pair.second)) {
            rows[i.min(j)][i.max(j)] = json!(number(&pair.s2));
        }
    }
    json!(rows)
}
