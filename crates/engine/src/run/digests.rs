//! What regions hold, by digests at the speed of memory.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};

use onceflow_kernels::{BufferHasher, Isa};
use onceflow_region::Region;
use onceflow_reuse::ContentDigest;
use onceflow_runtime::OutputDigests;
use onceflow_store::codec;

/// Hashes regions with the random keys of a run, so that no input can be built to collide.
#[derive(Debug)]
pub(crate) struct Digests {
    fresh: BufferHasher,
    /// Whether digests of a task's results are worth what they cost.
    worth: Vec<bool>,
}

/// The random keys with which a run hashes regions: digests of all its phases can be compared.
#[derive(Clone, Debug)]
pub(crate) struct DigestKeys(BufferHasher);

impl DigestKeys {
    /// Keys that no other run has.
    pub(crate) fn random() -> Self {
        Self(BufferHasher::new(Isa::best(), RandomState::new().hash_one("contents")))
    }

    /// Digests of the results of those tasks that are worth it.
    pub(crate) fn digests(&self, worth: Vec<bool>) -> Digests {
        Digests { fresh: self.0.clone(), worth }
    }
}

impl OutputDigests for Digests {
    fn content(&self, task: usize, region: &Region) -> Option<ContentDigest> {
        self.is_wanted(task).then(|| self.of(region))
    }

    fn is_wanted(&self, task: usize) -> bool {
        self.worth.get(task).copied().unwrap_or(true)
    }
}

impl Digests {
    /// What a region holds.
    pub(crate) fn of(&self, region: &Region) -> ContentDigest {
        let mut digester = self.fresh.clone();
        match region.as_dense().and_then(|dense| Some((dense, dense.as_u8()?))) {
            Some((dense, pixels)) => {
                let form = [dense.width(), dense.height(), dense.channels()];
                let masked = digester.update_mask(pixels);
                if !masked {
                    digester.update(pixels);
                }
                digester.update(&[u8::from(masked)]);
                form.iter().for_each(|number| digester.update(&number.to_le_bytes()));
            }
            None => {
                // A digester takes whatever is written into it.
                let _ = codec::encode(region, &mut Written(&mut digester));
            }
        }
        ContentDigest(digester.finish().words())
    }
}

/// A digester as something to write into.
struct Written<'a>(&'a mut BufferHasher);

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
        let keys = DigestKeys::random();
        let digests = keys.digests(vec![true, false]);
        let contents: Vec<ContentDigest> =
            regions.iter().map(|region| digests.content(0, region).unwrap()).collect();
        for (at, content) in contents.iter().enumerate() {
            assert_eq!(Some(*content), digests.content(0, &regions[at].clone()));
            assert!(!contents[..at].contains(content), "{:?}", regions[at]);
        }
        assert_eq!(keys.digests(vec![true]).content(0, &regions[0]), Some(contents[0]), "of another phase");
        assert_ne!(DigestKeys::random().digests(vec![true]).content(0, &regions[0]), Some(contents[0]));
        assert_eq!(digests.content(1, &regions[0]), None);
    }
}
