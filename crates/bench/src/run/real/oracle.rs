//! A brute force that knows nothing of plans: every row alone, task after task, and then a count of how many different
//! things were done, by what each task read and what its inputs held, and of how many different objects were parted.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use onceflow_kernels::nuclei::{self, Candidates, NucleiMask, Parameters, Reconstructed};
use onceflow_kernels::{Connectivity, Plane, View};
use onceflow_terminal::Failure;

use crate::program::failed;

/// What all rows together need.
#[derive(Debug, Default)]
pub(super) struct NeededWork {
    /// Different instances of each task.
    pub(super) instances: BTreeMap<&'static str, u64>,
    /// For each task of [`BY_OBJECTS`], pixels of the objects of all its different instances, and of those objects that are
    /// different.
    pub(super) pixels: BTreeMap<&'static str, (u64, u64)>,
}

/// What one row did: for each task a digest of what it read and took; and the objects it worked on, with their pixels.
#[derive(Debug, Default)]
struct RowWork {
    done: Vec<(&'static str, u64)>,
    objects: Vec<(&'static str, u64, u64)>,
}

/// Runs every row of a table that a run wrote.
pub(super) fn count(normalized: View<'_, [u8; 3]>, table: &str) -> Result<NeededWork, Failure> {
    let rows = parameters(table)?;
    let half = rows.len() / 2;
    let (first, second) = std::thread::scope(|scope| {
        let second = scope.spawn(|| alone(normalized, &rows[half..]));
        (alone(normalized, &rows[..half]), second.join())
    });
    let second = second.map_err(|_| failed("a row could not be run"))?;
    let (mut needed, mut instances, mut objects) = (NeededWork::default(), HashSet::new(), HashSet::new());
    for row in first.into_iter().chain(second) {
        let new: Vec<&str> =
            row.done.into_iter().filter(|done| instances.insert(*done)).map(|(task, _)| task).collect();
        for (task, object, pixels) in row.objects.into_iter().filter(|(task, ..)| new.contains(task)) {
            let (all, different) = needed.pixels.entry(task).or_default();
            *all += pixels;
            *different += if objects.insert((task, object)) { pixels } else { 0 };
        }
        new.into_iter().for_each(|task| *needed.instances.entry(task).or_default() += 1);
    }
    Ok(needed)
}

/// Tasks that work on objects that they have not seen: one chooses among those of a mask, which it finds once, the other
/// parts them.
pub(super) const BY_OBJECTS: [&str; 2] = ["t4", "t6_flood"];

fn alone(normalized: View<'_, [u8; 3]>, rows: &[Parameters]) -> Vec<RowWork> {
    rows.iter().map(|parameters| segment(normalized, parameters)).collect()
}

fn segment(normalized: View<'_, [u8; 3]>, p: &Parameters) -> RowWork {
    let mut row = RowWork::default();
    row.did("background", &(p.blue, p.green, p.red));
    if nuclei::background(normalized, p.blue, p.green, p.red).is_some() {
        return row;
    }
    row.did("t1", &(p.t1.to_bits(), p.t2.to_bits()));
    let blood = nuclei::red_blood_cells(normalized, p.t1, p.t2);
    row.did("t2", &eight(p.recon_connectivity));
    let Reconstructed { rc, rc_recon } = nuclei::reconstruct(normalized, p.recon_connectivity);
    row.did("t3", &(eight(p.fill_holes_connectivity), p.g1, digest(rc.pixels()), digest(rc_recon.pixels())));
    let Candidates { diff, bw1 } =
        nuclei::candidates(rc.view(), rc_recon.view(), p.fill_holes_connectivity, p.g1);
    row.did("t4", &(p.min_size, p.max_size, digest(bw1.pixels())));
    let dark = bw1.pixels().iter().filter(|pixel| **pixel != 0).count() as u64;
    row.objects.push(("t4", digest(bw1.pixels()), dark));
    let sized = nuclei::sized_candidates(bw1.view(), p.min_size, p.max_size);
    if sized.pixels().iter().all(|pixel| *pixel == 0) {
        return row;
    }
    row.did("t5", &(p.g2, digest(diff.pixels()), digest(sized.pixels()), digest(blood.pixels())));
    let grown = nuclei::grow(diff.view(), sized.view(), blood.view(), p.g2);
    row.did("t6_grow", &(p.min_size_pl, digest(grown.pixels())));
    let big = nuclei::clumps(grown.view(), p.min_size_pl);
    row.did("t6_flood", &(eight(p.watershed_connectivity), digest(big.pixels())));
    let clumps = objects(&big, eight(p.watershed_connectivity)).into_iter();
    row.objects.extend(clumps.map(|(object, pixels)| ("t6_flood", object, pixels)));
    let apart = nuclei::split(normalized, big.view(), p.watershed_connectivity);
    let fill = p.fill_holes_connectivity;
    row.did("t7", &(p.min_size_seg, p.max_size_seg, eight(fill), digest(apart.pixels())));
    let NucleiMask { mask, .. } = nuclei::finish(apart.view(), p.min_size_seg, p.max_size_seg, fill);
    row.did("compare", mask.pixels());
    row
}

impl RowWork {
    fn did(&mut self, task: &'static str, with: &(impl Hash + ?Sized)) {
        self.done.push((task, digest(with)));
    }
}

fn digest(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

fn eight(connectivity: Connectivity) -> bool {
    connectivity == Connectivity::Eight
}

/// The 8-connected objects of a mask, pixel by pixel: a digest of where they are, and how many pixels they have.
fn objects(mask: &Plane<u8>, eight: bool) -> Vec<(u64, u64)> {
    let (width, pixels) = (mask.width() as i64, mask.pixels());
    let (mut seen, mut objects) = (vec![false; pixels.len()], Vec::new());
    for start in 0..pixels.len() {
        if pixels[start] == 0 || seen[start] {
            continue;
        }
        let mut object = vec![start];
        seen[start] = true;
        let mut done = 0;
        while let Some(&place) = object.get(done) {
            done += 1;
            for neighbour in around(place as i64, width, pixels.len() as i64) {
                if pixels[neighbour] != 0 && !seen[neighbour] {
                    seen[neighbour] = true;
                    object.push(neighbour);
                }
            }
        }
        object.sort_unstable();
        objects.push((digest(&(eight, &object)), object.len() as u64));
    }
    objects
}

fn around(place: i64, width: i64, count: i64) -> impl Iterator<Item = usize> {
    let steps = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];
    let neighbour = move |(down, right): (i64, i64)| {
        let inside = (0..width).contains(&(place % width + right));
        let neighbour = place + down * width + right;
        (inside && (0..count).contains(&neighbour)).then_some(neighbour as usize)
    };
    steps.into_iter().filter_map(neighbour)
}

/// The parameters of all rows.
fn parameters(table: &str) -> Result<Vec<Parameters>, Failure> {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let row = |line: &str| -> Result<Parameters, Failure> {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |name: &str| {
            let place = names.iter().position(|other| *other == name);
            let text = place.and_then(|place| fields.get(place));
            text.and_then(|text| text.parse::<f64>().ok())
                .ok_or_else(|| failed(format!("a row without {name}")))
        };
        let whole = |name: &str| number(name).map(|value| value as i64);
        let neighbours = |name: &str| {
            number(name).map(|value| if value == 8.0 { Connectivity::Eight } else { Connectivity::Four })
        };
        Ok(Parameters {
            blue: whole("blue")?,
            green: whole("green")?,
            red: whole("red")?,
            t1: number("T1")?,
            t2: number("T2")?,
            recon_connectivity: neighbours("reconConnectivity")?,
            fill_holes_connectivity: neighbours("fillHolesConnectivity")?,
            g1: whole("G1")?,
            min_size: whole("minSize")?,
            max_size: whole("maxSize")?,
            g2: whole("G2")?,
            min_size_pl: whole("minSizePl")?,
            watershed_connectivity: neighbours("watershedConnectivity")?,
            min_size_seg: whole("minSizeSeg")?,
            max_size_seg: whole("maxSizeSeg")?,
        })
    };
    lines.map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_told_apart_by_shape_and_place() {
        let mask = |rows: [[u8; 4]; 3]| Plane::from_vec(rows.as_flattened().to_vec(), 4, 3).unwrap();
        let one = objects(&mask([[255, 0, 0, 0], [0, 255, 0, 255], [0, 0, 0, 255]]), true);
        let other = objects(&mask([[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 0, 0]]), true);
        assert_eq!(one.iter().map(|(_, pixels)| *pixels).collect::<Vec<_>>(), [2, 2]);
        assert_eq!(one[0], other[0]);
        assert_ne!(one[1], other[1]);
        // The last column and the first of the next row are no neighbours.
        assert_eq!(objects(&mask([[0, 0, 0, 255], [255, 0, 0, 0], [0; 4]]), true).len(), 2);
    }

    #[test]
    fn rows_that_differ_in_what_nothing_hangs_on_need_one_of_each_task() {
        let normalized = Plane::filled([120, 60, 140], 40, 30);
        let head = "row,blue,green,red,T1,T2,reconConnectivity,fillHolesConnectivity,G1,minSize,maxSize,G2,minSizePl,\
                    watershedConnectivity,minSizeSeg,maxSizeSeg";
        let table = format!(
            "{head}\n0,220,220,220,5,4,8,4,80,11,1000,45,30,8,21,1000\n\
                             1,220,220,220,5,4,8,4,80,11,1000,45,30,4,30,1000\n"
        );
        let needed = count(normalized.view(), &table).unwrap();
        assert_eq!(needed.instances["t1"], 1);
        assert!(needed.instances.values().all(|count| *count == 1), "{needed:?}");
    }
}
