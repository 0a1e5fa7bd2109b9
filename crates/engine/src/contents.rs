//! What regions hold, by digests at the speed of memory.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};

use onceflow_kernels::{Digester, Isa};
use onceflow_region::{Region, codec};
use onceflow_reuse::Content;
use onceflow_runtime::Contents;

/// Digests with keys of its own, drawn when it is made: nobody can have made images that it takes for the same.
#[derive(Debug)]
pub(crate) struct Digests {
    fresh: Digester,
}

impl Digests {
    /// Keys that no other has.
    pub(crate) fn new() -> Self {
        Self { fresh: Digester::new(Isa::best(), RandomState::new().hash_one("contents")) }
    }
}

impl Contents for Digests {
    fn content(&self, region: &Region) -> Content {
        let mut digester = self.fresh.clone();
        match region.as_dense().and_then(|dense| Some((dense, dense.as_u8()?))) {
            Some((dense, pixels)) => {
                let form = [dense.width(), dense.height(), dense.channels()];
                digester.update(pixels);
                form.iter().for_each(|number| digester.update(&number.to_le_bytes()));
            }
            None => {
                // A digester takes whatever is written into it.
                let _ = codec::encode(region, &mut Written(&mut digester));
            }
        }
        Content(digester.finish().words())
    }
}

/// A digester as something to write into.
struct Written<'a>(&'a mut Digester);

impl Write for Written<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use onceflow_region::{Column, Dense, Pixels, Table};

    use super::*;

    fn dense(width: usize, height: usize, pixels: Pixels) -> Region {
        Region::Dense(Dense::new(width, height, 1, pixels).unwrap())
    }

    fn table(name: &str, number: i64) -> Region {
        Region::Table(Table::new(vec![(name.into(), Column::Integer(vec![number]))]).unwrap())
    }

    #[test]
    fn contents_tell_bytes_and_forms_apart() {
        let regions = [
            dense(2, 3, Pixels::U8(vec![0; 6])),
            dense(3, 2, Pixels::U8(vec![0; 6])),
            dense(6, 1, Pixels::U8(vec![0, 0, 0, 0, 0, 1])),
            dense(3, 1, Pixels::U16(vec![0; 3])),
            table("a", 1),
            table("a", 2),
            table("b", 1),
            Region::Nothing,
        ];
        let digests = Digests::new();
        let contents: Vec<Content> = regions.iter().map(|region| digests.content(region)).collect();
        for (at, content) in contents.iter().enumerate() {
            assert_eq!(*content, digests.content(&regions[at].clone()));
            assert!(!contents[..at].contains(content), "{:?}", regions[at]);
        }
        assert_ne!(Digests::new().content(&regions[0]), contents[0]);
    }
}
