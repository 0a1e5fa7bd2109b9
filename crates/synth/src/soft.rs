//! Soft edges: the optics of a microscope leave no step sharper than a pixel or two.

/// Rises smoothly from 0 at `low` to 1 at `high`.
#[inline]
pub(crate) fn ramp(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// One at `centre`, falling smoothly to zero at a distance of `width`.
#[inline]
pub(crate) fn bump(centre: f32, width: f32, x: f32) -> f32 {
    1.0 - ramp(0.0, width, (x - centre).abs())
}

/// `from` where `t` is 0, `to` where it is 1.
#[inline]
pub(crate) fn blend(from: f32, to: f32, t: f32) -> f32 {
    from + (to - from) * t
}
