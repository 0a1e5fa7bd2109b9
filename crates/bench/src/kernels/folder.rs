//! A folder in which peers find the arrays, as NumPy's files; it goes when the benchmark ends.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use onceflow_kernels::Plane;
use onceflow_study::Diagnostic;
use onceflow_terminal::Failure;

/// A folder of our own.
#[derive(Debug)]
pub(super) struct ArrayFolder(PathBuf);

/// What can be written.
#[derive(Clone, Copy, Debug)]
pub(super) enum PeerArray<'a> {
    Colours(&'a Plane<[u8; 3]>),
    Bytes(&'a Plane<u8>),
    Labels(&'a Plane<u32>),
    Heights(&'a Plane<f32>),
}

impl ArrayFolder {
    pub(super) fn create() -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("onceflow-bench-kernels-{}", std::process::id()));
        fs::create_dir(&path).map_err(|error| refused(&path, &error))?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn write_text(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.0.join(name);
        fs::write(&path, text).map_err(|error| refused(&path, &error))
    }

    /// Writes NAME.npy.
    pub(super) fn write(&self, name: &str, array: PeerArray<'_>) -> Result<(), Failure> {
        let path = self.0.join(format!("{name}.npy"));
        let write = || -> io::Result<()> {
            let mut file = BufWriter::with_capacity(1 << 20, File::create(&path)?);
            array.write(&mut file)?;
            file.flush()
        };
        write().map_err(|error| refused(&path, &error))
    }
}

impl Drop for ArrayFolder {
    fn drop(&mut self) {
        // A folder that stays behind harms nothing.
        let _left_behind = fs::remove_dir_all(&self.0);
    }
}

fn refused(path: &Path, error: &io::Error) -> Failure {
    Failure::environment(
        Diagnostic::error(format!("cannot write {}", path.display()))
            .expected_found(
                "a folder for temporary files with room for 50 bytes per pixel",
                error.to_string(),
            )
            .with_hint("set TMPDIR to another folder, or leave the peers out with --no-peer"),
    )
}

impl PeerArray<'_> {
    fn write(self, file: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Colours(plane) => {
                head(file, "|u1", &format!("{}, {}, 3", plane.height(), plane.width()))?;
                file.write_all(plane.pixels().as_flattened())
            }
            Self::Bytes(plane) => {
                head(file, "|u1", &format!("{}, {}", plane.height(), plane.width()))?;
                file.write_all(plane.pixels())
            }
            Self::Labels(plane) => {
                head(file, "<u4", &format!("{}, {}", plane.height(), plane.width()))?;
                plane.pixels().iter().try_for_each(|label| file.write_all(&label.to_le_bytes()))
            }
            Self::Heights(plane) => {
                head(file, "<f4", &format!("{}, {}", plane.height(), plane.width()))?;
                plane.pixels().iter().try_for_each(|height| file.write_all(&height.to_le_bytes()))
            }
        }
    }
}

/// Version 1.0: a dictionary in Python's words, filled up with blanks so that the values begin at a multiple of 64.
fn head(file: &mut impl Write, kind: &str, shape: &str) -> io::Result<()> {
    let words = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    let length = (words.len() + 11).next_multiple_of(64) - 10;
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&(length as u16).to_le_bytes())?;
    writeln!(file, "{words:<width$}", width = length - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_begin_at_a_multiple_of_64() {
        let plane = Plane::from_vec(vec![1u32, 2, 3, 4, 5, u32::MAX], 3, 2).unwrap();
        let mut file = Vec::new();
        PeerArray::Labels(&plane).write(&mut file).unwrap();
        let length = usize::from(u16::from_le_bytes([file[8], file[9]])) + 10;
        assert_eq!((length % 64, file.len()), (0, length + 24));
        let words = std::str::from_utf8(&file[10..length]).unwrap();
        assert!(words.starts_with("{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3), } "));
        assert!(words.ends_with(" \n"));
        assert_eq!(&file[length + 16..], [5, 0, 0, 0, 255, 255, 255, 255]);
    }

    #[test]
    fn a_folder_goes_with_its_owner() {
        let folder = ArrayFolder::create().unwrap();
        folder.write_text("a", "b").unwrap();
        let path = folder.path().to_owned();
        assert!(path.join("a").exists());
        drop(folder);
        assert!(!path.exists());
    }
}
