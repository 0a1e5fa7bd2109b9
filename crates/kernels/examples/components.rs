//! How long the operations on components take on a tile: `components FILE.png [RUNS]`, in milliseconds of processor time
//! (the least of several runs), beside the time that merely moving the same bytes takes.
#![allow(clippy::print_stdout)]

use std::{env, error::Error, fs, fs::File, hint::black_box, io::BufReader, time::Instant};

use onceflow_kernels::colour::{Statistics, transfer};
use onceflow_kernels::nuclei::{self, Candidates, Parameters, Reconstructed};
use onceflow_kernels::{
    Connectivity, Element, ON, Plane, distance, fill_holes, filter_area, label, level_peaks, open, reconstruct,
    regional_maxima, select,
};

fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args().nth(1).ok_or("expected FILE.png [RUNS]")?;
    let runs = env::args().nth(2).map_or(Ok(5), |n| n.parse())?;
    let image = read(&file)?;
    let mut statistics = Statistics::new();
    statistics.add(image.view());
    let normalized = transfer(image.view(), &statistics.finish());
    let p = Parameters::default();
    let Reconstructed { rc, rc_recon } = nuclei::reconstruct(normalized.view(), Connectivity::Eight);
    let opened = open(rc.view(), Element::Disk19);
    let Candidates { diff, bw1 } = nuclei::candidates(rc.view(), rc_recon.view(), Connectivity::Four, p.g1);
    let dark = above(&diff, p.g2);
    let candidates = above(&diff, p.g1);
    let rbc = nuclei::red_blood_cells(normalized.view(), p.t1, p.t2);
    let bw1_t = nuclei::sized_candidates(bw1.view(), p.min_size, p.max_size);
    let seg_open = nuclei::grow(diff.view(), bw1_t.view(), rbc.view(), p.g2);
    let big = nuclei::clumps(seg_open.view(), p.min_size_pl);
    let far = distance(big.view());
    let levelled = level_peaks(far.view(), big.view());
    let pixels = big.pixels().len();
    let measure = |name: &str, bytes: usize, work: &mut dyn FnMut()| {
        let (wall, busy) = least(runs, work);
        println!("{name:32} {wall:8.1} wall {busy:8.1} busy   floor {:6.1}", floor(bytes * pixels, runs));
    };
    let [four, eight] = [Connectivity::Four, Connectivity::Eight];
    measure("reconstruct u8 8", 3, &mut || drop(black_box(reconstruct(opened.view(), rc.view(), eight))));
    measure("reconstruct u8 4", 3, &mut || drop(black_box(reconstruct(opened.view(), rc.view(), four))));
    measure("fill holes 4", 2, &mut || drop(black_box(fill_holes(candidates.view(), four))));
    measure("label 8", 5, &mut || drop(black_box(label(dark.view(), eight))));
    measure("label 4", 5, &mut || drop(black_box(label(dark.view(), four))));
    measure("filter area 8", 2, &mut || drop(black_box(filter_area(bw1.view(), 21, Some(1000), eight))));
    measure("select 8", 3, &mut || drop(black_box(select(dark.view(), bw1_t.view(), eight))));
    measure("level peaks f32", 9, &mut || drop(black_box(level_peaks(far.view(), big.view()))));
    measure("regional maxima f32 8", 5, &mut || drop(black_box(regional_maxima(levelled.view(), eight))));
    Ok(())
}

fn above(image: &Plane<u8>, threshold: i64) -> Plane<u8> {
    let mut mask = image.clone();
    mask.pixels_mut().iter_mut().for_each(|p| *p = if i64::from(*p) > threshold { ON } else { 0 });
    mask
}

/// The least wall time and the least processor time of some runs, in milliseconds. The system counts processor time in
/// steps of some milliseconds, therefore each run repeats the work often enough.
fn least(runs: usize, work: &mut dyn FnMut()) -> (f64, f64) {
    let start = processor_time();
    let mut often = 0;
    while often == 0 || (often < 1000 && processor_time() < start + 50.0) {
        work();
        often += 1;
    }
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..runs {
        let busy = processor_time();
        for _ in 0..often {
            let wall = Instant::now();
            work();
            best.0 = best.0.min(wall.elapsed().as_secs_f64() * 1e3);
        }
        best.1 = best.1.min((processor_time() - busy) / f64::from(often));
    }
    best
}

/// How long this thread has run, in milliseconds; 0 where the system does not say.
fn processor_time() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0) / 1e6
}

/// The time of copying so many bytes in all, half of them read and half written.
fn floor(bytes: usize, runs: usize) -> f64 {
    let source = vec![1u8; bytes / 2];
    let mut target = vec![0u8; bytes / 2];
    least(runs, &mut || target.copy_from_slice(black_box(&source))).1
}

fn read(file: &str) -> Result<Plane<[u8; 3]>, Box<dyn Error>> {
    let mut reader = png::Decoder::new(BufReader::new(File::open(file)?)).read_info()?;
    let mut data = vec![0; reader.output_buffer_size().ok_or("the image is too large")?];
    let info = reader.next_frame(&mut data)?;
    let pixels = data.as_chunks().0.to_vec();
    Plane::from_vec(pixels, info.width as usize, info.height as usize).ok_or_else(|| "expected 8-bit RGB".into())
}
