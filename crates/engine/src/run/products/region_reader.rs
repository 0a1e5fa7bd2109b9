//! Regions read from the store of results: whole, or only the bands of a large image that hold a box.

use onceflow_products::{Product, ProductError, ProductKey, ProductStore};
use onceflow_region::{Bounds, Dense, Region, Span};

use super::bands::Bands;
use super::outputs::{RowOutput, region_key};
use super::region_bytes::{decoded, decoded_dense};

/// More pixels are not made of a mask that no study vouches for.
const MOST_PIXELS: u64 = 1 << 32;

/// A box of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelBox {
    /// The first column.
    pub x: usize,
    /// The first row.
    pub y: usize,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// A region of the store, or a piece of it.
#[derive(Clone, Debug)]
pub struct StoredPixels {
    /// The pixels.
    pub region: Region,
    /// Bytes of the store that were read for it, and bytes of all of it where these are known.
    pub read_bytes: u64,
    /// Pieces that were read, and pieces of the whole.
    pub pieces: (usize, usize),
}

/// Why there are no pixels.
#[derive(Debug, thiserror::Error)]
pub enum StoredPixelsError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] ProductError),
    /// It is not there, or not any more.
    #[error("the store does not have this result, or not all of it")]
    Lost,
    /// Its stage ended early, so that it gave nothing.
    #[error("the row gave no region: its stage ended with the status `{0}`")]
    Ended(String),
    /// It is a row of counts, or what a task gave.
    #[error("expected a region, found another kind of result")]
    NoRegion,
    /// The box is not within the region.
    #[error("expected a box within {width} x {height} pixels, found one that ends at {x}, {y}")]
    Outside {
        /// Columns of the region.
        width: usize,
        /// Rows of the region.
        height: usize,
        /// Where the box ends.
        x: usize,
        /// Where the box ends.
        y: usize,
    },
    /// It is no image of pixels.
    #[error("expected an image, found a region of another kind; leave the box out")]
    NoPixels,
}

/// The region under a key of the store, or a box of it: of a large image only those bands are read that hold the box.
///
/// # Errors
/// When there is none, when it is no region, or when the box is not within it.
pub fn stored_pixels(
    store: &ProductStore,
    key: &ProductKey,
    within: Option<PixelBox>,
) -> Result<StoredPixels, StoredPixelsError> {
    let payload = fetched(store, key)?;
    match RowOutput::from_bytes(&payload) {
        Some(RowOutput::Ended(status)) => Err(StoredPixelsError::Ended(status)),
        Some(RowOutput::Region(digest)) => {
            read(store, &fetched(store, &region_key(&digest))?, MOST_PIXELS, within)
        }
        None => match <[u8; 32]>::try_from(&payload[..]) {
            // What a task gave names its only output.
            Ok(digest) => read(store, &fetched(store, &region_key(&digest))?, MOST_PIXELS, within),
            Err(_) => read(store, &payload, MOST_PIXELS, within),
        },
    }
}

fn fetched(store: &ProductStore, key: &ProductKey) -> Result<Vec<u8>, StoredPixelsError> {
    let product = store.fetch(std::slice::from_ref(key))?.pop().flatten();
    Ok(product.ok_or(StoredPixelsError::Lost)?.payload)
}

/// A region from its bytes, with the bands that these name.
pub(super) fn read(
    store: &ProductStore,
    payload: &[u8],
    most_pixels: u64,
    within: Option<PixelBox>,
) -> Result<StoredPixels, StoredPixelsError> {
    if let Some(bands) = Bands::from_bytes(payload, most_pixels) {
        return read_bands(store, &bands, within);
    }
    let region = decoded(payload, most_pixels).map_err(|_| StoredPixelsError::NoRegion)?;
    let region = match within {
        None => region,
        Some(within) => {
            let dense = region.as_dense().ok_or(StoredPixelsError::NoPixels)?;
            Region::Dense(cut(dense, within)?)
        }
    };
    Ok(StoredPixels { region, read_bytes: payload.len() as u64, pieces: (1, 1) })
}

fn read_bands(
    store: &ProductStore,
    bands: &Bands,
    within: Option<PixelBox>,
) -> Result<StoredPixels, StoredPixelsError> {
    let all = PixelBox { x: 0, y: 0, width: bands.width, height: bands.height };
    let within = within.unwrap_or(all).checked(bands.width, bands.height)?;
    let asked = bands.holding(&(within.y..within.y + within.height));
    let keys: Vec<ProductKey> = bands.digests[asked.clone()].iter().map(region_key).collect();
    let found = store.fetch(&keys)?.into_iter().collect::<Option<Vec<_>>>().ok_or(StoredPixelsError::Lost)?;
    let read_bytes = found.iter().map(|product| product.payload.len() as u64).sum();
    let read = |(band, product): (usize, &Product)| {
        decoded_dense(&product.payload, (bands.width * bands.rows_of(band)) as u64)
    };
    let read: Option<Vec<_>> = asked.clone().zip(&found).map(read).collect();
    let joined = read.and_then(|read| bands.joined(asked.clone(), read.into_iter()));
    let joined = joined.ok_or(StoredPixelsError::NoRegion)?;
    let below = PixelBox { y: within.y - bands.first_row(asked.start), ..within };
    let is_whole = below.width == joined.width() && below.height == joined.height();
    let dense = if is_whole { joined } else { cut(&joined, below)? };
    Ok(StoredPixels { region: Region::Dense(dense), read_bytes, pieces: (asked.len(), bands.digests.len()) })
}

fn cut(dense: &Dense, within: PixelBox) -> Result<Dense, StoredPixelsError> {
    let PixelBox { x, y, width, height } = within.checked(dense.width(), dense.height())?;
    let span = |at: usize, length: usize| Span::new(at as i64, length as u64);
    let bounds = span(x, width).zip(span(y, height));
    let bounds = bounds.map(|(columns, rows)| Bounds::new(columns, rows, Span::ONE, Span::ONE));
    let cut = bounds.and_then(|bounds| dense.crop(bounds).ok());
    cut.ok_or(StoredPixelsError::NoPixels)
}

impl PixelBox {
    /// A box of a plane that begins at 0, 0.
    pub(crate) fn of(bounds: &Bounds) -> Option<Self> {
        let [x, y] = [bounds.x(), bounds.y()].map(|start| usize::try_from(start).ok());
        let [width, height] = [bounds.width(), bounds.height()].map(|side| usize::try_from(side).ok());
        Some(Self { x: x?, y: y?, width: width?, height: height? })
    }

    /// The box, unless it leaves an image of this size or is empty.
    fn checked(self, width: usize, height: usize) -> Result<Self, StoredPixelsError> {
        let (x, y) = (self.x.saturating_add(self.width), self.y.saturating_add(self.height));
        let is_within = x <= width && y <= height && self.width > 0 && self.height > 0;
        is_within.then_some(self).ok_or(StoredPixelsError::Outside { width, height, x, y })
    }
}

#[cfg(test)]
mod tests {
    use onceflow_products::{Maker, NewProduct, StoreOptions};
    use onceflow_region::Pixels;

    use super::super::region_bytes::encoded;
    use super::*;

    const WIDTH: usize = 3000;
    const HEIGHT: usize = 2500;

    fn mask() -> Region {
        let value = |at: usize| if at / 41 * (at / WIDTH) % 7 < 3 { 255 } else { 0 };
        Region::Dense(
            Dense::new(WIDTH, HEIGHT, 1, Pixels::U8((0..WIDTH * HEIGHT).map(value).collect())).unwrap(),
        )
    }

    fn stored(region: &Region) -> (tempfile::TempDir, ProductStore, ProductKey) {
        let folder = tempfile::tempdir().unwrap();
        let store = ProductStore::open(folder.path(), &StoreOptions::default()).unwrap();
        let made = encoded(region).unwrap();
        let products: Vec<NewProduct> = made
            .pieces
            .into_iter()
            .map(|(payload, digest)| NewProduct { key: region_key(&digest), payload, seconds: 1.0 })
            .collect();
        store.publish(&products, &Maker::new("test")).unwrap();
        (folder, store, region_key(&made.digest))
    }

    #[test]
    fn a_box_of_a_large_mask_is_read_without_the_rest() {
        let mask = mask();
        let (_folder, store, key) = stored(&mask);
        let whole = stored_pixels(&store, &key, None).unwrap();
        assert!(whole.region.as_dense().unwrap().as_u8() == mask.as_dense().unwrap().as_u8());
        assert_eq!(whole.pieces, (4, 4));
        for (x, y, width, height, pieces) in
            [(0, 0, 10, 10, 1), (2990, 2490, 10, 10, 1), (100, 690, 700, 20, 2), (0, 0, WIDTH, HEIGHT, 4)]
        {
            let within = PixelBox { x, y, width, height };
            let found = stored_pixels(&store, &key, Some(within)).unwrap();
            assert_eq!(found.pieces, (pieces, 4), "{within:?}");
            assert!(found.read_bytes <= whole.read_bytes * pieces as u64 / 2, "{within:?}");
            let expected = cut(mask.as_dense().unwrap(), within).unwrap();
            assert!(found.region.as_dense().unwrap().as_u8() == expected.as_u8(), "{within:?}");
        }
        for (x, y, width, height) in [(2991, 0, 10, 10), (0, 2500, 1, 1), (0, 0, 0, 1), (usize::MAX, 0, 2, 2)]
        {
            let error = stored_pixels(&store, &key, Some(PixelBox { x, y, width, height })).unwrap_err();
            assert!(matches!(error, StoredPixelsError::Outside { .. }), "{error}");
        }
    }

    #[test]
    fn a_small_region_is_read_whole_and_cut() {
        let grey = Dense::new(4, 3, 1, Pixels::U8((0..12).collect())).unwrap();
        let (_folder, store, key) = stored(&Region::Dense(grey));
        let found = stored_pixels(&store, &key, Some(PixelBox { x: 1, y: 1, width: 2, height: 2 })).unwrap();
        assert_eq!(found.region.as_dense().unwrap().as_u8().unwrap(), [5, 6, 9, 10]);
    }

    #[test]
    fn damage_in_another_band_does_not_matter_and_in_its_own_is_found() {
        let (_folder, store, key) = stored(&mask());
        let payload = fetched(&store, &key).unwrap();
        let bands = Bands::from_bytes(&payload, u64::MAX).unwrap();
        let listed = store.explain(&region_key(&bands.digests[3]).to_string(), 1).unwrap().remove(0);
        let mut bytes = std::fs::read(&listed.pack).unwrap();
        bytes[listed.offset as usize + 100] ^= 1;
        std::fs::write(&listed.pack, bytes).unwrap();
        let first = PixelBox { x: 0, y: 0, width: 50, height: 50 };
        assert_eq!(stored_pixels(&store, &key, Some(first)).unwrap().pieces, (1, 4));
        let last = PixelBox { y: 2400, ..first };
        let error = stored_pixels(&store, &key, Some(last)).unwrap_err();
        assert!(matches!(error, StoredPixelsError::Lost), "{error}");
    }

    #[test]
    fn other_results_are_no_regions() {
        let (_folder, store, _) = stored(&mask());
        let ended = NewProduct {
            key: ProductKey([1; 32]),
            payload: RowOutput::Ended("no tissue".into()).to_bytes(),
            seconds: 0.0,
        };
        let row = NewProduct { key: ProductKey([2; 32]), payload: b"{\"row\":1}\n".to_vec(), seconds: 0.0 };
        store.publish(&[ended, row], &Maker::new("test")).unwrap();
        let error = |key: u8| stored_pixels(&store, &ProductKey([key; 32]), None).unwrap_err().to_string();
        assert!(error(1).contains("no tissue"), "{}", error(1));
        assert!(error(2).contains("another kind"), "{}", error(2));
        assert!(error(3).contains("does not have"), "{}", error(3));
    }
}
