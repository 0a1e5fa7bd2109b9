//! Premultiplied alpha, red, green and blue over a background.

/// The colour of what was not scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SlideBackground([u8; 3]);

impl SlideBackground {
    /// The colour as six hexadecimal digits; white when there are none.
    pub(super) fn of(digits: Option<&str>) -> SlideBackground {
        let number =
            digits.filter(|digits| digits.len() == 6).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let [_, red, green, blue] = number.unwrap_or(0x00ff_ffff).to_be_bytes();
        SlideBackground([red, green, blue])
    }

    /// The colour of a pixel that lies over it.
    pub(super) fn under(self, pixel: u32) -> [u8; 3] {
        let [alpha, colour @ ..] = pixel.to_be_bytes();
        if alpha == 255 {
            return colour;
        }
        let share = |ground: u8| (u32::from(ground) * u32::from(255 - alpha) + 127) / 255;
        [0, 1, 2].map(|at| u8::try_from(u32::from(colour[at]) + share(self.0[at])).unwrap_or(255))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_transparent_shows_the_background() {
        let white = SlideBackground::of(None);
        assert_eq!(white.under(0xff01_0203), [1, 2, 3]);
        assert_eq!(white.under(0), [255; 3]);
        assert_eq!(white.under(0x8000_0000), [127; 3]);
        let grey = SlideBackground::of(Some("808080"));
        assert_eq!((grey.under(0), grey.under(0x80ff_ffff)), ([128; 3], [255; 3]));
        assert_eq!(SlideBackground::of(Some("nonsense")), white);
    }
}
