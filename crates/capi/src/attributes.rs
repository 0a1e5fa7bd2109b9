//! What a described flow graph says of the smallest attributes of its target.

use std::ffi::{c_char, c_long};

use onceflow_reuse::attributes::{AttributeReport, read_flow_descriptions};
use onceflow_study::SourceText;

use crate::call::{ErrorWords, called};
use crate::named;

/// Longer descriptions are refused.
const LONGEST: u64 = 16 << 20;

/// Writes the smallest attributes of the graphs in a file into memory, as text that ends with a zero byte; gives the bytes that the
/// whole text takes, or -1 after an error.
///
/// # Safety
/// `path` is a text, and `text` is null or has so many bytes, which may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_attributes(path: *const c_char, text: *mut c_char, bytes: usize) -> c_long {
    called(-1, || {
        // SAFETY: as the caller promises.
        let path = unsafe { named(path, "path")? };
        let found = described(&path)?;
        if !text.is_null() && bytes > 0 {
            let length = found.len().min(bytes - 1);
            // SAFETY: there is room for so many bytes, as the caller promises.
            unsafe {
                std::ptr::copy_nonoverlapping(found.as_ptr(), text.cast::<u8>(), length);
                text.add(length).write(0);
            }
        }
        c_long::try_from(found.len() + 1).map_err(|_| ErrorWords::from("the text is too long"))
    })
}

fn described(path: &str) -> Result<String, ErrorWords> {
    let failed =
        |error: std::io::Error| ErrorWords::from(format!("{path}: expected a description, found {error}"));
    if std::fs::metadata(path).map_err(failed)?.len() > LONGEST {
        return Err(ErrorWords::from(format!("{path}: expected at most {LONGEST} bytes, found more")));
    }
    let source = SourceText::new(path, std::fs::read_to_string(path).map_err(failed)?);
    let graphs = read_flow_descriptions(&source).map_err(|errors| ErrorWords::from(errors.to_string()))?;
    let report = |graph| AttributeReport::new(graph).map(|report| report.to_string());
    let reports = graphs.iter().map(report).collect::<Result<Vec<_>, _>>();
    Ok(reports.map_err(|error| ErrorWords::from(format!("{path}: {error}")))?.join("\n"))
}
