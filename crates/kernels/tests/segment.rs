//! The whole segmentation, whatever the machine and whatever the scratch held before.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;
mod pictures;

use naive::images::cpus;
use onceflow_kernels::nuclei::{Parameters, SegmentScratch, SegmentationStatus, segment, segment_into};
use onceflow_kernels::{Connectivity, Plane, View};

fn check(
    image: View<'_, [u8; 3]>,
    parameters: &Parameters,
    scratch: &mut SegmentScratch,
) -> SegmentationStatus {
    let expected = segment(image, parameters);
    for cpu in cpus() {
        let mut mask = Plane::filled(7, image.width(), image.height());
        let found = segment_into(cpu, image, parameters, mask.view_mut(), scratch);
        assert_eq!(found, (expected.status, expected.objects), "with {cpu:?}");
        assert_eq!(mask, expected.mask, "with {cpu:?}");
    }
    expected.status
}

#[test]
fn pictures_and_their_corners() {
    let mut scratch = SegmentScratch::default();
    for name in ["dense", "sparse"] {
        let image = pictures::colour(&pictures::own().join(name).join("normalized.png"));
        for (width, height) in [(image.width(), image.height()), (97, 41), (1, 9), (64, 1)] {
            let part = image.view().crop(0, 0, width, height).unwrap();
            let four = Connectivity::Four;
            let other = Parameters { watershed_connectivity: four, g1: 40, ..Parameters::default() };
            check(part, &Parameters::default(), &mut scratch);
            check(part, &other, &mut scratch);
        }
    }
}

#[test]
fn what_ends_early_leaves_an_empty_mask() {
    let mut scratch = SegmentScratch::default();
    let glass = Plane::filled([250; 3], 70, 30);
    assert_eq!(check(glass.view(), &Parameters::default(), &mut scratch), SegmentationStatus::Background);
    let even = Plane::filled([90, 60, 120], 70, 30);
    assert_eq!(check(even.view(), &Parameters::default(), &mut scratch), SegmentationStatus::NoCandidates);
}
