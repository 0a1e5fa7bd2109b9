//! `onceflow register`: brings one volume onto another.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use onceflow_engine::{
    LevelCost, OutputFolder, PairFiles, PlannedRegistration, RegisterRequest, RegisteredPair,
    RegistrationParameters, Role, StopFlag, available_memory, available_workers, levels_json, measures_json,
    peak_resident,
};
use onceflow_imageio::VolumeForm;
use onceflow_study::{Diagnostic, Size, Value};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::json;

use super::run::watch;
use super::segment::parameters::{NamedValues, read_values};
use crate::args::{RegisterArgs, VolumeFormWord};
use crate::file::mark;

/// Registers a pair.
pub(crate) fn run(args: &RegisterArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let planned = request(args)?.plan().map_err(engine_failure)?;
    terminal.diagnostics(&planned.notes);
    if args.dry_run {
        return show(args, &planned, terminal).map(|()| Exit::Ok);
    }
    let stop = StopFlag::default();
    let _guard = watch(&stop);
    let registered = {
        let progress = terminal.progress("registering");
        let told = &mut |level: u32, iteration: u32, cost: &LevelCost| {
            progress.words(format!("level {level}, iteration {iteration}, cost {:.6}", cost.total));
        };
        planned.run(&stop, told)
    };
    let registered = match registered {
        Err(onceflow_engine::EngineError::Stopped) => {
            terminal.say("stopped; the same command goes on from here");
            return Ok(Exit::Interrupted);
        }
        other => other.map_err(engine_failure)?,
    };
    registered.files.iter().for_each(|path| mark(path));
    tell(args, &registered, terminal)?;
    Ok(Exit::Ok)
}

fn request(args: &RegisterArgs) -> Result<RegisterRequest, Failure> {
    let mut parameters = RegistrationParameters::default();
    read_values(&mut parameters, args.params.as_deref(), &args.parameter)?;
    let two = |files: &Option<Vec<PathBuf>>| {
        let file = |place: usize| files.as_ref().and_then(|files| files.get(place)).cloned();
        [file(0), file(1)].map(|file| file.filter(|path| path != Path::new("-")))
    };
    Ok(RegisterRequest {
        files: PairFiles {
            volumes: [args.fixed.clone(), args.moving.clone()],
            masks: two(&args.masks),
            labels: two(&args.labels),
            landmarks: two(&args.landmarks),
            time: args.time,
        },
        parameters,
        window: args.window.as_deref().and_then(|window| window.try_into().ok()),
        stop_after: args.stop_after,
        output: OutputFolder { folder: args.output.clone(), form: form(args), fill: args.fill },
        threads: threads(args.workers),
        memory: args.memory.map_or_else(available_memory, |size| size.0),
        force: args.force,
    })
}

pub(super) fn threads(asked: Option<u64>) -> NonZeroUsize {
    let count = asked.and_then(|count| usize::try_from(count).ok()).unwrap_or_else(available_workers);
    NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN)
}

/// That of the fixed volume, packed unless it is not.
fn form(args: &RegisterArgs) -> VolumeForm {
    match args.form {
        Some(VolumeFormWord::Nifti) => VolumeForm::Nifti,
        Some(VolumeFormWord::NiftiGz) => VolumeForm::NiftiGz,
        Some(VolumeFormWord::Mha) => VolumeForm::MhaPacked,
        None => match VolumeForm::of(&args.fixed) {
            Some(VolumeForm::Mha) => VolumeForm::MhaPacked,
            Some(form) => form,
            None => VolumeForm::MhaPacked,
        },
    }
}

fn show(args: &RegisterArgs, planned: &PlannedRegistration, terminal: &Terminal) -> Result<(), Failure> {
    let files = planned.files();
    let grid = planned.pair().grid(Role::Fixed);
    if args.json {
        let parameters = request(args)?.parameters.to_json(&grid);
        return terminal.json(&json!({
            "version": 1, "dry_run": true, "memory_bytes": planned.needed, "goes_on": planned.goes_on,
            "parameters": parameters, "files": files,
        }));
    }
    let needed = Size(planned.needed.div_ceil(1 << 20) << 20);
    let [x, y, z] = grid.size();
    terminal.say(&format!("would register onto {x} x {y} x {z} voxels in at most {needed} of memory"));
    if planned.goes_on {
        terminal.say("would go on where an earlier registration was stopped");
    }
    files.iter().for_each(|path| terminal.say(&format!("would write {}", path.display())));
    Ok(())
}

fn tell(args: &RegisterArgs, registered: &RegisteredPair, terminal: &Terminal) -> Result<(), Failure> {
    terminal.diagnostics(&registered.notes);
    if args.json {
        return terminal.json(&json!({
            "version": 1, "levels": levels_json(&registered.levels), "metrics": measures_json(&registered.measures),
            "files": registered.files, "resumed_iterations": registered.resumed, "wall_s": registered.seconds,
            "peak_rss_bytes": peak_resident(),
        }));
    }
    let mut text = String::new();
    if registered.resumed > 0 {
        text += &format!("went on after iteration {}\n", registered.resumed);
    }
    for level in &registered.levels {
        let (iterations, cost) =
            level.trace.last().map_or((0, f64::NAN), |row| (row.iteration, row.cost.total));
        text += &format!(
            "level {}    {:<12} {iterations:>4} iterations, cost {cost:.6}\n",
            level.level, level.status
        );
    }
    for (name, value) in registered.measures.iter().filter(|(name, _)| is_shown(name)) {
        text +=
            &format!("{name:<24} {}\n", value.map_or_else(|| "-".to_owned(), |value| format!("{value:.6}")));
    }
    text += &format!("wrote {}\n", args.output.display());
    terminal.result(&text)
}

/// Measures of single labels and levels are in register.json.
fn is_shown(name: &str) -> bool {
    name.rsplit_once('_').is_none_or(|(_, last)| last.parse::<i64>().is_err())
}

impl NamedValues for RegistrationParameters {
    const WORKFLOWS: [&'static str; 2] = ["registration", "registration"];

    const COMMANDS: &'static str = "register runs";

    const EXAMPLE: &'static str = "bending=0.2";

    fn knows(&self, name: &str) -> bool {
        self.names().iter().any(|known| known == name)
    }

    fn change(&mut self, name: &str, value: &Value) -> Result<(), Box<Diagnostic>> {
        self.set(name, value)
    }
}
