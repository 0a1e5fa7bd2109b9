//! XML as a tree with positions. Document types are refused, so that no entities can be declared or expanded.

use std::sync::Arc;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

use crate::{Diagnosed, Diagnostic, SourceSpan, SourceText};

/// Deeper nesting than any of these files has; keeps a hostile text from exhausting the stack.
const DEEPEST: usize = 128;

/// An element with everything in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct XmlElement {
    /// Name without prefix.
    pub(super) name: String,
    /// Namespace; empty when there is none.
    pub(super) namespace: String,
    /// Attributes by their names as written.
    pub(super) attributes: Vec<(String, String)>,
    /// Elements directly inside.
    pub(super) children: Vec<XmlElement>,
    /// Text directly inside, references resolved.
    pub(super) text: String,
    /// The start tag.
    pub(super) span: SourceSpan,
}

/// Reads a document and gives its root.
pub(super) fn parse_xml(source: &Arc<SourceText>) -> Diagnosed<XmlElement> {
    let mut parser = Parser { source, open: Vec::new(), root: None };
    let mut reader = NsReader::from_str(&source.text);
    reader.config_mut().expand_empty_elements = true;
    loop {
        let start = offset(reader.buffer_position());
        let event = reader.read_resolved_event().map(|(namespace, event)| (namespace_of(&namespace), event));
        let (namespace, event) = match event {
            Ok(event) => event,
            Err(error) => {
                let at = offset(reader.error_position());
                return Err(parser.unreadable(at..at + 1, &error.to_string()));
            }
        };
        let span = SourceSpan { start, end: offset(reader.buffer_position()) };
        if matches!(event, Event::Eof) {
            return parser.finish(start);
        }
        parser.take(event, namespace, span)?;
    }
}

fn offset(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

fn namespace_of(namespace: &ResolveResult<'_>) -> String {
    match namespace {
        ResolveResult::Bound(namespace) => namespace.as_ref().to_owned(),
        ResolveResult::Unbound | ResolveResult::Unknown(_) => String::new(),
    }
}

struct Parser<'a> {
    source: &'a Arc<SourceText>,
    open: Vec<XmlElement>,
    root: Option<XmlElement>,
}

impl Parser<'_> {
    fn take(&mut self, event: Event<'_>, namespace: String, span: SourceSpan) -> Diagnosed<()> {
        match event {
            Event::Start(tag) | Event::Empty(tag) => self.start(&tag, namespace, span),
            Event::End(_) => {
                self.close();
                Ok(())
            }
            Event::Text(text) => self.text(&text.xml10_content(), span),
            Event::CData(text) => self.text(&text.xml10_content(), span),
            Event::GeneralRef(reference) => {
                let text = self.resolve(&reference, span)?;
                self.text(&text, span)
            }
            Event::DocType(_) => Err(self.complaint(span, "no document type", "one")),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::Eof => Ok(()),
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>, namespace: String, span: SourceSpan) -> Diagnosed<()> {
        if self.open.len() == DEEPEST {
            return Err(self.complaint(span, &format!("at most {DEEPEST} elements in each other"), "more"));
        }
        if self.open.is_empty() && self.root.is_some() {
            return Err(self.complaint(
                span,
                "the end of the file after the root element",
                "another element",
            ));
        }
        let mut attributes = Vec::new();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| self.unreadable(span, &error.to_string()))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| self.unreadable(span, &error.to_string()))?;
            attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
        }
        let name = tag.local_name().as_ref().to_owned();
        self.open.push(XmlElement { name, namespace, attributes, span, ..XmlElement::default() });
        Ok(())
    }

    fn close(&mut self) {
        let closed = self.open.pop();
        match self.open.last_mut() {
            Some(parent) => parent.children.extend(closed),
            None => self.root = closed.or(self.root.take()),
        }
    }

    fn text(&mut self, text: &str, span: SourceSpan) -> Diagnosed<()> {
        match self.open.last_mut() {
            Some(element) => element.text.push_str(text),
            None if text.trim_matches('\u{feff}').trim().is_empty() => {}
            None => return Err(self.complaint(span, "nothing outside the root element", "a text")),
        }
        Ok(())
    }

    fn resolve(&self, reference: &BytesRef<'_>, span: SourceSpan) -> Diagnosed<String> {
        let name = reference.xml10_content();
        let character =
            reference.resolve_char_ref().map_err(|error| self.unreadable(span, &error.to_string()))?;
        let known = character.map(String::from).or_else(|| predefined(&name).map(str::to_owned));
        known.ok_or_else(|| {
            self.complaint(span, "one of &lt; &gt; &amp; &apos; &quot; or a character", &format!("&{name};"))
        })
    }

    fn finish(self, end: usize) -> Diagnosed<XmlElement> {
        if let Some(open) = self.open.last() {
            let diagnostic = self.complaint(
                SourceSpan { start: end, end },
                &format!("</{}>", open.name),
                "the end of the file",
            );
            return Err(Box::new(diagnostic.at(self.source, open.span, "opened here")));
        }
        let source = self.source;
        self.root
            .ok_or_else(|| Box::new(complaint(source, SourceSpan { start: end, end }, "an element", "none")))
    }

    fn complaint(&self, span: SourceSpan, expected: &str, found: &str) -> Box<Diagnostic> {
        Box::new(complaint(self.source, span, expected, found))
    }

    fn unreadable(&self, span: impl Into<SourceSpan>, why: &str) -> Box<Diagnostic> {
        let why: String = why.chars().take(200).collect();
        Box::new(Diagnostic::error(format!("this XML cannot be read: {why}")).at(self.source, span, ""))
    }
}

fn complaint(source: &Arc<SourceText>, span: SourceSpan, expected: &str, found: &str) -> Diagnostic {
    Diagnostic::error("this XML cannot be read").at(source, span, "").expected_found(expected, found)
}

fn predefined(name: &str) -> Option<&'static str> {
    quick_xml::escape::resolve_xml_entity(name)
}

impl XmlElement {
    /// The first element of that name directly inside.
    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The elements directly inside the first element `list`.
    pub(super) fn items<'a>(&'a self, list: &str, item: &'a str) -> impl Iterator<Item = &'a Self> {
        self.child(list).into_iter().flat_map(|list| &list.children).filter(move |child| child.name == item)
    }

    /// The first element of that name anywhere inside, in the order of the text.
    pub(super) fn descendant(&self, name: &str) -> Option<&Self> {
        self.children
            .iter()
            .find_map(|child| if child.name == name { Some(child) } else { child.descendant(name) })
    }

    /// An attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The text of the first element of that name directly inside, without spaces around it.
    pub(super) fn child_text(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found = parse_xml(&SourceText::new("x", text)).unwrap_err().to_string();
        assert_eq!(found.replace("error: this XML cannot be read", ""), expected, "{text}");
    }

    #[test]
    fn texts_references_and_namespaces_are_resolved() {
        let text = "\u{feff}<?xml version='1.0'?><a:r xmlns:a='urn:n'><b k='1 &lt; 2'>x&amp;&#233;<![CDATA[<y>]]></b><c/></a:r> ";
        let root = parse_xml(&SourceText::new("x", text)).unwrap();
        assert_eq!((root.name.as_str(), root.namespace.as_str()), ("r", "urn:n"));
        assert_eq!(root.child("b").unwrap().attribute("k"), Some("1 < 2"));
        assert_eq!(root.child_text("b"), Some("x&é<y>"));
        assert_eq!(root.child("c").unwrap().namespace, "");
    }

    #[test]
    fn hostile_and_broken_texts_are_refused_where_they_break() {
        check("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "x:1:1: ; expected no document type, found one");
        check(
            "<a>&b;</a>",
            "x:1:4: ; expected one of &lt; &gt; &amp; &apos; &quot; or a character, found &b;",
        );
        check("<a><b></b>", "x:1:11: ; expected </a>, found the end of the file");
        check(
            "<a/><b/>",
            "x:1:5: ; expected the end of the file after the root element, found another element",
        );
        check("<a/>x", "x:1:5: ; expected nothing outside the root element, found a text");
        check("", "x:1:1: ; expected an element, found none");
        check(&"<a>".repeat(200), "x:1:385: ; expected at most 128 elements in each other, found more");
        let open = parse_xml(&SourceText::new("x", "<a>\n<b></a>")).unwrap_err().to_string();
        assert!(open.starts_with("x:2:4: "), "{open}");
        assert!(parse_xml(&SourceText::new("x", "<a b='&c;'/>")).is_err());
        assert!(parse_xml(&SourceText::new("x", "<a b='1' b='2'/>")).is_err());
    }
}
