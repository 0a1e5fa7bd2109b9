use super::given::*;
use super::*;
use crate::random::*;
use crate::*;
fn table(oracle: Oracle, rows: usize, seed: u64) -> Table {
    let ps = oracle.parameters();
    let mut s = Stream::new(seed, Purpose::Shuffle, 99, 99);
    let mut t = Table {
        names: ps.iter().map(|p| p.name.clone()).collect(),
        categorical: vec![false; ps.len()],
        columns: vec![vec![]; ps.len()],
        output: vec![],
    };
    for _ in 0..rows {
        let x: Vec<f64> = ps
            .iter()
            .map(|p| {
                let u = unit_from_bits(s.bits());
                match p.domain {
                    onceflow_study::Domain::Continuous { from, to } => from + u * (to - from),
                    onceflow_study::Domain::Integers { from, to } => {
                        from as f64 + (u * ((to - from + 1) as f64)).floor()
                    }
                    _ => 0.0,
                }
            })
            .collect();
        t.output.push(oracle.evaluate(&x));
        for (c, v) in t.columns.iter_mut().zip(&x) {
            c.push(*v);
        }
    }
    t
}
fn recipes() -> [(Technique, Recipe); 4] {
    [
        (Technique::Correlation, correlation::RECIPE),
        (Technique::RbdFast, rbd_fast::RECIPE),
        (Technique::Delta, delta::RECIPE),
        (Technique::Pawn, pawn::RECIPE),
    ]
}
#[test]
fn timing() {
    let mut t = table(Oracle::Morris20, 10_000, 1);
    t.columns.truncate(15);
    t.names.truncate(15);
    t.categorical.truncate(15);
    for (tech, r) in recipes() {
        let start = std::time::Instant::now();
        let found = t.analyse(&r, &Options::new(tech), &mut vec![]);
        println!("{} {:?}", tech.word(), start.elapsed());
        if let Indices::Delta(d) = &found {
            println!("{:?}", &d[..2]);
        }
    }
}
fn flat(i: &Indices) -> Vec<Vec<Estimate>> {
    match i {
        Indices::Correlation(v) => {
            v.iter().map(|c| vec![c.pearson, c.spearman, c.pcc, c.prcc, c.src, c.srrc]).collect()
        }
        Indices::RbdFast(v) => v.iter().map(|c| vec![c.s1]).collect(),
        Indices::Delta(v) => v.iter().map(|c| vec![c.delta, c.s1, Estimate::bare(c.dummy)]).collect(),
        Indices::Pawn(v) => v.iter().map(|c| vec![c.median, Estimate::bare(c.dummy)]).collect(),
        _ => vec![],
    }
}
#[test]
fn cover() {
    let mut o = |tech, oracle, n: usize, seeds: u64, big: usize| {
        let r = recipes().into_iter().find(|(t, _)| *t == tech).unwrap().1;
        let mut opt = Options::new(tech);
        opt.resamples = 2;
        let truth: Vec<Vec<f64>> = if tech == Technique::RbdFast {
            let t: Oracle = oracle;
            t.truth().s1.iter().map(|s| vec![*s]).collect()
        } else {
            let tb = table(oracle, big, 12345);
            flat(&tb.analyse(&r, &opt, &mut vec![]))
                .iter()
                .map(|v| v.iter().map(|e| e.value).collect())
                .collect()
        };
        opt.resamples = 400;
        let k = truth.len();
        let m = truth[0].len();
        let mut hit = vec![vec![0; m]; k];
        let mut mean = vec![vec![0.0; m]; k];
        let mut hw = vec![vec![0.0; m]; k];
        let mut sq = vec![vec![0.0; m]; k];
        for s in 0..seeds {
            let f = flat(&table(oracle, n, s).analyse(&r, &opt, &mut vec![]));
            for i in 0..k {
                for j in 0..m {
                    let e = f[i][j];
                    if e.low <= truth[i][j] && truth[i][j] <= e.high {
                        hit[i][j] += 1;
                    }
                    mean[i][j] += e.value / seeds as f64;
                    hw[i][j] += e.half_width() / seeds as f64;
                    sq[i][j] += e.value * e.value / seeds as f64;
                }
            }
        }
        println!("== {} {} n={n}", tech.word(), oracle.name());
        for i in 0..k.min(6) {
            for j in 0..m {
                print!(
                    "  [t {:.3} m {:.3} sd {:.3} hw {:.3} c {:.2}]",
                    truth[i][j],
                    mean[i][j],
                    (sq[i][j] - mean[i][j].powi(2)).sqrt(),
                    hw[i][j],
                    hit[i][j] as f64 / seeds as f64
                );
            }
            println!();
        }
    };
    for n in [100, 500, 2000] {
        for oracle in [Oracle::Ishigami, Oracle::SobolG, Oracle::RoughDiscrete] {
            o(Technique::Correlation, oracle, n, 200, 200_000);
            o(Technique::RbdFast, oracle, n, 200, 0);
            o(Technique::Delta, oracle, n, 100, 200_000);
            o(Technique::Pawn, oracle, n, 200, 200_000);
        }
    }
}
