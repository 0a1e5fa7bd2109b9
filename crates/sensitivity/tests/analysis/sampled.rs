//! Samplers and analysers together: what one makes the other reads.

use onceflow_sensitivity::{
    AnalysisOptions, Estimator, Indices, Oracle, Outputs, Technique, analyze, extend, sample,
};
use onceflow_study::{Design, Domain, Method, MorrisDesign, Parameter, SaltelliDesign, Space, Trajectories};

use crate::designs::{assert_close, evaluate, first_and_total, second, space, values};

#[test]
fn saltelli_samples_come_near_the_exact_indices_of_every_function() {
    let expectations = [
        (Estimator::Controlled, "replicated scrambles with control", 0.008, 0.012),
        (Estimator::Saltelli, "replicated scrambles", 0.04, 0.06),
    ];
    for oracle in Oracle::ALL {
        let (space, truth) = (space(oracle), oracle.truth());
        let method = Method::Saltelli(SaltelliDesign { base: 4096, second_order: false, replicates: 8 });
        let sample = sample(&space, &Design { method, seed: 3 }).unwrap();
        let outputs = Outputs::single("y", evaluate(&sample, |x| oracle.evaluate(x)));
        for (estimator, interval, error, half_width) in expectations {
            let options = AnalysisOptions { estimator, ..AnalysisOptions::new(Technique::Vbd) };
            let analysis = analyze(&space, &sample, &outputs, &options).unwrap();
            let (s1, st) = first_and_total(&analysis);
            assert_close(&values(&s1), &truth.s1, error);
            assert_close(&values(&st), &truth.st, error);
            assert_eq!(analysis.outputs[0].interval.name, interval);
            assert!(s1.iter().chain(&st).all(|e| e.half_width() < half_width), "{oracle:?}, {estimator:?}");
        }
    }
}

/// Only x1 and x3 of Ishigami's function interact.
#[test]
fn second_order_samples_find_the_pair() {
    let oracle = Oracle::Ishigami;
    let space = space(oracle);
    let method = Method::Saltelli(SaltelliDesign { base: 2048, second_order: true, replicates: 8 });
    let sample = sample(&space, &Design { method, seed: 3 }).unwrap();
    let outputs = Outputs::single("y", evaluate(&sample, |x| oracle.evaluate(x)));
    let options = AnalysisOptions { second_order: true, ..AnalysisOptions::new(Technique::Vbd) };
    let pairs = second(&analyze(&space, &sample, &outputs, &options).unwrap());
    assert_close(&values(&pairs), &[0.0, 0.243_684, 0.0], 0.03);
}

#[test]
fn an_extended_sample_narrows_the_intervals() {
    let oracle = Oracle::SobolG;
    let space = space(oracle);
    let width = |sample: &onceflow_sensitivity::Sample| {
        let outputs = Outputs::single("y", evaluate(sample, |x| oracle.evaluate(x)));
        let analysis = analyze(&space, sample, &outputs, &AnalysisOptions::new(Technique::Vbd)).unwrap();
        first_and_total(&analysis).1.iter().map(|e| e.half_width()).sum::<f64>()
    };
    let method = Method::Saltelli(SaltelliDesign { base: 128, second_order: false, replicates: 8 });
    let small = sample(&space, &Design { method, seed: 3 }).unwrap();
    assert!(width(&extend(&space, &small, 2048).unwrap()) < width(&small) / 2.0);
}

/// Every kind of trajectory over domains of every kind has the coefficients of a linear function as effects.
#[test]
fn morris_samples_give_exact_effects_of_a_linear_function() {
    let parameters = vec![
        Parameter::new("a", Domain::Continuous { from: -2.0, to: 2.0 }),
        Parameter::new("b", Domain::Integers { from: 0, to: 6 }),
        Parameter::new("c", Domain::Values(vec![4.0, 8.0])),
        Parameter::new("d", Domain::Steps { from: 2.5, to: 7.5, step: 0.5 }),
    ];
    let space = Space::new(parameters, vec![]).unwrap();
    let f = |x: &[f64]| 5.0 * x[0] / 4.0 - 2.0 * x[1] / 6.0 + x[2] / 4.0 + 0.1 * x[3] / 5.0;
    for kind in [Trajectories::Plain, Trajectories::Optimised { candidates: 40 }, Trajectories::Radial] {
        let method = Method::Morris(MorrisDesign { trajectories: 12, values: 4, kind });
        let sample = sample(&space, &Design { method, seed: 3 }).unwrap();
        let outputs = Outputs::single("y", evaluate(&sample, f));
        let analysis = analyze(&space, &sample, &outputs, &AnalysisOptions::new(Technique::Morris)).unwrap();
        let Indices::Morris(factors) = &analysis.outputs[0].indices else { panic!("not effects") };
        assert_close(&factors.iter().map(|f| f.mu).collect::<Vec<_>>(), &[5.0, -2.0, 1.0, 0.1], 1e-9);
        assert!(factors.iter().all(|f| f.sigma < 1e-9 && f.effects == 12));
    }
}
