//! The figures by which synthetic and real tiles are compared, and the reading of real tiles.

use std::{collections::BTreeMap, error::Error, fs, fs::File, io::BufReader, path::Path};

/// A tile with truth, real or synthetic.
pub(crate) struct Labelled {
    pub(crate) width: usize,
    pub(crate) rgb: Vec<u8>,
    pub(crate) labels: Vec<u32>,
}

/// The names of the figures, in the order of [`figures`].
pub(crate) const NAMES: [&str; 19] = [
    "nuclei red mean",
    "nuclei green mean",
    "nuclei blue mean",
    "nuclei red deviation",
    "nuclei green deviation",
    "nuclei blue deviation",
    "stroma red mean",
    "stroma green mean",
    "stroma blue mean",
    "stroma red deviation",
    "stroma green deviation",
    "stroma blue deviation",
    "area lower quartile",
    "area median",
    "area upper quartile",
    "nuclei per mm2",
    "nuclei area fraction",
    "neighbour distance median",
    "neighbour distance upper quartile",
];

/// The figures of a tile. Stroma is all that is neither nucleus, nor within two pixels of one, nor white.
pub(crate) fn figures(tile: &Labelled) -> Vec<f64> {
    let inside = |at: usize| tile.labels[at] > 0;
    let stroma = |at: usize| !near_nucleus(tile, at) && !white(&tile.rgb[3 * at..3 * at + 3]);
    let (area, place): (Vec<f64>, Vec<(f64, f64)>) = nuclei(tile).into_iter().unzip();
    let (pixels, covered) = (tile.labels.len() as f64, area.iter().sum::<f64>());
    let distance = neighbour_distances(&place);
    let mut figures = colours(tile, inside);
    figures.extend(colours(tile, stroma));
    figures.extend([0.25, 0.5, 0.75].map(|share| quantile(&area, share)));
    figures.extend([area.len() as f64 / (pixels * 0.0625e-6), covered / pixels]);
    figures.extend([0.5, 0.75].map(|share| quantile(&distance, share)));
    figures
}

/// The real tiles with truth below `folder`, with their names.
pub(crate) fn real_tiles(folder: &Path) -> Result<Vec<(String, Labelled)>, Box<dyn Error>> {
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "tif"));
    files.sort();
    files
        .iter()
        .map(|file| Ok((file.file_stem().unwrap_or_default().to_string_lossy().into_owned(), read(file)?)))
        .collect()
}

fn read(file: &Path) -> Result<Labelled, Box<dyn Error>> {
    let mut decoder = tiff::decoder::Decoder::new(BufReader::new(File::open(file)?))?;
    let (width, height) = decoder.dimensions()?;
    let tiff::decoder::DecodingResult::U8(samples) = decoder.read_image()? else {
        return Err("expected 8 bits".into());
    };
    let channels = samples.len() / (width as usize * height as usize);
    let rgb = samples.chunks_exact(channels).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let mut reader =
        png::Decoder::new(BufReader::new(File::open(file.with_extension("labels.png"))?)).read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or("labels too large")?];
    reader.next_frame(&mut bytes)?;
    let labels =
        bytes.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).collect();
    Ok(Labelled { width: width as usize, rgb, labels })
}

/// Means and deviations of the three channels over chosen pixels.
fn colours(tile: &Labelled, chosen: impl Fn(usize) -> bool) -> Vec<f64> {
    let pixels: Vec<&[u8]> =
        tile.rgb.chunks_exact(3).enumerate().filter(|&(at, _)| chosen(at)).map(|(_, pixel)| pixel).collect();
    let mean =
        |of: &dyn Fn(&[u8]) -> f64| pixels.iter().map(|pixel| of(pixel)).sum::<f64>() / pixels.len() as f64;
    let means = [0, 1, 2].map(|c| mean(&|pixel| f64::from(pixel[c])));
    let spreads = [0, 1, 2].map(|c| mean(&|pixel| (f64::from(pixel[c]) - means[c]).powi(2)).sqrt());
    [means, spreads].concat()
}

fn white(pixel: &[u8]) -> bool {
    pixel.iter().all(|&value| value > 220)
}

fn near_nucleus(tile: &Labelled, at: usize) -> bool {
    let (x, y, height) = (at % tile.width, at / tile.width, tile.labels.len() / tile.width);
    let rows = y.saturating_sub(2)..(y + 3).min(height);
    let columns = x.saturating_sub(2)..(x + 3).min(tile.width);
    rows.into_iter().any(|row| columns.clone().any(|column| tile.labels[row * tile.width + column] > 0))
}

/// Area and centre of each nucleus.
fn nuclei(tile: &Labelled) -> Vec<(f64, (f64, f64))> {
    let mut sums: BTreeMap<u32, (f64, f64, f64)> = BTreeMap::new();
    for (at, &label) in tile.labels.iter().enumerate().filter(|&(_, &label)| label > 0) {
        let sum = sums.entry(label).or_default();
        *sum = (sum.0 + 1.0, sum.1 + (at % tile.width) as f64, sum.2 + (at / tile.width) as f64);
    }
    sums.into_values().map(|(area, x, y)| (area, (x / area, y / area))).collect()
}

fn neighbour_distances(places: &[(f64, f64)]) -> Vec<f64> {
    let distance = |a: &(f64, f64), b: &(f64, f64)| ((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)).sqrt();
    let nearest = |(i, a)| {
        places
            .iter()
            .enumerate()
            .filter(|&(j, _)| j != i)
            .map(|(_, b)| distance(a, b))
            .fold(f64::MAX, f64::min)
    };
    places.iter().enumerate().map(nearest).collect()
}

fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}
