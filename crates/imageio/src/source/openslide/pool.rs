//! Slides that are open: each takes files and a cache of the library's own, so that only a few are at a time.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use super::library::{Library, Slide};

/// Slides that are open at once: the library keeps some 32 MiB of tiles for each.
const MOST_OPEN: usize = 8;

/// A slide that is opened again when it is needed.
#[derive(Debug)]
pub(super) struct Pooled {
    library: &'static Library,
    path: PathBuf,
    state: RwLock<HandleState>,
}

#[derive(Debug)]
enum HandleState {
    Open(Slide),
    Closed,
    /// What the library said: after an error a slide can do nothing but be closed.
    Broken(String),
}

/// Those that are open, the longest first.
static OPEN: Mutex<Vec<Weak<Pooled>>> = Mutex::new(Vec::new());

impl Pooled {
    /// Takes an open slide into the pool.
    pub(super) fn new(library: &'static Library, path: &Path, slide: Slide) -> Arc<Pooled> {
        let state = RwLock::new(HandleState::Open(slide));
        let pooled = Arc::new(Pooled { library, path: path.to_owned(), state });
        pooled.remember();
        pooled
    }

    /// Does something with the slide, which is opened for it unless it is; several threads may at once.
    pub(super) fn with<T>(
        self: &Arc<Self>,
        mut work: impl FnMut(&Slide) -> Result<T, String>,
    ) -> Result<T, String> {
        loop {
            let done = match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
                HandleState::Open(slide) => Some(work(slide)),
                HandleState::Broken(error) => Some(Err(error.clone())),
                HandleState::Closed => None,
            };
            match done {
                Some(Ok(done)) => return Ok(done),
                Some(Err(error)) => {
                    // What was open is closed by being dropped.
                    self.set(HandleState::Broken(error.clone()));
                    return Err(error);
                }
                None => self.open(),
            }
        }
    }

    fn open(self: &Arc<Self>) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, HandleState::Closed) {
            *state = self.library.open(&self.path).map_or_else(HandleState::Broken, HandleState::Open);
            drop(state);
            self.remember();
        }
    }

    fn set(&self, state: HandleState) {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// Puts itself last among those that are open, and closes the first when there are too many.
    fn remember(self: &Arc<Self>) {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|slide| slide.strong_count() > 0);
        open.push(Arc::downgrade(self));
        while open.len() > MOST_OPEN {
            let first = open.remove(0);
            // One that is read from just now stays open until its next turn: waiting for it could last.
            match first.upgrade() {
                Some(slide) if !slide.close() => open.push(first),
                _ => continue,
            }
            break;
        }
    }

    /// Closes it; whether it could be.
    fn close(&self) -> bool {
        let Ok(mut state) = self.state.try_write() else { return false };
        if matches!(*state, HandleState::Open(_)) {
            *state = HandleState::Closed;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::library::library;
    use super::*;

    #[test]
    fn a_slide_that_was_closed_is_opened_again() {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/wsi/CMU-1-Small-Region.svs");
        let Some(library) = library().filter(|_| path.is_file()) else {
            #[allow(clippy::print_stderr, reason = "the reason why nothing is tested")]
            {
                eprintln!("skipped: OpenSlide or the real slide is not there");
            }
            return;
        };
        let pooled: Vec<_> =
            (0..3 * MOST_OPEN).map(|_| Pooled::new(library, &path, library.open(&path).unwrap())).collect();
        let is_open = |slide: &&Arc<Pooled>| matches!(*slide.state.read().unwrap(), HandleState::Open(_));
        assert!(pooled.iter().filter(is_open).count() <= MOST_OPEN);
        let read = |slide: &Arc<Pooled>| slide.with(|slide| slide.read((0, 0), 0, 40, 30)).unwrap();
        assert!(pooled.iter().map(read).all(|pixels| pixels == read(&pooled[0])));
        assert!(pooled.iter().filter(is_open).count() <= MOST_OPEN);
        assert_eq!(pooled[0].with(|_| Err::<(), _>("broken".to_owned())), Err("broken".to_owned()));
        assert_eq!(pooled[0].with(|_| Ok(())), Err("broken".to_owned()));
    }
}
