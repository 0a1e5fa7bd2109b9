//! Times the flood and what surrounds it: `flood IMAGE.png [RUNS [NAME]]`, with a copy of the same memory beside it, then masks
//! that trouble such algorithms.
#![allow(clippy::print_stdout)]

use std::num::NonZeroUsize;
use std::{env, error::Error, fs::File, hint::black_box, io::BufReader, time::Instant};

use onceflow_kernels::colour::{ColourSums, transfer};
use onceflow_kernels::nuclei::{self, Candidates, Parameters, Reconstructed};
use onceflow_kernels::{
    Connectivity, Cpu, DistanceScratch, ON, Plane, PlateauScratch, View, WatershedScratch, distance,
    distance_into, distance_on, h_maxima_on, label, level_peaks, regional_maxima_on, watershed,
    watershed_into, watershed_on,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let image = read(&arguments.next().ok_or("expected IMAGE.png [RUNS]")?)?;
    let runs = arguments.next().map_or(Ok(5), |runs| runs.parse())?;
    let mut sums = ColourSums::new();
    sums.add(image.view());
    let normalized = transfer(image.view(), &sums.finish());
    tissue(normalized.view(), runs);
    for (name, mask) in shapes(image.width(), image.height()) {
        shape(name, normalized.view(), &mask, runs.min(3));
    }
    Ok(())
}

fn tissue(image: View<'_, [u8; 3]>, runs: usize) {
    let p = Parameters::default();
    let fill = p.fill_holes_connectivity;
    let Reconstructed { rc, rc_recon } = nuclei::reconstruct(image, p.recon_connectivity);
    let Candidates { diff, bw1 } = nuclei::candidates(rc.view(), rc_recon.view(), fill, p.g1);
    let bw1_t = nuclei::sized_candidates(bw1.view(), p.min_size, p.max_size);
    let rbc = nuclei::red_blood_cells(image, p.t1, p.t2);
    let seg_open = nuclei::grow(diff.view(), bw1_t.view(), rbc.view(), p.g2);
    let big = nuclei::clumps(seg_open.view(), p.min_size_pl);
    let markers = nuclei::markers(big.view(), p.watershed_connectivity);
    let apart = nuclei::split(image, big.view(), p.watershed_connectivity);
    let inside = big.pixels().iter().filter(|pixel| **pixel != 0).count();
    let objects = label(big.view(), Connectivity::Eight).components;
    let windows: usize = objects.iter().map(|o| (o.right - o.left + 2) * (o.bottom - o.top + 2)).sum();
    println!("{} objects, {inside} pixels inside, {windows} in their windows", objects.len());
    let basins = inside_alone(image, &big);
    time("copy of a mask", runs, || big.clone());
    time("copy of labels", runs, || markers.clone());
    time("distance", runs, || distance(big.view()));
    let (mut far, mut scratch) = (distance(big.view()), DistanceScratch::default());
    time("distance, memory given", runs, || distance_into(big.view(), far.view_mut(), &mut scratch));
    time("watershed", runs, || watershed(basins.view(), markers.view()));
    let (mut labels, mut scratch) = (markers.clone(), WatershedScratch::default());
    time("watershed, memory given", runs, || {
        labels.pixels_mut().copy_from_slice(markers.pixels());
        watershed_into(basins.view(), labels.view_mut(), &mut scratch);
    });
    threads(basins.view(), &big, &markers, runs);
    time("t5 grow", runs, || nuclei::grow(diff.view(), bw1_t.view(), rbc.view(), p.g2));
    time("t6 clumps", runs, || nuclei::clumps(seg_open.view(), p.min_size_pl));
    time("t6 split", runs, || nuclei::split(image, big.view(), p.watershed_connectivity));
    time("t7 finish", runs, || nuclei::finish(apart.view(), p.min_size_seg, p.max_size_seg, fill));
    time("t1..t7 segment", runs, || nuclei::segment(image, &p));
}

/// The colours of objects, and black around them, as floods between objects and their outside have them.
fn inside_alone(image: View<'_, [u8; 3]>, mask: &Plane<u8>) -> Plane<[u8; 3]> {
    let mut inside = image.to_plane();
    let pixels = inside.pixels_mut().iter_mut().zip(mask.pixels());
    pixels.filter(|(_, inside)| **inside == 0).for_each(|(pixel, _)| *pixel = [0; 3]);
    inside
}

/// The share of the caller's thread, which has as much to do as any other and what cannot be shared.
fn threads(image: View<'_, [u8; 3]>, big: &Plane<u8>, markers: &Plane<u32>, runs: usize) {
    let mut far = distance(big.view());
    let levelled = level_peaks(far.view(), big.view());
    let (heights, mut mask, mut labels) = (far.clone(), big.clone(), markers.clone());
    let (mut lakes, mut columns) = (WatershedScratch::default(), DistanceScratch::default());
    let (mut plateaus, mut grey) = (PlateauScratch::default(), Vec::new());
    for threads in [1, 2].into_iter().filter_map(NonZeroUsize::new) {
        let cpu = Cpu { threads, ..Cpu::default() };
        let name = |operation: &str| format!("{operation}, threads: {threads}");
        time(&name("distance"), runs, || distance_on(cpu, big.view(), far.view_mut(), &mut columns));
        time(&name("h-maxima"), runs, || {
            h_maxima_on(cpu, heights.view(), 1.0, Connectivity::Eight, far.view_mut(), &mut grey);
        });
        time(&name("regional maxima"), runs, || {
            let target = mask.view_mut();
            regional_maxima_on(cpu, levelled.view(), Connectivity::Eight, target, &mut plateaus);
        });
        time(&name("watershed and copy"), runs, || {
            labels.pixels_mut().copy_from_slice(markers.pixels());
            watershed_on(cpu, image, labels.view_mut(), &mut lakes);
        });
    }
}

fn shape(name: &str, image: View<'_, [u8; 3]>, mask: &Plane<u8>, runs: usize) {
    time(&format!("{name}: distance"), runs, || distance(mask.view()));
    time(&format!("{name}: split"), runs, || nuclei::split(image, mask.view(), Connectivity::Eight));
    time(&format!("{name}: finish"), runs, || nuclei::finish(mask.view(), 1, i64::MAX, Connectivity::Four));
}

/// The shortest of several runs: the machine may be busy.
fn time<T>(name: &str, runs: usize, mut run: impl FnMut() -> T) {
    // Only what the third argument names, if there is one.
    if env::args().nth(3).is_some_and(|wanted| !name.contains(&wanted)) {
        return;
    }
    let mut once = || {
        let start = Instant::now();
        black_box(run());
        start.elapsed().as_secs_f64() * 1e3
    };
    println!("{name:32}{:9.1} ms", (0..runs).map(|_| once()).fold(f64::INFINITY, f64::min));
}

/// One object of all pixels but one, and of few; long ones that wind; a great many; and many with large windows.
fn shapes(width: usize, height: usize) -> Vec<(&'static str, Plane<u8>)> {
    let mask = |inside: &dyn Fn(usize, usize) -> bool| {
        let pixels = (0..width * height).map(|at| if inside(at % width, at / width) { ON } else { 0 });
        Plane::from_vec(pixels.collect(), width, height).unwrap_or_default()
    };
    let ring = |x: usize, y: usize| x.min(y).min(width - 1 - x).min(height - 1 - y);
    vec![
        ("full", mask(&|_, _| true)),
        ("full but one", mask(&|x, y| (x, y) != (0, 0))),
        ("comb", mask(&|x, y| x % 8 < 4 || y < 4)),
        ("spiral", mask(&|x, y| (ring(x, y) / 4) % 2 == 0 || (y == x + 4 && x < width / 2))),
        ("checkerboard", mask(&|x, y| (x + y) % 2 == 0)),
        ("squares", mask(&|x, y| x % 10 < 8 && y % 10 < 8)),
        ("dots", mask(&|x, y| x % 2 == 0 && y % 2 == 0)),
        ("diagonals", mask(&|x, y| (x + y) % 8 < 3)),
    ]
}

fn read(file: &str) -> Result<Plane<[u8; 3]>, Box<dyn Error>> {
    let mut reader = png::Decoder::new(BufReader::new(File::open(file)?)).read_info()?;
    let mut data = vec![0; reader.output_buffer_size().ok_or("the image is too large")?];
    let info = reader.next_frame(&mut data)?;
    let pixels = data[..info.buffer_size()].as_chunks().0.to_vec();
    Ok(Plane::from_vec(pixels, info.width as usize, info.height as usize).ok_or("expected 8-bit RGB")?)
}
