//! Crops of images with the results of rows: each crop is in the page once, results are drawn over it.

use onceflow_sensitivity::svg::{Svg, SvgElement, SvgText, TextAnchor};
use onceflow_study::{counted, with_commas};

use super::base64::base64;
use super::element::{escaped, section};
use super::responses;
use super::viewer::{layer_id, mark_id, viewer};
use crate::Material;
use crate::words::metric_text;
use crate::{Answer, ImageCrop, LegendEntry, Pictures, RowMarks, RowRecord};

/// The first crop on the first screen: plain, with the defaults, with the best row; below it the leading response.
pub(super) fn first(answer: &Answer, pictures: Option<&Pictures>) -> String {
    let response = responses::leading(answer).unwrap_or_default();
    let Some((pictures, crop)) = pictures.and_then(|p| Some((p, p.crops.first()?))) else {
        return if response.is_empty() {
            response
        } else {
            section("pictures", "The leading parameter", &response)
        };
    };
    let body = format!(
        "{}{}{}{}{response}",
        symbols(pictures),
        row_of(answer, pictures, 0),
        key(pictures, crop),
        viewer(answer, pictures, 0)
    );
    section("pictures", &title(answer, crop), &body)
}

/// The other crops, below.
pub(super) fn others(answer: &Answer, pictures: Option<&Pictures>) -> String {
    let Some(pictures) = pictures.filter(|pictures| pictures.crops.len() > 1) else { return String::new() };
    let body = |(place, crop): (usize, &ImageCrop)| {
        format!(
            "<h3 class=\"quiet\">{}</h3>\n{}{}{}",
            escaped(&title(answer, crop)),
            row_of(answer, pictures, place),
            key(pictures, crop),
            viewer(answer, pictures, place)
        )
    };
    let bodies: String = pictures.crops.iter().enumerate().skip(1).map(body).collect();
    section("other-pictures", "The other images", &bodies)
}

/// The rows that differ most, each with the values behind it.
pub(super) fn gallery(answer: &Answer, material: &Material<'_>) -> String {
    let Some(pictures) = material.pictures.filter(|pictures| !pictures.gallery.is_empty()) else {
        return String::new();
    };
    let figures: String =
        pictures.gallery.iter().filter_map(|shown| in_gallery(answer, material, pictures, shown)).collect();
    let crop = pictures.crops.first().map(|crop| (title(answer, crop), key(pictures, crop)));
    let (title, key) = crop.unwrap_or_default();
    let body = format!(
        "<p>{}</p>\n<div class=\"pictures gallery\">\n{figures}</div>\n{key}",
        escaped(&format!(
            "Rows chosen one after the other, each as far as possible from those before it in all metrics. Shown: {title}."
        ))
    );
    section("gallery", "The results that differ most", &body)
}

fn in_gallery(
    answer: &Answer,
    material: &Material<'_>,
    pictures: &Pictures,
    shown: &RowMarks,
) -> Option<String> {
    let (crop, row) = (pictures.crops.get(shown.crop)?, answer.table.rows.get(shown.row)?);
    let changed = changed(answer, row);
    let values = if changed.is_empty() { "the defaults".into() } else { changed.join(" · ") };
    let look = material.look(row.row);
    Some(format!(
        "<figure>\n{}<figcaption><b>row {}</b> {}<br/><span class=\"values-text\">{}</span><br/><code>{}</code></figcaption>\n</figure>\n",
        picture(answer, crop, shown.crop, Some(shown)),
        row.row,
        escaped(&metrics(answer, row)),
        escaped(&values),
        escaped(&look)
    ))
}

/// `dice 0.692, change 87,918` on the whole study.
fn metrics(answer: &Answer, row: &RowRecord) -> String {
    let pairs = answer.table.metrics.iter().zip(&row.metrics);
    let said: Vec<String> =
        pairs.filter_map(|(name, value)| Some(format!("{name} {}", metric_text((*value)?)))).collect();
    said.join(", ")
}

/// `G1 80 → 40` for each value that is not the reference row's.
fn changed(answer: &Answer, row: &RowRecord) -> Vec<String> {
    let Some(reference) = answer.table.rows.iter().find(|row| row.phase.is_none()) else { return Vec::new() };
    let triples = answer.table.parameters.iter().zip(reference.values.iter().zip(&row.values));
    triples
        .filter(|(_, (from, to))| from.to_string() != to.to_string())
        .map(|(name, (from, to))| format!("{name} {from} → {to}"))
        .collect()
}

/// `breast-01, box of 100 x 100 µm at 18,400, 22,016`.
fn title(answer: &Answer, crop: &ImageCrop) -> String {
    let image = answer.images.get(crop.image);
    let name = image.map(|image| image.name.as_str()).unwrap_or_default();
    let place = |x: i64| with_commas(x.max(0) as u128);
    let size = match image.and_then(|image| image.um_per_pixel) {
        Some(um) => {
            let length = |pixels: u64| metric_text((pixels as f64 * um).round());
            format!("{} x {} µm", length(crop.width), length(crop.height))
        }
        None => format!("{} x {} px", crop.width, crop.height),
    };
    let held =
        answer.tuning.as_ref().is_some_and(|tuning| tuning.held_images.iter().any(|held| held == name));
    let held = if held { " (took no part in tuning)" } else { "" };
    format!("{name}{held}, box of {size} at {}, {}", place(crop.left), place(crop.top))
}

/// The crops and the marks of rows, once each; pictures refer to them.
fn symbols(pictures: &Pictures) -> String {
    let (mut images, mut content) = (Svg::default(), Svg::default());
    for (place, crop) in pictures.crops.iter().enumerate() {
        images.push(&with_image(
            SvgElement::new("image").attribute("id", &format!("crop-{place}")),
            crop,
            &crop.png,
        ));
    }
    for shown in pictures.shown.iter().chain(&pictures.gallery) {
        if let Some(crop) = pictures.crops.get(shown.crop) {
            images.push(&with_image(
                SvgElement::new("image").attribute("id", &mark_id(shown)),
                crop,
                &shown.marks,
            ));
        }
    }
    content.push(&SvgElement::new("defs").children(&images));
    let root = SvgElement::new("svg").attribute("class", "symbols").attribute("aria-hidden", "true");
    format!("{}\n", root.number("width", 0.0).number("height", 0.0).children(&content))
}

/// The element with a PNG file of the size of the crop.
fn with_image(element: SvgElement, crop: &ImageCrop, png: &[u8]) -> SvgElement {
    embedded(element, crop.width, crop.height, png)
}

/// The element with a PNG file, drawn in this size.
pub(super) fn embedded(element: SvgElement, width: u64, height: u64, png: &[u8]) -> SvgElement {
    let sized = element.number("width", width as f64).number("height", height as f64);
    sized.attribute("href", &format!("data:image/png;base64,{}", base64(png)))
}

/// The plain crop, then the crop with the result of each row.
fn row_of(answer: &Answer, pictures: &Pictures, place: usize) -> String {
    let Some(crop) = pictures.crops.get(place) else { return String::new() };
    let plain = format!(
        "<figure>\n{}<figcaption><b>image</b></figcaption>\n</figure>\n",
        enlarging(place, 0, &picture(answer, crop, place, None))
    );
    let first = 1 + usize::from(crop.truth.is_some());
    let figure = |(number, shown): (usize, &RowMarks)| {
        let row = answer.row_at(shown.row)?;
        Some(format!(
            "<figure>\n{}<figcaption><b>{}</b> {}</figcaption>\n</figure>\n",
            enlarging(place, first + number, &picture(answer, crop, place, Some(shown))),
            row_name(answer, shown.row),
            escaped(&caption(answer, row, crop.image))
        ))
    };
    let shown = pictures.shown.iter().filter(|shown| shown.crop == place).enumerate();
    let shown: String = shown.filter_map(figure).collect();
    format!("<div class=\"pictures\">\n{plain}{shown}</div>\n")
}

/// A picture that leads to the large view of its crop, with that layer on.
fn enlarging(place: usize, number: usize, picture: &str) -> String {
    format!("<a href=\"#view-{place}\" data-layer=\"{}\">{picture}</a>", layer_id(place, number))
}

/// `default`, `proposed values`, `best row 54`, `row 12`, of the row at a place.
pub(super) fn row_name(answer: &Answer, place: usize) -> String {
    let Some(row) = answer.table.rows.get(place) else { return "proposed values".into() };
    let tuned = answer.tuning.as_ref().map(|tuning| tuning.row);
    let best = tuned.or(answer.best.as_ref().map(|best| best.row));
    match row.phase.is_none() {
        true => "default".into(),
        false if answer.proposed_place() == Some(place) => format!("proposed values, row {}", row.row),
        false if best == Some(place) => format!("best row {}", row.row),
        false => format!("row {}", row.row),
    }
}

/// The name of the image of a crop.
pub(super) fn image_name<'a>(answer: &'a Answer, crop: &ImageCrop) -> &'a str {
    answer.images.get(crop.image).map(|image| image.name.as_str()).unwrap_or_default()
}

/// The first metric of the row on the image, and how many objects it found there.
fn caption(answer: &Answer, row: &RowRecord, image: usize) -> String {
    let Some(record) = row.images.get(image) else { return String::new() };
    let value = record.metrics.first().copied().flatten().zip(answer.table.metrics.first());
    let metric = value.map(|(value, name)| format!("{name} {}", metric_text(value)));
    let objects = record.objects.and_then(|n| usize::try_from(n).ok()).map(|n| counted(n, "object"));
    metric.into_iter().chain(objects).collect::<Vec<_>>().join(", ")
}

/// The crop with a result drawn over it, and the scale bar.
fn picture(answer: &Answer, crop: &ImageCrop, place: usize, shown: Option<&RowMarks>) -> String {
    let image = image_name(answer, crop);
    let label = match shown {
        Some(shown) => format!("{image} with the result of {}", row_name(answer, shown.row)),
        None => format!("{image}: a crop of the image"),
    };
    let mut content = Svg::default();
    content.push(&SvgElement::new("use").attribute("href", &format!("#crop-{place}")));
    if let Some(shown) = shown {
        content.push(&SvgElement::new("use").attribute("href", &format!("#{}", mark_id(shown))));
    }
    scale_bar(&mut content, answer, crop);
    let root = SvgElement::new("svg").attribute("class", "crop").attribute("preserveAspectRatio", "xMinYMin");
    let root = root.attribute("viewBox", &format!("0 0 {} {}", crop.width, crop.height));
    format!("{}\n", root.attribute("role", "img").attribute("aria-label", &label).children(&content))
}

/// A bar of a round length, about a quarter of the width; none where the resolution is not known.
pub(super) fn scale_bar(svg: &mut Svg, answer: &Answer, crop: &ImageCrop) {
    let um = answer.images.get(crop.image).and_then(|image| image.um_per_pixel);
    let Some(um) = um.filter(|um| um.is_finite() && *um > 0.0) else { return };
    let (width, height) = (crop.width as f64, crop.height as f64);
    let Some(length) = round_length(width * um / 3.0) else { return };
    let (pixels, unit) = (length / um, width / 400.0);
    let (x, y) = (width - pixels - 12.0 * unit, height - 16.0 * unit);
    let ground = ((x - 6.0 * unit, y - 28.0 * unit), (pixels + 12.0 * unit, 38.0 * unit));
    let ground = SvgElement::rectangle(ground.0, ground.1).attribute("fill", "#000");
    svg.push(&ground.attribute("fill-opacity", ".62"));
    svg.push(&SvgElement::rectangle((x, y), (pixels, 5.0 * unit)).attribute("fill", "#fff"));
    let length = format!("{length} µm");
    let words = SvgText::new(&length, 22.0 * unit, "#fff").at(TextAnchor::Middle);
    svg.text((x + pixels / 2.0, y - 7.0 * unit), &words);
}

/// The largest of 1, 2, 5, 10, 20, 50, … that is not longer.
fn round_length(most: f64) -> Option<f64> {
    let decades = (0..7).rev().map(|power| 10f64.powi(power));
    decades.flat_map(|one| [5.0 * one, 2.0 * one, one]).find(|length| *length <= most)
}

/// The legend.
fn key(pictures: &Pictures, crop: &ImageCrop) -> String {
    if !crop.with_truth {
        return "<p class=\"fine\">Outlines: the objects that were found.</p>\n".into();
    }
    let entry = |entry: &LegendEntry| {
        let [red, green, blue] = entry.colour;
        format!(
            "<li><span class=\"part\" style=\"background:#{red:02x}{green:02x}{blue:02x}\"></span> {}</li>\n",
            escaped(entry.words)
        )
    };
    let entries: String = pictures.legend.iter().map(entry).collect();
    format!("<ul class=\"key\">\n{entries}</ul>\n")
}

#[cfg(test)]
mod tests {
    use super::round_length;

    #[test]
    fn bars_have_round_lengths() {
        let lengths = [0.5, 1.0, 33.3, 49.9, 50.0, 700.0].map(round_length);
        assert_eq!(lengths, [None, Some(1.0), Some(20.0), Some(20.0), Some(50.0), Some(500.0)]);
    }
}
