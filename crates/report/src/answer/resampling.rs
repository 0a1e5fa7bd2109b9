//! What is said of images that were not scanned at the resolution of the study.

use onceflow_study::counted;

/// How an image came to the resolution of the study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// Micrometres per pixel of the file.
    pub from: f64,
    /// Micrometres per pixel of the work.
    pub to: f64,
    /// What became of the pixels.
    pub how: ResamplingKind,
}

/// What becomes of pixels at another resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResamplingKind {
    /// The file has a scale of that resolution, which is read as it is.
    Scale,
    /// Smaller pixels are averaged by area.
    Mean,
    /// Larger pixels are interpolated.
    Enlarged,
}

impl ResamplingKind {
    /// In a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Scale => "read from a scale of the file",
            Self::Mean => "averaged by area",
            Self::Enlarged => "interpolated, which adds no detail",
        }
    }
}

/// Names of images that are told apart; more are counted.
const MOST_NAMED: usize = 3;

/// One sentence for each way in which images were resampled: `a and b are resampled from 0.25 to 0.5 um/px: averaged by area.`
pub fn resampling_words<'a>(images: impl Iterator<Item = (&'a str, Option<Resampling>)>) -> Vec<String> {
    let mut ways: Vec<(Resampling, Vec<&str>)> = Vec::new();
    for (name, resampling) in images {
        let Some(resampling) = resampling else { continue };
        match ways.iter_mut().find(|(way, _)| *way == resampling) {
            Some((_, names)) => names.push(name),
            None => ways.push((resampling, vec![name])),
        }
    }
    ways.iter().map(|(way, names)| sentence(way, names)).collect()
}

fn sentence(way: &Resampling, names: &[&str]) -> String {
    let who = match names {
        [one] => (*one).to_owned(),
        [others @ .., last] if names.len() <= MOST_NAMED => format!("{} and {last}", others.join(", ")),
        _ => counted(names.len(), "image"),
    };
    let is = if names.len() == 1 { "is" } else { "are" };
    format!("{who} {is} resampled from {} to {} um/px: {}.", way.from, way.to, way.how.words())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_of_one_way_share_a_sentence() {
        let mean = Some(Resampling { from: 0.25, to: 0.5, how: ResamplingKind::Mean });
        let enlarged = Some(Resampling { from: 1.0, to: 0.5, how: ResamplingKind::Enlarged });
        let images = [("a", mean), ("b", None), ("c", enlarged), ("d", mean), ("e", mean)];
        assert_eq!(
            resampling_words(images.into_iter()),
            [
                "a, d and e are resampled from 0.25 to 0.5 um/px: averaged by area.",
                "c is resampled from 1 to 0.5 um/px: interpolated, which adds no detail.",
            ]
        );
        let many = [("a", mean), ("b", mean), ("c", mean), ("d", mean)];
        assert!(resampling_words(many.into_iter())[0].starts_with("4 images are"));
    }
}
