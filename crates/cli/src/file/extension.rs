//! File extensions, which choose the format of a file.

use std::path::Path;

use onceflow_study::Diagnostic;
use onceflow_terminal::Failure;

/// The extension of a file name in lower case.
pub(crate) fn extension(path: &Path) -> Option<String> {
    path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase)
}

/// The failure of a file whose extension is none of those expected.
pub(crate) fn unsupported_extension(path: &Path, expected: &str, hint: &str) -> Failure {
    let headline = match path.extension() {
        Some(extension) => format!("unsupported file extension `.{}`", extension.to_string_lossy()),
        None => format!("{} has no file extension", path.display()),
    };
    let message = Diagnostic::error(headline).expected_found(expected, path.display().to_string());
    Failure::bad_input(message.with_hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_is_named() {
        let headline = |path: &str| {
            let failure = unsupported_extension(Path::new(path), ".csv", "name it a.csv");
            failure.into_messages()[0].message.clone()
        };
        assert_eq!(headline("a.XYZ"), "unsupported file extension `.XYZ`");
        assert_eq!(headline("folder.csv/a"), "folder.csv/a has no file extension");
        assert_eq!(extension(Path::new("a.GeoJSON")).as_deref(), Some("geojson"));
    }
}
