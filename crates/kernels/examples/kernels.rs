//! Times the kernels on an image: `kernels FILE.png [RUNS]`. Prints the least of several runs per pixel, and beside it how
//! long moving the same bytes takes on this machine.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;
use std::num::NonZeroUsize;
use std::time::Instant;

use onceflow_kernels::colour::{ColourSums, transfer_into};
use onceflow_kernels::nuclei::red_over_green_into;
use onceflow_kernels::{
    BufferHasher, Cpu, Isa, MorphologyScratch, Plane, StructuringElement, above_into, count_above,
    darkness_into, difference_into, histogram, open_into, remove,
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = arguments.first().ok_or("expected the path of an 8-bit RGB image as PNG")?;
    let runs = arguments.get(1).map_or(Ok(7), |runs| runs.parse())?;
    let image = read(file)?;
    let bench = KernelTimer { runs, pixels: image.view().len(), bandwidth: bandwidth(runs) };
    println!("{} x {}, copying moves {:.1} GB/s", image.width(), image.height(), bench.bandwidth / 1e9);
    for isa in Isa::available() {
        for threads in [1, 2].into_iter().filter_map(NonZeroUsize::new) {
            bench.cpu(Cpu { isa, threads }, &image);
        }
    }
    Ok(())
}

struct KernelTimer {
    runs: usize,
    pixels: usize,
    /// Bytes read and written in a second by a copy.
    bandwidth: f64,
}

impl KernelTimer {
    fn cpu(&self, cpu: Cpu, image: &Plane<[u8; 3]>) {
        println!("\n{} x {}", cpu.isa.word(), cpu.threads);
        let mut normalized = Plane::filled([0u8; 3], image.width(), image.height());
        let mut found = ColourSums::new().finish();
        self.time("colour.statistics", 3, || {
            let mut statistics = ColourSums::new();
            statistics.add_with(cpu, image.view());
            found = statistics.finish();
        });
        self.time("colour.transfer", 6, || {
            transfer_into(cpu, image.view(), &found, normalized.view_mut());
        });
        let view = normalized.view();
        self.time("background", 3, || count_above(cpu, view, [220; 3]));
        let grey = || Plane::filled(0u8, view.width(), view.height());
        let (mut one, mut other, mut scratch) = (grey(), grey(), MorphologyScratch::default());
        self.time("red over green", 5, || {
            red_over_green_into(cpu, view, [5.0, 4.0], (one.view_mut(), other.view_mut()))
        });
        self.time("darkness", 4, || darkness_into(cpu, view, one.view_mut()));
        let rc = one.clone();
        for (name, element) in
            [("opening disk19", StructuringElement::Disk19), ("opening cross3", StructuringElement::Cross3)]
        {
            self.time(name, 2, || open_into(cpu, rc.view(), element, one.view_mut(), &mut scratch));
        }
        let mut mask = grey();
        self.time("difference", 4, || {
            difference_into(cpu, rc.view(), one.view(), 80, other.view_mut(), mask.view_mut());
        });
        self.time("threshold", 2, || above_into(cpu, rc.view(), 80, mask.view_mut()));
        self.time("remove", 3, || remove(cpu, mask.view_mut(), other.view()));
        self.time("histogram", 1, || histogram(cpu, rc.view()));
        self.time("digest", 1, || {
            let mut digester = BufferHasher::new(cpu.isa, 1);
            digester.update(rc.pixels());
            digester.finish()
        });
    }

    /// Prints the least time of several runs, and the mean of what the calling thread had of the processor; `bytes` is
    /// what a pixel needs to be read and written.
    fn time<T>(&self, name: &str, bytes: usize, mut work: impl FnMut() -> T) {
        let before = on_processor();
        let seconds = (0..self.runs).map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed().as_secs_f64()
        });
        let least = seconds.fold(f64::INFINITY, f64::min);
        let own = (on_processor() - before) / self.runs as f64;
        let floor = (bytes * self.pixels) as f64 / self.bandwidth;
        let per_pixel = least * 1e9 / self.pixels as f64;
        println!(
            "{name:24} {:8.2} ms {per_pixel:7.3} ns/pixel, floor {:6.2} ms, on the processor {:8.2} ms",
            least * 1e3,
            floor * 1e3,
            own * 1e3
        );
    }
}

/// Seconds that this thread has run, where the system tells: on a shared machine the clock says little.
fn on_processor() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|first| first.parse::<f64>().ok())
        .map_or(f64::NAN, |nanoseconds| nanoseconds / 1e9)
}

fn bandwidth(runs: usize) -> f64 {
    let (source, mut target) = (vec![1u8; 1 << 26], vec![2u8; 1 << 26]);
    let seconds = (0..runs.max(3)).map(|_| {
        let start = Instant::now();
        target.copy_from_slice(black_box(&source));
        black_box(&mut target);
        start.elapsed().as_secs_f64()
    });
    2.0 * source.len() as f64 / seconds.fold(f64::INFINITY, f64::min)
}

fn read(file: &str) -> Result<Plane<[u8; 3]>, Box<dyn Error>> {
    let mut reader = png::Decoder::new(BufReader::new(File::open(file)?)).read_info()?;
    let mut data = vec![0; reader.output_buffer_size().ok_or("the image is too large")?];
    let info = reader.next_frame(&mut data)?;
    let pixels = data[..info.buffer_size()].as_chunks().0.to_vec();
    Plane::from_vec(pixels, info.width as usize, info.height as usize).ok_or("expected 8-bit RGB".into())
}
