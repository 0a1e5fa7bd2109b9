//! The images of a QuPath project: `project.qpproj` names each by its address.

use std::path::{Path, PathBuf};

use onceflow_study::Diagnostic;
use serde_json::Value;

use crate::file::read_text;
use onceflow_engine::TextLimit;
use onceflow_terminal::Failure;

/// The files of a project, in its order.
pub(super) fn images(project: &Path) -> Result<Vec<PathBuf>, Failure> {
    let text = read_text(project, TextLimit::Description)?;
    let wrong = |found: String| {
        let error = Diagnostic::error(format!("{} cannot be read as a QuPath project", project.display()));
        let error = error.expected_found("images with the addresses of their files", found);
        Failure::bad_input(error.with_hint("name the images themselves: onceflow init 'slides/*.svs'"))
    };
    let json: Value = serde_json::from_str(&text.text).map_err(|error| wrong(error.to_string()))?;
    let images = json.get("images").and_then(Value::as_array).ok_or_else(|| wrong("no `images`".into()))?;
    let folder = project.parent().unwrap_or(Path::new(""));
    let file = |image: &Value| {
        let address = image.get("serverBuilder").and_then(address);
        let file = address.and_then(|address| path_of(address, folder));
        file.ok_or_else(|| wrong(format!("an image without a file: {}", name(image))))
    };
    images.iter().map(file).collect()
}

fn name(image: &Value) -> String {
    image.get("imageName").and_then(Value::as_str).unwrap_or("without a name").chars().take(80).collect()
}

/// The address of a builder, or of the one inside it: rotated and cropped images wrap theirs.
fn address(builder: &Value) -> Option<&str> {
    let mut builder = builder;
    for _ in 0..16 {
        if let Some(address) = builder.get("uri").and_then(Value::as_str) {
            return Some(address);
        }
        builder = builder.get("builder")?;
    }
    None
}

/// The file of an address such as `file:/slides/a%20b.svs`, which may end with a part of the image after `#` or `?`.
fn path_of(address: &str, folder: &Path) -> Option<PathBuf> {
    let path = match address.split_once(':') {
        Some(("file", rest)) => rest.strip_prefix("//").unwrap_or(rest),
        Some((scheme, _)) if scheme.len() > 1 => return None,
        _ => address,
    };
    let path = path.split(['#', '?']).next().unwrap_or(path);
    Some(folder.join(plain(path)?))
}

/// A text whose letters may stand as `%20`.
fn plain(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        rest = others;
        match (first, others) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                bytes.push((digit(high)? * 16 + digit(low)?) as u8);
                rest = after;
            }
            _ => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_paths() {
        let path = |address| path_of(address, Path::new("p")).map(|path| path.display().to_string());
        assert_eq!(path("file:/s/a%20b.svs").as_deref(), Some("/s/a b.svs"));
        assert_eq!(path("file:///s/a.svs#series=1").as_deref(), Some("/s/a.svs"));
        assert_eq!(path("a.svs").as_deref(), Some("p/a.svs"));
        assert_eq!((path("https://a/b.svs"), path("file:/%zz")), (None, None));
    }
}
