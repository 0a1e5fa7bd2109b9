//! Rows that end early: at every level they have the same statuses and metrics, also where the reference row ends.

use crate::asked::{Answered, Asked, METRICS, QUICK, half_glass, statuses, write_png};

/// Thresholds of the background from tissue to glass, and candidates from any size to none.
fn study(images: &str, defaults: [i64; 2], phases: &str) -> Asked {
    let [bright, size] = defaults;
    Asked::new(&format!(
        "name = \"early\"\nworkflow = \"nuclei\"\nseed = 2\n{images}[parameters]\n\
         blue = {{ from = 40, to = 220, step = 20, default = {bright} }}\n\
         green = {{ from = 20, to = 200, step = 20, default = {bright} }}\n\
         red = {{ from = 40, to = 220, step = 20, default = {bright} }}\n\
         G1 = {{ from = 5, to = 80, step = 5 }}\n\
         minSize = {{ from = 2, to = 802, step = 100, default = {size} }}\n\
         minSizeSeg = {{ from = 2, to = 802, step = 200 }}\n{METRICS}{phases}{QUICK}"
    ))
}

const IMAGE: &str = "[[image]]\nname = \"one\"\nfile = \"synth:96x80?seed=3\"\ntruth = \"synth:96x80?seed=3\"\n\
    [[image]]\nname = \"two\"\nfile = \"synth:64x64?seed=8\"\n";
const PHASES: &str = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 5\n\
    [[phase]]\nname = \"decompose\"\nmethod = \"vbd\"\nbase = 8\nkeep = [\"blue\", \"green\", \"red\", \"minSize\"]\n";

#[test]
fn some_rows_end_and_others_do_not() {
    for defaults in [[220, 11], [40, 11], [220, 802], [40, 802]] {
        let run = study(IMAGE, defaults, PHASES).same_everywhere();
        let found = statuses(&Answered::of(&run).metrics, 2);
        let words: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
        assert!(words.contains(&"ok") && words.contains(&"no_candidates"), "{defaults:?}: {found:?}");
        assert!(words.iter().any(|word| word.starts_with("background")), "{defaults:?}: {found:?}");
        let reference = &run.answer.table.rows[0];
        let ended = defaults != [220, 11];
        assert_eq!(reference.status.word() != "ok", ended, "{defaults:?}: {:?}", reference.status);
        assert!(reference.metrics.iter().skip(1).take(1).all(|change| *change == Some(0.0)));
    }
}

#[test]
fn glass_ends_as_background_in_every_row() {
    let image = "[[image]]\nname = \"glass\"\nfile = \"glass.png\"\num_per_pixel = 0.5\ntruth = \"synth:60x50?seed=3\"\n";
    let asked = study(image, [220, 11], PHASES);
    write_png(&asked.path().join("glass.png"), 60, 50, |_, _| [250, 250, 250]);
    let run = asked.same_everywhere();
    assert_eq!(statuses(&Answered::of(&run).rows, 4), [("background".into(), run.answer.table.rows.len())]);
    assert!(run.answer.table.rows.iter().all(|row| row.metrics[1] == Some(0.0)));
}

/// A part of glass ends as background and one of tissue without candidates: the image has one status, whichever part
/// is done first.
#[test]
fn parts_that_end_in_different_ways() {
    let image = "[[image]]\nname = \"half\"\nfile = \"half.png\"\num_per_pixel = 0.5\ntruth = \"synth:128x64?seed=3\"\n\
        [parts]\nsize = 32\nseams = \"independent\"\nbackground = \"keep\"\n";
    let asked = study(image, [220, 802], PHASES);
    half_glass(&asked.path().join("half.png"), 128, 64);
    let run = asked.same_everywhere();
    let words: Vec<String> =
        statuses(&Answered::of(&run).rows, 4).into_iter().map(|(word, _)| word).collect();
    assert!(words.contains(&"no_candidates".to_owned()) && words.contains(&"ok".to_owned()), "{words:?}");
}

#[test]
fn parts_without_tissue_are_left_out_and_counted() {
    let image = "[[image]]\nname = \"half\"\nfile = \"half.png\"\num_per_pixel = 0.5\ntruth = \"synth:128x64?seed=3\"\n[parts]\nsize = 32\nseams = \"independent\"\n";
    let asked = study(image, [220, 11], PHASES);
    half_glass(&asked.path().join("half.png"), 128, 64);
    let image = &asked.same_everywhere().answer.images[0];
    assert_eq!((image.parts, image.left_out), (4, 4));
}
