//! An image of half the size: four pixels become one.

use onceflow_region::{Dense, Pixels, RegionError};

use super::Halving;

/// The image with half as many columns and rows, rounded up.
pub(super) fn halve(image: &Dense, halving: Halving) -> Result<Dense, RegionError> {
    let shape = PlaneShape { width: image.width(), height: image.height(), channels: image.channels() };
    macro_rules! halved {
        ($($kind:ident),*) => {
            match image.pixels() {
                $(Pixels::$kind(values) => Pixels::$kind(shape.halve(values, halving)),)*
            }
        };
    }
    let pixels = halved!(U8, I8, U16, I16, I32, U32, I64, U64, F32, F64);
    Dense::new(shape.width.div_ceil(2), shape.height.div_ceil(2), shape.channels, pixels)
}

struct PlaneShape {
    width: usize,
    height: usize,
    channels: usize,
}

impl PlaneShape {
    fn halve<T: PixelMean>(&self, values: &[T], halving: Halving) -> Vec<T> {
        let pitch = self.width * self.channels;
        let mut halved = Vec::with_capacity(self.width.div_ceil(2) * self.height.div_ceil(2) * self.channels);
        for rows in values.chunks(2 * pitch.max(1)) {
            // The last row of an odd number stands for two.
            let (upper, lower) = rows.split_at(pitch);
            let lower = if lower.is_empty() { upper } else { lower };
            match (halving, self.channels) {
                (Halving::First, 1) => halved.extend(upper.iter().step_by(2)),
                (Halving::First, _) => upper.chunks(6).for_each(|two| halved.extend(&two[..3])),
                (Halving::Mean, 1) => means::<T, 1>(upper, lower, &mut halved),
                (Halving::Mean, _) => means::<T, 3>(upper, lower, &mut halved),
            }
        }
        halved
    }
}

fn means<T: PixelMean, const C: usize>(upper: &[T], lower: &[T], halved: &mut Vec<T>) {
    let (upper, lower) = (upper.as_chunks::<C>().0, lower.as_chunks::<C>().0);
    let ((upper, last), (lower, last_below)) = (upper.as_chunks::<2>(), lower.as_chunks::<2>());
    for ([a, b], [c, d]) in upper.iter().zip(lower) {
        halved.extend_from_slice(&std::array::from_fn::<T, C, _>(|at| T::mean(a[at], b[at], c[at], d[at])));
    }
    // The last column of an odd number stands for two: the mean of equals is what they are.
    for (a, c) in last.iter().zip(last_below) {
        halved.extend_from_slice(&std::array::from_fn::<T, C, _>(|at| T::mean(a[at], a[at], c[at], c[at])));
    }
}

trait PixelMean: Copy {
    /// The mean of four; halves go up.
    fn mean(a: Self, b: Self, c: Self, d: Self) -> Self;
}

macro_rules! whole_numbers {
    ($($number:ty as $wide:ty),*) => {$(
        impl PixelMean for $number {
            fn mean(a: Self, b: Self, c: Self, d: Self) -> Self {
                // A shift goes down for numbers below 0 too, so that two more before it make halves go up.
                ((<$wide>::from(a) + <$wide>::from(b) + <$wide>::from(c) + <$wide>::from(d) + 2) >> 2) as Self
            }
        }
    )*};
}

whole_numbers!(
    u8 as u16,
    i8 as i16,
    u16 as u32,
    i16 as i32,
    u32 as u64,
    i32 as i64,
    u64 as u128,
    i64 as i128
);

impl PixelMean for f32 {
    fn mean(a: Self, b: Self, c: Self, d: Self) -> Self {
        (((f64::from(a) + f64::from(b)) + (f64::from(c) + f64::from(d))) * 0.25) as f32
    }
}

impl PixelMean for f64 {
    /// Quarters are added, since the sum of large numbers may overflow to infinity.
    fn mean(a: Self, b: Self, c: Self, d: Self) -> Self {
        (a * 0.25 + b * 0.25) + (c * 0.25 + d * 0.25)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The mean of all pixels there are below one of the smaller image, by its definition.
    fn mean(image: &[i64], [width, height]: [usize; 2], channels: usize) -> Vec<i64> {
        let mut means = Vec::new();
        for y in (0..height).step_by(2) {
            for x in (0..width).step_by(2) {
                for channel in 0..channels {
                    let columns = x..width.min(x + 2);
                    let places = (y..height.min(y + 2)).flat_map(|y| columns.clone().map(move |x| (x, y)));
                    let values: Vec<i64> =
                        places.map(|(x, y)| image[(y * width + x) * channels + channel]).collect();
                    let exact = values.iter().sum::<i64>() as f64 / values.len() as f64;
                    means.push((exact + 0.5).floor() as i64);
                }
            }
        }
        means
    }

    proptest! {
        #[test]
        fn pixels_are_the_means_of_those_there_are(
            (width, height, channels, values) in (1usize..8, 1usize..8, prop_oneof![Just(1usize), Just(3)])
                .prop_flat_map(|(w, h, c)| (Just(w), Just(h), Just(c), prop::collection::vec(any::<u8>(), w * h * c)))
        ) {
            let wide: Vec<i64> = values.iter().map(|value| i64::from(*value)).collect();
            let expected = mean(&wide, [width, height], channels);
            let image = Dense::new(width, height, channels, Pixels::U8(values.clone())).unwrap();
            let halved = halve(&image, Halving::Mean).unwrap();
            prop_assert_eq!((halved.width(), halved.height()), (width.div_ceil(2), height.div_ceil(2)));
            let found: Vec<i64> = halved.as_u8().unwrap().iter().map(|value| i64::from(*value)).collect();
            prop_assert_eq!(&found, &expected);
            let signed: Vec<i16> = wide.iter().map(|value| *value as i16 - 128).collect();
            let lower: Vec<i64> = signed.iter().map(|value| i64::from(*value)).collect();
            let image = Dense::new(width, height, channels, Pixels::I16(signed)).unwrap();
            let Pixels::I16(found) = halve(&image, Halving::Mean).unwrap().into_pixels() else { unreachable!() };
            prop_assert_eq!(found.iter().map(|value| i64::from(*value)).collect::<Vec<_>>(), mean(&lower, [width, height], channels));
            let reals = Pixels::F32(wide.iter().map(|value| *value as f32).collect());
            let reals = halve(&Dense::new(width, height, channels, reals).unwrap(), Halving::Mean).unwrap();
            let near = |(real, whole): (&f32, &i64)| (f64::from(*real) - *whole as f64).abs() <= 0.5;
            prop_assert!(reals.as_f32().unwrap().iter().zip(&expected).all(near));
        }

        #[test]
        fn labels_are_never_mixed(
            (width, height, channels, values) in (1usize..8, 1usize..8, prop_oneof![Just(1usize), Just(3)])
                .prop_flat_map(|(w, h, c)| (Just(w), Just(h), Just(c), prop::collection::vec(any::<u32>(), w * h * c)))
        ) {
            let image = Dense::new(width, height, channels, Pixels::U32(values.clone())).unwrap();
            let halved = halve(&image, Halving::First).unwrap();
            let across = halved.width();
            for (at, value) in halved.as_u32().unwrap().iter().enumerate() {
                let (pixel, channel) = (at / channels, at % channels);
                let (x, y) = (pixel % across * 2, pixel / across * 2);
                prop_assert_eq!(*value, values[(y * width + x) * channels + channel]);
            }
        }
    }

    #[test]
    fn the_largest_numbers_have_a_mean() {
        let halved =
            |pixels| halve(&Dense::new(2, 2, 1, pixels).unwrap(), Halving::Mean).unwrap().into_pixels();
        assert_eq!(halved(Pixels::U64(vec![u64::MAX; 4])), Pixels::U64(vec![u64::MAX]));
        assert_eq!(halved(Pixels::I64(vec![i64::MIN; 4])), Pixels::I64(vec![i64::MIN]));
        assert_eq!(halved(Pixels::U32(vec![u32::MAX, 0, 0, 3])), Pixels::U32(vec![1 << 30 | 1]));
        assert_eq!(halved(Pixels::F64(vec![f64::MAX; 4])), Pixels::F64(vec![f64::MAX]));
        assert_eq!(halved(Pixels::I8(vec![-1, -2, -1, -2])), Pixels::I8(vec![-1]));
        assert_eq!(halved(Pixels::I32(vec![-3, -2, -2, -2])), Pixels::I32(vec![-2]));
    }
}
