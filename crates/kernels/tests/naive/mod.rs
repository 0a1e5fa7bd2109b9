//! Slow operations straight from their definitions, and small images to try them on.

#![allow(dead_code, reason = "each test file uses some of these")]

pub(crate) mod flood;
pub(crate) mod images;

use onceflow_kernels::{Connectivity, ON, Plane, View};

/// The neighbours of a pixel inside the image.
pub(crate) fn neighbours(
    x: usize,
    y: usize,
    view: (usize, usize),
    connectivity: Connectivity,
) -> Vec<(usize, usize)> {
    let near = |at: usize, end: usize| at.saturating_sub(1)..(at + 2).min(end);
    let all = near(y, view.1).flat_map(|ny| near(x, view.0).map(move |nx| (nx, ny)));
    let straight = |nx: usize, ny: usize| nx == x || ny == y;
    all.filter(|&(nx, ny)| (nx, ny) != (x, y) && (connectivity == Connectivity::Eight || straight(nx, ny)))
        .collect()
}

/// Labels by flooding from each pixel in raster order.
pub(crate) fn label(mask: View<'_, u8>, connectivity: Connectivity) -> Vec<u32> {
    let (width, height) = (mask.width(), mask.height());
    let mut labels = vec![0; width * height];
    let mut next = 0;
    for start in 0..width * height {
        if mask.at(start % width, start / width) == 0 || labels[start] != 0 {
            continue;
        }
        next += 1;
        labels[start] = next;
        let mut stack = vec![start];
        while let Some(at) = stack.pop() {
            for (x, y) in neighbours(at % width, at / width, (width, height), connectivity) {
                if mask.at(x, y) != 0 && labels[y * width + x] == 0 {
                    labels[y * width + x] = next;
                    stack.push(y * width + x);
                }
            }
        }
    }
    labels
}

/// Repeats an elementary dilation clipped under the mask until nothing changes.
pub(crate) fn reconstruct(marker: View<'_, u8>, mask: View<'_, u8>, connectivity: Connectivity) -> Plane<u8> {
    let (width, height) = (mask.width(), mask.height());
    let at = |x: usize, y: usize| marker.at(x, y).min(mask.at(x, y));
    let mut now = plane(width, height, at);
    loop {
        let before = now.clone();
        let dilated = |x: usize, y: usize| {
            let around = neighbours(x, y, (width, height), connectivity);
            around.iter().map(|&(x, y)| before.view().at(x, y)).fold(before.view().at(x, y), u8::max)
        };
        now = plane(width, height, |x, y| dilated(x, y).min(mask.at(x, y)));
        if now == before {
            return now;
        }
    }
}

/// Turns the background that no path connects to the image border into foreground.
pub(crate) fn fill_holes(mask: View<'_, u8>, background: Connectivity) -> Plane<u8> {
    let (width, height) = (mask.width(), mask.height());
    let empty = plane(width, height, |x, y| if mask.at(x, y) == 0 { ON } else { 0 });
    let border = |x: usize, y: usize| x == 0 || y == 0 || x + 1 == width || y + 1 == height;
    let seeds = plane(width, height, |x, y| if border(x, y) { empty.view().at(x, y) } else { 0 });
    let outside = reconstruct(seeds.view(), empty.view(), background);
    plane(width, height, |x, y| ON - outside.view().at(x, y))
}

/// The smallest (or largest) value under an element that is given as offsets; outside the image there is nothing.
pub(crate) fn under_element(
    image: View<'_, u8>,
    element: &[(isize, isize)],
    start: u8,
    fold: fn(u8, u8) -> u8,
) -> Plane<u8> {
    let value = |x: usize, y: usize, dx: isize, dy: isize| {
        let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
        (x < image.width() && y < image.height()).then(|| image.at(x, y))
    };
    plane(image.width(), image.height(), |x, y| {
        element.iter().filter_map(|&(dx, dy)| value(x, y, dx, dy)).fold(start, fold)
    })
}

/// A plane from a function of column and row.
pub(crate) fn plane<T>(width: usize, height: usize, value: impl Fn(usize, usize) -> T) -> Plane<T> {
    let data = (0..width * height).map(|at| value(at % width, at / width)).collect();
    Plane::from_vec(data, width, height).expect("as many pixels as it has")
}
