//! The files that a pattern means: `*` and `?` within a name, `**` for any folders.

use std::io;
use std::path::{Component, Path, PathBuf};

/// More files than any study has images.
const MOST_FILES: usize = 100_000;
/// Folders in each other that `**` goes through.
const DEEPEST: usize = 32;

/// Whether a text is a pattern.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// The files that a pattern means, in the order of their names. A name that begins with a dot is meant only by a pattern
/// that begins so; `**` follows no links.
pub fn matching(pattern: &Path) -> io::Result<Vec<PathBuf>> {
    let parts: Vec<Component<'_>> = pattern.components().collect();
    let mut found = Vec::new();
    walk(PathBuf::new(), &parts, 0, &mut found)?;
    found.sort();
    found.dedup();
    Ok(found)
}

fn walk(at: PathBuf, parts: &[Component<'_>], depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let Some((first, rest)) = parts.split_first() else {
        if at.is_file() {
            found.push(at);
        }
        let enough = found.len() <= MOST_FILES;
        return if enough { Ok(()) } else { Err(io::Error::other("more than 100,000 files")) };
    };
    let name = first.as_os_str().to_string_lossy();
    match name.as_ref() {
        "**" if depth < DEEPEST => {
            walk(at.clone(), rest, depth + 1, found)?;
            for entry in entries(&at)? {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_hidden(&entry) {
                    walk(at.join(entry.file_name()), parts, depth + 1, found)?;
                }
            }
            Ok(())
        }
        "**" => Ok(()),
        pattern if is_pattern(pattern) => {
            for entry in entries(&at)? {
                let name = entry.file_name();
                if (pattern.starts_with('.') || !is_hidden(&entry)) && fits(pattern, &name.to_string_lossy())
                {
                    walk(at.join(name), rest, depth, found)?;
                }
            }
            Ok(())
        }
        _ => walk(at.join(first), rest, depth, found),
    }
}

fn is_hidden(entry: &std::fs::DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with('.')
}

/// What is in a folder; nothing where there is none.
fn entries(folder: &Path) -> io::Result<Vec<std::fs::DirEntry>> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match folder.read_dir() {
        Ok(entries) => entries.collect(),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}

/// Whether a name fits a pattern: the last star takes one letter more whenever the rest does not fit.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[n] => (p, n) = (p + 1, n + 1),
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                (p, n) = (at + 1, taken + 1);
            }
        }
    }
    pattern[p..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_marks() {
        for (pattern, name, expected) in [
            ("*.svs", "a.svs", true),
            ("*.svs", "a.svs.txt", false),
            ("a?c*", "abc", true),
            ("a?c*", "ac", false),
            ("*a*b", "xaxxbxb", true),
            ("*", "", true),
            ("?", "é", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn files_are_found_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["b.svs", "a.svs", ".c.svs", "deep/er/d.svs", "deep/e.tif"] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let found = |pattern: &str| -> Vec<String> {
            let found = matching(&folder.path().join(pattern)).unwrap();
            found.iter().map(|f| f.strip_prefix(folder.path()).unwrap().display().to_string()).collect()
        };
        assert_eq!(found("*.svs"), ["a.svs", "b.svs"]);
        assert_eq!(found("**/*.svs"), ["a.svs", "b.svs", "deep/er/d.svs"]);
        assert_eq!(found("*/*"), ["deep/e.tif"]);
        assert_eq!(found("none/*.svs"), Vec::<String>::new());
        assert_eq!(found("b.svs"), ["b.svs"]);
    }
}
