//! The C library OpenSlide, loaded when the first slide is opened. A machine without it reads all other images.
//!
//! It is full of `unsafe` code: a C library can be called in no other way. Its functions are those of
//! `openslide.h`, the same in versions 3.4 and 4.0. Texts that it returns belong to the library or to the open slide, and
//! are copied before the call returns.
#![allow(unsafe_code, reason = "the C library OpenSlide is called through its own functions")]

use std::ffi::{CStr, CString, c_char, c_double, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

type Handle = *mut c_void;

/// The functions of the library that we call.
#[derive(Debug)]
pub(super) struct Library {
    detect_vendor: unsafe extern "C" fn(*const c_char) -> *const c_char,
    open: unsafe extern "C" fn(*const c_char) -> Handle,
    close: unsafe extern "C" fn(Handle),
    get_error: unsafe extern "C" fn(Handle) -> *const c_char,
    get_level_count: unsafe extern "C" fn(Handle) -> c_int,
    get_level_dimensions: unsafe extern "C" fn(Handle, c_int, *mut i64, *mut i64),
    get_level_downsample: unsafe extern "C" fn(Handle, c_int) -> c_double,
    read_region: unsafe extern "C" fn(Handle, *mut u32, i64, i64, c_int, i64, i64),
    get_property_value: unsafe extern "C" fn(Handle, *const c_char) -> *const c_char,
    version: String,
    /// Keeps the functions where they are.
    _library: libloading::Library,
}

/// The library, when the machine has it.
pub(super) fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    LIBRARY.get_or_init(|| places().iter().find_map(|place| Library::load(place))).as_ref()
}

/// Where the library may be: where the system looks, and where package managers put it that the system does not know.
fn places() -> Vec<PathBuf> {
    let names: &[&str] = match () {
        () if cfg!(windows) => &["libopenslide-1.dll", "libopenslide-0.dll", "openslide.dll"],
        () if cfg!(target_os = "macos") => {
            &["libopenslide.1.dylib", "libopenslide.0.dylib", "libopenslide.dylib"]
        }
        () => &["libopenslide.so.1", "libopenslide.so.0", "libopenslide.so"],
    };
    let mut folders = vec![PathBuf::new()];
    folders.extend(std::env::var_os("CONDA_PREFIX").map(|prefix| Path::new(&prefix).join("lib")));
    if cfg!(target_os = "macos") {
        folders.extend(["/opt/homebrew/lib", "/usr/local/lib"].map(PathBuf::from));
    }
    folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).collect()
}

impl Library {
    fn load(place: &Path) -> Option<Library> {
        // SAFETY: loading runs the library's start code, which only prepares GLib and the decoders that it needs. The
        // types of the functions are those that `openslide.h` declares. The pointers are valid as long as the library is
        // loaded, which is as long as this value, where both are kept.
        unsafe {
            let library = libloading::Library::new(place).ok()?;
            let version: unsafe extern "C" fn() -> *const c_char =
                *library.get(b"openslide_get_version\0").ok()?;
            Some(Library {
                detect_vendor: *library.get(b"openslide_detect_vendor\0").ok()?,
                open: *library.get(b"openslide_open\0").ok()?,
                close: *library.get(b"openslide_close\0").ok()?,
                get_error: *library.get(b"openslide_get_error\0").ok()?,
                get_level_count: *library.get(b"openslide_get_level_count\0").ok()?,
                get_level_dimensions: *library.get(b"openslide_get_level_dimensions\0").ok()?,
                get_level_downsample: *library.get(b"openslide_get_level_downsample\0").ok()?,
                read_region: *library.get(b"openslide_read_region\0").ok()?,
                get_property_value: *library.get(b"openslide_get_property_value\0").ok()?,
                version: text(version()).unwrap_or_default(),
                _library: library,
            })
        }
    }

    /// The version of the library.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// Who made a slide; `None` when it is no slide that the library knows.
    pub(super) fn vendor(&self, path: &Path) -> Option<String> {
        let name = c_name(path)?;
        // SAFETY: the name ends with a zero and lives until the call returns; the result is a text of the library.
        unsafe { text((self.detect_vendor)(name.as_ptr())) }
    }

    /// Opens a slide; otherwise what the library says.
    pub(super) fn open(&'static self, path: &Path) -> Result<Slide, String> {
        let name = c_name(path).ok_or("a name with a zero in it")?;
        // SAFETY: as in `vendor`; the handle is null or belongs to us until it is closed.
        let handle = unsafe { (self.open)(name.as_ptr()) };
        if handle.is_null() {
            return Err("a file that OpenSlide does not know".into());
        }
        let slide = Slide { library: self, handle };
        match slide.error() {
            Some(error) => Err(error),
            None => Ok(slide),
        }
    }
}

/// An open slide, closed when it is dropped.
#[derive(Debug)]
pub(super) struct Slide {
    library: &'static Library,
    /// Never null.
    handle: Handle,
}

// SAFETY: the handle is bound to no thread: OpenSlide keeps no state per thread, and any thread may close it.
unsafe impl Send for Slide {}
// SAFETY: OpenSlide documents that all functions but `openslide_close` may be called by several threads at once with one
// handle; closing needs the slide itself, which no other thread then holds.
unsafe impl Sync for Slide {}

impl Slide {
    /// How many scales.
    pub(super) fn scales(&self) -> i32 {
        // SAFETY: the handle is open.
        unsafe { (self.library.get_level_count)(self.handle) }
    }

    /// Columns, rows and downsample of one scale; negative for one that there is not.
    pub(super) fn scale(&self, scale: i32) -> (i64, i64, f64) {
        let (mut width, mut height) = (-1, -1);
        // SAFETY: the handle is open, and the two numbers outlive the call.
        unsafe {
            (self.library.get_level_dimensions)(self.handle, scale, &mut width, &mut height);
            (width, height, (self.library.get_level_downsample)(self.handle, scale))
        }
    }

    /// What the slide says under a name.
    pub(super) fn property(&self, name: &str) -> Option<String> {
        let name = CString::new(name).ok()?;
        // SAFETY: the handle is open, the name ends with a zero; the result belongs to the slide and is copied.
        unsafe { text((self.library.get_property_value)(self.handle, name.as_ptr())) }
    }

    /// Reads pixels as premultiplied alpha, red, green and blue; the corner is one of scale 0, the sides are of the scale.
    pub(super) fn read(
        &self,
        (x, y): (i64, i64),
        scale: i32,
        width: usize,
        height: usize,
    ) -> Result<Vec<u32>, String> {
        let mut pixels = vec![0; width.checked_mul(height).ok_or("a box that is too large")?];
        let sides = i64::try_from(width).ok().zip(i64::try_from(height).ok());
        let (columns, rows) = sides.ok_or("a box that is too large")?;
        // SAFETY: the handle is open, and the library writes `columns * rows` numbers, for which there is room.
        unsafe { (self.library.read_region)(self.handle, pixels.as_mut_ptr(), x, y, scale, columns, rows) };
        self.error().map_or(Ok(pixels), Err)
    }

    /// What went wrong with the slide, which stays so.
    fn error(&self) -> Option<String> {
        // SAFETY: the handle is open; the result belongs to the slide and is copied.
        unsafe { text((self.library.get_error)(self.handle)) }
    }
}

impl Drop for Slide {
    fn drop(&mut self) {
        // SAFETY: the handle is open and has no other owner: it is closed once, here.
        unsafe { (self.library.close)(self.handle) }
    }
}

fn c_name(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_encoded_bytes()).ok()
}

/// A copy of a text.
///
/// # Safety
/// The pointer is null or leads to a text that ends with a zero and does not change meanwhile.
unsafe fn text(pointer: *const c_char) -> Option<String> {
    // SAFETY: the caller says that it is a text.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_none() {
        assert!(Library::load(Path::new("libopenslide-that-is-nowhere.so.9")).is_none());
        // This one is there on most systems, but has other functions.
        assert!(Library::load(Path::new("libc.so.6")).is_none());
    }
}
