//! Dense regions of one dimension: profiles, histograms, signals.

use crate::Digester;
use crate::{Bounds, Element, Pixels, RegionError, Span};

/// Values side by side along one axis, of which the first lies at a position.
///
/// ```
/// use onceflow_region::{Line, Pixels, Span};
///
/// let histogram = Line::new(0, Pixels::U64(vec![5, 0, 7, 1]))?;
/// let upper = histogram.crop(Span::new(2, 2).ok_or(onceflow_region::RegionError::Range { found: 2.0 })?)?;
/// assert_eq!((upper.span().start(), upper.values()), (2, &Pixels::U64(vec![7, 1])));
/// # Ok::<(), onceflow_region::RegionError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    span: Span,
    values: Pixels,
}

impl Line {
    /// The values from a position on.
    ///
    /// # Errors
    /// When the end is not a number we can hold.
    pub fn new(start: i64, values: Pixels) -> Result<Line, RegionError> {
        let length = values.len() as u64;
        let large = RegionError::Size { width: length, height: 1, channels: 1 };
        Ok(Line { span: Span::new(start, length).ok_or(large)?, values })
    }

    /// The positions.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The values.
    pub fn values(&self) -> &Pixels {
        &self.values
    }

    /// The values, without a copy.
    pub fn into_values(self) -> Pixels {
        self.values
    }

    /// The type of the values.
    pub fn element(&self) -> Element {
        self.values.element()
    }

    /// Bytes that the values take.
    pub fn bytes(&self) -> u64 {
        self.values.bytes()
    }

    /// The positions as a box of one row.
    pub fn bounds(&self) -> Bounds {
        Bounds::new(self.span, Span::ONE, Span::ONE, Span::ONE)
    }

    /// The values at some of the positions, where they are.
    ///
    /// # Errors
    /// When the span reaches outside.
    pub fn crop(&self, span: Span) -> Result<Line, RegionError> {
        if !self.span.contains(span) {
            let inner = Bounds::new(span, Span::ONE, Span::ONE, Span::ONE);
            return Err(RegionError::Outside { outer: Box::new(self.bounds()), inner: Box::new(inner) });
        }
        // What lies in memory has a length that an index can hold.
        let first = span.start().abs_diff(self.span.start()) as usize;
        Ok(Line { span, values: self.values.cut(first, 0, 1, span.length() as usize) })
    }

    pub(crate) fn digest(&self, digester: &mut Digester) {
        digester.text(&self.element().to_string());
        digester.bytes(&self.span.start().to_le_bytes());
        digester.number(self.span.length());
        digester.pixels(&self.values);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_crop_holds_the_values_of_the_span(
            start in -9i64..9, values in prop::collection::vec(any::<i16>(), 0..20), from in -9i64..20, long in 0u64..20,
        ) {
            let line = Line::new(start, Pixels::I16(values.clone())).unwrap();
            let span = Span::new(from, long).unwrap();
            let end = start + values.len() as i64;
            match line.crop(span) {
                Ok(cut) => {
                    let at = (from - start) as usize;
                    prop_assert_eq!(cut.span(), span);
                    prop_assert_eq!(cut.values(), &Pixels::I16(values[at..at + long as usize].to_vec()));
                }
                Err(_) => prop_assert!(from < start || from + long as i64 > end),
            }
        }
    }

    #[test]
    fn refuses_ends_beyond_the_numbers() {
        assert!(Line::new(i64::MAX, Pixels::U8(vec![1])).is_err());
        assert_eq!(Line::new(i64::MAX, Pixels::U8(vec![])).unwrap().bytes(), 0);
    }
}
