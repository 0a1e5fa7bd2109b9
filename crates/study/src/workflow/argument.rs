//! Arguments of programs: text with names in braces, which are filled in for each task.

use super::ProgramCommand;

/// A piece of an argument: text or a name in braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArgumentPiece<'a> {
    Text(&'a str),
    Name(&'a str),
}

impl ProgramCommand {
    /// Its arguments with names replaced by `value`; `None` when a brace has no partner or a name no value.
    pub fn filled(&self, value: &dyn Fn(&str) -> Option<String>) -> Option<Vec<String>> {
        self.command.iter().map(|argument| fill(argument, value)).collect()
    }
}

/// The names in braces; doubled braces stand for themselves. The error is the text from the unpaired brace on.
pub(super) fn placeholders(argument: &str) -> Result<Vec<&str>, &str> {
    let name = |piece: ArgumentPiece<'_>| matches!(piece, ArgumentPiece::Name(_));
    let pieces = pieces(argument)?.into_iter().filter(|piece| name(*piece));
    Ok(pieces.map(|(ArgumentPiece::Text(text) | ArgumentPiece::Name(text))| text).collect())
}

fn fill(argument: &str, value: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let pieces = pieces(argument).ok()?;
    let text = |piece: &ArgumentPiece<'_>| match piece {
        ArgumentPiece::Text(text) => Some((*text).to_owned()),
        ArgumentPiece::Name(name) => value(name),
    };
    pieces.iter().map(text).collect()
}

fn pieces(argument: &str) -> Result<Vec<ArgumentPiece<'_>>, &str> {
    let mut pieces = Vec::new();
    let mut rest = argument;
    while let Some(at) = rest.find(['{', '}']) {
        let (text, tail) = rest.split_at(at);
        pieces.push(ArgumentPiece::Text(text));
        if tail.starts_with("{{") || tail.starts_with("}}") {
            pieces.push(ArgumentPiece::Text(&tail[..1]));
            rest = &tail[2..];
            continue;
        }
        let end = tail.find('}').filter(|_| tail.starts_with('{')).ok_or(tail)?;
        let name = &tail[1..end];
        if name.contains('{') {
            return Err(tail);
        }
        pieces.push(ArgumentPiece::Name(name));
        rest = &tail[end + 1..];
    }
    pieces.push(ArgumentPiece::Text(rest));
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn braces_are_names_or_doubled() {
        assert_eq!(placeholders("--a={a},{b}"), Ok(vec!["a", "b"]));
        assert_eq!(placeholders("{{x}} {{{y}}}"), Ok(vec!["y"]));
        assert_eq!(placeholders("plain"), Ok(vec![]));
        assert_eq!(placeholders("{a"), Err("{a"));
        assert_eq!(placeholders("a}"), Err("}"));
        assert_eq!(placeholders("{a{b}"), Err("{a{b}"));
    }

    #[test]
    fn names_are_filled_in_and_nothing_else_changes() {
        let value = |name: &str| (name == "y").then(|| "a b;{z}".to_owned());
        assert_eq!(fill("{{x}} {{{y}}} $HOME", &value), Some("{x} {a b;{z}} $HOME".into()));
        assert_eq!(fill("{z}", &value), None);
        assert_eq!(fill("{y", &value), None);
    }

    proptest! {
        #[test]
        fn no_argument_is_too_strange(text in "[{}a-c]{0,12}") {
            let filled = fill(&text, &|name| Some(name.to_owned()));
            prop_assert_eq!(filled.is_some(), placeholders(&text).is_ok());
        }
    }
}
