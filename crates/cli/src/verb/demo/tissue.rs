//! Synthetic tissue with its truth and a study of it, run as `onceflow run` does.

use std::path::Path;

use onceflow_engine::{Painted, RunSettings, bytes_to_paint, paint, tissue};
use onceflow_study::{Size, with_commas};
use onceflow_terminal::{Exit, Failure, Terminal, check_memory, engine_failure};

use super::folder::{DemoFolder, IMAGE, STUDY, TRUTH};
use crate::args::{DemoArgs, SettingsArgs};
use crate::settings::open;
use crate::verb::run::run_into;

/// Makes tissue, runs a study of its nuclei, prints the answer.
pub(super) fn run(args: &DemoArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let folder = DemoFolder::at(&args.output)?;
    let painted = painted(args.size, args.seed, args.machine.memory)?;
    if folder.is_used() {
        terminal.say(&format!("replacing the demo in {}", args.output.display()));
    }
    folder.write(args.seed, &painted)?;
    terminal.say(&opening(args, &painted));
    let study = open(&args.output.join(STUDY), &SettingsArgs::new(&args.machine, None), terminal)?;
    let settings = RunSettings { force: true, ..study.settings().clone() };
    let exit = run_into(&study, settings, &args.output, args.json, terminal)?;
    if exit == Exit::Ok {
        terminal.say(&next(&args.output));
    }
    Ok(exit)
}

/// Square tissue with its truth.
pub(super) fn painted(side: u64, seed: u64, memory: Option<Size>) -> Result<Painted, Failure> {
    let tissue = tissue(side, side, seed).map_err(engine_failure)?;
    check_memory("paint the tissue at once", bytes_to_paint(&tissue), memory)?;
    paint(&tissue, true).map_err(engine_failure)
}

fn opening(args: &DemoArgs, painted: &Painted) -> String {
    let (size, file) = (args.size, |name: &str| args.output.join(name).display().to_string());
    let nuclei = with_commas(painted.nuclei.unwrap_or_default().into());
    format!(
        "Tissue    {}: synthetic, {size} x {size} px, {nuclei} nuclei\n\
         Truth     {}: which pixels are theirs\n\
         Study     {}: 15 parameters of the nuclei workflow are screened, the survivors decomposed\n",
        file(IMAGE),
        file(TRUTH),
        file(STUDY)
    )
}

fn next(folder: &Path) -> String {
    let (study, again) = (folder.join(STUDY), folder.join("again"));
    let (study, again) = (study.display(), again.display());
    format!(
        "\nNext      open the report in a browser\n          \
         edit the study, then: onceflow run {study} -o {again}\n          \
         a study of your own images: onceflow init -o study.toml"
    )
}
