//! The papers' two studies run for real, each by a process of its own: levels of reuse beside the published baseline and
//! beside what the plan predicts, bounds of memory, one worker and two, and the same study written with Dask.

mod beyond;
mod bounded;
mod dask;
mod effects;
mod end;
mod grain;
mod levels;
mod oracle;
mod paths;
mod ran;
mod replayed;

use std::hint::black_box;
use std::path::{Path, PathBuf};

use onceflow_allocator::release_freed;
use onceflow_engine::open_image;
use onceflow_terminal::{Failure, Terminal};

use super::is_wanted;
use crate::args::BenchArgs;
use crate::figure::BenchFigure;
use crate::program::failed;
use ran::StudyRun;

/// A study of the papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PaperStudy {
    /// 40 trajectories over 15 parameters: 640 rows.
    Moat,
    /// 100 base rows over 8 parameters on their grid: 1,000 rows.
    Vbd,
}

impl PaperStudy {
    fn name(self) -> &'static str {
        match self {
            Self::Moat => "MOAT 640",
            Self::Vbd => "VBD-grid 1000",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Moat => include_str!("../study.toml"),
            Self::Vbd => include_str!("../vbd.toml"),
        }
    }

    /// The same study with another seed and a quarter of its trajectories or base rows.
    fn pilot(self, seed: usize) -> String {
        let fewer = self.text().replace("trajectories = 40", "trajectories = 10").replace("= 100", "= 25");
        fewer.replace("seed     = 1", &format!("seed     = {seed}"))
    }
}

/// Where studies are written and run; gone when dropped.
struct StudyFolder {
    folder: tempfile::TempDir,
    image: String,
    pixels: usize,
}

/// Bytes of memory that a study has for each pixel of its image, or less.
const BYTES: usize = 512;
const MOST_BYTES: usize = 8 << 30;

impl StudyFolder {
    /// Images are looked for where the command was given.
    fn new(image: Option<&str>) -> Result<Self, Failure> {
        let image = image.unwrap_or("synth:1000x1000?seed=1");
        let image = match image.starts_with("synth:") {
            true => image.to_owned(),
            false => std::path::absolute(image).map_err(failed)?.display().to_string(),
        };
        let opened = open_image(&image, "".as_ref()).map_err(failed)?;
        let pixels = opened.info().bounds().map_or(0, |bounds| (bounds.width() * bounds.height()) as usize);
        Ok(Self { folder: tempfile::tempdir().map_err(failed)?, image, pixels })
    }

    /// Uses as much memory as a study will have, and returns it to the system. A virtual machine may return memory that was
    /// unused for seconds to its host: the first use after that takes several times as long, which would count against runs
    /// that hold much memory at a time.
    fn use_memory(&self) {
        drop(black_box(vec![1u8; (self.pixels * BYTES).min(MOST_BYTES)]));
        release_freed();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a study of the image.
    fn study(&self, design: PaperStudy) -> Result<PathBuf, Failure> {
        self.write(&format!("{design:?}.toml"), design.text())
    }

    /// Writes a study of the image with a quarter as many rows, which are others.
    fn pilot(&self, design: PaperStudy, seed: usize) -> Result<PathBuf, Failure> {
        self.write(&format!("{design:?}-pilot-{seed}.toml"), &design.pilot(seed))
    }

    fn write(&self, name: &str, study: &str) -> Result<PathBuf, Failure> {
        let path = self.path(name);
        let image = format!("{:?}", self.image);
        let text = study.replace("\"synth:1000x1000?seed=1\"", &image);
        std::fs::write(&path, text).map_err(failed)?;
        Ok(path)
    }

    fn run(&self, design: PaperStudy, name: &str, options: &[&str]) -> Result<StudyRun, Failure> {
        self.use_memory();
        StudyRun::of(&self.study(design)?, &self.path(&format!("{design:?}-{name}")), options)
    }
}

/// All figures.
pub(super) fn figures(args: &BenchArgs, terminal: &Terminal) -> Result<Vec<BenchFigure>, Failure> {
    let place = StudyFolder::new(args.image.as_deref())?;
    let wanted = |section: &str| is_wanted(args, section);
    let mut figures = Vec::new();
    let mut screened = None;
    // The levels beyond the papers' alone take a third of the time: large images can be asked for.
    let beyond = args.only.as_deref() == Some("beyond");
    if wanted("levels") || beyond {
        for design in [PaperStudy::Moat, PaperStudy::Vbd] {
            let runs = levels::run_all(&place, design, beyond, terminal)?;
            figures.extend(levels::figures(&place, design, &runs)?);
            if design == PaperStudy::Moat {
                screened = levels::dataflow(runs);
            }
        }
    }
    if wanted("paths") {
        figures.extend(paths::figures(&place, terminal)?);
    }
    if wanted("grain") {
        figures.extend(grain::figures(&place, terminal)?);
    }
    if wanted("end") {
        figures.extend(end::figures(args.image.as_deref(), terminal)?);
    }
    if !["bounds", "workers", "effects", "dask"].into_iter().any(wanted) {
        return Ok(figures);
    }
    let screened = match screened {
        Some(ran) => ran,
        None => place.run(PaperStudy::Moat, "screened", &["--reuse", "dataflow"])?,
    };
    if wanted("bounds") {
        figures.extend(bounded::figures(&place, &screened, terminal)?);
    }
    if wanted("workers") {
        figures.extend(levels::one_worker(&place, &screened, terminal)?);
    }
    if wanted("effects") && args.image.is_some() {
        figures.extend(effects::figures(&screened)?);
    }
    if wanted("dask") && !args.no_peer {
        figures.extend(dask::figures(&place, &screened, args.python.as_deref(), terminal)?);
    }
    Ok(figures)
}

fn folder_text(folder: &Path, name: &str) -> Result<String, Failure> {
    std::fs::read_to_string(folder.join(name)).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pilot_has_another_seed_and_a_quarter_of_the_rows() {
        for (design, size) in
            [(PaperStudy::Moat, "\ntrajectories = 10\n"), (PaperStudy::Vbd, "\nbase   = 25\n")]
        {
            let (whole, pilot) = (design.text(), design.pilot(3));
            assert!(pilot.contains("\nseed     = 3\n") && pilot.contains(size), "{pilot}");
            assert_eq!(whole.lines().zip(pilot.lines()).filter(|(a, b)| a != b).count(), 2, "nothing else");
        }
    }
}
