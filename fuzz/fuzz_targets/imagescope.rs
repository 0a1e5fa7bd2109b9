//! ImageScope annotations: whatever the text, an error or labels that do not depend on how they are cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_imageio::{Outlines, Working};
use onceflow_region::{Bounds, Details, Element, ImageInfo, ImageScale, Source};

fuzz_target!(|text: &[u8]| {
    let Ok(outlines) = Outlines::parse("truth", text) else { return };
    let objects = outlines.objects();
    let info = ImageInfo {
        format: "fuzz".into(),
        width: 64,
        height: 48,
        channels: 1,
        element: Element::U8,
        um_per_pixel: None,
        scales: vec![ImageScale::whole(64, 48)],
        details: Details::default(),
    };
    let labels = outlines.over(&info, &Working::whole(&info));
    let all = labels.read(info.bounds().expect("small")).expect("outlines in memory");
    assert!(all.as_u32().expect("labels").iter().all(|label| *label <= objects));
    let part = Bounds::plane(13, 7, 30, 20).expect("small");
    assert_eq!(labels.read(part).expect("a part"), all.crop(part).expect("within"));
});
