//! The bytes of every built-in operation on one synthetic image. Somebody's stored results carry an operation's version:
//! where a digest here changes, that version has to change with it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;

use onceflow_kernels::colour::{ColourSums, transfer};
use onceflow_kernels::nuclei::{self, Candidates, NucleiMask, Parameters, Reconstructed};
use onceflow_kernels::{Plane, View};

/// Pink ground, dark disks on a slanted grid that touch here and there, red ones between them, and some noise.
fn tissue() -> Plane<[u8; 3]> {
    naive::plane(200, 150, |x, y| {
        let noise = (((x * 7919 + y * 104_729) as u32).wrapping_mul(2_654_435_761) >> 28) as u8;
        let (u, v) = ((x + y / 4) % 24, (y + x / 5) % 21);
        let off = u.abs_diff(12).pow(2) + v.abs_diff(10).pow(2);
        let ground = match (off, (x / 24 + y / 21) % 7) {
            (0..=30, 3) => [200, 25, 40],
            (0..=120, 0 | 1 | 4) => [70 + off as u8 / 4, 40, 110],
            (0..=60, 2 | 5) => [90, 60, 130],
            _ => [225, 150, 195],
        };
        ground.map(|value| value + noise)
    })
}

fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

fn digest(view: View<'_, u8>) -> u64 {
    fnv(view.rows().flatten().copied())
}

#[test]
fn bytes_stay_as_they_are() {
    let p = Parameters { g1: 40, g2: 20, max_size: 5000, ..Parameters::default() };
    let image = tissue();
    let mut sums = ColourSums::new();
    sums.add(image.view());
    let found = sums.finish();
    let normalized = transfer(image.view(), &found);
    let view = normalized.view();
    let rbc = nuclei::red_blood_cells(view, p.t1, p.t2);
    let Reconstructed { rc, rc_recon } = nuclei::reconstruct(view, p.recon_connectivity);
    let Candidates { diff, bw1 } =
        nuclei::candidates(rc.view(), rc_recon.view(), p.fill_holes_connectivity, p.g1);
    let bw1_t = nuclei::sized_candidates(bw1.view(), p.min_size, p.max_size);
    let seg_open = nuclei::grow(diff.view(), bw1_t.view(), rbc.view(), p.g2);
    let big = nuclei::clumps(seg_open.view(), p.min_size_pl);
    let apart = nuclei::split(view, big.view(), p.watershed_connectivity);
    let NucleiMask { mask, objects } =
        nuclei::finish(apart.view(), p.min_size_seg, p.max_size_seg, p.fill_holes_connectivity);
    let statistics = found.mean.into_iter().chain(found.deviation).flat_map(f64::to_le_bytes);
    let digests = [
        ("statistics", fnv(statistics)),
        ("transfer", fnv(normalized.pixels().as_flattened().iter().copied())),
        ("red blood cells", digest(rbc.view())),
        ("reconstruct", digest(rc_recon.view())),
        ("candidates, difference", digest(diff.view())),
        ("candidates", digest(bw1.view())),
        ("sized candidates", digest(bw1_t.view())),
        ("grow", digest(seg_open.view())),
        ("clumps", digest(big.view())),
        ("split", digest(apart.view())),
        ("finish", digest(mask.view())),
    ];
    assert_eq!(digests.map(|(name, digest)| format!("{name}: {digest:016x}")).join("\n"), PINNED);
    assert_eq!(objects, 52);
    assert_eq!(nuclei::background(view, p.blue, p.green, p.red), None);
}

const PINNED: &str = "\
statistics: b06a8f86123e3516
transfer: 974103839386899d
red blood cells: b1e0733568bc9963
reconstruct: f2d3de5a413316c4
candidates, difference: a8110aa1c81944bf
candidates: f281e973f81ae632
sized candidates: 5e92627f00a0ed14
grow: 1a572a56f3a35118
clumps: 8a6b2ab550c5b576
split: 575941ef3c04db35
finish: 16e0cbec6c357ad5";
