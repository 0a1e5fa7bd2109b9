//! The operations of the workflows `nuclei` and `nuclei-paper`.
//!
//! Whatever follows connected pixels (reconstruction, selection, hole filling, area filters, floods) has no halo of
//! fixed width: an object may reach across the whole image. What is fixed is how far structuring elements reach.

use super::{OpSpec, OpStep};
use crate::Halo::{Objects, Whole};
use crate::ParameterKind::{Connectivity, Integer, Real};
use crate::RegionKind::{Mask, Rgb8, Table, U8};
use crate::Value;

const THRESHOLDS: [(&str, crate::ParameterKind); 3] =
    [("blue", Integer), ("green", Integer), ("red", Integer)];
const RATIOS: [(&str, crate::ParameterKind); 2] = [("T1", Real), ("T2", Real)];
const BACKGROUND: [&str; 2] = ["background", "background_likely"];

/// Erosion and dilation with a disk of 19 x 19 pixels reach 9 pixels each.
const OPENING: u32 = 18;

/// Erosion and dilation with a cross of 3 x 3 pixels.
const CROSS_OPENING: u32 = 2;

/// Lists of fixed length, in bytes.
const SOME: u64 = 1 << 19;

/// A flood of a small object keeps its memory for the next: what an object of 2^16 pixels needs.
const FLOOD: u64 = 7 << 19;

pub(super) fn specs() -> Vec<OpSpec> {
    [colour(), detection(), separation(), published()].concat()
}

fn colour() -> Vec<OpSpec> {
    vec![
        OpSpec::new("colour.statistics", "mean and deviation of the tissue's colour", 3.0)
            .of_version(2)
            .takes(&[("image", Rgb8)])
            .makes(&[("statistics", Table)]),
        OpSpec::new("colour.transfer", "the tissue's colour moved to the target's", 9.0)
            .of_version(2)
            .takes(&[("image", Rgb8), ("statistics", Table)])
            .makes(&[("normalized", Rgb8)]),
    ]
}

/// From the normalized image to the grown candidates.
fn detection() -> Vec<OpSpec> {
    vec![
        OpSpec::new("nuclei.background", "ends a part that is almost all background", 0.3)
            .takes(&[("normalized", Rgb8)])
            .reads(&THRESHOLDS)
            .may_end(&BACKGROUND),
        OpSpec::new("nuclei.red_blood_cells", "pixels of red blood cells", 3.0)
            .takes(&[("normalized", Rgb8)])
            .reads(&RATIOS)
            .makes(&[("rbc", Mask)])
            .sees(Objects(0))
            .with_scratch(6),
        OpSpec::new("nuclei.reconstruct", "inverted red and its opening by reconstruction", 9.0)
            .takes(&[("normalized", Rgb8)])
            .reads(&[("reconConnectivity", Connectivity)])
            .makes(&[("rc", U8), ("rc_recon", U8)])
            .sees(Objects(OPENING))
            .with_scratch(6)
            .with_fixed_scratch(SOME),
        OpSpec::new("nuclei.candidates", "top-hat above a threshold, holes filled", 2.0)
            .takes(&[("rc", U8), ("rc_recon", U8)])
            .reads(&[("fillHolesConnectivity", Connectivity), ("G1", Integer)])
            .makes(&[("diff", U8), ("bw1", Mask)])
            .sees(Objects(0))
            .with_scratch(5)
            .made_of([
                OpStep::new("top_hat", "image.difference").takes(&["rc", "rc_recon"]).makes(&["diff"]),
                OpStep::new("above", "image.above").takes(&["diff"]).reads_as("limit", "G1").makes(&["dark"]),
                OpStep::new("fill", "mask.fill_holes")
                    .takes(&["dark"])
                    .reads_as("connectivity", "fillHolesConnectivity")
                    .makes(&["bw1"]),
            ]),
        OpSpec::new("image.difference", "how much brighter one grey image is than another", 0.3)
            .takes(&[("from", U8), ("less", U8)])
            .makes(&[("difference", U8)])
            .with_scratch(1),
        OpSpec::new("image.above", "where a grey image is above a limit", 0.2)
            .takes(&[("grey", U8)])
            .reads(&[("limit", Integer)])
            .makes(&[("mask", Mask)]),
        OpSpec::new("mask.fill_holes", "a mask with its holes filled", 1.6)
            .takes(&[("mask", Mask)])
            .reads(&[("connectivity", Connectivity)])
            .makes(&[("filled", Mask)])
            .sees(Objects(0))
            .with_scratch(5),
        OpSpec::new("mask.area_filter", "components of `from` pixels up to, not including, `below`", 2.0)
            .takes(&[("mask", Mask)])
            .reads(&[("from", Integer), ("below", Integer), ("connectivity", Connectivity)])
            .makes(&[("filtered", Mask)])
            .sees(Objects(0))
            .keeps_up_to("below")
            .with_scratch(8)
            .may_end(&["no_candidates"]),
        OpSpec::new("nuclei.grow", "candidates grown in the top-hat, without red blood cells", 4.0)
            .takes(&[("diff", U8), ("bw1_t", Mask), ("rbc", Mask)])
            .reads(&[("G2", Integer)])
            .makes(&[("seg_open", Mask)])
            .sees(Objects(CROSS_OPENING))
            .with_scratch(6),
    ]
}

/// From clumps to single nuclei.
fn separation() -> Vec<OpSpec> {
    vec![
        OpSpec::new("nuclei.clumps", "what is large enough to be split, dilated", 3.0)
            .takes(&[("seg_open", Mask)])
            .reads(&[("minSizePl", Integer)])
            .makes(&[("big", Mask)])
            .sees(Objects(1))
            .with_scratch(9),
        OpSpec::new("nuclei.split", "clumps split by a watershed of the colour image", 17.0)
            .takes(&[("normalized", Rgb8), ("big", Mask)])
            .reads(&[("watershedConnectivity", Connectivity)])
            .makes(&[("seg_nonoverlap", Mask)])
            .sees(Objects(1))
            .with_scratch(32)
            .with_fixed_scratch(FLOOD)
            .per_object_of("big"),
        OpSpec::new("nuclei.finish", "nuclei of the right size, holes filled", 3.0)
            .takes(&[("seg_nonoverlap", Mask)])
            .reads(&[
                ("minSizeSeg", Integer),
                ("maxSizeSeg", Integer),
                ("fillHolesConnectivity", Connectivity),
            ])
            .makes(&[("nuclei", Mask)])
            .sees(Objects(0))
            .keeps_up_to("maxSizeSeg")
            .with_scratch(9)
            .may_end(&["no_candidates"])
            .made_of([
                // Sizes are those of four neighbours; filling the holes of something leaves something.
                OpStep::new("sizes", "mask.area_filter")
                    .takes(&["seg_nonoverlap"])
                    .reads_as("from", "minSizeSeg")
                    .reads_as("below", "maxSizeSeg")
                    .reads_constant("connectivity", Value::Integer(4))
                    .makes(&["sized"]),
                OpStep::new("fill", "mask.fill_holes")
                    .takes(&["sized"])
                    .reads_as("connectivity", "fillHolesConnectivity")
                    .makes(&["nuclei"]),
            ]),
    ]
}

/// Tasks that the papers keep whole: each costs what its pieces above cost together.
fn published() -> Vec<OpSpec> {
    let thresholds_and_ratios = [THRESHOLDS.as_slice(), RATIOS.as_slice()].concat();
    vec![
        OpSpec::new("colour.normalize", "statistics of a part, and its colour moved to the target's", 12.0)
            .of_version(2)
            .takes(&[("image", Rgb8)])
            .makes(&[("normalized", Rgb8)])
            .sees(Whole)
            .made_of([
                OpStep::new("statistics", "colour.statistics").takes(&["image"]).makes(&["statistics"]),
                OpStep::new("transfer", "colour.transfer")
                    .takes(&["image", "statistics"])
                    .makes(&["normalized"]),
            ]),
        OpSpec::new("nuclei.background_and_blood", "background test and red blood cells in one", 3.3)
            .takes(&[("normalized", Rgb8)])
            .reads(&thresholds_and_ratios)
            .makes(&[("rbc", Mask)])
            .sees(Objects(0))
            .with_scratch(6)
            .may_end(&BACKGROUND)
            .made_of([
                OpStep::new("background", "nuclei.background")
                    .takes(&["normalized"])
                    .reads(&["blue", "green", "red"]),
                OpStep::new("blood", "nuclei.red_blood_cells")
                    .takes(&["normalized"])
                    .reads(&["T1", "T2"])
                    .makes(&["rbc"]),
            ]),
        OpSpec::new("nuclei.separate", "clumps found and split in one", 20.0)
            .takes(&[("normalized", Rgb8), ("seg_open", Mask)])
            .reads(&[("minSizePl", Integer), ("watershedConnectivity", Connectivity)])
            .makes(&[("seg_nonoverlap", Mask)])
            .sees(Objects(2))
            .with_scratch(33)
            .with_fixed_scratch(FLOOD)
            .made_of([
                OpStep::new("clumps", "nuclei.clumps")
                    .takes(&["seg_open"])
                    .reads(&["minSizePl"])
                    .makes(&["big"]),
                OpStep::new("split", "nuclei.split")
                    .takes(&["normalized", "big"])
                    .reads(&["watershedConnectivity"])
                    .makes(&["seg_nonoverlap"]),
            ]),
    ]
}
