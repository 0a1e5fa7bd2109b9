//! Constraints: what is read prints as a text that reads as the same constraint.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_study::{Constraint, SourceText};

fn read(text: &str) -> Option<Constraint> {
    Constraint::parse(&SourceText::new("c", text), (0..text.len()).into(), &["a", "b", "minSize"]).ok()
}

fuzz_target!(|text: &str| {
    if let Some(constraint) = read(text) {
        let again = read(&constraint.to_string()).expect("what we print we can read");
        let same = |name: &str| if name == "a" { 2.0 } else { 3.0 };
        assert_eq!(constraint.holds(&same), again.holds(&same), "{text} became {constraint}");
    }
});
