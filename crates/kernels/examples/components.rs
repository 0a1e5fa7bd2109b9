//! How long the operations on components take on a tile: `components FILE.png [RUNS]`, or on shapes that trouble
//! algorithms: `components shapes [RUNS]`; in milliseconds of processor time
//! (the least of several runs), beside the time that merely moving the same bytes takes.
#![allow(clippy::print_stdout)]

use std::{
    env, error::Error, fs, fs::File, hint::black_box, io::BufReader, num::NonZeroUsize, time::Instant,
};

use onceflow_kernels::colour::{ColourSums, transfer};
use onceflow_kernels::nuclei::{self, Candidates, Parameters, Reconstructed, SegmentScratch};
use onceflow_kernels::{
    Connectivity, Cpu, GreyScratch, Isa, ON, Plane, PlateauScratch, Runs, StructuringElement, distance,
    fill_holes_into, filter_area_into, h_maxima_into, label, label_into, level_peaks, level_peaks_into, open,
    reconstruct_from, reconstruct_into, regional_maxima_into, select_into,
};

fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args().nth(1).ok_or("expected FILE.png or 'shapes', and [RUNS]")?;
    let runs = env::args().nth(2).map_or(Ok(5), |n| n.parse())?;
    if file == "shapes" {
        shapes(runs);
        return Ok(());
    }
    let tile = TileInputs::new(&read(&file)?, runs);
    tile.both_connectivities();
    tile.every_instruction_set();
    tile.threads();
    Ok(())
}

/// What the workflow's tasks get of a tile.
struct TileInputs {
    runs: usize,
    parameters: Parameters,
    normalized: Plane<[u8; 3]>,
    rc: Plane<u8>,
    opened: Plane<u8>,
    dark: Plane<u8>,
    candidates: Plane<u8>,
    bw1_t: Plane<u8>,
    big: Plane<u8>,
    far: Plane<f32>,
    levelled: Plane<f32>,
}

impl TileInputs {
    fn new(image: &Plane<[u8; 3]>, runs: usize) -> Self {
        let mut statistics = ColourSums::new();
        statistics.add(image.view());
        let normalized = transfer(image.view(), &statistics.finish());
        let p = Parameters::default();
        let Reconstructed { rc, rc_recon } = nuclei::reconstruct(normalized.view(), Connectivity::Eight);
        let opened = open(rc.view(), StructuringElement::Disk19);
        let Candidates { diff, bw1 } =
            nuclei::candidates(rc.view(), rc_recon.view(), Connectivity::Four, p.g1);
        let rbc = nuclei::red_blood_cells(normalized.view(), p.t1, p.t2);
        let bw1_t = nuclei::sized_candidates(bw1.view(), p.min_size, p.max_size);
        let seg_open = nuclei::grow(diff.view(), bw1_t.view(), rbc.view(), p.g2);
        let big = nuclei::clumps(seg_open.view(), p.min_size_pl);
        let far = distance(big.view());
        let levelled = level_peaks(far.view(), big.view());
        let (dark, candidates) = (above(&diff, p.g2), above(&diff, p.g1));
        Self { runs, parameters: p, normalized, rc, opened, dark, candidates, bw1_t, big, far, levelled }
    }

    fn measure(&self, name: &str, bytes: usize, work: &mut dyn FnMut()) {
        let (wall, busy) = least(self.runs, work);
        let floor = floor(bytes * self.big.pixels().len(), self.runs);
        println!("{name:32} {wall:8.1} wall {busy:8.1} busy   floor {floor:6.1}");
    }

    fn mask(&self) -> Plane<u8> {
        Plane::filled(0, self.big.width(), self.big.height())
    }

    fn both_connectivities(&self) {
        let isa = Isa::best();
        let (mut grey, mut plateaus) = (GreyScratch::default(), PlateauScratch::default());
        let (mut both, mut mask) = (Vec::new(), self.mask());
        let two = Cpu { isa, threads: NonZeroUsize::MIN.saturating_add(1) };
        for (name, connectivity) in [("8", Connectivity::Eight), ("4", Connectivity::Four)] {
            self.measure(&format!("reconstruct u8 {name}"), 5, &mut || {
                mask.pixels_mut().copy_from_slice(self.opened.pixels());
                reconstruct_into(isa, self.rc.view(), connectivity, mask.view_mut(), &mut grey);
            });
            self.measure(&format!("reconstruct u8 {name}, two threads"), 5, &mut || {
                let (marker, rc) = (self.opened.view(), self.rc.view());
                reconstruct_from(two, marker, rc, connectivity, mask.view_mut(), &mut both);
            });
            self.measure(&format!("regional maxima f32 {name}"), 5, &mut || {
                regional_maxima_into(isa, self.levelled.view(), connectivity, mask.view_mut(), &mut plateaus);
            });
            self.components(Cpu::default(), connectivity, name);
        }
        let mut new = || drop(black_box(label(self.dark.view(), Connectivity::Eight)));
        self.measure("label 8, new memory", 5, &mut new);
    }

    /// The operations on components, on as many threads as the machine says.
    fn components(&self, cpu: Cpu, connectivity: Connectivity, name: &str) {
        let (mut found, mut components, mut mask) = (Runs::default(), Vec::new(), self.mask());
        let mut labels = Plane::filled(0u32, mask.width(), mask.height());
        self.measure(&format!("fill holes {name}"), 2, &mut || {
            fill_holes_into(cpu, self.candidates.view(), connectivity, mask.view_mut(), &mut found);
        });
        self.measure(&format!("label {name}"), 5, &mut || {
            let target = labels.view_mut();
            label_into(cpu, self.dark.view(), connectivity, target, &mut components, &mut found);
        });
        self.measure(&format!("filter area {name}"), 2, &mut || {
            let target = mask.view_mut();
            filter_area_into(cpu, self.dark.view(), 21, Some(1000), connectivity, target, &mut found);
        });
        self.measure(&format!("select {name}"), 3, &mut || {
            let (mask, seeds) = (mask.view_mut(), self.bw1_t.view());
            select_into(cpu, self.dark.view(), seeds, connectivity, mask, &mut found);
        });
    }

    fn every_instruction_set(&self) {
        let eight = Connectivity::Eight;
        let (mut grey, mut grey_f32, mut plateaus) =
            (GreyScratch::default(), GreyScratch::default(), PlateauScratch::default());
        let (mut mask, mut heights) = (self.mask(), self.far.clone());
        for isa in Isa::available() {
            let word = isa.word();
            self.measure(&format!("reconstruct u8 8 {word}"), 5, &mut || {
                mask.pixels_mut().copy_from_slice(self.opened.pixels());
                reconstruct_into(isa, self.rc.view(), eight, mask.view_mut(), &mut grey);
            });
            self.measure(&format!("regional maxima f32 8 {word}"), 5, &mut || {
                regional_maxima_into(isa, self.levelled.view(), eight, mask.view_mut(), &mut plateaus);
            });
            self.measure(&format!("level peaks f32 8 {word}"), 9, &mut || {
                let target = heights.view_mut();
                level_peaks_into(isa, self.far.view(), self.big.view(), target, &mut grey_f32);
            });
            self.measure(&format!("h-maxima f32 8 {word}"), 8, &mut || {
                h_maxima_into(isa, self.far.view(), 1.0, eight, heights.view_mut(), &mut grey_f32);
            });
        }
    }

    /// The caller's thread works on one of the bands and on what is left between them: its time says on a busy machine,
    /// too, what threads gain.
    fn threads(&self) {
        let (mut segmenting, mut mask) = (SegmentScratch::default(), self.mask());
        for threads in [1, 2].into_iter().filter_map(NonZeroUsize::new) {
            let cpu = Cpu { threads, ..Cpu::default() };
            self.components(cpu, Connectivity::Eight, &format!("8, threads: {threads}"));
            self.measure(&format!("segmentation, threads: {threads}"), 4, &mut || {
                let image = self.normalized.view();
                nuclei::segment_into(cpu, image, &self.parameters, mask.view_mut(), &mut segmenting);
            });
        }
    }
}

/// Whether a pixel belongs to a shape.
type PixelTest<'a> = &'a dyn Fn(usize, usize) -> bool;

/// Shapes that trouble algorithms, of the same size as the tile.
fn shapes(runs: usize) {
    const SIDE: usize = 4096;
    let noise = |x: usize, y: usize| {
        ((x as u64 * 7919) ^ (y as u64 * 104_729)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
    };
    let shapes: [(&str, PixelTest<'_>); 6] = [
        ("full", &|_, _| true),
        ("spiral", &|x, y| spiral(x, y, SIDE)),
        ("comb", &|x, y| x % 2 == 0 || y + 1 == SIDE),
        ("comb, lying", &|x, y| y % 2 == 0 || x + 1 == SIDE),
        ("checkerboard", &|x, y| (x + y) % 2 == 0),
        ("noise", &|x, y| noise(x, y) % 8 < 3),
    ];
    for (name, shape) in shapes {
        let pixels = (0..SIDE * SIDE).map(|at| if shape(at % SIDE, at / SIDE) { ON } else { 0 }).collect();
        let Some(shape) = Plane::from_vec(pixels, SIDE, SIDE) else { return };
        let heights = shape.pixels().iter().map(|pixel| f32::from(*pixel)).collect();
        let Some(mut heights) = Plane::from_vec(heights, SIDE, SIDE) else { return };
        heights.pixels_mut()[0] = 256.0;
        let mut corner = Plane::filled(0, SIDE, SIDE);
        corner.pixels_mut()[0] = ON;
        shape_times(name, &shape, &corner, &heights, runs);
    }
}

fn shape_times(name: &str, shape: &Plane<u8>, corner: &Plane<u8>, heights: &Plane<f32>, runs: usize) {
    let (cpu, eight) = (Cpu::default(), Connectivity::Eight);
    let mut found = Runs::default();
    let (mut grey, mut plateaus) = (GreyScratch::default(), PlateauScratch::default());
    let mut mask = shape.clone();
    let mut labels = Plane::filled(0u32, shape.width(), shape.height());
    let mut components = Vec::new();
    let reconstruction = least(runs, &mut || {
        mask.pixels_mut().copy_from_slice(corner.pixels());
        reconstruct_into(Isa::best(), shape.view(), eight, mask.view_mut(), &mut grey);
    });
    let fill = least(runs, &mut || fill_holes_into(cpu, shape.view(), eight, mask.view_mut(), &mut found));
    let labelling = least(runs, &mut || {
        label_into(cpu, shape.view(), eight, labels.view_mut(), &mut components, &mut found);
    });
    let area = least(runs, &mut || {
        filter_area_into(cpu, shape.view(), 21, Some(1000), eight, mask.view_mut(), &mut found);
    });
    let maxima = least(runs, &mut || {
        regional_maxima_into(Isa::best(), heights.view(), eight, mask.view_mut(), &mut plateaus);
    });
    println!(
        "{name:14} reconstruct {:7.1}  fill {:6.1}  label {:6.1}  area {:6.1}  maxima {:7.1}",
        reconstruction.1, fill.1, labelling.1, area.1, maxima.1
    );
}

/// Rings one pixel wide, each cut open and tied to the next one.
fn spiral(x: usize, y: usize, side: usize) -> bool {
    let ring = x.min(y).min(side - 1 - x).min(side - 1 - y);
    // The same place is a ring's cut, and between two rings it ties them.
    ring.is_multiple_of(2) != (x == ring && y == ring + 1)
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
    Plane::from_vec(pixels, info.width as usize, info.height as usize)
        .ok_or_else(|| "expected 8-bit RGB".into())
}
