//! Texts and bytes of a C program.

use std::ffi::{CStr, c_char, c_void};

use crate::call::ErrorWords;

/// A text; none for null.
///
/// # Safety
/// `text` is null or ends with a zero byte.
pub(crate) unsafe fn text_at(text: *const c_char, what: &str) -> Result<Option<String>, ErrorWords> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller promises.
    match unsafe { CStr::from_ptr(text) }.to_str() {
        Ok(text) => Ok(Some(text.to_owned())),
        Err(_) => {
            Err(ErrorWords::from(format!("expected UTF-8 in the argument `{what}`, found other bytes")))
        }
    }
}

/// Bytes; null is only for none.
///
/// # Safety
/// `value` is null or has so many bytes, which stay as they are until this call has ended.
pub(crate) unsafe fn bytes_at<'a>(
    value: *const c_void,
    bytes: usize,
    what: &str,
) -> Result<&'a [u8], ErrorWords> {
    if bytes == 0 {
        return Ok(&[]);
    }
    if value.is_null() || bytes > isize::MAX as usize {
        let found = if value.is_null() { "null" } else { "more than memory can hold" };
        return Err(ErrorWords::from(format!(
            "expected {bytes} bytes as the argument `{what}`, found {found}"
        )));
    }
    // SAFETY: as the caller promises.
    Ok(unsafe { std::slice::from_raw_parts(value.cast(), bytes) })
}
