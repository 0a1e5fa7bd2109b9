//! Products of orthonormal polynomials of one or two parameters: the terms a control may be made of.

use super::axis::{AxisPolynomials, HIGHEST_DEGREE};

/// Terms over all parameters, simple ones first.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    axes: Vec<AxisPolynomials>,
    terms: Vec<BasisTerm>,
}

/// A polynomial of one parameter, or the product of those of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BasisTerm {
    first: TermPart,
    second: Option<TermPart>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TermPart {
    parameter: usize,
    degree: usize,
}

/// Degrees of the two parts of a product add up to at most this.
const HIGHEST_JOINT_DEGREE: usize = 6;

impl Basis {
    /// The simplest `most` terms: single parameters before pairs of the same degree.
    pub(crate) fn new(axes: Vec<AxisPolynomials>, most: usize) -> Self {
        let parts = |parameter: usize| {
            let axis: &AxisPolynomials = &axes[parameter];
            (1..=axis.degrees()).map(move |degree| TermPart { parameter, degree })
        };
        let mut terms = Vec::new();
        for i in 0..axes.len() {
            for first in parts(i) {
                terms.push(BasisTerm { first, second: None });
                let partners = (i + 1..axes.len()).flat_map(parts);
                let joint = partners.filter(|second| first.degree + second.degree <= HIGHEST_JOINT_DEGREE);
                terms.extend(joint.map(|second| BasisTerm { first, second: Some(second) }));
            }
        }
        terms.sort_by_key(|term| (term.degree(), term.second.is_some()));
        terms.truncate(most);
        Self { axes, terms }
    }

    pub(crate) fn terms(&self) -> &[BasisTerm] {
        &self.terms
    }

    /// Only the terms at these places.
    pub(crate) fn subset(&self, places: &[usize]) -> Self {
        Self { axes: self.axes.clone(), terms: places.iter().map(|i| self.terms[*i]).collect() }
    }

    /// Only the terms of a single parameter that have at most this degree.
    pub(crate) fn alone(&self, degree: usize) -> Self {
        let wanted = |term: &BasisTerm| term.second.is_none() && term.degree() <= degree;
        Self { axes: self.axes.clone(), terms: self.terms.iter().copied().filter(wanted).collect() }
    }

    /// Values of all terms at one row of coordinates. `scratch` is reused between rows.
    pub(crate) fn evaluate(&self, coordinates: &[f64], scratch: &mut Vec<f64>, values: &mut [f64]) {
        scratch.resize(self.axes.len() * HIGHEST_DEGREE, 0.0);
        for ((axis, coordinate), row) in
            self.axes.iter().zip(coordinates).zip(scratch.chunks_mut(HIGHEST_DEGREE))
        {
            axis.evaluate(*coordinate, &mut row[..axis.degrees()]);
        }
        let at = |part: TermPart| scratch[part.parameter * HIGHEST_DEGREE + part.degree - 1];
        for (value, term) in values.iter_mut().zip(&self.terms) {
            *value = at(term.first) * term.second.map_or(1.0, at);
        }
    }
}

impl BasisTerm {
    fn degree(&self) -> usize {
        self.first.degree + self.second.map_or(0, |part| part.degree)
    }

    /// Whether all its parameters are among `members`.
    pub(crate) fn within(&self, members: &[usize]) -> bool {
        self.parameters().all(|p| members.contains(&p))
    }

    /// Whether any of its parameters is among `members`.
    pub(crate) fn touches(&self, members: &[usize]) -> bool {
        self.parameters().any(|p| members.contains(&p))
    }

    fn parameters(&self) -> impl Iterator<Item = usize> {
        [Some(self.first), self.second].into_iter().flatten().map(|part| part.parameter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_terms_come_first_and_the_size_is_bounded() {
        let basis = Basis::new(vec![AxisPolynomials::Continuous; 3], 9);
        let shapes: Vec<_> = basis.terms().iter().map(|t| (t.degree(), t.second.is_some())).collect();
        let linear = (1, false);
        assert_eq!(
            shapes,
            [linear, linear, linear, (2, false), (2, false), (2, false), (2, true), (2, true), (2, true)]
        );
    }

    #[test]
    fn membership_follows_the_parameters() {
        let basis = Basis::new(vec![AxisPolynomials::Continuous; 2], 1000);
        let pair = basis.terms().iter().find(|t| t.second.is_some()).unwrap();
        assert!(pair.touches(&[0]) && !pair.within(&[0]) && pair.within(&[0, 1]));
    }
}
