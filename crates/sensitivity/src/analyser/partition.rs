//! A parameter's rows cut into classes, inside which the output is looked at by itself.

use super::ranks::RankOrder;
use super::rbd_fast::unbiased;

/// The class of each row.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    /// One class per row.
    pub(crate) class: Vec<u32>,
    /// Number of classes; some may be empty.
    pub(crate) classes: usize,
}

impl Partition {
    /// One class per value where `by_value` says so or values are few enough, else `classes` of about equal size.
    ///
    /// `place` turns a middle rank (from 1) into a class. Equal values always fall into one class.
    pub(crate) fn new(
        order: &RankOrder,
        classes: usize,
        by_value: bool,
        place: impl Fn(f64) -> usize,
    ) -> Self {
        if by_value || order.has_few_values(classes) {
            return Self::by_value(order);
        }
        Self::assign(order, classes, |_, rank| place(rank).min(classes - 1))
    }

    /// One class per value.
    pub(crate) fn by_value(order: &RankOrder) -> Self {
        Self::assign(order, order.distinct(), |group, _| group)
    }

    fn assign(order: &RankOrder, classes: usize, place: impl Fn(usize, f64) -> usize) -> Self {
        let mut class = vec![0; order.rows().len()];
        let mut below = 0;
        for (number, group) in order.groups().enumerate() {
            let rank = below as f64 + (group.len() as f64 + 1.0) / 2.0;
            let place = place(number, rank) as u32;
            group.iter().for_each(|row| class[*row as usize] = place);
            below += group.len();
        }
        Self { class, classes }
    }

    /// Share of the output's variance that the means of classes explain, without what they would explain by chance.
    ///
    /// Rows stand as often as they weigh; the output should be about centred.
    pub(crate) fn first_order(&self, output: &[f64], weights: &[f64]) -> f64 {
        let (share, filled) = self.explained(output, weights);
        let rows = output.len() as f64;
        unbiased(share, (filled as f64 - 1.0) / (rows - 1.0))
    }

    /// The correlation ratio, and the number of classes that hold a row.
    fn explained(&self, output: &[f64], weights: &[f64]) -> (f64, usize) {
        let mut classes = vec![(0.0, 0.0); self.classes];
        for ((class, y), weight) in self.class.iter().zip(output).zip(weights) {
            let (rows, sum) = &mut classes[*class as usize];
            *rows += weight;
            *sum += weight * y;
        }
        let rows: f64 = classes.iter().map(|(rows, _)| rows).sum();
        let sum: f64 = classes.iter().map(|(_, sum)| sum).sum();
        let squares: f64 = output.iter().zip(weights).map(|(y, w)| w * y * y).sum();
        let filled = || classes.iter().filter(|(rows, _)| *rows > 0.0);
        let between: f64 = filled().map(|(rows, sum)| sum * sum / rows).sum();
        let middle = sum * sum / rows;
        ((between - middle) / (squares - middle), filled().count())
    }

    /// The same classes, each row in that of another: the row that takes its place in `order`.
    pub(crate) fn shuffled(&self, order: &[u32]) -> Self {
        let class = order.iter().map(|row| self.class[*row as usize]).collect();
        Self { class, classes: self.classes }
    }

    /// How much the rows of each class weigh.
    pub(crate) fn sizes(&self, weights: &[f64]) -> Vec<f64> {
        let mut sizes = vec![0.0; self.classes];
        self.class.iter().zip(weights).for_each(|(class, weight)| sizes[*class as usize] += weight);
        sizes
    }

    /// Rows of each class, ascending.
    pub(crate) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.classes];
        self.class.iter().enumerate().for_each(|(row, class)| members[*class as usize].push(row));
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_stay_together() {
        let column = [1.0, 1.0, 1.0, 2.0, 3.0, 4.0];
        let halves = |rank: f64| usize::from(rank > 3.0);
        let cut = Partition::new(&RankOrder::of(&column), 2, false, halves);
        assert_eq!(cut.class, [0, 0, 0, 1, 1, 1]);
        let values = Partition::new(&RankOrder::of(&column), 2, true, halves);
        assert_eq!(values.members(), [vec![0, 1, 2], vec![3], vec![4], vec![5]]);
    }

    #[test]
    fn few_values_are_classes_by_themselves() {
        let column = [5.0, 5.0, 5.0, 5.0, 5.0, 9.0];
        assert_eq!(Partition::new(&RankOrder::of(&column), 3, false, |_| 0).class, [0, 0, 0, 0, 0, 1]);
    }
}
