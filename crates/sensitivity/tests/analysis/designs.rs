//! Designs made by plain random numbers, independently of the samplers under test.

use onceflow_sensitivity::{
    Analysis, IndexEstimate, Indices, Oracle, RowRole, Sample, SampleRow, analysis_to_json, read_effects,
};
use onceflow_study::{Domain, KeepRule, Parameter, SourceText, Space};

/// SplitMix64.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    fn shuffled(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        (1..n).rev().for_each(|i| order.swap(i, self.below(i + 1)));
        order
    }
}

pub(crate) fn space(oracle: Oracle) -> Space {
    Space::new(oracle.parameters(), vec![]).unwrap()
}

/// Continuous parameters x1, x2, … on the unit interval, with groups by name (`""` for none).
pub(crate) fn unit_space(groups: &[&str]) -> Space {
    let parameter = |(i, group): (usize, &&str)| {
        let mut p = Parameter::new(format!("x{}", i + 1), Domain::Continuous { from: 0.0, to: 1.0 });
        p.group = (!group.is_empty()).then(|| (*group).into());
        p
    };
    Space::new(groups.iter().enumerate().map(parameter).collect(), vec![]).unwrap()
}

pub(crate) fn empty(parameters: usize) -> Sample {
    Sample { design: None, rows: vec![], values: vec![], parameters }
}

pub(crate) fn push(sample: &mut Sample, role: RowRole, base: u64, replicate: u64, values: &[f64]) {
    let id = sample.rows.len() as u64;
    sample.rows.push(SampleRow { id, role, base, replicate, duplicate_of: None });
    sample.values.extend(values);
}

fn value(domain: &Domain, unit: f64) -> f64 {
    match domain {
        Domain::Continuous { from, to } => from + unit * (to - from),
        Domain::Categories(words) => (unit * words.len() as f64).floor(),
        countable => {
            let place = (unit * countable.count().unwrap() as f64) as u64;
            countable.value(place).and_then(|v| v.as_f64()).unwrap()
        }
    }
}

/// A Saltelli design on plain random base rows, dealt in turn to replicates.
pub(crate) fn saltelli(
    space: &Space,
    base: u64,
    second_order: bool,
    replicates: u64,
    draw: &mut Draw,
) -> Sample {
    let parameters = space.parameters();
    let mut sample = empty(parameters.len());
    for number in 0..base {
        let mut row = || parameters.iter().map(|p| value(&p.domain, draw.unit())).collect::<Vec<f64>>();
        let (a, b) = (row(), row());
        let mixed = |x: &[f64], y: &[f64], factor: usize| {
            let mut mixed = x.to_vec();
            space.factors()[factor].members.iter().for_each(|m| mixed[*m] = y[*m]);
            mixed
        };
        let mut add = |role, values: &[f64]| push(&mut sample, role, number, number % replicates, values);
        add(RowRole::A, &a);
        (0..space.factors().len()).for_each(|f| add(RowRole::Ab(f), &mixed(&a, &b, f)));
        if second_order {
            (0..space.factors().len()).for_each(|f| add(RowRole::Ba(f), &mixed(&b, &a, f)));
        }
        add(RowRole::B, &b);
    }
    sample
}

/// Trajectories (or stars) over four values of each continuous parameter and all of each countable one; half a range
/// is stepped.
pub(crate) fn morris(space: &Space, trajectories: u64, radial: bool, draw: &mut Draw) -> Sample {
    let parameters = space.parameters();
    let count = |p: &Parameter| p.domain.count().unwrap_or(4) as usize;
    let at = |p: &Parameter, place: usize| match &p.domain {
        Domain::Continuous { from, to } => from + place as f64 / 3.0 * (to - from),
        Domain::Categories(_) => place as f64,
        countable => countable.value(place as u64).and_then(|v| v.as_f64()).unwrap(),
    };
    let mut sample = empty(parameters.len());
    for number in 0..trajectories {
        let mut places: Vec<usize> = parameters.iter().map(|p| draw.below(count(p))).collect();
        let numbers = |places: &[usize]| -> Vec<f64> {
            parameters.iter().zip(places).map(|(p, place)| at(p, *place)).collect()
        };
        push(&mut sample, RowRole::Start, number, 0, &numbers(&places));
        for factor in draw.shuffled(space.factors().len()) {
            let before = places.clone();
            for m in &space.factors()[factor].members {
                let (n, half) = (count(&parameters[*m]), count(&parameters[*m]) / 2);
                places[*m] = if places[*m] + half < n { places[*m] + half } else { places[*m] - half };
            }
            push(&mut sample, RowRole::Step(factor), number, 0, &numbers(&places));
            if radial {
                places = before;
            }
        }
    }
    sample
}

pub(crate) fn evaluate(sample: &Sample, f: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    (0..sample.len()).map(|row| f(sample.numbers(row))).collect()
}

/// First order and total of the first output.
pub(crate) fn first_and_total(analysis: &Analysis) -> (Vec<IndexEstimate>, Vec<IndexEstimate>) {
    let Indices::Vbd { factors, .. } = &analysis.outputs[0].indices else { panic!("not variance-based") };
    factors.iter().map(|f| (f.s1, f.st)).unzip()
}

pub(crate) fn second(analysis: &Analysis) -> Vec<IndexEstimate> {
    let Indices::Vbd { pairs, .. } = &analysis.outputs[0].indices else { panic!("not variance-based") };
    pairs.iter().map(|p| p.s2).collect()
}

pub(crate) fn values(estimates: &[IndexEstimate]) -> Vec<f64> {
    estimates.iter().map(|e| e.value).collect()
}

pub(crate) fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance, "expected {expected:?}, found {found:?}");
    }
}

/// Factors that a later phase keeps by the rule of a study, read from the analysis as a user hands it on.
pub(crate) fn kept(analysis: &Analysis, share: f64) -> Vec<String> {
    let source = SourceText::new("indices.json", analysis_to_json(analysis).to_string());
    let rule = KeepRule { phase: "screen".into(), metric: None, share, at_least: 1, at_most: None };
    rule.choose(&read_effects(&source, Some("y")).unwrap())
}
