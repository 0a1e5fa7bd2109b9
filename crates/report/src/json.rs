//! The answer for programs: fixed names, and null where there is no number.

use onceflow_reuse::{GrainChange, GrainTask, ObjectCounts};
use onceflow_sensitivity::{Analysis, analysis_to_json};
use onceflow_study::Value;
use serde_json::{Map, Value as Json, json};

use crate::words::failed;
use crate::{
    Amounts, Answer, BestRow, EarlierRun, LeftOutSlide, PhaseAnswer, PhaseGrain, ProposedWork, Provenance,
    SlideGain, TakenSum, TuneAnswer, TunedMetric, TunedRow, UsedFile, WorkAccount,
};

/// The indices of each phase, over all images and for each image.
pub fn indices_json(answer: &Answer) -> Json {
    let phases: Vec<Json> = answer.phases.iter().map(|phase| phase_json(answer, phase)).collect();
    json!({ "version": 1, "study": answer.study, "phases": phases })
}

fn phase_json(answer: &Answer, phase: &PhaseAnswer) -> Json {
    let kept = phase.kept.as_ref().map(
        |kept| json!({ "phase": kept.phase, "metric": kept.metric, "names": kept.names, "of": kept.of }),
    );
    let image = |image: &crate::ImageAnalysis| {
        let name = answer.images.get(image.image).map(|i| i.name.as_str());
        json!({ "name": name, "analyses": analyses(&image.analyses) })
    };
    json!({
        "name": phase.name,
        "method": phase.method,
        "kept": kept,
        "rows": phase.rows.len(),
        "analyses": analyses(&phase.analyses),
        "images": phase.per_image.iter().map(image).collect::<Vec<_>>(),
    })
}

fn analyses(analyses: &[Analysis]) -> Vec<Json> {
    analyses.iter().map(analysis_to_json).collect()
}

/// The account of a run: what `run --json` prints.
pub fn run_json(answer: &Answer) -> Json {
    let (work, tasks) = (&answer.work, &answer.work.tasks);
    let mut object = json!({
        "version": 1,
        "tasks": {
            "asked": count(tasks.asked),
            "computed": count(tasks.computed),
            "recomputed": work.recomputed,
            "failed": count(tasks.failed),
            "resumed": count(tasks.resumed),
            "by": by(tasks),
        },
        "cost": { "asked": work.seconds.asked, "computed": work.seconds.computed },
        "objects": objects(work),
        "digesting_s": work.digesting,
        "granularity": grain_json(&work.grain)["phases"],
        "rows": work.rows,
        "instances": work.instances,
        "failed": failed(answer),
        "wall_s": work.wall,
        "peak_rss_bytes": work.peak_resident,
    });
    if !work.earlier.is_empty() {
        object["earlier"] = work.earlier.iter().map(earlier).collect();
    }
    if work.proposed.tasks.asked > 0.0 {
        object["proposed"] = proposed(&work.proposed);
    }
    object
}

fn proposed(ProposedWork { tasks, seconds, wall }: &ProposedWork) -> Json {
    json!({
        "tasks": {
            "asked": count(tasks.asked),
            "computed": count(tasks.computed),
            "failed": count(tasks.failed),
            "resumed": count(tasks.resumed),
            "by": by(tasks),
        },
        "cost": { "asked": seconds.asked, "computed": seconds.computed },
        "wall_s": wall,
    })
}

fn earlier(run: &EarlierRun) -> Json {
    json!({
        "run": run.run, "rows": run.rows, "compared": run.compared, "tasks": run.tasks, "seconds_saved": run.seconds,
        "of": run.of.iter().map(taken_sum).collect::<Vec<_>>(),
    })
}

fn taken_sum(of: &TakenSum) -> Json {
    json!({ "phase": of.phase, "task": of.task, "results": of.results, "seconds_saved": of.seconds })
}

/// Objects that tasks worked on one by one, by task.
fn objects(work: &WorkAccount) -> Map<String, Json> {
    let of = |counts: &ObjectCounts| {
        json!({
            "asked": counts.asked,
            "known": counts.found,
            "pixels_asked": counts.pixels_asked,
            "pixels_known": counts.pixels_found,
            "seconds_looking": counts.seconds_looking,
            "seconds_spent": counts.seconds_spent,
            "seconds_saved": counts.seconds_saved(),
        })
    };
    work.objects.iter().map(|(task, counts)| (task.clone(), of(counts))).collect()
}

/// What was saved, by what saved it.
fn by(tasks: &Amounts) -> Json {
    json!({
        "stage": count(tasks.stage),
        "task": count(tasks.task),
        "dataflow": count(tasks.dataflow),
        "convergent": count(tasks.convergent),
        "object": count(tasks.object),
        "products": count(tasks.products),
        "ended_early": count(tasks.ended_early),
    })
}

/// Tasks are whole: written without a point.
fn count(tasks: f64) -> u64 {
    tasks.max(0.0).round() as u64
}

/// The values that are proposed, the resolution they were found at, the best row behind them, and the warnings about it; `row`
/// is null when there is none.
pub fn best_json(answer: &Answer) -> Json {
    let first = answer.metrics.first().map(|m| m.name.as_str());
    let metric = answer.tuning.as_ref().map_or(first, |tuning| tuning.objectives.first().map(String::as_str));
    let mut object =
        json!({ "version": 1, "study": answer.study, "workflow": answer.workflow, "metric": metric });
    object["um_per_pixel"] = json!(answer.um_per_pixel());
    object["row"] = Json::Null;
    let found = answer.best.as_ref().and_then(|best| Some((best, answer.table.rows.get(best.row)?)));
    if let Some((best, row)) = found {
        let parameters = |values: &[Value]| -> Map<String, Json> {
            let pairs = answer.table.parameters.iter().zip(values);
            pairs.map(|(name, value)| (name.clone(), value_json(value))).collect()
        };
        let proposed = best.proposed.as_ref();
        object["row"] = json!(row.row);
        object["value"] = json!(proposed.map_or(best.value, |proposed| proposed.value));
        object["default"] = json!(best.default);
        object["parameters"] =
            parameters(proposed.map_or(&row.values, |proposed| &proposed.row.values)).into();
        object["changes"] = changes(best);
        object["kept"] = best.kept.iter().map(|(name, value)| (name.clone(), value_json(value))).collect();
        object["without_influence"] = json!(best.without_influence);
        object["best_row"] = json!({ "value": best.value, "parameters": parameters(&row.values) });
        object["warnings"] = json!(best.warnings);
        if let Some(tuning) = &answer.tuning {
            add_tuning(&mut object, answer, tuning);
        }
    }
    object
}

/// Where no gain is confirmed the values are the defaults; those that tuning found stand beside them.
fn add_tuning(object: &mut Json, answer: &Answer, tuning: &TuneAnswer) {
    let named = |values: &[Value]| -> Map<String, Json> {
        let pairs = answer.table.parameters.iter().zip(values);
        pairs.map(|(name, value)| (name.clone(), value_json(value))).collect()
    };
    object["confirmed"] = json!(tuning.verdict().word());
    object["tuned"] = named(&tuning.values).into();
    object["recommended"] = json!(if tuning.recommends_defaults() { "default" } else { "best" });
    object["held_out"] = held_out_json(tuning);
    let defaults = answer.table.rows.iter().find(|row| row.role == "reference");
    if let Some(defaults) = defaults.filter(|_| tuning.recommends_defaults()) {
        object["parameters"] = named(&defaults.values).into();
        object["changes"] = json!([]);
    }
}

/// What `tune --json` prints.
pub fn tune_json(answer: &Answer) -> Json {
    let Some(tuning) = &answer.tuning else {
        return json!({ "version": 1, "evaluations": 0, "best": Json::Null, "wall_s": answer.work.wall });
    };
    let metrics = |of: &dyn Fn(&TunedMetric) -> Option<f64>| -> Map<String, Json> {
        tuning.metrics.iter().map(|metric| (metric.name.clone(), json!(of(metric)))).collect()
    };
    let parameters: Map<String, Json> = answer
        .table
        .parameters
        .iter()
        .zip(&tuning.values)
        .map(|(name, value)| (name.clone(), value_json(value)))
        .collect();
    let row = answer.table.rows.get(tuning.row).map(|row| row.row);
    let front = |row: &TunedRow| json!({ "row": row.row, "objectives": row.objectives });
    json!({
        "version": 1,
        "evaluations": tuning.evaluations,
        "objectives": tuning.objectives,
        "over": tuning.over,
        "tuner": tuning.tuner,
        "images": tuning.images,
        "best": { "row": row, "parameters": parameters, "metrics": metrics(&|metric| metric.best) },
        "default": { "metrics": metrics(&|metric| metric.default) },
        "held_out": held_out_json(tuning),
        "confirmed": tuning.verdict().word(),
        "recommended": if tuning.recommends_defaults() { "default" } else { "best" },
        "changes": tuning.changes.iter().map(|c| json!({
            "parameter": c.parameter, "from": value_json(&c.from), "to": value_json(&c.to)
        })).collect::<Vec<_>>(),
        "returned_to_default": tuning.returned,
        "at_ends": tuning.ends.iter().map(|end| json!({
            "parameter": end.parameter, "value": value_json(&end.value), "wider": end.wider
        })).collect::<Vec<_>>(),
        "flips": tuning.flips.iter().map(|flip| json!({
            "parameter": flip.parameter,
            "from": value_json(&flip.from),
            "to": value_json(&flip.to),
            "value": flip.value,
        })).collect::<Vec<_>>(),
        "flips_untried": tuning.untried,
        "failed_on": tuning.failed_on,
        "left_out": tuning.left_out.iter().map(left_out_json).collect::<Vec<_>>(),
        "front": tuning.front.iter().map(front).collect::<Vec<_>>(),
        "warnings": tuning.doubts(),
        "wall_s": answer.work.wall,
    })
}

fn left_out_json(slide: &LeftOutSlide) -> Json {
    json!({
        "slide": slide.slide,
        "evaluations": slide.evaluations,
        "training_gain": slide.training_gain,
        "default": slide.found.map(|(default, _)| default),
        "best": slide.found.map(|(_, best)| best),
    })
}

fn held_out_json(tuning: &TuneAnswer) -> Json {
    let Some(held) = &tuning.held_out else { return Json::Null };
    let slide =
        |s: &SlideGain| json!({ "slide": s.slide, "images": s.images, "default": s.default, "best": s.best });
    json!({
        "default": held.default,
        "best": held.best,
        "gain": held.gain,
        "gain_low": held.ends.map(|(low, _)| low),
        "gain_high": held.ends.map(|(_, high)| high),
        "confidence": held.confidence,
        "slides": held.slides.iter().map(slide).collect::<Vec<_>>(),
        "metrics": held.metrics.iter().map(|metric| {
            (metric.name.clone(), json!({ "default": metric.default, "best": metric.best }))
        }).collect::<Map<_, _>>(),
    })
}

fn changes(best: &BestRow) -> Json {
    let change = |change: &crate::ValueChange| json!({ "parameter": change.parameter, "from": value_json(&change.from), "to": value_json(&change.to) });
    best.proposed_changes().iter().map(change).collect()
}

fn value_json(value: &Value) -> Json {
    match value {
        Value::Integer(i) => json!(i),
        Value::Real(x) => json!(x),
        Value::Text(text) => json!(text),
    }
}

/// Where results came from: what it takes to find the study again, and the digests of what was read.
pub fn provenance_json(provenance: &Provenance) -> Json {
    let file = |file: &UsedFile| json!({ "image": file.image, "role": file.role, "file": file.file, "blake3": file.digest });
    json!({
        "version": 1,
        "program": format!("onceflow {}", env!("CARGO_PKG_VERSION")),
        "command": provenance.command,
        "study": provenance.origin,
        "began": provenance.began,
        "ended": provenance.ended,
        "files": provenance.files.iter().map(file).collect::<Vec<_>>(),
    })
}

/// The grains of phases as JSON: what the next run of the same folder reads.
pub fn grain_json(phases: &[PhaseGrain]) -> Json {
    let phase = |grain: &PhaseGrain| {
        json!({
            "phase": grain.phase,
            "split": grain.chosen.split,
            "fused": grain.chosen.fused,
            "changes": grain.changes.iter().map(change_json).collect::<Vec<_>>(),
            "seconds": { "written": grain.seconds.0, "chosen": grain.seconds.1 },
        })
    };
    json!({ "version": 1, "phases": phases.iter().map(phase).collect::<Vec<_>>() })
}

fn change_json(change: &GrainChange) -> Json {
    let task = |task: &GrainTask| json!({ "task": task.name, "parameters": task.parameters, "instances": task.instances });
    json!({
        "kind": change.kind(),
        "written": change.written.iter().map(task).collect::<Vec<_>>(),
        "now": change.now.iter().map(task).collect::<Vec<_>>(),
        "seconds": { "written": change.seconds.0, "chosen": change.seconds.1 },
        "because": change.to_string(),
    })
}
