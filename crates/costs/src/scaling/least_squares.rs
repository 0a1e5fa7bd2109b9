//! Small systems of equations.

/// The solution of a square system by elimination with row exchanges; none when it has no single one.
pub(super) fn solved(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let count = right.len();
    for column in 0..count {
        let size = |row: &usize| rows[*row][column].abs();
        let pivot = (column..count).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        let scale = rows[pivot].iter().fold(0.0f64, |most, value| most.max(value.abs()));
        if rows[pivot][column].abs() <= 1e-13 * scale || scale == 0.0 {
            return None;
        }
        rows.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..count {
            let factor = rows[row][column] / rows[column][column];
            let (above, below) = rows.split_at_mut(row);
            let pairs = below[0].iter_mut().zip(&above[column]).skip(column);
            pairs.for_each(|(value, pivot)| *value -= factor * pivot);
            right[row] -= factor * right[column];
        }
    }
    for row in (0..count).rev() {
        let known: f64 = (row + 1..count).map(|at| rows[row][at] * right[at]).sum();
        right[row] = (right[row] - known) / rows[row][row];
    }
    Some(right)
}

/// Coefficients, none negative, that come nearest to `right` by the sum of squares (Lawson and Hanson 1974).
pub(super) fn nonnegative(rows: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
    let count = rows.first()?.len();
    let mut used: Vec<usize> = Vec::new();
    let mut found = vec![0.0; count];
    // Each step adds one column and removes those that became negative; the sum of squares falls, so that it ends.
    for _ in 0..3 * count {
        let rest = |row: usize| right[row] - dot(&rows[row], &found);
        let rests: Vec<f64> = (0..rows.len()).map(rest).collect();
        let gain =
            |column: usize| -> f64 { rows.iter().zip(&rests).map(|(row, rest)| row[column] * rest).sum() };
        let norm = |column: usize| rows.iter().map(|row| row[column] * row[column]).sum::<f64>().sqrt();
        let gains = (0..count)
            .filter(|column| !used.contains(column))
            .map(|column| (gain(column) / norm(column), column));
        let best = gains.filter(|(gain, _)| gain.is_finite()).max_by(|a, b| a.0.total_cmp(&b.0));
        let size = right.iter().map(|value| value * value).sum::<f64>().sqrt();
        let Some((_, column)) = best.filter(|(gain, _)| *gain > 1e-10 * size) else { break };
        used.push(column);
        if !settle(rows, right, &mut used, &mut found) {
            break;
        }
    }
    Some(found)
}

/// Solves for the used columns and leaves out those that would be negative; whether a solution was found.
fn settle(rows: &[Vec<f64>], right: &[f64], used: &mut Vec<usize>, found: &mut [f64]) -> bool {
    loop {
        let Some(solution) = normal(rows, right, used) else {
            used.pop();
            return false;
        };
        let falling = |(place, value): (usize, &f64)| {
            let old = found[used[place]];
            (*value <= 0.0).then(|| (old / (old - value), place))
        };
        let step = solution.iter().enumerate().filter_map(falling).min_by(|a, b| a.0.total_cmp(&b.0));
        let share = step.map_or(1.0, |(share, _)| if share.is_finite() { share } else { 0.0 });
        for (place, column) in used.iter().enumerate() {
            found[*column] += share * (solution[place] - found[*column]);
        }
        let Some((_, place)) = step else { return true };
        found[used.remove(place)] = 0.0;
        if used.is_empty() {
            return false;
        }
    }
}

/// The normal equations of some columns, each scaled to length 1.
fn normal(rows: &[Vec<f64>], right: &[f64], used: &[usize]) -> Option<Vec<f64>> {
    let length = |column: &usize| rows.iter().map(|row| row[*column] * row[*column]).sum::<f64>().sqrt();
    let lengths: Vec<f64> = used.iter().map(length).collect();
    let pair = |a: usize, b: usize| {
        rows.iter().map(|row| row[used[a]] * row[used[b]]).sum::<f64>() / (lengths[a] * lengths[b])
    };
    let matrix = (0..used.len()).map(|a| (0..used.len()).map(|b| pair(a, b)).collect()).collect();
    let sums = (0..used.len())
        .map(|a| rows.iter().zip(right).map(|(row, value)| row[used[a]] * value).sum::<f64>() / lengths[a]);
    let solution = solved(matrix, sums.collect())?;
    Some(solution.iter().zip(lengths).map(|(value, length)| value / length).collect())
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_solved_and_those_without_a_single_solution_are_not() {
        let rows = vec![vec![0.0, 2.0], vec![3.0, 1.0]];
        assert_eq!(solved(rows, vec![4.0, 5.0]), Some(vec![1.0, 2.0]));
        assert_eq!(solved(vec![vec![1.0, 1.0], vec![2.0, 2.0]], vec![1.0, 2.0]), None);
    }

    #[test]
    fn coefficients_are_found_and_never_negative() {
        let rows: Vec<Vec<f64>> = (1..9).map(|x| vec![1.0, f64::from(x), 1.0 / f64::from(x)]).collect();
        let right =
            |coefficients: [f64; 3]| rows.iter().map(|row| dot(row, &coefficients)).collect::<Vec<f64>>();
        let found = nonnegative(&rows, &right([2.0, 0.5, 7.0])).unwrap();
        for (found, expected) in found.iter().zip([2.0, 0.5, 7.0]) {
            assert!((found - expected).abs() < 1e-8, "{found}");
        }
        let found = nonnegative(&rows, &right([2.0, -0.1, 7.0])).unwrap();
        assert!(found.iter().all(|value| *value >= 0.0) && found[1] == 0.0, "{found:?}");
    }
}
