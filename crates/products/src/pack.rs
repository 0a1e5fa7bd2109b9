//! Packs: files to which one process appends records. A pack is never changed in the middle; a torn end never happened.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::record::{self, ProductRecord};

/// A pack that is longer than this gets no more records.
const LONG: u64 = 64 << 20;

/// A pack that this process appends to.
#[derive(Debug)]
pub(crate) struct PackWriter {
    /// The name of the file in the folder of packs.
    pub(crate) name: String,
    file: File,
    end: u64,
}

/// Where a record is in its pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

impl PackWriter {
    /// A new pack under a name that no other has.
    pub(crate) fn create(folder: &Path, name: &str) -> io::Result<Self> {
        let name = format!("{name}.pack");
        let file = OpenOptions::new().append(true).create_new(true).open(folder.join(&name))?;
        sync_folder(folder)?;
        Ok(Self { name, file, end: 0 })
    }

    /// Whether another pack should be begun.
    pub(crate) fn is_long(&self) -> bool {
        self.end >= LONG
    }

    /// Appends a record. After an error the file ends with the last whole record again.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<Extent> {
        if let Err(error) = self.file.write_all(bytes) {
            self.file.set_len(self.end)?;
            return Err(error);
        }
        let extent = Extent { offset: self.end, length: bytes.len() as u64 };
        self.end += extent.length;
        Ok(extent)
    }

    /// Brings all records to the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// The records of a pack, each with its place, and the bytes that belong to none. Damage hides the records in it and no others.
pub(crate) fn scan(path: &Path) -> io::Result<(Vec<(Extent, ProductRecord)>, u64)> {
    let mut bytes = Vec::new();
    File::open(path)?.take(2 * LONG).read_to_end(&mut bytes)?;
    let (mut records, mut lost, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        let length = record::length(&bytes[at..]).filter(|length| at + length <= bytes.len());
        match length.and_then(|length| Some((length, record::decode(&bytes[at..at + length])?))) {
            Some((length, record)) => {
                records.push((Extent { offset: at as u64, length: length as u64 }, record));
                at += length;
            }
            None => {
                lost += 1;
                at += 1;
            }
        }
    }
    Ok((records, lost))
}

/// The names of all packs in a folder, in order.
pub(crate) fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().unwrap_or_default();
        if is_name(&name) && entry.file_type()?.is_file() {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Whether a text may be the name of a pack: an index that was tampered with does not lead out of its folder.
pub(crate) fn is_name(name: &str) -> bool {
    let digits = name.strip_suffix(".pack").unwrap_or_default();
    digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit))
}

/// Brings the names in a folder to the disk.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// The file of a pack.
pub(crate) fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{encode, tests::record};

    fn pack(folder: &Path) -> (PathBuf, Vec<u8>) {
        let mut writer = PackWriter::create(folder, &"ab".repeat(16)).unwrap();
        for key in 1..=3 {
            writer.append(&encode(&record(key, &[key; 40])).unwrap()).unwrap();
        }
        let path = path(folder, &writer.name);
        (path.clone(), fs::read(path).unwrap())
    }

    #[test]
    fn wherever_a_pack_is_cut_the_records_before_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let (path, whole) = pack(folder.path());
        let one = whole.len() / 3;
        for end in 0..=whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            let (records, lost) = scan(&path).unwrap();
            assert_eq!((records.len(), lost as usize), (end / one, end % one), "cut at {end}");
        }
    }

    #[test]
    fn wherever_a_byte_is_changed_the_other_records_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let (path, whole) = pack(folder.path());
        let one = whole.len() / 3;
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x10;
            fs::write(&path, &changed).unwrap();
            let (records, _) = scan(&path).unwrap();
            let keys: Vec<u8> = records.iter().map(|(_, record)| record.key.0[0]).collect();
            let expected: Vec<u8> = (1..=3).filter(|key| usize::from(*key) != at / one + 1).collect();
            assert_eq!(keys, expected, "byte {at}");
        }
    }

    #[test]
    fn names_lead_nowhere_else() {
        let digits = "0a".repeat(16);
        assert!(is_name(&format!("{digits}.pack")));
        for name in ["", ".pack", "../x.pack", &format!("{digits}.zip"), &format!("../{}.pack", &digits[3..])]
        {
            assert!(!is_name(name), "{name}");
        }
    }
}
