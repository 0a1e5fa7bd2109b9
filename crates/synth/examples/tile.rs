//! Writes a tile and its labels of up to 16 bits as PNG: `tile WIDTH HEIGHT SEED FILE [X Y TILE_WIDTH TILE_HEIGHT]`.
#![allow(clippy::print_stdout)]

use std::{env, error::Error, fs::File, io::BufWriter, time::Instant};

use onceflow_synth::Tissue;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [width, height, seed, file, place @ ..] = arguments.as_slice() else {
        return Err("expected WIDTH HEIGHT SEED FILE [X Y TILE_WIDTH TILE_HEIGHT]".into());
    };
    let tissue = Tissue::new(width.parse()?, height.parse()?, seed.parse()?)?;
    let (x, y, width, height) = match place {
        [x, y, width, height] => (x.parse()?, y.parse()?, width.parse()?, height.parse()?),
        _ => (0, 0, tissue.width() as usize, tissue.height() as usize),
    };
    let start = Instant::now();
    let tile = tissue.render(x, y, width, height)?;
    println!("{:.2} Mpixel/s", (width * height) as f64 / 1e6 / start.elapsed().as_secs_f64());
    write(file, width, height, png::ColorType::Rgb, png::BitDepth::Eight, &tile.rgb)?;
    let labels: Vec<u16> = tile.labels.iter().map(|&label| u16::try_from(label)).collect::<Result<_, _>>()?;
    let labels: Vec<u8> = labels.iter().flat_map(|label| label.to_be_bytes()).collect();
    let name = file.replace(".png", ".labels.png");
    write(&name, width, height, png::ColorType::Grayscale, png::BitDepth::Sixteen, &labels)
}

fn write(
    file: &str,
    width: usize,
    height: usize,
    colour: png::ColorType,
    depth: png::BitDepth,
    data: &[u8],
) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(file)?), width as u32, height as u32);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    encoder.write_header()?.write_image_data(data)?;
    Ok(())
}
