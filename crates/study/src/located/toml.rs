//! TOML into a located tree.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeFloat, DeInteger, DeTable, DeValue};

use super::{DEEPEST, Data, LocatedNode, LocatedTable, TableEntry};
use crate::{Diagnostic, SourceSpan, SourceText};

/// Reads a TOML text. Dates are an error: nothing here holds one. Whole numbers beyond 64 bits become reals.
pub fn parse_toml(source: &Arc<SourceText>) -> Result<LocatedNode, Box<Diagnostic>> {
    let document = DeTable::parse(&source.text).map_err(|error| unreadable(source, &error))?;
    let span = document.span().into();
    Ok(LocatedNode { span, data: Data::Table(Converter { source }.table(document.into_inner(), 0)?) })
}

fn unreadable(source: &Arc<SourceText>, error: &toml::de::Error) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::error(format!("this TOML cannot be read: {}", error.message()));
    Box::new(diagnostic.at(source, error.span().unwrap_or_default(), ""))
}

struct Converter<'a> {
    source: &'a Arc<SourceText>,
}

impl Converter<'_> {
    /// The parser sorts keys by name; their positions restore the order of the file.
    fn table(&self, table: DeTable<'_>, depth: usize) -> Result<LocatedTable, Box<Diagnostic>> {
        let entry = |(key, value): (Spanned<_>, _)| {
            let key_span = key.span().into();
            let key: std::borrow::Cow<'_, str> = key.into_inner();
            self.node(value, depth).map(|value| TableEntry { key: key.into_owned(), key_span, value })
        };
        let mut entries = table.into_iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(|e| e.key_span.start);
        Ok(LocatedTable { entries })
    }

    fn node(&self, value: Spanned<DeValue<'_>>, depth: usize) -> Result<LocatedNode, Box<Diagnostic>> {
        let span: SourceSpan = value.span().into();
        if depth == DEEPEST {
            let expected = format!("at most {DEEPEST} lists and tables in each other");
            return Err(self.complaint(span, &expected, "more"));
        }
        let data = match value.into_inner() {
            DeValue::String(text) => Data::Text(text.into_owned()),
            DeValue::Integer(integer) => self.integer(span, &integer)?,
            DeValue::Float(float) => self.real(span, &float)?,
            DeValue::Boolean(b) => Data::Bool(b),
            DeValue::Datetime(_) => {
                return Err(self.complaint(span, "a text, a number, a list or a table", "a date or time"));
            }
            DeValue::Array(list) => {
                Data::List(list.into_iter().map(|v| self.node(v, depth + 1)).collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => Data::Table(self.table(table, depth + 1)?),
        };
        Ok(LocatedNode { span, data })
    }

    fn integer(&self, span: SourceSpan, integer: &DeInteger<'_>) -> Result<Data, Box<Diagnostic>> {
        if let Ok(whole) = i64::from_str_radix(integer.as_str(), integer.radix()) {
            return Ok(Data::Integer(whole));
        }
        let real = Some(integer.as_str()).filter(|_| integer.radix() == 10).and_then(|t| t.parse().ok());
        let real = real.filter(|x: &f64| x.is_finite());
        real.map(Data::Real).ok_or_else(|| self.complaint(span, "a number of 64 bits", "a larger one"))
    }

    fn real(&self, span: SourceSpan, float: &DeFloat<'_>) -> Result<Data, Box<Diagnostic>> {
        let text = float.as_str();
        let real = text.parse::<f64>().ok().filter(|x| !x.is_infinite() || text.contains("inf"));
        real.map(Data::Real)
            .ok_or_else(|| self.complaint(span, "a number below 1.8e308", &format!("`{text}`")))
    }

    fn complaint(&self, span: SourceSpan, expected: &str, found: &str) -> Box<Diagnostic> {
        let diagnostic = Diagnostic::error("this TOML cannot be read").at(self.source, span, "");
        Box::new(diagnostic.expected_found(expected, found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<LocatedNode, String> {
        parse_toml(&SourceText::new("t", text)).map_err(|d| d.to_string())
    }

    fn error(text: &str) -> String {
        parse(text).unwrap_err().replace("error: this TOML cannot be read", "")
    }

    #[test]
    fn the_order_of_the_file_is_kept() {
        let node = parse("z = 1\na = 2\n[[p]]\nname = 'x'\n[m]\nk = {c = 1, b = [2, 3.5]}\n[[p]]\n").unwrap();
        let table = node.as_table().unwrap();
        assert_eq!(table.keys().collect::<Vec<_>>(), ["z", "a", "p", "m"]);
        assert_eq!(table.get("p").unwrap().as_list().unwrap().len(), 2);
        let inner = table.get("m").unwrap().as_table().unwrap().get("k").unwrap();
        assert_eq!(inner.as_table().unwrap().keys().collect::<Vec<_>>(), ["c", "b"]);
    }

    #[test]
    fn spans_mark_values_and_headers() {
        let text = "a = {from = 1}\n[[p]]\nname = 'x'\n";
        let node = parse(text).unwrap();
        let table = node.as_table().unwrap();
        let shown = |span: SourceSpan| &text[span.start..span.end];
        assert_eq!(shown(table.get("a").unwrap().span), "{from = 1}");
        assert_eq!(shown(table.get("p").unwrap().as_list().unwrap()[0].span), "[[p]]");
        assert_eq!(shown(table.entries[1].key_span), "p");
    }

    #[test]
    fn what_is_not_for_us_is_pointed_at() {
        assert_eq!(
            error("a = 1979-05-27"),
            "t:1:5: ; expected a text, a number, a list or a table, found a date or time"
        );
        assert_eq!(error("a = 1\na = 2"), "t:2:1: : duplicate key");
        assert_eq!(error("a = 1e999"), "t:1:5: ; expected a number below 1.8e308, found `1e999`");
        assert_eq!(
            error("a = 0xffffffffffffffffff"),
            "t:1:5: ; expected a number of 64 bits, found a larger one"
        );
        assert!(error("a = ").starts_with("t:1:"), "{}", error("a = "));
        assert!(error(&format!("a = {}", "[".repeat(100_000))).contains("recur"));
    }

    #[test]
    fn nesting_by_dotted_keys_is_bounded_too() {
        let dotted = vec!["a"; 70].join(".");
        assert!(error(&format!("{dotted} = 1")).contains("at most 64"));
    }

    #[test]
    fn numbers_keep_their_type() {
        let data = |text: &str| {
            parse(&format!("a = {text}")).unwrap().as_table().unwrap().get("a").unwrap().data.clone()
        };
        assert_eq!(data("0x1f"), Data::Integer(31));
        assert_eq!(data("1_000"), Data::Integer(1000));
        assert_eq!(data("-inf"), Data::Real(f64::NEG_INFINITY));
        assert_eq!(data("9223372036854775808"), Data::Real(9_223_372_036_854_775_808.0));
    }
}
