//! The flood that parts touching objects, word by word from its definition and without regard for time.

use onceflow_kernels::{Connectivity, ON, Plane, View};

use super::{neighbours, plane};

/// A pixel that became a line.
const LINE: i64 = -1;

/// The root of the smallest squared distance over all pixels outside.
pub(crate) fn distance(mask: View<'_, u8>) -> Plane<f32> {
    let all = || (0..mask.len()).map(|at| (at % mask.width(), at / mask.width()));
    plane(mask.width(), mask.height(), |x, y| {
        let outside = all().filter(|&(x, y)| mask.at(x, y) == 0);
        let squared = outside.map(|(u, v)| u.abs_diff(x).pow(2) + v.abs_diff(y).pow(2)).min();
        squared.map_or(f32::INFINITY, |n| (n as f32).sqrt())
    })
}

/// Repeats an elementary dilation clipped under the mask until nothing changes.
pub(crate) fn reconstruct(
    mut now: Plane<f32>,
    mask: View<'_, f32>,
    connectivity: Connectivity,
) -> Plane<f32> {
    let size = (mask.width(), mask.height());
    loop {
        let before = now.clone();
        let view = before.view();
        now = plane(size.0, size.1, |x, y| {
            let around = neighbours(x, y, size, connectivity).into_iter().map(|(x, y)| view.at(x, y));
            around.fold(view.at(x, y), f32::max).min(mask.at(x, y))
        });
        if now == before {
            return now;
        }
    }
}

/// The plateau of each pixel, collected anew for each pixel, has no higher neighbour.
pub(crate) fn regional_maxima(image: View<'_, f32>, connectivity: Connectivity) -> Plane<u8> {
    let size = (image.width(), image.height());
    plane(size.0, size.1, |x, y| {
        let mut seen = Plane::filled(false, size.0, size.1);
        let mut plateau = vec![(x, y)];
        while let Some((px, py)) = plateau.pop() {
            for (nx, ny) in neighbours(px, py, size, connectivity) {
                if image.at(nx, ny) > image.at(x, y) {
                    return 0;
                }
                if image.at(nx, ny) == image.at(x, y) && !seen.view().at(nx, ny) {
                    seen.pixels_mut()[ny * size.0 + nx] = true;
                    plateau.push((nx, ny));
                }
            }
        }
        ON
    })
}

/// Where the floods start.
pub(crate) fn markers(big: View<'_, u8>, connectivity: Connectivity) -> Plane<u32> {
    let (width, height) = (big.width(), big.height());
    let far = distance(big);
    let inside = |x: usize, y: usize| big.at(x, y) != 0;
    let marker = plane(width, height, |x, y| if inside(x, y) { far.view().at(x, y) - 1.0 } else { f32::MAX });
    let mask = plane(width, height, |x, y| if inside(x, y) { far.view().at(x, y) } else { f32::MAX });
    let levelled = reconstruct(marker, mask.view(), Connectivity::Eight);
    let maxima = regional_maxima(levelled.view(), connectivity);
    Plane::from_vec(super::label(maxima.view(), connectivity), width, height)
        .expect("as many labels as pixels")
}

/// A pixel that waits: what it waits for, since when, and where it is.
type Waiting = (u8, usize, (usize, usize));

/// Labels after the flood, [`LINE`] or 0; one list is searched for the pixel that goes next.
pub(crate) fn watershed(image: View<'_, [u8; 3]>, markers: View<'_, u32>) -> Plane<i64> {
    let size = (image.width(), image.height());
    let mut labels = plane(size.0, size.1, |x, y| i64::from(markers.at(x, y)));
    let mut queued = plane(size.0, size.1, |_, _| false);
    let mut waiting: Vec<Waiting> = Vec::new();
    let mut time = 0;
    for (x, y) in (0..image.len()).map(|at| (at % size.0, at / size.0)) {
        let labelled = cross(x, y, size).into_iter().filter(|&(x, y)| markers.at(x, y) > 0);
        let step = labelled.map(|(nx, ny)| step(image.at(x, y), image.at(nx, ny))).min();
        if let Some(step) = step.filter(|_| markers.at(x, y) == 0) {
            waiting.push((step, time, (x, y)));
            queued.pixels_mut()[y * size.0 + x] = true;
            time += 1;
        }
    }
    while let Some(first) = waiting.iter().min().copied() {
        waiting.retain(|w| *w != first);
        let (x, y) = first.2;
        let mut around: Vec<i64> =
            cross(x, y, size).into_iter().map(|(x, y)| labels.view().at(x, y)).filter(|l| *l > 0).collect();
        around.dedup();
        let agree = around.iter().all(|l| *l == around[0]);
        labels.pixels_mut()[y * size.0 + x] = if agree { around[0] } else { LINE };
        for (nx, ny) in cross(x, y, size) {
            if agree && labels.view().at(nx, ny) == 0 && !queued.view().at(nx, ny) {
                waiting.push((step(image.at(x, y), image.at(nx, ny)), time, (nx, ny)));
                queued.pixels_mut()[ny * size.0 + nx] = true;
                time += 1;
            }
        }
    }
    labels
}

/// Left, right, up and down, as far as they are in the image.
fn cross(x: usize, y: usize, (width, height): (usize, usize)) -> Vec<(usize, usize)> {
    let all = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
    all.into_iter().filter(|&(x, y)| x < width && y < height).collect()
}

fn step(a: [u8; 3], b: [u8; 3]) -> u8 {
    a.into_iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().expect("three channels")
}

/// The whole task.
pub(crate) fn split(
    normalized: View<'_, [u8; 3]>,
    big: View<'_, u8>,
    connectivity: Connectivity,
) -> Plane<u8> {
    let (width, height) = (big.width(), big.height());
    let inside = |x: usize, y: usize| big.at(x, y) != 0;
    if (0..big.len()).all(|at| inside(at % width, at / width)) {
        return big.to_plane();
    }
    let colour = plane(width, height, |x, y| if inside(x, y) { normalized.at(x, y) } else { [0; 3] });
    let mut labels = watershed(colour.view(), markers(big, connectivity).view());
    for (x, y) in (0..big.len()).map(|at| (at % width, at / width)) {
        let is_line = |dx: isize, dy: isize| {
            let (x, y) = (x.checked_add_signed(dx), y.checked_add_signed(dy));
            let at = x.zip(y).filter(|&(x, y)| x < width && y < height);
            at.is_some_and(|(x, y)| labels.view().at(x, y) == LINE)
        };
        let left = is_line(-1, 0) && !is_line(-1, -1);
        let right = is_line(1, 0) && !is_line(1, -1);
        if inside(x, y) && !is_line(0, 0) && is_line(0, -1) && (left || right) {
            labels.pixels_mut()[y * width + x] = LINE;
        }
    }
    plane(width, height, |x, y| if inside(x, y) && labels.view().at(x, y) != LINE { ON } else { 0 })
}
