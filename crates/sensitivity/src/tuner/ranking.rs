//! Several objectives: which rows no other row beats in all of them.

/// Whether losses are at least as good everywhere and better somewhere.
pub(super) fn dominates(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b) && a.iter().zip(b).any(|(a, b)| a < b)
}

/// Places of the losses that no others dominate; of equal ones the first.
pub(super) fn front_of(losses: &[&Vec<f64>]) -> Vec<usize> {
    let beaten = |place: usize| {
        losses
            .iter()
            .enumerate()
            .any(|(other, l)| dominates(l, losses[place]) || other < place && *l == losses[place])
    };
    (0..losses.len()).filter(|place| !beaten(*place)).collect()
}

/// Places of the rows that no other row dominates; `maximize` says for each objective whether more is better. Rows with a
/// value that is not finite take no part.
pub fn pareto_front(values: &[Vec<f64>], maximize: &[bool]) -> Vec<usize> {
    let finite: Vec<usize> = (0..values.len()).filter(|r| values[*r].iter().all(|x| x.is_finite())).collect();
    let loss = |row: &usize| -> Vec<f64> {
        values[*row].iter().zip(maximize).map(|(x, more)| if *more { -x } else { *x }).collect()
    };
    let losses: Vec<Vec<f64>> = finite.iter().map(loss).collect();
    front_of(&losses.iter().collect::<Vec<_>>()).into_iter().map(|place| finite[place]).collect()
}

/// Fronts after fronts: the rank of each, 0 for those that nothing dominates (Deb et al. 2002).
pub(super) fn ranks(losses: &[&Vec<f64>]) -> Vec<usize> {
    let mut ranks = vec![usize::MAX; losses.len()];
    let mut left: Vec<usize> = (0..losses.len()).collect();
    for rank in 0.. {
        if left.is_empty() {
            break;
        }
        let beaten = |place: &usize| left.iter().any(|other| dominates(losses[*other], losses[*place]));
        let (rest, front): (Vec<usize>, Vec<usize>) = left.iter().partition(|place| beaten(place));
        front.into_iter().for_each(|place| ranks[place] = rank);
        left = rest;
    }
    ranks
}

/// How much room each of a front's members has around itself; the outermost have most.
pub(super) fn crowding(losses: &[&Vec<f64>], front: &[usize]) -> Vec<f64> {
    let mut room = vec![0.0; front.len()];
    let objectives = front.first().map_or(0, |place| losses[*place].len());
    (0..objectives).for_each(|objective| {
        let values: Vec<f64> = front.iter().map(|place| losses[*place][objective]).collect();
        add_room(&values, &mut room);
    });
    room
}

/// Adds what the neighbours in one objective leave to each.
fn add_room(values: &[f64], room: &mut [f64]) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let (Some(first), Some(last)) = (order.first().copied(), order.last().copied()) else { return };
    let range = values[last] - values[first];
    [first, last].into_iter().for_each(|end| room[end] = f64::INFINITY);
    if range > 0.0 {
        for three in order.windows(3) {
            room[three[1]] += (values[three[2]] - values[three[0]]) / range;
        }
    }
}
