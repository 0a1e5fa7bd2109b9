//! Results that the run has not at hand, because an earlier run computed the rows or memory was short: they are taken from the
//! store of results, or computed again where that takes little time, or where all pictures are asked for.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use onceflow_region::Dense;
use onceflow_reuse::{Flow, Level, ParameterRows, plan};
use onceflow_study::{Value, counted};

use super::WantedRows;
use crate::clips::{ImagePiece, PictureClips, ShownPart};
use crate::open::sources::{References, Sources};
use crate::redo::region::{RowsRequest, up_to_output};
use crate::run::products::{PixelBox, StoredRegion, StoredRegions};
use crate::{
    EngineError, OpenStudy, PictureChoice, PicturesAhead, Progress, Run, RunSettings, duration_words,
};

/// The share of the time of the rows that pictures may take.
const SHARE: f64 = 0.1;

/// Seconds that they may take in any case, where no program is started.
const LEAST: f64 = 0.5;

/// Bytes per second that are read of an image of which nothing was read.
const READING: f64 = 50e6;

/// Computes what is missing.
pub(super) struct Missing<'a> {
    pub(super) study: &'a OpenStudy,
    pub(super) run: &'a Run,
    pub(super) settings: &'a RunSettings,
    /// The region that is shown.
    pub(super) region: &'a str,
    pub(super) scratch: &'a Path,
}

/// What was computed again for a part.
#[derive(Default)]
pub(super) struct FoundAgain {
    /// What is shown of the part, when the run had not read it.
    pub(super) piece: Option<Arc<ImagePiece>>,
    /// What rows found in it, by their place.
    pub(super) found: HashMap<usize, Dense>,
}

impl Missing<'_> {
    /// What is computed again for each part that is shown.
    pub(super) fn compute(
        &self,
        wanted: &[WantedRows],
        progress: &mut dyn Progress,
    ) -> Result<Vec<FoundAgain>, EngineError> {
        let flow = up_to_output(self.study, self.region)?;
        let programs = (0..flow.tasks.len()).any(|task| self.is_program(&flow, task));
        let stored = self.stored(wanted)?;
        let (chosen, ahead) = self.chosen(wanted, &stored, &flow, programs, progress)?;
        progress.pictures(&ahead);
        let places = wanted.iter().zip(stored).zip(&chosen);
        places.map(|((wanted, stored), rows)| self.found_again(&wanted.at, stored, rows)).collect()
    }

    /// What the store of results has for each part.
    fn stored(&self, wanted: &[WantedRows]) -> Result<Vec<FoundAgain>, EngineError> {
        let is_missing =
            |wanted: &&WantedRows| wanted.rows().any(|row| !self.run.clips.knows(row, wanted.at.part));
        let reader = wanted.iter().find(is_missing).and(self.run.store.as_ref());
        let store = reader.map(|reader| StoredRegions::new(self.study, reader));
        let Some(store) = store else { return Ok(wanted.iter().map(|_| FoundAgain::default()).collect()) };
        wanted.iter().map(|wanted| self.stored_at(&store, wanted)).collect()
    }

    fn stored_at(&self, store: &StoredRegions<'_>, wanted: &WantedRows) -> Result<FoundAgain, EngineError> {
        let part = wanted.at.part;
        let rows: Vec<usize> = wanted.rows().filter(|row| !self.run.clips.knows(*row, part)).collect();
        if rows.is_empty() {
            return Ok(FoundAgain::default());
        }
        let names = self.run.answer.table.parameters.as_slice();
        if !store.has_any(names, &self.values(&rows), self.region, part)? {
            return Ok(FoundAgain::default());
        }
        let Some(piece) = self.piece(&wanted.at)? else { return Ok(FoundAgain::default()) };
        // Only the piece that is shown is read.
        let within = PixelBox::of(&piece.window);
        let given = store.find(names, &self.values(&rows), self.region, part, within)?;
        let shown = |given: Option<StoredRegion>| match given? {
            StoredRegion::Given(region) => region.as_dense().cloned(),
            StoredRegion::Ended => piece.empty(),
        };
        let found = rows.into_iter().zip(given).filter_map(|(row, given)| Some((row, shown(given)?)));
        Ok(FoundAgain { found: found.collect(), piece: Some(piece) })
    }

    /// What is shown of a part, which is read where the run has not.
    fn piece(&self, at: &ShownPart) -> Result<Option<Arc<ImagePiece>>, EngineError> {
        if let Some(piece) = self.run.clips.piece(at.part) {
            return Ok(Some(piece));
        }
        let clips = PictureClips::new(vec![*at]);
        let budget = self.study.budget(self.settings.memory);
        let sources = self.study.flow.sources.clone();
        let sources = Sources::new(&self.study.inputs, sources, References::new(), budget, 0).keeping(&clips);
        sources.read_piece(at.part).map_err(|error| EngineError::Internal(error.to_string()))?;
        Ok(clips.piece(at.part))
    }

    /// The rows that are computed again on each part: those of the defaults and the best row come first, and what does
    /// not fit into the time is left out with a note.
    fn chosen(
        &self,
        wanted: &[WantedRows],
        stored: &[FoundAgain],
        flow: &Flow,
        programs: bool,
        progress: &mut dyn Progress,
    ) -> Result<(Vec<Vec<usize>>, PicturesAhead), EngineError> {
        let (most, mut left_out) = (self.most_seconds(programs), (0, 0.0));
        let mut ahead = PicturesAhead::default();
        let mut chosen = vec![Vec::new(); wanted.len()];
        let first = wanted.iter().map(|w| &w.shown).enumerate();
        for (place, rows) in first.chain(wanted.iter().map(|w| &w.gallery).enumerate()) {
            let rows: Vec<usize> = rows
                .iter()
                .copied()
                .filter(|row| !self.run.clips.knows(*row, wanted[place].at.part))
                .filter(|row| !stored[place].found.contains_key(row))
                .collect();
            let seconds = self.seconds(&rows, &wanted[place].at, flow)?;
            if ahead.seconds + seconds <= most {
                ahead.rows += rows.len();
                ahead.seconds += seconds;
                ahead.programs = programs && ahead.rows > 0;
                chosen[place].extend(rows);
            } else {
                left_out = (left_out.0 + rows.len(), left_out.1 + seconds);
            }
        }
        if left_out.0 > 0 {
            progress.note(&note(left_out));
        }
        Ok((chosen, ahead))
    }

    fn most_seconds(&self, programs: bool) -> f64 {
        match self.settings.pictures {
            PictureChoice::All => f64::INFINITY,
            PictureChoice::None => 0.0,
            PictureChoice::Auto => {
                (SHARE * self.run.answer.work.wall).max(if programs { 0.0 } else { LEAST })
            }
        }
    }

    /// Seconds that rows take on a part.
    fn seconds(&self, rows: &[usize], at: &ShownPart, flow: &Flow) -> Result<f64, EngineError> {
        if rows.is_empty() {
            return Ok(0.0);
        }
        let mut table = ParameterRows::new(self.run.answer.table.parameters.clone());
        for row in self.values(rows) {
            table.push(row)?;
        }
        table.reference = Some(0);
        let plan = plan(flow.clone(), &table, Level::Dataflow)?;
        let account = plan.account();
        let tasks = account.tasks.iter().enumerate();
        let computing =
            tasks.map(|(task, account)| account.planned as f64 * self.task_seconds(flow, task, at));
        let unread = self.run.clips.unread(at.part).is_some();
        let reading = if unread { self.pixels(at) * 3.0 / READING } else { 0.0 };
        Ok(computing.sum::<f64>() + reading)
    }

    /// As long as the operation took for each pixel in this run; without any, as is expected of it. What a program takes
    /// is known only when it ran.
    fn task_seconds(&self, flow: &Flow, task: usize, at: &ShownPart) -> f64 {
        let of = self.run.records.iter().filter(|record| record.operation == flow.tasks[task].spec.id);
        let (seconds, pixels) =
            of.fold((0.0, 0.0), |(s, p), record| (s + record.seconds, p + record.pixels as f64));
        match pixels > 0.0 {
            true => seconds / pixels * self.pixels(at),
            false if self.is_program(flow, task) => f64::INFINITY,
            false => self.study.expected_seconds(flow, task, Level::Dataflow),
        }
    }

    fn is_program(&self, flow: &Flow, task: usize) -> bool {
        self.study.own.iter().any(|own| own.spec.id == flow.tasks[task].spec.id)
    }

    fn pixels(&self, at: &ShownPart) -> f64 {
        self.study.inputs.parts[at.part].part.read.area() as f64
    }

    fn values(&self, rows: &[usize]) -> Vec<&[Value]> {
        rows.iter().filter_map(|row| Some(self.run.answer.row_at(*row)?.values.as_slice())).collect()
    }

    fn found_again(
        &self,
        at: &ShownPart,
        stored: FoundAgain,
        rows: &[usize],
    ) -> Result<FoundAgain, EngineError> {
        if rows.is_empty() {
            return Ok(stored);
        }
        let inputs = self.study.inputs.only(at.part);
        let clips = PictureClips::new(vec![ShownPart { part: 0, ..*at }]);
        if let Some(piece) = self.run.clips.piece(at.part).or(stored.piece) {
            clips.keep_piece(0, piece);
        }
        let names = self.run.answer.table.parameters.as_slice();
        let (memory, scratch) = (self.settings.memory, Some(self.scratch));
        let request = RowsRequest { inputs: &inputs, names, memory, scratch, clips: Some(&clips) };
        let regions = request.compute(self.study, &self.values(rows), self.region, None)?;
        let dense = regions.iter().map(|region| region.as_dense().cloned());
        let mut found = stored.found;
        found.extend(rows.iter().zip(dense).filter_map(|(row, dense)| Some((*row, dense?))));
        Ok(FoundAgain { piece: clips.piece(0), found })
    }
}

/// What is said of results that are not shown.
fn note((rows, seconds): (usize, f64)) -> String {
    let rows = counted(rows, "result");
    let why = match seconds.is_finite() {
        true => format!("would take about {} to compute again", duration_words(seconds)),
        false => "programs of the workflow would compute again".to_owned(),
    };
    format!("note: the report does not show {rows}, which {why}: --pictures all draws them")
}
