//! The page: well-formed, self-contained, accessible, and closed to what names would like to smuggle in.

use onceflow_engine::{Answer, Picture, html};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::made_up::two_phases;

fn picture() -> Picture {
    Picture { title: "row 12 & \"default\"".into(), caption: "<b>breast</b>".into(), png: vec![1, 2, 3, 4] }
}

/// Every element as name and attributes, in the order of the page; fails when a tag is not closed.
fn elements(page: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut reader = Reader::from_str(page);
    reader.config_mut().check_end_names = true;
    let mut found = Vec::new();
    let mut open = 0i64;
    loop {
        match reader.read_event().unwrap_or_else(|e| panic!("{e} at {}", reader.buffer_position())) {
            Event::Start(start) => {
                open += 1;
                found.push(element(&start));
            }
            Event::Empty(start) => found.push(element(&start)),
            Event::End(_) => open -= 1,
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(open, 0);
    found
}

fn element(start: &BytesStart<'_>) -> (String, Vec<(String, String)>) {
    let attributes = start.attributes().map(|a| {
        let a = a.unwrap();
        (a.key.as_ref().to_owned(), a.value.to_string())
    });
    (start.name().as_ref().to_owned(), attributes.collect())
}

fn attribute<'a>(element: &'a (String, Vec<(String, String)>), name: &str) -> Option<&'a str> {
    element.1.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

#[test]
fn the_page_is_well_formed_and_fetches_nothing() {
    let page = html(&two_phases(), &[picture()]);
    for element in elements(&page) {
        assert_ne!(element.0, "script");
        for (key, value) in &element.1 {
            let fetched = ["src", "href", "data", "action", "srcset"].contains(&key.as_str());
            assert!(!fetched || !value.contains("//") || value.starts_with("data:"), "{key}={value}");
            assert!(!key.starts_with("on"), "{key}={value}");
        }
    }
    assert!(!page.contains("@import") && !page.contains("url("));
    assert!(page.contains("src=\"data:image/png;base64,AQIDBA==\""));
}

#[test]
fn readers_who_cannot_see_it_are_told() {
    let elements = elements(&html(&two_phases(), &[picture()]));
    let named = |name: &'static str| elements.iter().filter(move |e| e.0 == name);
    assert_eq!((named("h1").count(), named("main").count(), named("title").next().is_some()), (1, 1, true));
    assert_eq!(attribute(named("html").next().unwrap(), "lang"), Some("en"));
    assert!(named("img").all(|e| attribute(e, "alt").is_some_and(|alt| !alt.is_empty())));
    assert!(named("th").all(|e| attribute(e, "scope").is_some()));
    assert!(named("svg").all(|e| attribute(e, "role") == Some("img")));
    assert_eq!(named("table").count(), named("caption").count());
    let ids: Vec<&str> = elements.iter().filter_map(|e| attribute(e, "id")).collect();
    let different: std::collections::HashSet<&&str> = ids.iter().collect();
    assert_eq!(ids.len(), different.len());
}

#[test]
fn sections_stand_in_the_order_in_which_they_are_wanted() {
    let page = html(&two_phases(), &[picture()]);
    let ids = [
        "answer", "effects", "pictures", "metrics", "images", "work", "notes", "phase-0", "failures", "how",
        "files",
    ];
    let places: Vec<usize> =
        ids.iter().map(|id| page.find(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("{id}"))).collect();
    assert!(places.is_sorted(), "{places:?}");
    for file in ["rows.csv", "metrics.csv", "indices.json", "best.json"] {
        assert!(page.contains(&format!("href=\"{file}\"")));
    }
}

#[test]
fn names_stay_names() {
    const EVIL: &str = "<script>alert('x')</script>\"&\u{1b}[31m";
    let mut answer: Answer = two_phases();
    answer.study = EVIL.into();
    answer.workflow = EVIL.into();
    answer.notes.push(EVIL.into());
    answer.images[0].name = EVIL.into();
    answer.metrics[0].name = EVIL.into();
    for phase in &mut answer.phases {
        phase.name = EVIL.into();
        phase.analyses[0].outputs[0].name = EVIL.into();
    }
    if let Some(best) = &mut answer.best {
        best.warnings.push(EVIL.into());
        best.changes[0].parameter = EVIL.into();
    }
    let evil = Picture { title: EVIL.into(), caption: EVIL.into(), png: Vec::new() };
    let page = html(&answer, &[evil]);
    assert!(elements(&page).iter().all(|e| e.0 != "script"));
    assert!(page.contains("&lt;script&gt;"));
    let text = onceflow_engine::answer_text(&answer);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
}

/// The words of the page without its plots: what a reader reads.
#[test]
fn the_page_reads_well() {
    let page = html(&two_phases(), &[picture()]);
    let body = &page[page.find("<body>").unwrap()..];
    let mut words = String::new();
    let mut inside_svg = false;
    let mut reader = Reader::from_str(body.strip_suffix("</html>\n").unwrap());
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) if start.name().as_ref() == "svg" => inside_svg = true,
            Event::End(end) if end.name().as_ref() == "svg" => inside_svg = false,
            Event::Start(start) if matches!(start.name().as_ref(), "td" | "th") => words.push_str(" | "),
            Event::Text(text) if !inside_svg => words.push_str(&text),
            Event::GeneralRef(name) if !inside_svg => words.push_str(&format!("&{};", &*name)),
            Event::Eof => break,
            _ => {}
        }
    }
    let lines: Vec<&str> = words.lines().filter(|line| !line.trim().is_empty()).collect();
    insta::assert_snapshot!(lines.join("\n").replace(env!("CARGO_PKG_VERSION"), "[version]"));
}
