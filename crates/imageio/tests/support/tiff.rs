//! TIFF files written by hand, directory by directory, with right or wrong entries.

/// One value of an entry.
pub(crate) enum TagValue {
    Short(Vec<u64>),
    Long(Vec<u64>),
    Text(String),
    Bytes(Vec<u8>),
}

/// A directory with its strips or tiles and the directories that it names as its own.
#[derive(Default)]
pub(crate) struct Directory {
    pub(crate) entries: Vec<(u16, TagValue)>,
    pub(crate) tiles: Vec<Vec<u8>>,
    pub(crate) own: Vec<Directory>,
}

impl Directory {
    /// A directory of tiles of 8-bit values.
    pub(crate) fn tiles(
        size: [usize; 2],
        tile: [usize; 2],
        colours: usize,
        tiles: Vec<Vec<u8>>,
    ) -> Directory {
        let short = |number: usize| TagValue::Short(vec![number as u64]);
        let long = |number: usize| TagValue::Long(vec![number as u64]);
        let entries = vec![
            (256, long(size[0])),
            (257, long(size[1])),
            (258, TagValue::Short(vec![8; colours])),
            (259, short(1)),
            (262, short(if colours == 1 { 1 } else { 2 })),
            (277, short(colours)),
            (322, long(tile[0])),
            (323, long(tile[1])),
        ];
        Directory { entries, tiles, own: Vec::new() }
    }

    /// The same as strips of so many rows.
    pub(crate) fn strips(mut self, rows: usize) -> Directory {
        self.entries.retain(|(tag, _)| !matches!(tag, 322 | 323));
        self.with(278, TagValue::Long(vec![rows as u64]))
    }

    /// With one entry added or replaced.
    pub(crate) fn with(mut self, tag: u16, value: TagValue) -> Directory {
        self.entries.retain(|(other, _)| *other != tag);
        self.entries.push((tag, value));
        self
    }

    pub(crate) fn short(self, tag: u16, number: u64) -> Directory {
        self.with(tag, TagValue::Short(vec![number]))
    }

    pub(crate) fn text(self, text: &str) -> Directory {
        self.with(270, TagValue::Text(text.into()))
    }
}

/// A file of a chain of directories, lowest bytes first. The chain ends, or goes on at the directory `back`.
pub(crate) fn tiff(directories: Vec<Directory>, back: Option<usize>) -> Vec<u8> {
    let mut file = b"II\x2a\0\0\0\0\0".to_vec();
    let (mut link, mut places) = (4, Vec::new());
    for directory in directories {
        let (place, next) = put(&mut file, directory);
        file[link..link + 4].copy_from_slice(&(place as u32).to_le_bytes());
        places.push(place);
        link = next;
    }
    if let Some(back) = back {
        file[link..link + 4].copy_from_slice(&(places[back] as u32).to_le_bytes());
    }
    file
}

/// Writes a directory; gives its place and the place of the link to the next one.
fn put(file: &mut Vec<u8>, directory: Directory) -> (usize, usize) {
    let mut entries = directory.entries;
    let own: Vec<u64> = directory.own.into_iter().map(|own| put(file, own).0 as u64).collect();
    if !own.is_empty() {
        entries.push((330, TagValue::Long(own)));
    }
    let tiled = entries.iter().any(|(tag, _)| *tag == 322);
    let (offsets, lengths) = if tiled { (324, 325) } else { (273, 279) };
    let mut places = Vec::new();
    for tile in &directory.tiles {
        places.push(file.len() as u64);
        file.extend(tile);
    }
    let stated = |entries: &[(u16, TagValue)], tag| entries.iter().any(|(other, _)| *other == tag);
    if !stated(&entries, offsets) {
        entries.push((offsets, TagValue::Long(places)));
    }
    if !stated(&entries, lengths) {
        entries
            .push((lengths, TagValue::Long(directory.tiles.iter().map(|tile| tile.len() as u64).collect())));
    }
    entries.sort_by_key(|(tag, _)| *tag);
    let mut table = (entries.len() as u16).to_le_bytes().to_vec();
    for (tag, value) in entries {
        let (kind, size, mut bytes): (u16, usize, Vec<u8>) = match value {
            TagValue::Short(numbers) => {
                (3, 2, numbers.iter().flat_map(|&number| (number as u16).to_le_bytes()).collect())
            }
            TagValue::Long(numbers) => {
                (4, 4, numbers.iter().flat_map(|&number| (number as u32).to_le_bytes()).collect())
            }
            TagValue::Text(text) => (2, 1, [text.as_bytes(), &[0]].concat()),
            TagValue::Bytes(bytes) => (7, 1, bytes),
        };
        table.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
        table.extend((bytes.len() as u32 / size as u32).to_le_bytes());
        if bytes.len() > 4 {
            let place = (file.len() as u32).to_le_bytes();
            file.append(&mut bytes);
            bytes = place.to_vec();
        }
        bytes.resize(4, 0);
        table.extend(bytes);
    }
    let place = file.len();
    file.extend(table);
    file.extend([0; 4]);
    (place, file.len() - 4)
}
