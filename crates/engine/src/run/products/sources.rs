//! Digests of what tasks read from outside: images and truth by their contents, boxes, regions of the reference row.

use std::collections::HashSet;
use std::fs::File;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use onceflow_products::{ProductError, ProductStore, SourceDigest, WatchedFile};
use onceflow_region::{Digest, Source};
use onceflow_registration::{OpenPair, RegistrationError};
use onceflow_reuse::{Digest32, REFERENCE_SUFFIX};
use onceflow_study::{Scope, StudyImage};

use super::ProductReader;
use crate::open::compare;
use crate::open::inputs::{JUDGING, PAIR_SOURCES};
use crate::open::sources::{References, SavedReference};
use crate::{ImagesDigested, OpenStudy};

/// The digests of an image and its truth, at the resolution of the study; none of what identifies no result.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageDigests {
    image: Option<Digest>,
    truth: Option<Digest>,
}

/// Between two words about how far it is.
const PAUSE: Duration = Duration::from_secs(1);

/// The digests of an image, and the files that they stand for.
type DigestedImage = (ImageDigests, Vec<WatchedFile>);

/// The digests of all images, read by so many threads; `progress` is told how far it is.
pub(super) fn digests(
    study: &OpenStudy,
    store: &ProductStore,
    threads: usize,
    progress: &mut dyn FnMut(ImagesDigested),
) -> Result<Vec<DigestedImage>, ProductError> {
    let hashed = HashedSources::new(study);
    let images: Vec<usize> = (0..study.inputs.images.len()).collect();
    let share = images.len().div_ceil(threads.max(1)).max(1);
    let digest = |image: &usize, over: &Sender<()>| {
        let digested = of_image(study, store, &hashed, *image);
        // Counted by the thread that waits for all of them.
        let _ = over.send(());
        digested
    };
    let digest_all = |images: &[usize], over: &Sender<()>| {
        images.iter().map(|image| digest(image, over)).collect::<Result<Vec<_>, _>>()
    };
    std::thread::scope(|scope| {
        let (sender, over) = channel();
        let spawn = |images| {
            let (over, digest_all) = (sender.clone(), &digest_all);
            scope.spawn(move || digest_all(images, &over))
        };
        let threads: Vec<_> = images.chunks(share).map(spawn).collect();
        drop(sender);
        tell(&over, images.len(), progress);
        let mut all = Vec::new();
        for thread in threads {
            all.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(all)
    })
}

/// Which sources of a study are digested: those among the smallest attributes of what it gives.
struct HashedSources(Option<HashSet<String>>);

impl HashedSources {
    fn new(study: &OpenStudy) -> Self {
        Self(study.identifying(&study.written.results).ok())
    }

    /// Where attributes cannot be found, all sources are digested.
    fn has(&self, is_one: impl Fn(&str) -> bool) -> bool {
        self.0.as_ref().is_none_or(|names| names.iter().any(|name| is_one(name)))
    }
}

/// Waits until all threads have ended, and tells after each image, and every second, how many are over.
fn tell(over: &Receiver<()>, of: usize, progress: &mut dyn FnMut(ImagesDigested)) {
    let (mut done, began) = (0, Instant::now());
    loop {
        match over.recv_timeout(PAUSE) {
            Ok(()) => done += 1,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        progress(ImagesDigested { done, of, seconds: began.elapsed().as_secs_f64() });
    }
}

fn of_image(
    study: &OpenStudy,
    store: &ProductStore,
    hashed: &HashedSources,
    image: usize,
) -> Result<DigestedImage, ProductError> {
    let opened = &study.inputs.images[image];
    // Images that could not be read are not among those that were opened.
    let Some(asked) = study.study.images.iter().find(|asked| asked.name == opened.name) else {
        return Err(ProductError::UnknownImage { name: opened.name.clone() });
    };
    // The digest of what is read of a file depends on the file and on how the study reads it.
    let how = format!("{asked:?} {:?}", study.study.parts);
    if let Some(pair) = &opened.pair {
        return of_pair(study, store, asked, pair);
    }
    let digest = |file: &str, kind: &str, source: &dyn Source| {
        let path = study.folder.join(file);
        store.source_digest(&path, &format!("{kind} {how}"), || {
            source.digest().map_err(|error| std::io::Error::other(error.to_string()))
        })
    };
    let truth = asked
        .truth
        .as_deref()
        .zip(opened.truth.as_ref())
        .filter(|_| hashed.has(|name| name == compare::TRUTH));
    let is_image =
        |name: &str| study.written.sources.iter().any(|source| source == name) && compare::is_image(name);
    let image =
        hashed.has(is_image).then(|| digest(&asked.file, "image", opened.source.as_ref())).transpose()?;
    let truth = truth.map(|(file, truth)| digest(file, "truth", truth.source.as_ref())).transpose()?;
    let known = |digested: &Option<SourceDigest>| digested.as_ref().map(|digested| digested.digest);
    let digests = ImageDigests { image: known(&image), truth: known(&truth) };
    Ok((digests, [image, truth].into_iter().flatten().filter_map(|digested| digested.file).collect()))
}

/// The volumes and masks of a pair, and what judges it; the times and sizes of all its files say whether they are known.
fn of_pair(
    study: &OpenStudy,
    store: &ProductStore,
    asked: &StudyImage,
    pair: &OpenPair,
) -> Result<DigestedImage, ProductError> {
    let place = study.study.images.iter().position(|image| image.name == asked.name);
    let stamp = place.and_then(|place| study.stamps.get(place)).cloned().unwrap_or_default();
    let path = study.folder.join(&asked.file);
    let digest = |kind: &str, of: &dyn Fn() -> Result<Digest, RegistrationError>| {
        store.source_digest(&path, &format!("{kind} {stamp}"), || {
            of().map_err(|error| std::io::Error::other(error.to_string()))
        })
    };
    let volumes = digest("pair", &|| pair.digest())?;
    let judging = digest("labels and landmarks", &|| pair.judging_digest())?;
    let digests = ImageDigests { image: Some(volumes.digest), truth: Some(judging.digest) };
    Ok((digests, [volumes, judging].into_iter().filter_map(|digested| digested.file).collect()))
}

impl ProductReader {
    /// The digest of what a task of a scope sees of a source at a part; none when it cannot be known.
    pub(super) fn source(
        &self,
        study: &OpenStudy,
        references: &References,
        name: &str,
        scope: Scope,
        part: usize,
    ) -> Option<Digest32> {
        let at = &study.inputs.parts[part];
        let image = &study.inputs.images[at.image];
        let digests = self.images.get(at.image)?;
        let text = match (name, scope) {
            _ if image.pair.is_some() && PAIR_SOURCES.contains(&name) => {
                let digest = if JUDGING.contains(&name) { digests.truth? } else { digests.image? };
                format!("{name} {digest}")
            }
            (compare::NOTHING, _) => "nothing".to_owned(),
            (compare::COUNTED, _) => format!("{:?} {:?} {:?}", at.counted(image), at.part.core, at.part.read),
            (compare::TRUTH, _) => match (&image.truth, digests.truth) {
                (Some(truth), Some(digest)) => {
                    format!("{digest} {} {:?} {:?}", truth.identity(), at.counted(image), at.part.core)
                }
                _ => "no truth".to_owned(),
            },
            _ if name.ends_with(REFERENCE_SUFFIX) => match references.get(&(name.to_owned(), part))? {
                SavedReference::Saved(path, _) => {
                    Digest::of_reader("onceflow reference v1", File::open(path).ok()?).ok()?.to_string()
                }
                SavedReference::Ended => "ended".to_owned(),
            },
            (_, Scope::Part) => format!("{} {:?}", digests.image?, at.part.read),
            (_, Scope::Image) => format!("{} {:?}", digests.image?, image.bounds),
            (_, Scope::Study) => format!("{:?}", self.images),
        };
        Some(Digest::of_text("onceflow source of a row v1", &text).0)
    }
}
