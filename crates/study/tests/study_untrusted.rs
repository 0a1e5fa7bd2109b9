//! No text makes the reader of studies panic, hang or overflow the stack.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use onceflow_study::{SourceText, StudySummary, model_template, parse_sheet, parse_study};
use proptest::prelude::*;
use support::{NUCLEI, nuclei, resolve};

/// Cuts, repeats or replaces a piece of a text at character boundaries.
fn mutate(text: &str, start: usize, length: usize, with: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let start = start % characters.len();
    let end = (start + length).min(characters.len());
    characters[..start].iter().collect::<String>() + with + &characters[end..].iter().collect::<String>()
}

fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "",
        "\"",
        "[",
        "]]",
        "{",
        "}",
        "=",
        "\n",
        "nan",
        "-inf",
        "1e308",
        "9223372036854775807",
        "-1",
        "0",
        "[[phase]]",
        "[parameters]\n",
        "G1",
        "\"vbd\"",
        "\"grid\"",
        "18446744073709551616",
        "µ",
        "\u{0}",
        "1979-05-27",
        "true",
        "step = 1e-300",
    ];
    prop_oneof![proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned), ".{0,4}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_mutated_study_is_a_study_or_has_errors(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..12, piece()), 1..4),
        own: bool,
    ) {
        let mut text = if own { model_template() } else { NUCLEI.to_owned() };
        for (start, length, with) in &edits {
            let place = start.index(text.chars().count());
            text = mutate(&text, place, *length, with);
        }
        let workflow = nuclei();
        let (study, diagnostics) = resolve(&text, Some(&workflow).filter(|_| !own));
        prop_assert_eq!(study.is_none(), diagnostics.has_errors(), "{}", diagnostics);
        let _ = diagnostics.to_string();
        if let Some(study) = study {
            let _ = StudySummary::new(&study, Some(&workflow)).to_string();
        }
    }

    #[test]
    fn any_sheet_is_read_or_refused(text in "(name|file|box|,|;|\"|\n|\r|[0-9 µ]){0,40}") {
        match parse_sheet(&SourceText::new("s", format!("name,file,box\n{text}"))) {
            Ok(sheet) => { let _ = sheet.images().count(); }
            Err(diagnostics) => prop_assert!(diagnostics.has_errors()),
        }
    }
}

#[test]
fn deep_and_long_texts_are_refused_or_read() {
    for text in [
        "[".repeat(100_000),
        "a = [".repeat(100_000),
        format!("x{} = 1", ".y".repeat(100_000)),
        "\"".repeat(100_000),
    ] {
        assert!(parse_study(&SourceText::new("s", text)).is_err());
    }
    let long = format!("name = \"l\"\n[parameters]\nx = [{}]\n", "1, ".repeat(200_000));
    assert!(resolve(&long, None).1.to_string().contains("at most 10000 values"));
}
