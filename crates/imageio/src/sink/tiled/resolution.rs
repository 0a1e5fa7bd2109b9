//! Pixels per centimetre as a fraction of whole numbers, which is how TIFF says it.

/// Micrometres in a centimetre.
const CENTIMETRE: f64 = 1e4;

/// Steps of the approximation: each at least doubles what is above and below the line.
const STEPS: usize = 40;

/// The fraction nearest to the pixels per centimetre; `None` when no pixel can be so large or so small.
pub(super) fn per_centimetre(um_per_pixel: f64) -> Option<[u32; 2]> {
    let wanted = CENTIMETRE / um_per_pixel;
    if !(1e-6..4e9).contains(&wanted) {
        return None;
    }
    // The convergents of the continued fraction, as long as they fit: none of their size is nearer.
    let (mut before, mut last, mut rest) = ([0u64, 1], [1u64, 0], wanted);
    for _ in 0..STEPS {
        let whole = rest.floor();
        let step = |side: usize| (whole as u64).checked_mul(last[side])?.checked_add(before[side]);
        let next = step(0).zip(step(1)).filter(|(above, below)| (*above).max(*below) <= u64::from(u32::MAX));
        let Some((above, below)) = next else { break };
        (before, last) = (last, [above, below]);
        if rest == whole || above as f64 / below as f64 == wanted {
            break;
        }
        rest = 1.0 / (rest - whole);
    }
    let narrow = last.map(|number| u32::try_from(number).unwrap_or(0));
    (narrow[0] > 0 && narrow[1] > 0).then_some(narrow)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn usual_sizes_are_said_exactly() {
        assert_eq!(per_centimetre(0.25), Some([40_000, 1]));
        assert_eq!(per_centimetre(0.499), Some([10_000_000, 499]));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
            assert_eq!(per_centimetre(wrong), None);
        }
    }

    proptest! {
        #[test]
        fn any_size_of_a_microscope_is_said_to_nine_digits(um in 0.01f64..50.0) {
            let [above, below] = per_centimetre(um).unwrap();
            let said = CENTIMETRE * f64::from(below) / f64::from(above);
            prop_assert!((said / um - 1.0).abs() < 1e-9, "{} / {}", above, below);
        }
    }
}
