//! Digests of what tasks read from outside: images and truth by their contents, boxes, regions of the reference row.

use std::collections::HashSet;
use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};

use onceflow_nuclei::StepProgress;
use onceflow_products::{ProductError, ProductStore};
use onceflow_region::{Digest, Source};
use onceflow_reuse::{Digest32, REFERENCE_SUFFIX};
use onceflow_study::Scope;

use super::ProductReader;
use crate::OpenStudy;
use crate::open::compare;
use crate::open::sources::{References, SavedReference};

/// The digests of an image and its truth, at the resolution of the study; none of what identifies no result.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageDigests {
    image: Option<Digest>,
    truth: Option<Digest>,
}

/// The digests of all images, read by so many threads.
pub(super) fn digests(
    study: &OpenStudy,
    store: &ProductStore,
    threads: usize,
    watch: &(dyn Fn(StepProgress) + Sync),
) -> Result<Vec<ImageDigests>, ProductError> {
    let hashed = HashedSources::new(study);
    let images: Vec<usize> = (0..study.inputs.images.len()).collect();
    let (done, of) = (AtomicU64::new(0), images.len() as u64);
    let share = images.len().div_ceil(threads.max(1)).max(1);
    std::thread::scope(|scope| {
        let digest = |image: &usize| {
            let digest = of_image(study, store, &hashed, *image);
            watch(StepProgress { task: "images", done: done.fetch_add(1, Ordering::Relaxed) + 1, of });
            digest
        };
        let threads: Vec<_> = images
            .chunks(share)
            .map(|images| scope.spawn(move || images.iter().map(digest).collect::<Result<Vec<_>, _>>()))
            .collect();
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

fn of_image(
    study: &OpenStudy,
    store: &ProductStore,
    hashed: &HashedSources,
    image: usize,
) -> Result<ImageDigests, ProductError> {
    let opened = &study.inputs.images[image];
    // Images that could not be read are not among those that were opened.
    let Some(asked) = study.study.images.iter().find(|asked| asked.name == opened.name) else {
        return Err(ProductError::UnknownImage { name: opened.name.clone() });
    };
    // The digest of what is read of a file depends on the file and on how the study reads it.
    let how = format!("{asked:?} {:?}", study.study.parts);
    let digest = |file: &str, kind: &str, source: &dyn Source| {
        let path = study.folder.join(file);
        store.remembered_digest(&path, &format!("{kind} {how}"), || {
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
    let image = hashed.has(is_image).then(|| digest(&asked.file, "image", opened.source.as_ref()));
    Ok(ImageDigests {
        image: image.transpose()?,
        truth: truth.map(|(file, truth)| digest(file, "truth", truth.source.as_ref())).transpose()?,
    })
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
