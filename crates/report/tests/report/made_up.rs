//! A made-up run: a small function in place of images, sampled and analysed by the real statistics.

use std::collections::BTreeMap;

use onceflow_report::{
    Amounts, Answer, CropOverview, ImageAnalysis, ImageCrop, ImageRecord, ImageSummary, KeptParameters,
    LegendEntry, MetricTable, PhaseAnswer, Pictures, ProposedWork, Provenance, RowMarks, RowRecord,
    RowStatus, TraceEntry, UsedFile, WorkAccount, best,
};
use onceflow_sensitivity::{
    Analysis, AnalysisOptions, IndexProgress, OutputStatus, Outputs, Sample, Technique, analyze, convergence,
    sample,
};
use onceflow_study::{
    Against, Design, Domain, FactorEffect, KeepRule, LatinHypercube, Method, Metric, MorrisDesign, Parameter,
    SaltelliDesign, Seams, Space, Trajectories, Value,
};

/// What a row gives on an image: dice, change, density and objects, or why it failed.
pub(crate) type Model = fn(image: usize, x: &dyn Fn(&str) -> f64) -> Result<(f64, f64, f64), &'static str>;

/// Two phases, two images of which the first has truth, three metrics, some failed rows.
pub(crate) fn two_phases() -> Answer {
    Study { space: space(), model, metrics: metrics(), images: images() }.run(true)
}

pub(crate) fn metrics() -> Vec<Metric> {
    let metric = |name: &str, measure: &str, against| Metric {
        name: name.into(),
        of: Some("nuclei".into()),
        measure: Some(measure.into()),
        against,
    };
    vec![
        metric("dice", "dice", Against::Truth),
        metric("change", "pixel_difference", Against::Default),
        metric("density", "objects_per_mm2", Against::Nothing),
    ]
}

pub(crate) fn images() -> Vec<ImageSummary> {
    let image = |name: &str, truth_objects| ImageSummary {
        name: name.into(),
        width: 1000,
        height: 1000,
        um_per_pixel: Some(0.25),
        resampled: None,
        parts: 1,
        left_out: 0,
        truth_objects,
    };
    vec![image("breast-01", Some(314)), image("kidney-04", None)]
}

pub(crate) fn space() -> Space {
    let steps = |name: &str, from: f64, to: f64, step: f64, default: f64| {
        let mut parameter = Parameter::new(name, Domain::Steps { from, to, step });
        parameter.default = Some(Value::Real(default));
        parameter
    };
    let mut connectivity = Parameter::new("connectivity", Domain::Values(vec![4.0, 8.0]));
    connectivity.default = Some(Value::Real(8.0));
    let parameters = vec![
        steps("blue", 210.0, 240.0, 10.0, 220.0),
        steps("T1", 2.5, 7.5, 0.5, 5.0),
        steps("G1", 5.0, 80.0, 5.0, 80.0),
        steps("minSize", 2.0, 40.0, 2.0, 11.0),
        steps("maxSize", 900.0, 1500.0, 50.0, 1000.0),
        steps("G2", 2.0, 40.0, 2.0, 45.0),
        connectivity,
    ];
    Space::new(parameters, Vec::new()).unwrap()
}

fn model(image: usize, x: &dyn Fn(&str) -> f64) -> Result<(f64, f64, f64), &'static str> {
    if x("G2") < 3.0 && x("G1") > 74.0 {
        return Err("no memory for 3 labels");
    }
    let (g1, g2, size) = (x("G1") / 80.0, x("G2") / 40.0, (x("maxSize") - 900.0) / 600.0);
    let split = if x("connectivity") > 6.0 { 0.04 } else { 0.0 };
    let shift = image as f64 * 0.03;
    // Rough, so that no polynomial explains it and intervals have a width.
    let rough = (17.3 * g1 + 7.1 * g2 + 3.7 * size + 0.37 * x("minSize") + split).fract();
    let dice = 0.7 - 0.5 * (g1 - 0.5) * (g1 - 0.5) - 0.1 * (g2 - 0.4) * (g2 - 0.4)
        + 0.05 * size * g1
        + split * 0.8
        + 0.12 * rough * g2;
    let change = 90_000.0 * (1.2 - g2) + 15_000.0 * (1.0 - g1) + 400.0 * x("minSize") + 9000.0 * rough;
    let density = 5000.0
        + 6000.0 * (1.0 - split * 20.0)
        + 3000.0 * (1.0 - g2)
        + 300.0 * (x("T1") - 5.0)
        + 2000.0 * rough;
    Ok((dice - shift, change * (1.0 + shift), density * (1.0 - shift)))
}

/// What a run is made from.
pub(crate) struct Study {
    pub(crate) space: Space,
    pub(crate) model: Model,
    pub(crate) metrics: Vec<Metric>,
    pub(crate) images: Vec<ImageSummary>,
}

impl Study {
    /// A screen, and a decomposition of what it keeps.
    pub(crate) fn run(&self, decompose: bool) -> Answer {
        let mut table = self.table();
        let morris = Method::Morris(MorrisDesign { trajectories: 20, values: 4, kind: Trajectories::Plain });
        let screen = self.phase(&mut table, "screen", "moat", &self.space, morris, Technique::Morris, None);
        let mut phases = vec![screen];
        if decompose {
            let kept = kept(&phases[0], &self.metrics[0].name, self.space.factors().len());
            let space = self.space.keep(&kept.names).unwrap();
            let saltelli =
                SaltelliDesign { base: 256, second_order: false, replicates: SaltelliDesign::REPLICATES };
            let method = Method::Saltelli(saltelli);
            phases.push(self.phase(
                &mut table,
                "decompose",
                "vbd",
                &space,
                method,
                Technique::Vbd,
                Some(kept),
            ));
        }
        self.answer(table, phases)
    }

    /// Scattered rows, of which only correlations can be told.
    pub(crate) fn sweep(&self) -> Answer {
        let mut table = self.table();
        let method = Method::LatinHypercube { rows: 100, kind: LatinHypercube::Plain };
        let phase = self.phase(&mut table, "sweep", "lhs", &self.space, method, Technique::Correlation, None);
        self.answer(table, vec![phase])
    }

    fn table(&self) -> MetricTable {
        let mut table = MetricTable {
            parameters: names(&self.space),
            metrics: self.metrics.iter().map(|m| m.name.clone()).collect(),
            images: self.images.iter().map(|i| i.name.clone()).collect(),
            rows: Vec::new(),
        };
        table.rows.push(self.row(0, None, "reference".into(), 0, &self.defaults()));
        table
    }

    fn answer(&self, table: MetricTable, phases: Vec<PhaseAnswer>) -> Answer {
        let parameters = self.space.parameters();
        let best = best(&table, &self.metrics, parameters, &self.images, &phases);
        let best = best.map(|best| match best.proposal(&table) {
            Some(values) => {
                let row = self.row(9999, None, "proposed".into(), 0, &values);
                best.with_proposed(&row, &table, &self.metrics, parameters)
            }
            None => best,
        });
        let work = work(table.rows.len() as u64, self.images.len() as u64);
        Answer {
            tuning: None,
            study: "nuclei-two-slides".into(),
            workflow: "nuclei 1".into(),
            seed: 2026,
            images: self.images.clone(),
            metrics: self.metrics.clone(),
            seams: Seams::Owned,
            halo: 148,
            table,
            phases,
            best,
            work,
            notes: Vec::new(),
        }
    }

    fn defaults(&self) -> Vec<Value> {
        self.space.parameters().iter().map(|p| p.default.clone().unwrap()).collect()
    }

    #[allow(clippy::too_many_arguments)]
    fn phase(
        &self,
        table: &mut MetricTable,
        name: &str,
        word: &str,
        space: &Space,
        method: Method,
        technique: Technique,
        kept: Option<KeptParameters>,
    ) -> PhaseAnswer {
        let rows = sample(space, &Design { method, seed: 2026 }).unwrap();
        let first = table.rows.len();
        for place in 0..rows.len() {
            let mut values = self.defaults();
            for (parameter, own) in space.parameters().iter().zip(0..) {
                values[self.space.index_of(&parameter.name).unwrap()] = rows.value(space, place, own);
            }
            let (role, number) = (rows.rows[place].role.text(space), (first + place) as u64);
            let row = self.row(number, Some(name.into()), role, rows.rows[place].base, &values);
            table.rows.push(row);
        }
        let records = &table.rows[first..];
        let of = |column: &dyn Fn(&RowRecord, usize) -> Option<f64>| {
            analysis(space, &rows, &self.metrics, records, technique, column)
        };
        let image = |image: usize| ImageAnalysis {
            image,
            analyses: of(&|row, metric| row.images[image].metrics[metric]).into_iter().collect(),
        };
        let failed = records.iter().filter(|r| matches!(r.status, RowStatus::Failed { .. })).count() as u64;
        PhaseAnswer {
            name: name.into(),
            method: word.into(),
            space: space.clone(),
            rows: first..table.rows.len(),
            kept,
            analyses: of(&|row, metric| row.metrics[metric]).into_iter().collect(),
            per_image: if self.images.len() > 1 {
                (0..self.images.len()).map(image).collect()
            } else {
                Vec::new()
            },
            progress: progress(space, &rows, &self.metrics, records, technique),
            computed: 7 * rows.len() as u64,
            reused: 17 * rows.len() as u64 - 4 * failed,
            failed,
            seconds: rows.len() as f64 / 100.0,
        }
    }

    fn row(&self, row: u64, phase: Option<String>, role: String, base: u64, values: &[Value]) -> RowRecord {
        let x = |name: &str| values[self.space.index_of(name).unwrap()].as_f64().unwrap();
        let results: Vec<_> = (0..self.images.len()).map(|image| (self.model)(image, &x)).collect();
        let images: Vec<ImageRecord> =
            results.iter().zip(&self.images).map(|(result, image)| self.record(result, image)).collect();
        let failure =
            images.iter().find(|image| image.status != RowStatus::Ok).map(|image| image.status.clone());
        let mean = |metric: usize| {
            let values: Vec<f64> = images.iter().filter_map(|image| image.metrics[metric]).collect();
            (failure.is_none() && !values.is_empty())
                .then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let metrics = (0..self.metrics.len()).map(mean).collect();
        let status = failure.unwrap_or(RowStatus::Ok);
        RowRecord { row, phase, role, base, status, values: values.to_vec(), metrics, images }
    }

    fn record(&self, result: &Result<(f64, f64, f64), &'static str>, image: &ImageSummary) -> ImageRecord {
        match result {
            Ok((dice, change, density)) => {
                let all = [*dice, *change, *density];
                let value = |(metric, value): (&Metric, f64)| {
                    (metric.against != Against::Truth || image.truth_objects.is_some()).then_some(value)
                };
                let metrics = self.metrics.iter().zip(all).map(value).collect();
                ImageRecord { status: RowStatus::Ok, metrics, objects: Some((density / 16.0) as u64) }
            }
            Err(message) => {
                let status = RowStatus::Failed { task: "t6_flood".into(), message: (*message).into() };
                ImageRecord { status, metrics: vec![None; self.metrics.len()], objects: None }
            }
        }
    }
}

fn names(space: &Space) -> Vec<String> {
    space.parameters().iter().map(|p| p.name.clone()).collect()
}

/// Metrics without any value are left out, as an image without truth has it; rows that all failed have no analysis.
fn analysis(
    space: &Space,
    sample: &Sample,
    metrics: &[Metric],
    records: &[RowRecord],
    technique: Technique,
    column: &dyn Fn(&RowRecord, usize) -> Option<f64>,
) -> Option<Analysis> {
    let outputs = outputs(metrics, records, column);
    if outputs.names.is_empty() {
        return None;
    }
    analyze(space, sample, &outputs, &options(technique)).ok()
}

fn options(technique: Technique) -> AnalysisOptions {
    AnalysisOptions { resamples: 200, ..AnalysisOptions::new(technique) }
}

fn progress(
    space: &Space,
    sample: &Sample,
    metrics: &[Metric],
    records: &[RowRecord],
    technique: Technique,
) -> Vec<IndexProgress> {
    let outputs = outputs(metrics, records, &|row, metric| row.metrics[metric]);
    let parts = convergence(space, sample, &outputs, &options(technique), 4).unwrap_or_default();
    (0..outputs.names.len()).filter_map(|output| IndexProgress::of(&parts, output)).collect()
}

fn outputs(
    metrics: &[Metric],
    records: &[RowRecord],
    column: &dyn Fn(&RowRecord, usize) -> Option<f64>,
) -> Outputs {
    let status = records
        .iter()
        .map(|r| if r.status == RowStatus::Ok { OutputStatus::Ok } else { OutputStatus::Failed })
        .collect();
    let mut outputs = Outputs { status, ..Outputs::default() };
    for (place, metric) in metrics.iter().enumerate() {
        let values: Vec<f64> = records.iter().map(|r| column(r, place).unwrap_or(f64::NAN)).collect();
        if values.iter().any(|v| v.is_finite()) {
            outputs.names.push(metric.name.clone());
            outputs.columns.push(values);
        }
    }
    outputs
}

fn kept(phase: &PhaseAnswer, metric: &str, of: usize) -> KeptParameters {
    let json = onceflow_sensitivity::analysis_to_json(&phase.analyses[0]);
    let parameters = json["outputs"][0]["parameters"].as_array().unwrap().clone();
    let effect = |p: &serde_json::Value| FactorEffect {
        name: p["name"].as_str().unwrap().into(),
        value: p["mu_star"].as_f64().unwrap(),
        high: p["mu_star_high"].as_f64().unwrap(),
    };
    let effects: Vec<FactorEffect> = parameters.iter().map(effect).collect();
    let rule = KeepRule { phase: phase.name.clone(), metric: None, share: 0.10, at_least: 1, at_most: None };
    KeptParameters { phase: phase.name.clone(), metric: metric.into(), names: rule.choose(&effects), of }
}

fn work(rows: u64, images: u64) -> WorkAccount {
    let tasks = |share: f64| (rows * images) as f64 * share;
    let tasks = Amounts {
        asked: tasks(12.0),
        stage: tasks(3.0),
        task: tasks(4.0),
        dataflow: tasks(0.5),
        convergent: tasks(1.0 / 3.0),
        object: tasks(1.0 / 6.0),
        products: 0.0,
        ended_early: 0.0,
        failed: 2.0,
        resumed: 0.0,
        computed: tasks(4.0) - 2.0,
    };
    let cost = 0.004_775;
    let seconds = Amounts {
        asked: tasks.asked * cost,
        stage: tasks.stage * cost,
        task: tasks.task * cost,
        dataflow: tasks.dataflow * cost,
        convergent: tasks.convergent * cost,
        object: tasks.object * cost,
        products: 0.0,
        ended_early: 0.0,
        failed: tasks.failed * cost,
        resumed: 0.0,
        computed: tasks.computed * cost,
    };
    WorkAccount {
        tasks,
        seconds,
        earlier: Vec::new(),
        wall: 28.1,
        workers: 2,
        spilled: 0,
        spilled_bytes: 0,
        recomputed: 0,
        objects: BTreeMap::default(),
        digesting: 0.0,
        grain: Vec::new(),
        peak_reserved: 118_000_000,
        peak_resident: Some(150_000_000),
        memory: 2 << 30,
        rows,
        instances: rows * images,
        proposed: proposed(images as f64, cost),
    }
}

/// One row on each image.
fn proposed(images: f64, cost: f64) -> ProposedWork {
    let amounts = |unit: f64| Amounts {
        asked: 12.0 * unit,
        dataflow: 7.0 * unit,
        computed: 5.0 * unit,
        ..Amounts::default()
    };
    ProposedWork { tasks: amounts(images), seconds: amounts(images * cost), wall: 0.2 }
}

/// Two pieces of images that no browser could show, with rows in them.
pub(crate) fn pictures() -> Pictures {
    let crop = |image| ImageCrop {
        image,
        left: 100,
        top: 2000,
        width: 400,
        height: 400,
        with_truth: image == 0,
        truth: (image == 0).then(|| vec![8, 9]),
        overview: Some(CropOverview { left: 0, top: 1800, width: 1000, height: 800, png: vec![10, 11] }),
        png: vec![1, 2, 3, 4],
    };
    let shown = |crop, row| RowMarks { crop, row, marks: vec![5, 6, 7] };
    Pictures {
        crops: vec![crop(0), crop(1)],
        shown: vec![shown(0, 0), shown(0, 9), shown(1, 0)],
        gallery: vec![shown(0, 4), shown(0, 25)],
        legend: vec![
            LegendEntry { colour: [0, 220, 130], words: "both" },
            LegendEntry { colour: [0, 180, 255], words: "only the truth" },
            LegendEntry { colour: [255, 170, 0], words: "only found" },
        ],
    }
}

/// Where a made-up run came from.
pub(crate) fn provenance() -> Provenance {
    let file = |role, file: &str| UsedFile {
        image: "breast-01".into(),
        role,
        file: file.into(),
        digest: "9f".repeat(32),
    };
    Provenance {
        study: "# Which parameters matter, and why?\nname = \"nuclei-two-slides\"\n".into(),
        workflow: "{ \"workflow\": \"nuclei\" }\n".into(),
        origin: "/data/study.toml".into(),
        folder: "runs/first".into(),
        command: "onceflow run study.toml -o runs/first".into(),
        began: "2026-01-02T03:04:05Z".into(),
        ended: "2026-01-02T03:04:33Z".into(),
        files: vec![file("image", "slides/breast-01.svs"), file("truth", "truth/breast-01.geojson")],
    }
}

/// Two workers that take turns with two tasks.
pub(crate) fn trace() -> Vec<TraceEntry> {
    let entry = |place: usize| TraceEntry {
        phase: "screen".into(),
        task: ["t1", "t6_flood"][place % 2].into(),
        row: place,
        site: 0,
        worker: place % 2,
        start: place as f64 * 0.5,
        seconds: 0.75,
        bytes: 1 << 20,
        cause: "first come",
        outcome: onceflow_report::TraceOutcome::Computed,
    };
    (0..40).map(entry).collect()
}
