//! Peaks, pits and plateaus against their definitions.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;

use std::num::NonZeroUsize;

use naive::images::{shapes, spiral, strided};
use onceflow_kernels::{
    Connectivity, Cpu, GreyScratch, GreyValue, Isa, ON, Plane, PlateauScratch, View, h_maxima, h_maxima_on,
    h_minima, h_minima_into, regional_maxima, regional_maxima_on, regional_minima, regional_minima_on,
};
use proptest::prelude::*;

const BOTH: [Connectivity; 2] = [Connectivity::Four, Connectivity::Eight];

fn mapped<T: Copy, U>(view: View<'_, T>, change: impl Fn(T) -> U) -> Plane<U> {
    naive::plane(view.width(), view.height(), |x, y| change(view.at(x, y)))
}

fn check_plateaus(image: View<'_, u8>) {
    for connectivity in BOTH {
        let maxima = naive::flood::regional_maxima(mapped(image, f32::from).view(), connectivity);
        check_maxima(image, connectivity, &maxima);
        check_maxima(mapped(image, f32::from).view(), connectivity, &maxima);
        check_minima(mapped(image, |value| !value).view(), connectivity, &maxima);
        check_minima(mapped(image, |value| -f32::from(value)).view(), connectivity, &maxima);
    }
}

fn check_maxima<T: GreyValue>(image: View<'_, T>, connectivity: Connectivity, expected: &Plane<u8>) {
    assert_eq!(regional_maxima(image, connectivity), *expected);
    let mut scratch = PlateauScratch::default();
    for cpu in cpus() {
        let mut found = Plane::filled(7, image.width(), image.height());
        regional_maxima_on(cpu, image, connectivity, found.view_mut(), &mut scratch);
        assert_eq!(found, *expected, "{cpu:?}");
    }
}

fn check_minima<T: GreyValue>(image: View<'_, T>, connectivity: Connectivity, expected: &Plane<u8>) {
    assert_eq!(regional_minima(image, connectivity), *expected);
    let mut scratch = PlateauScratch::default();
    for cpu in cpus() {
        let mut found = Plane::filled(7, image.width(), image.height());
        regional_minima_on(cpu, image, connectivity, found.view_mut(), &mut scratch);
        assert_eq!(found, *expected, "{cpu:?}");
    }
}

/// Every instruction set, with several numbers of threads.
fn cpus() -> Vec<Cpu> {
    let threads = [1, 2, 3, 8].map(|threads| NonZeroUsize::new(threads).unwrap());
    Isa::available().into_iter().flat_map(|isa| threads.map(|threads| Cpu { isa, threads })).collect()
}

fn check_peaks(image: View<'_, u8>, height: u8) {
    for connectivity in BOTH {
        let lowered = mapped(image, |value| value.saturating_sub(height));
        let expected = naive::reconstruct(lowered.view(), image, connectivity);
        assert_eq!(h_maxima(image, height, connectivity), expected);
        let mirrored = |view: View<'_, u8>| mapped(view, |value| !value);
        let found = h_minima(mirrored(image).view(), height, connectivity);
        assert_eq!(found, mirrored(expected.view()));
        let real = mapped(image, |value| f32::from(value) + 300.0);
        let lowered = mapped(real.view(), |value| value - f32::from(height));
        let expected = naive::flood::reconstruct(lowered, real.view(), connectivity);
        let (mut many, mut one) = (Vec::new(), GreyScratch::default());
        let pits = mapped(real.view(), |value| -value);
        for cpu in cpus() {
            let mut found = Plane::filled(7.0, image.width(), image.height());
            let height = f32::from(height);
            h_maxima_on(cpu, real.view(), height, connectivity, found.view_mut(), &mut many);
            assert_eq!(found, expected, "{cpu:?}");
            h_minima_into(cpu.isa, pits.view(), height, connectivity, found.view_mut(), &mut one);
            assert_eq!(mapped(found.view(), |value| -value), expected, "{cpu:?}");
        }
    }
}

#[test]
fn shapes_that_trouble_algorithms() {
    for shape in shapes() {
        check_plateaus(shape.view());
        check_peaks(shape.view(), 9);
        check_peaks(naive::plane(shape.width(), shape.height(), |x, y| (x * 7 + y * 11) as u8).view(), 20);
    }
}

/// Wider than several words and higher than several bands, with plateaus that wind from band to band and end higher.
#[test]
fn plateaus_across_words_and_bands() {
    let path = spiral(67);
    let winding =
        |end: u8| naive::plane(67, 67, |x, y| if (x, y) == (0, 0) { end } else { path.view().at(x, y) / 2 });
    let comb =
        naive::plane(70, 29, |x, y| if (x, y) == (69, 28) { 9 } else { u8::from(x % 2 == 0 || y == 28) });
    let checkers = naive::plane(129, 37, |x, y| ((x + y) % 2) as u8 * (1 + u8::from(x == 128)));
    let borders = naive::plane(65, 66, |x, y| u8::from(x == 0 || y == 0) + 2 * u8::from(x == 64 || y == 65));
    for image in [winding(200), winding(127), comb, checkers, borders, Plane::filled(3, 70, 20)] {
        check_plateaus(image.view());
    }
}

#[test]
fn an_image_of_one_value_is_one_plateau() {
    for value in [0, 7, 255] {
        let flat = Plane::filled(value, 70, 3);
        assert_eq!(regional_maxima(flat.view(), Connectivity::Four), Plane::filled(ON, 70, 3));
        assert_eq!(regional_minima(flat.view(), Connectivity::Four), Plane::filled(ON, 70, 3));
    }
    let endless = Plane::filled(f32::NEG_INFINITY, 5, 3);
    assert_eq!(regional_maxima(endless.view(), Connectivity::Eight), Plane::filled(ON, 5, 3));
}

#[test]
fn one_higher_pixel_takes_a_wide_plateau_away() {
    let image = naive::plane(150, 90, |x, y| if (x, y) == (149, 89) { 1.0f32 } else { 0.5 });
    let maxima = regional_maxima(image.view(), Connectivity::Four);
    assert_eq!(maxima.pixels().iter().filter(|pixel| **pixel == ON).count(), 1);
    assert_eq!(maxima.view().at(149, 89), ON);
}

proptest! {
    // Each case starts some hundred threads.
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_images_with_plateaus(image in strided(0..4u8), height in 0..4u8) {
        check_plateaus(image.view());
        check_peaks(image.view(), height);
    }

    #[test]
    fn random_images_with_few_plateaus(image in strided(any::<u8>()), height in any::<u8>()) {
        check_plateaus(image.view());
        check_peaks(image.view(), height);
    }
}
