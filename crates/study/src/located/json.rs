//! Strict JSON (RFC 8259) into a located tree.

use std::collections::HashSet;
use std::sync::Arc;

use super::{DEEPEST, Data, LocatedNode, LocatedTable, TableEntry};
use crate::{Diagnosed, Diagnostic, SourceSpan, SourceText};

/// Reads a JSON text. A key that stands twice, a number that is not finite and anything after the value are errors;
/// whole numbers beyond 64 bits become reals.
pub fn parse_json(source: &Arc<SourceText>) -> Result<LocatedNode, Box<Diagnostic>> {
    let mut reader =
        JsonReader { source, at: if source.text.starts_with('\u{feff}') { 3 } else { 0 }, depth: 0 };
    let node = reader.value()?;
    reader.skip_space();
    if reader.at < source.text.len() {
        return Err(reader.unexpected("the end of the file"));
    }
    Ok(node)
}

struct JsonReader<'a> {
    source: &'a Arc<SourceText>,
    at: usize,
    depth: usize,
}

impl JsonReader<'_> {
    fn rest(&self) -> &str {
        &self.source.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.source.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self) -> Diagnosed<LocatedNode> {
        self.skip_space();
        let start = self.at;
        let data = match self.peek() {
            Some(b'{') => self.nested(Self::table)?,
            Some(b'[') => self.nested(Self::list)?,
            Some(b'"') => Data::Text(self.text()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(LocatedNode { span: (start..self.at).into(), data })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Diagnosed<Data>) -> Diagnosed<Data> {
        if self.depth == DEEPEST {
            return Err(self.unexpected(&format!("at most {DEEPEST} lists and tables in each other")));
        }
        self.depth += 1;
        self.at += 1;
        let data = read(self)?;
        self.depth -= 1;
        Ok(data)
    }

    fn list(&mut self) -> Diagnosed<Data> {
        let mut list = Vec::new();
        self.skip_space();
        while !self.eat(b']') {
            self.separator(list.is_empty(), b']')?;
            list.push(self.value()?);
            self.skip_space();
        }
        Ok(Data::List(list))
    }

    fn table(&mut self) -> Diagnosed<Data> {
        let (mut entries, mut seen) = (Vec::new(), HashSet::new());
        self.skip_space();
        while !self.eat(b'}') {
            self.separator(entries.is_empty(), b'}')?;
            let entry = self.entry()?;
            if !seen.insert(entry.key.clone()) {
                return Err(self.repeated(&entry));
            }
            entries.push(entry);
            self.skip_space();
        }
        Ok(Data::Table(LocatedTable { entries }))
    }

    /// The comma between two entries, and no comma after the last.
    fn separator(&mut self, first: bool, end: u8) -> Diagnosed<()> {
        if first {
            return Ok(());
        }
        let comma = self.at;
        if !self.eat(b',') {
            return Err(self.unexpected(&format!("`,` or `{}`", end as char)));
        }
        self.skip_space();
        if self.peek() == Some(end) {
            let complaint = self.complaint((comma..comma + 1).into(), "no comma after the last entry", "`,`");
            return Err(Box::new(complaint.with_hint("take the comma away")));
        }
        Ok(())
    }

    fn entry(&mut self) -> Diagnosed<TableEntry> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in double quotes"));
        }
        let key = self.text()?;
        let key_span = (start..self.at).into();
        self.skip_space();
        if !self.eat(b':') {
            return Err(self.unexpected("`:` after the key"));
        }
        Ok(TableEntry { key, key_span, value: self.value()? })
    }

    fn word(&mut self) -> Diagnosed<Data> {
        for (word, data) in [("null", Data::Null), ("true", Data::Bool(true)), ("false", Data::Bool(false))] {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(data);
            }
        }
        Err(self.unexpected("a value"))
    }

    fn number(&mut self) -> Diagnosed<Data> {
        let start = self.at;
        self.eat(b'-');
        let leading = self.at;
        self.digits()?;
        if self.source.text.as_bytes()[leading] == b'0' && self.at > leading + 1 {
            let span = (start..self.at).into();
            return Err(Box::new(self.complaint(span, "a number without zeros in front", &self.shown(span))));
        }
        let whole = !(self.fraction()? | self.exponent()?);
        self.convert(start, whole)
    }

    fn digits(&mut self) -> Diagnosed<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    fn fraction(&mut self) -> Diagnosed<bool> {
        let found = self.eat(b'.');
        if found {
            self.digits()?;
        }
        Ok(found)
    }

    fn exponent(&mut self) -> Diagnosed<bool> {
        let found = self.eat(b'e') || self.eat(b'E');
        if found {
            let _sign = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(found)
    }

    fn convert(&self, start: usize, whole: bool) -> Diagnosed<Data> {
        let text = &self.source.text[start..self.at];
        if let (true, Ok(integer)) = (whole, text.parse()) {
            return Ok(Data::Integer(integer));
        }
        let finite = text.parse::<f64>().ok().filter(|x| x.is_finite());
        finite.map(Data::Real).ok_or_else(|| {
            let span = (start..self.at).into();
            Box::new(self.complaint(span, "a number below 1.8e308", &self.shown(span)))
        })
    }

    /// A text between double quotes; the first quote is the next byte.
    fn text(&mut self) -> Diagnosed<String> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let plain = self.rest().find(['"', '\\']).unwrap_or(self.rest().len());
            self.check_controls(plain)?;
            text.push_str(&self.rest()[..plain]);
            self.at += plain;
            if self.eat(b'"') {
                return Ok(text);
            }
            if !self.eat(b'\\') {
                let span = (start..start + 1).into();
                return Err(Box::new(self.complaint(span, "a closing `\"`", "the end of the file")));
            }
            text.push(self.escape()?);
        }
    }

    fn check_controls(&mut self, length: usize) -> Diagnosed<()> {
        match self.rest()[..length].find(|c: char| c < ' ') {
            Some(place) => {
                self.at += place;
                Err(self.unexpected("no raw control character in a text (a line break is \\n)"))
            }
            None => Ok(()),
        }
    }

    fn escape(&mut self) -> Diagnosed<char> {
        let plain = match self.peek() {
            Some(b'u') => return self.unicode(),
            Some(c @ (b'"' | b'\\' | b'/')) => c as char,
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            _ => return Err(self.unexpected("one of \" \\ / b f n r t u after a backslash")),
        };
        self.at += 1;
        Ok(plain)
    }

    /// `uXXXX`, or two of them when the first is half of a pair.
    fn unicode(&mut self) -> Diagnosed<char> {
        let start = self.at - 1;
        let first = self.four_digits()?;
        let code = if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            self.at += 1;
            let second = self.four_digits()?;
            let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400);
            low.map(|low| 0x1_0000 + ((first - 0xd800) << 10) + low)
        } else {
            Some(first)
        };
        code.and_then(char::from_u32).ok_or_else(|| {
            let span = (start..self.at).into();
            Box::new(self.complaint(span, "both halves of a surrogate pair", &self.shown(span)))
        })
    }

    fn four_digits(&mut self) -> Diagnosed<u32> {
        self.at += 1;
        let digits = self.rest().get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|d| u32::from_str_radix(d, 16).ok()) {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => Err(self.unexpected("four hexadecimal digits")),
        }
    }

    fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let rest = self.rest();
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let length = word.max(rest.chars().next().map_or(0, char::len_utf8));
        let span = (self.at..self.at + length).into();
        let found = if length == 0 { "the end of the file".to_owned() } else { self.shown(span) };
        Box::new(self.complaint(span, expected, &found))
    }

    fn shown(&self, span: SourceSpan) -> String {
        format!(
            "`{}`",
            self.source.text[span.start..span.end].chars().take(40).collect::<String>().escape_debug()
        )
    }

    fn complaint(&self, span: SourceSpan, expected: &str, found: &str) -> Diagnostic {
        Diagnostic::error("this JSON cannot be read")
            .at(self.source, span, "")
            .expected_found(expected, found)
    }

    fn repeated(&self, entry: &TableEntry) -> Box<Diagnostic> {
        let found = format!("`{}` twice", entry.key.chars().take(40).collect::<String>().escape_debug());
        Box::new(self.complaint(entry.key_span, "each key once", &found))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<LocatedNode, String> {
        parse_json(&SourceText::new("j", text)).map_err(|d| d.to_string())
    }

    fn check(text: &str, expected: &str) {
        let error = parse(text).unwrap_err();
        assert_eq!(error.replace("error: this JSON cannot be read; ", ""), expected, "{text}");
    }

    /// The tree without places, to compare with an independent parser.
    fn plain(node: &LocatedNode) -> serde_json::Value {
        match &node.data {
            Data::Null => serde_json::Value::Null,
            Data::Bool(b) => (*b).into(),
            Data::Integer(i) => (*i).into(),
            Data::Real(x) => (*x).into(),
            Data::Text(text) => text.clone().into(),
            Data::List(list) => list.iter().map(plain).collect(),
            Data::Table(table) => table.entries.iter().map(|e| (e.key.clone(), plain(&e.value))).collect(),
        }
    }

    #[test]
    fn spans_mark_exactly_the_value() {
        let text = r#" { "a" : [ 1, "x\n" ], "b":{} } "#;
        let node = parse(text).unwrap();
        let table = node.as_table().unwrap();
        let shown = |span: SourceSpan| &text[span.start..span.end];
        assert_eq!(shown(node.span), r#"{ "a" : [ 1, "x\n" ], "b":{} }"#);
        assert_eq!(shown(table.entries[0].key_span), r#""a""#);
        assert_eq!(shown(table.entries[0].value.as_list().unwrap()[1].span), r#""x\n""#);
        assert_eq!(table.keys().collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn numbers_keep_their_type() {
        assert_eq!(parse("-0.5e-1").unwrap().data, Data::Real(-0.05));
        assert_eq!(parse("-0").unwrap().data, Data::Integer(0));
        assert_eq!(parse("9223372036854775807").unwrap().data, Data::Integer(i64::MAX));
        assert_eq!(parse("9223372036854775808").unwrap().data, Data::Real(9_223_372_036_854_775_808.0));
        check("1e999", "j:1:1: expected a number below 1.8e308, found `1e999`");
        check("[01]", "j:1:2: expected a number without zeros in front, found `01`");
        check("1.", "j:1:3: expected a digit, found the end of the file");
        check("-x", "j:1:2: expected a digit, found `x`");
        check("{\"a\": NaN}", "j:1:7: expected a value, found `NaN`");
    }

    #[test]
    fn escapes_and_surrogates() {
        assert_eq!(parse(r#""\u00e9\ud83d\ude00\/\b""#).unwrap().as_text(), Some("é😀/\u{8}"));
        check(r#""\ud83d""#, r"j:1:2: expected both halves of a surrogate pair, found `\\ud83d`");
        check(
            r#""\ud83d\u0041""#,
            r"j:1:2: expected both halves of a surrogate pair, found `\\ud83d\\u0041`",
        );
        check(r#""\udc00""#, r"j:1:2: expected both halves of a surrogate pair, found `\\udc00`");
        check(r#""\u12é4""#, "j:1:4: expected four hexadecimal digits, found `12é4`");
        check(r#""\q""#, "j:1:3: expected one of \" \\ / b f n r t u after a backslash, found `q`");
        check(
            "\"a\nb\"",
            r"j:1:3: expected no raw control character in a text (a line break is \n), found `\n`",
        );
        check("\"abc", "j:1:1: expected a closing `\"`, found the end of the file");
    }

    #[test]
    fn what_is_not_json_is_pointed_at() {
        check("", "j:1:1: expected a value, found the end of the file");
        check("{\"a\":1,\n \"a\":2}", "j:2:2: expected each key once, found `a` twice");
        check("[1,]", "j:1:3: expected no comma after the last entry, found `,`; to do: take the comma away");
        check("[1 2]", "j:1:4: expected `,` or `]`, found `2`");
        check("{a: 1}", "j:1:2: expected a key in double quotes, found `a`");
        check("{\"a\" 1}", "j:1:6: expected `:` after the key, found `1`");
        check("{} {}", "j:1:4: expected the end of the file, found `{`");
        check(&"[".repeat(100_000), "j:1:65: expected at most 64 lists and tables in each other, found `[`");
        check(
            &"{\"a\":".repeat(65),
            "j:1:321: expected at most 64 lists and tables in each other, found `{`",
        );
    }

    /// The other parser takes `-0` for a real number.
    fn with_one_zero(value: serde_json::Value) -> serde_json::Value {
        use serde_json::Value;
        match value {
            Value::Number(number) if number.as_f64() == Some(0.0) => Value::from(0),
            Value::Array(list) => list.into_iter().map(with_one_zero).collect(),
            Value::Object(map) => map.into_iter().map(|(key, value)| (key, with_one_zero(value))).collect(),
            other => other,
        }
    }

    proptest! {
        #[test]
        fn agrees_with_an_independent_parser(text in r#"(\[|\]|\{|\}|,|:|"[a-c]"|"\\u00[0-9a-f]{2}"|-?[0-9]{1,3}(\.[0-9]{1,2})?|true|null| ){0,12}"#) {
            let ours = parse(&text);
            let theirs = serde_json::from_str::<serde_json::Value>(&text).ok();
            match ours {
                Ok(node) => prop_assert_eq!(Some(with_one_zero(plain(&node))), theirs.map(with_one_zero)),
                Err(error) => prop_assert!(theirs.is_none() || error.contains("twice"), "{}", error),
            }
        }

        #[test]
        fn what_serde_writes_is_read_back(list in proptest::collection::vec((".{0,8}", any::<i64>(), -1e300..1e300f64), 0..6)) {
            let value = serde_json::json!(list);
            prop_assert_eq!(plain(&parse(&value.to_string()).unwrap()), value);
        }
    }
}
