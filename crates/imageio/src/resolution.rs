//! Micrometres per pixel, when a file states them and they can be true.

/// Micrometres in a metre, a centimetre and an inch.
pub(crate) const METRE: f64 = 1e6;
pub(super) const CENTIMETRE: f64 = 1e4;
pub(super) const INCH: f64 = 25_400.0;

/// The finest and the coarsest pixel that a microscope image has. Numbers meant for a printer, such as 72 or 300 pixels
/// per inch (353 and 85 micrometres), lie outside.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 0.01..=20.0;

/// How far the two sides of a pixel may differ.
const SQUARE: f64 = 0.01;

/// Micrometres per pixel from the pixels per unit in both directions.
pub(super) fn um_per_pixel(unit: f64, across: f64, down: f64) -> Option<f64> {
    plausible(unit / across, unit / down)
}

/// Micrometres per pixel from the sides of a pixel.
pub(crate) fn plausible(width: f64, height: f64) -> Option<f64> {
    let square = (width - height).abs() <= SQUARE * width;
    (square && PLAUSIBLE.contains(&width)).then_some(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_a_microscope_can_see() {
        assert_eq!(um_per_pixel(CENTIMETRE, 40_000.0, 40_000.0), Some(0.25));
        assert_eq!(um_per_pixel(INCH, 50_800.0, 50_800.0), Some(0.5));
        assert_eq!(um_per_pixel(METRE, 2e6, 2e6), Some(0.5));
    }

    #[test]
    fn leaves_out_printers_and_nonsense() {
        assert_eq!(um_per_pixel(INCH, 72.0, 72.0), None);
        assert_eq!(um_per_pixel(INCH, 0.0, 0.0), None);
        assert_eq!(um_per_pixel(INCH, f64::NAN, 1.0), None);
        assert_eq!(um_per_pixel(CENTIMETRE, 40_000.0, 20_000.0), None);
    }
}
