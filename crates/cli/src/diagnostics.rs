//! The errors of the libraries, which read `expected …, found …; to do: …`, as diagnostics.

use onceflow_region::RegionError;
use onceflow_study::Diagnostic;

/// An error with a title that names the failed action.
pub(crate) fn from_error(title: impl Into<String>, error: &dyn std::error::Error) -> Diagnostic {
    let text = error.to_string();
    let (text, hint) = match text.split_once("; to do: ") {
        Some((text, hint)) => (text, Some(hint.to_string())),
        None => (text.as_str(), None),
    };
    let (before, rest) = text.split_once("expected ").unwrap_or((text, ""));
    let mut message = Diagnostic::error(titled(title.into(), before));
    if let Some((expected, found)) = rest.split_once(", found ") {
        message = message.expected_found(expected, found);
    } else if !rest.is_empty() {
        message.expected = Some(rest.into());
    }
    message.hint = hint;
    message
}

/// An error of a region, which reads `expected …, found …; what to do`.
pub(crate) fn from_region_error(title: impl Into<String>, error: &RegionError) -> Diagnostic {
    let text = error.to_string();
    let text = text.rsplit_once("; ").map(|(text, hint)| format!("{text}; to do: {hint}")).unwrap_or(text);
    from_error(title, &std::io::Error::other(text))
}

/// The title, with what the error says of the place before `expected`.
fn titled(title: String, before: &str) -> String {
    let place = before.trim_end_matches([' ', ':']);
    if place.is_empty() { title } else { format!("{title}: {place}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        from_error("cannot analyse", &std::io::Error::other(text)).to_string()
    }

    #[test]
    fn the_parts_of_an_error_find_their_places() {
        assert_eq!(
            of("parameter `x`: expected a < b, found 2..1; to do: swap them"),
            "error: cannot analyse: parameter `x`; expected a < b, found 2..1; to do: swap them"
        );
        assert_eq!(of("expected peace"), "error: cannot analyse; expected peace");
        assert_eq!(of("the disk is on fire"), "error: cannot analyse: the disk is on fire");
    }
}
