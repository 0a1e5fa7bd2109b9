//! NIfTI and MetaImage files: whatever the bytes, an error or as many values as the box has places; what was read can be
//! written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_imageio::{VolumeForm, open_volume_bytes};
use onceflow_region::{Bounds, Span};

/// Larger volumes are read only in part: a fuzzer has no time for them.
const SMALL: u64 = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = open_volume_bytes("volume", bytes.to_vec()) else { return };
    let all = source.info().bounds;
    let corner =
        Bounds::new(Span::ONE, Span::new(0, all.height().min(3)).expect("small"), Span::ONE, Span::ONE);
    let _ = source.read(corner);
    let places = [all.width(), all.height(), all.z().length(), all.time().length()];
    if places
        .iter()
        .try_fold(1u64, |product, side| product.checked_mul(*side))
        .is_none_or(|places| places > SMALL)
    {
        return;
    }
    let Ok(volume) = source.read(all) else { return };
    let mut again = Vec::new();
    VolumeForm::Mha.write(&volume, &mut again).expect("memory takes all");
    let again = open_volume_bytes("again", again).expect("what we write");
    let again = again.read(again.info().bounds).expect("what we write");
    assert_eq!((again.values().len(), again.element()), (volume.values().len(), volume.element()));
});
