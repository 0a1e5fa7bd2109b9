//! The page: well-formed, self-contained, accessible, and closed to what names would like to smuggle in.

use std::collections::HashSet;

use onceflow_report::{Answer, Material, Pictures, Provenance, RunEnding, html};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::made_up::{pictures, provenance, trace, two_phases};

/// The page with everything there is.
fn page() -> String {
    page_of(&two_phases(), &pictures(), &provenance())
}

fn page_of(answer: &Answer, pictures: &Pictures, provenance: &Provenance) -> String {
    let (ending, trace) = (RunEnding::Complete, trace());
    let material =
        Material { ending: &ending, pictures: Some(pictures), trace: &trace, provenance: Some(provenance) };
    html(answer, &material)
}

/// Leaves a page in the folder that `ONCEFLOW_PAGES` names, to look at it in a browser.
pub(crate) fn leave(page: &str, name: &str) {
    if let Some(folder) = std::env::var_os("ONCEFLOW_PAGES") {
        let test = std::thread::current().name().unwrap_or("page").replace("::", "-");
        std::fs::write(std::path::Path::new(&folder).join(format!("{test}-{name}.html")), page).unwrap();
    }
}

/// Every element as name and attributes, in the order of the page; fails when a tag is not closed.
pub(crate) fn elements(page: &str) -> Vec<(String, Vec<(String, String)>)> {
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
    let page = page();
    leave(&page, "whole");
    for element in elements(&page) {
        for (key, value) in &element.1 {
            let fetched = ["src", "href", "data", "action", "srcset"].contains(&key.as_str());
            assert!(!fetched || !value.contains("//") || value.starts_with("data:"), "{key}={value}");
            assert!(!key.starts_with("on"), "{key}={value}");
        }
    }
    assert!(!page.contains("@import") && !page.contains("url("));
    assert_eq!(page.matches("data:image/png;base64,AQIDBA==").count(), 2, "each piece is in the page once");
    assert!(page.len() < 3_000_000, "{}", page.len());
}

#[test]
fn only_our_own_script_may_run() {
    let page = page();
    let scripts: Vec<_> = elements(&page).into_iter().filter(|e| e.0 == "script").collect();
    assert_eq!(scripts, [("script".to_owned(), Vec::new())]);
    let start = page.find("<script>").unwrap() + "<script>".len();
    let script = &page[start..page.find("</script>").unwrap()];
    let digest = crate::sha256::base64(&crate::sha256::sha256(script.as_bytes()));
    assert!(page.contains(&format!("script-src &#39;sha256-{digest}&#39;")), "{digest}");
}

#[test]
fn readers_who_cannot_see_it_are_told() {
    let elements = elements(&page());
    let named = |name: &'static str| elements.iter().filter(move |e| e.0 == name);
    assert_eq!((named("h1").count(), named("main").count(), named("title").next().is_some()), (1, 1, true));
    assert_eq!(attribute(named("html").next().unwrap(), "lang"), Some("en"));
    assert!(named("th").all(|e| attribute(e, "scope").is_some()));
    let is_told = |e: &&(String, Vec<(String, String)>)| {
        attribute(e, "role") == Some("img") || attribute(e, "aria-hidden") == Some("true")
    };
    assert!(named("svg").all(|e| is_told(&e)));
    let crops = named("svg").filter(|e| attribute(e, "class") == Some("crop"));
    assert!(crops.clone().count() > 4);
    assert!(crops.clone().all(|e| attribute(e, "aria-label").is_some_and(|label| !label.is_empty())));
    assert_eq!(named("table").count(), named("caption").count());
    assert_eq!(named("input").count(), named("label").count());
}

#[test]
fn what_scrolls_in_its_box_is_reached_by_the_keyboard() {
    let elements = elements(&page());
    let scrolls = |class: &str| ["scroll", "plot", "source"].contains(&class);
    let boxes: Vec<_> =
        elements.iter().filter(|element| attribute(element, "class").is_some_and(scrolls)).collect();
    assert!(boxes.iter().any(|(name, _)| name == "pre") && boxes.len() > 3, "{boxes:?}");
    for scrolled in boxes {
        assert_eq!(attribute(scrolled, "tabindex"), Some("0"), "{scrolled:?}");
        assert!(attribute(scrolled, "aria-label").is_some_and(|label| !label.is_empty()), "{scrolled:?}");
    }
}

#[test]
fn whatever_is_referred_to_is_there_once() {
    let elements = elements(&page());
    let ids: Vec<&str> = elements.iter().filter_map(|e| attribute(e, "id")).collect();
    let known: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), known.len());
    let mut references = 0;
    for element in &elements {
        let link = attribute(element, "href").and_then(|href| href.strip_prefix('#'));
        for id in [link, attribute(element, "for"), attribute(element, "data-copy")].into_iter().flatten() {
            assert!(known.contains(id), "{id}");
            references += 1;
        }
    }
    assert!(references > 12);
}

#[test]
fn sections_stand_in_the_order_in_which_they_are_wanted() {
    let page = page();
    let ids = [
        "answer",
        "effects",
        "metrics",
        "pictures",
        "images",
        "work",
        "notes",
        "phase-0",
        "phase-1",
        "responses",
        "heat",
        "gallery",
        "other-pictures",
        "failures",
        "schedule",
        "how",
        "provenance",
        "files",
    ];
    let places: Vec<usize> =
        ids.iter().map(|id| page.find(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("{id}"))).collect();
    assert!(places.is_sorted(), "{places:?}");
    for file in ["rows.csv", "metrics.csv", "indices.json", "best.json"] {
        assert!(page.contains(&format!("download=\"{file}\"")));
    }
}

/// Every figure can be taken along, as a drawing that stands alone and with its data.
#[test]
fn files_in_the_page_are_whole() {
    let elements = elements(&page());
    let carried: Vec<(&str, String)> = elements
        .iter()
        .filter_map(|e| {
            let (file, href) = (attribute(e, "download")?, attribute(e, "href")?);
            let text = href.split_once(";base64,").map(|(_, data)| crate::sha256::decoded(data))?;
            Some((file, String::from_utf8(text).unwrap()))
        })
        .collect();
    let of = |ending: &str| carried.iter().filter(|(file, _)| file.ends_with(ending)).count();
    assert!(of(".svg") > 20 && of(".csv") > 10, "{} {}", of(".svg"), of(".csv"));
    for (file, text) in &carried {
        match file.rsplit('.').next() {
            Some("svg") => assert!(super::page::elements(text)[0].0 == "svg"),
            Some("csv") => {
                let mut lines = csv::Reader::from_reader(text.as_bytes());
                assert!(
                    lines.records().map(|record| record.unwrap().len()).all(|fields| fields > 2),
                    "{file}"
                );
            }
            _ => assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{file}"),
        }
    }
    let names: HashSet<&str> = carried.iter().map(|(file, _)| *file).collect();
    assert_eq!(names.len(), carried.len(), "no file hides another");
}

/// Large pictures work without a script: one layer is on, and each small picture leads to its own.
#[test]
fn each_crop_can_be_enlarged_with_one_layer_at_a_time() {
    let page = page();
    let elements = elements(&page);
    let of = |name: &str| elements.iter().filter(|e| attribute(e, "name") == Some(name)).collect::<Vec<_>>();
    let (first, second) = (of("layer-0"), of("layer-1"));
    assert_eq!((first.len(), second.len()), (4, 2), "image, truth, default and best; image and default");
    for (place, layers) in [first, second].into_iter().enumerate() {
        assert_eq!(layers.iter().filter(|e| attribute(e, "checked").is_some()).count(), 1);
        assert!(
            page.contains(&format!("id=\"view-{place}\""))
                && page.contains(&format!("href=\"#view-{place}\""))
        );
        let ids: Vec<&str> = layers.iter().filter_map(|e| attribute(e, "id")).collect();
        let leading = elements.iter().filter_map(|e| attribute(e, "data-layer"));
        let here = leading.filter(|id| id.starts_with(&format!("layer-{place}-")));
        assert!(here.clone().count() > 0 && here.into_iter().all(|id| ids.contains(&id)), "{ids:?}");
    }
    for used in elements.iter().filter(|e| e.0 == "use").filter_map(|e| attribute(e, "href")) {
        let id = used.strip_prefix('#').unwrap();
        assert_eq!(elements.iter().filter(|e| attribute(e, "id") == Some(id)).count(), 1, "{used}");
    }
}

#[test]
fn images_that_rank_the_rows_differently_are_told() {
    let told = |other: fn(f64) -> f64| {
        let mut answer = two_phases();
        for row in &mut answer.table.rows {
            row.images[1].metrics[0] = row.images[0].metrics[0].map(other);
        }
        page_of(&answer, &pictures(), &provenance())
    };
    let sentence = "breast-01 and kidney-04 behave differently: the rank correlation of dice over the rows is -1.00 (below 0.5 is called different).";
    assert!(told(|x| 1.0 - x).contains(sentence));
    assert!(!told(|x| x / 2.0).contains("behave differently"));
}

/// What axe finds in a browser: heads of columns have words, and no two landmarks share a name.
#[test]
fn tables_have_heads_and_landmarks_have_names_of_their_own() {
    let page = page();
    assert!(!page.contains("<th scope=\"col\"></th>"));
    let elements = elements(&page);
    let landmarks: Vec<_> = elements
        .iter()
        .filter(|e| attribute(e, "role") == Some("region") || e.0 == "nav" || e.0 == "main")
        .map(|e| (e.0.as_str(), attribute(e, "aria-label")))
        .collect();
    let names: HashSet<_> = landmarks.iter().collect();
    assert_eq!(names.len(), landmarks.len(), "{landmarks:?}");
}

/// The tabs of metrics work without a script: one is open, each has its panel.
#[test]
fn each_metric_has_a_tab() {
    let page = page();
    let elements = elements(&page);
    let tabs: Vec<_> = elements.iter().filter(|e| attribute(e, "name") == Some("effect")).collect();
    assert_eq!(tabs.len(), 3);
    assert_eq!(tabs.iter().filter(|e| attribute(e, "checked").is_some()).count(), 1);
    for tab in tabs {
        let place = attribute(tab, "id").unwrap().strip_prefix("effect-").unwrap();
        assert!(page.contains(&format!("#effect-{place}:checked ~ #panel-{place} {{ display: block; }}")));
        assert!(elements.iter().any(|e| attribute(e, "id") == Some(&format!("panel-{place}"))));
    }
}

/// What the table of the account says adds up as it is shown.
#[test]
fn the_account_adds_up_in_sight() {
    let page = page();
    let table = &page[page.find("The requested work by what happened to it").unwrap()..];
    let body = &table[table.find("<tbody>").unwrap()..table.find("</tbody>").unwrap()];
    let number = |cell: &str| cell.replace([',', '.'], "").parse::<u64>().unwrap();
    let rows: Vec<Vec<u64>> = body
        .lines()
        .filter(|line| line.starts_with("<tr>"))
        .map(|line| line.split("<td>").skip(1).take(2).map(|c| number(&c[..c.find('<').unwrap()])).collect())
        .collect();
    let (sum, terms) = rows.split_last().unwrap();
    for column in [0, 1] {
        // A term of nothing is written without decimals, which changes no sum.
        assert_eq!(terms.iter().map(|row| row[column]).sum::<u64>(), sum[column]);
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
    for row in &mut answer.table.rows {
        row.role = EVIL.into();
        row.phase = row.phase.as_ref().map(|_| EVIL.into());
    }
    answer.table.parameters[2] = EVIL.into();
    answer.table.metrics[1] = EVIL.into();
    let mut from = provenance();
    from.study = EVIL.into();
    from.command = EVIL.into();
    from.files[0].file = EVIL.into();
    from.files[1].image = EVIL.into();
    let page = page_of(&answer, &pictures(), &from);
    assert_eq!(elements(&page).iter().filter(|e| e.0 == "script").count(), 1);
    assert!(page.contains("&lt;script&gt;"));
    let text = onceflow_report::answer_text(&answer);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
}

/// The words of the page without its plots: what a reader reads.
#[test]
fn the_page_reads_well() {
    let page = page();
    let body = &page[page.find("<body>").unwrap()..page.find("<script>").unwrap()];
    let mut words = String::new();
    let mut inside_svg = false;
    let mut reader = Reader::from_str(body.strip_prefix("<body>").unwrap());
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) if start.name().as_ref() == "svg" => inside_svg = true,
            Event::End(end) if end.name().as_ref() == "svg" => inside_svg = false,
            Event::Start(start) if matches!(start.name().as_ref(), "td" | "th") => words.push_str(" | "),
            Event::Start(start) if start.name().as_ref() == "style" => inside_svg = true,
            Event::End(end) if end.name().as_ref() == "style" => inside_svg = false,
            Event::Text(text) if !inside_svg => words.push_str(&text),
            Event::GeneralRef(name) if !inside_svg => words.push_str(&format!("&{};", &*name)),
            Event::Eof => break,
            _ => {}
        }
    }
    let lines: Vec<&str> = words.lines().filter(|line| !line.trim().is_empty()).collect();
    insta::assert_snapshot!(lines.join("\n").replace(env!("CARGO_PKG_VERSION"), "[version]"));
}
