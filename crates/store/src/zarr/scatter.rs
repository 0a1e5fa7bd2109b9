//! Values of a chunk to their places in an image, whose channels lie side by side.

/// Which values go where, counted in values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scatter {
    /// The first value that is taken.
    pub(super) from_first: usize,
    /// How far apart values lie in the chunk along channels, rows and columns.
    pub(super) from: [usize; 3],
    /// Where it goes.
    pub(super) to_first: usize,
    /// Channels of the image.
    pub(super) channels: usize,
    /// Values of a row of the image.
    pub(super) pitch: usize,
    /// How many channels, rows and columns are taken.
    pub(super) lengths: [usize; 3],
}

/// Copies values of so many bytes.
pub(super) fn scatter(from: &[u8], to: &mut [u8], part: &Scatter, bytes: u64) {
    if part.lengths.contains(&0) {
        return;
    }
    match bytes {
        1 => rows::<1>(from, to, part),
        2 => rows::<2>(from, to, part),
        4 => rows::<4>(from, to, part),
        _ => rows::<8>(from, to, part),
    }
}

/// Row by row: as they are where values lie side by side in both, colours together where they come in planes.
fn rows<const N: usize>(from: &[u8], to: &mut [u8], part: &Scatter) {
    let (from, to) = (from.as_chunks::<N>().0, to.as_chunks_mut::<N>().0);
    let [channels, height, width] = part.lengths;
    let [channel_step, row_step, column_step] = part.from;
    let whole = channels == part.channels && column_step == channels && (channels == 1 || channel_step == 1);
    let planes = channels == 3 && part.channels == 3 && column_step == 1;
    for row in 0..height {
        let (source, target) = (part.from_first + row * row_step, part.to_first + row * part.pitch);
        let to = &mut to[target..target + (width - 1) * part.channels + channels];
        if whole {
            to.copy_from_slice(&from[source..source + width * channels]);
        } else if planes {
            let plane = |channel: usize| &from[source + channel * channel_step..][..width];
            let colours = plane(0).iter().zip(plane(1)).zip(plane(2));
            for (to, ((red, green), blue)) in to.as_chunks_mut::<3>().0.iter_mut().zip(colours) {
                *to = [*red, *green, *blue];
            }
        } else {
            for column in 0..width {
                for channel in 0..channels {
                    to[column * part.channels + channel] =
                        from[source + column * column_step + channel * channel_step];
                }
            }
        }
    }
}

/// The way back: values of an image, of so many bytes, to their places in a chunk.
pub(super) fn gather(image: &[u8], chunk: &mut [u8], part: &Scatter, bytes: u64) {
    if part.lengths.contains(&0) {
        return;
    }
    match bytes {
        1 => rows_back::<1>(image, chunk, part),
        2 => rows_back::<2>(image, chunk, part),
        4 => rows_back::<4>(image, chunk, part),
        _ => rows_back::<8>(image, chunk, part),
    }
}

fn rows_back<const N: usize>(image: &[u8], chunk: &mut [u8], part: &Scatter) {
    let (image, chunk) = (image.as_chunks::<N>().0, chunk.as_chunks_mut::<N>().0);
    let [channels, height, width] = part.lengths;
    for channel in 0..channels {
        for row in 0..height {
            let first = part.from_first + channel * part.from[0] + row * part.from[1];
            let image = &image[part.to_first + row * part.pitch + channel..];
            let pixels = image.iter().step_by(part.channels);
            chunk[first..first + width].iter_mut().zip(pixels).for_each(|(to, from)| *to = *from);
        }
    }
}
