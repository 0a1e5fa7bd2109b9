//! Pipes: read without waiting for ever. The shell's `<(command)` is one.

use std::fs::Metadata;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a pipe that something has open may give nothing.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at a pipe.
const PAUSE: Duration = Duration::from_millis(5);

/// Whether a file is a pipe.
#[cfg(unix)]
pub(super) fn is_one(metadata: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

/// Whether a file is a pipe.
#[cfg(not(unix))]
pub(super) fn is_one(_metadata: &Metadata) -> bool {
    false
}

/// Opens a pipe; one that nothing writes to is an error of kind `TimedOut`.
pub(super) fn open(path: &Path) -> io::Result<impl Read> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    Ok(PatientPipe { pipe: options.open(path)?, has_given: false })
}

/// A pipe that is asked again until it gives something, or ends.
struct PatientPipe {
    pipe: std::fs::File,
    has_given: bool,
}

impl Read for PatientPipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let began = Instant::now();
        loop {
            match self.pipe.read(buffer) {
                // A pipe that ends at once is one that nothing has open to write.
                Ok(0) if !self.has_given => return Err(io::ErrorKind::TimedOut.into()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if began.elapsed() > PATIENCE {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    std::thread::sleep(PAUSE);
                }
                given => {
                    self.has_given = true;
                    return given;
                }
            }
        }
    }
}
