//! Pieces of images and what rows found in them: each piece is in the page once, what was found is drawn over it.

use onceflow_study::{counted, with_commas};

use super::base64::base64;
use super::element::{attribute, escaped, section};
use super::responses;
use crate::report::Material;
use crate::report::words::metric_text;
use crate::{Agreement, Answer, Pictures, RowRecord, Scene, Shown};

/// The first piece on the first screen: plain, with the defaults, with the best row; below it the leading response.
pub(super) fn first(answer: &Answer, pictures: Option<&Pictures>) -> String {
    let response = responses::leading(answer).unwrap_or_default();
    let Some((pictures, scene)) = pictures.and_then(|p| Some((p, p.scenes.first()?))) else {
        return if response.is_empty() {
            response
        } else {
            section("pictures", "The leading parameter", &response)
        };
    };
    let body = format!("{}{}{}{response}", symbols(pictures), row_of(answer, pictures, 0), key(scene));
    section("pictures", &title(answer, scene), &body)
}

/// The other pieces, below.
pub(super) fn others(answer: &Answer, pictures: Option<&Pictures>) -> String {
    let Some(pictures) = pictures.filter(|pictures| pictures.scenes.len() > 1) else { return String::new() };
    let body = |(place, scene): (usize, &Scene)| {
        format!(
            "<h3 class=\"quiet\">{}</h3>\n{}{}",
            escaped(&title(answer, scene)),
            row_of(answer, pictures, place),
            key(scene)
        )
    };
    let bodies: String = pictures.scenes.iter().enumerate().skip(1).map(body).collect();
    section("other-pictures", "The other images", &bodies)
}

/// The rows that differ most, each with the values behind it.
pub(super) fn gallery(answer: &Answer, material: &Material<'_>) -> String {
    let Some(pictures) = material.pictures.filter(|pictures| !pictures.gallery.is_empty()) else {
        return String::new();
    };
    let figures: String =
        pictures.gallery.iter().filter_map(|shown| in_gallery(answer, material, pictures, shown)).collect();
    let scene = pictures.scenes.first().map(|scene| (title(answer, scene), key(scene)));
    let (title, key) = scene.unwrap_or_default();
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
    shown: &Shown,
) -> Option<String> {
    let (scene, row) = (pictures.scenes.get(shown.scene)?, answer.table.rows.get(shown.row)?);
    let changed = changed(answer, row);
    let values = if changed.is_empty() { "the defaults".into() } else { changed.join(" · ") };
    let look = material.look(row.row);
    Some(format!(
        "<figure>\n{}<figcaption><b>row {}</b> {}<br/><span class=\"values-text\">{}</span><br/><code>{}</code></figcaption>\n</figure>\n",
        picture(answer, scene, shown.scene, Some(shown)),
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
fn title(answer: &Answer, scene: &Scene) -> String {
    let image = answer.images.get(scene.image);
    let name = image.map(|image| image.name.as_str()).unwrap_or_default();
    let place = |x: i64| with_commas(x.max(0) as u128);
    let size = match image.and_then(|image| image.um_per_pixel) {
        Some(um) => {
            let length = |pixels: u64| metric_text((pixels as f64 * um).round());
            format!("{} x {} µm", length(scene.width), length(scene.height))
        }
        None => format!("{} x {} px", scene.width, scene.height),
    };
    format!("{name}, box of {size} at {}, {}", place(scene.left), place(scene.top))
}

/// The pieces, once; pictures refer to them.
fn symbols(pictures: &Pictures) -> String {
    let symbol = |(place, scene): (usize, &Scene)| {
        format!(
            "<image id=\"scene-{place}\" width=\"{}\" height=\"{}\" href=\"data:image/png;base64,{}\"/>\n",
            scene.width,
            scene.height,
            base64(&scene.png)
        )
    };
    let symbols: String = pictures.scenes.iter().enumerate().map(symbol).collect();
    format!(
        "<svg class=\"symbols\" aria-hidden=\"true\" width=\"0\" height=\"0\"><defs>\n{symbols}</defs></svg>\n"
    )
}

/// The piece plain, then with what each row found.
fn row_of(answer: &Answer, pictures: &Pictures, place: usize) -> String {
    let Some(scene) = pictures.scenes.get(place) else { return String::new() };
    let plain = format!(
        "<figure>\n{}<figcaption><b>image</b></figcaption>\n</figure>\n",
        picture(answer, scene, place, None)
    );
    let figure = |shown: &Shown| {
        let row = answer.table.rows.get(shown.row)?;
        Some(format!(
            "<figure>\n{}<figcaption><b>{}</b> {}</figcaption>\n</figure>\n",
            picture(answer, scene, place, Some(shown)),
            name(row),
            escaped(&caption(answer, row, scene.image))
        ))
    };
    let shown: String =
        pictures.shown.iter().filter(|shown| shown.scene == place).filter_map(figure).collect();
    format!("<div class=\"pictures\">\n{plain}{shown}</div>\n")
}

fn name(row: &RowRecord) -> String {
    if row.phase.is_none() { "default".into() } else { format!("row {}", row.row) }
}

/// The first metric of the row on the image, and how many objects it found there.
fn caption(answer: &Answer, row: &RowRecord, image: usize) -> String {
    let Some(record) = row.images.get(image) else { return String::new() };
    let value = record.metrics.first().copied().flatten().zip(answer.table.metrics.first());
    let metric = value.map(|(value, name)| format!("{name} {}", metric_text(value)));
    let objects = record.objects.and_then(|n| usize::try_from(n).ok()).map(|n| counted(n, "object"));
    metric.into_iter().chain(objects).collect::<Vec<_>>().join(", ")
}

/// The piece with what was found drawn over it, and the scale bar.
fn picture(answer: &Answer, scene: &Scene, place: usize, shown: Option<&Shown>) -> String {
    let row = shown.and_then(|shown| answer.table.rows.get(shown.row));
    let image = answer.images.get(scene.image).map(|image| image.name.as_str()).unwrap_or_default();
    let label = match row {
        Some(row) => format!("{image} with what {} found", name(row)),
        None => format!("{image}: a piece of the image"),
    };
    let marks = shown.map_or_else(String::new, |shown| {
        let file = base64(&shown.marks);
        format!(
            "<image width=\"{}\" height=\"{}\" href=\"data:image/png;base64,{file}\"/>\n",
            scene.width, scene.height
        )
    });
    format!(
        "<svg class=\"scene\" preserveAspectRatio=\"xMinYMin\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n<use href=\"#scene-{place}\"/>\n{marks}{}</svg>\n",
        scene.width,
        scene.height,
        attribute(&label),
        bar(answer, scene)
    )
}

/// A bar of a round length, about a quarter of the width; none where the resolution is not known.
fn bar(answer: &Answer, scene: &Scene) -> String {
    let um = answer.images.get(scene.image).and_then(|image| image.um_per_pixel);
    let Some(um) = um.filter(|um| um.is_finite() && *um > 0.0) else { return String::new() };
    let (width, height) = (scene.width as f64, scene.height as f64);
    let Some(length) = round_length(width * um / 3.0) else { return String::new() };
    let (pixels, unit) = (length / um, width / 400.0);
    let (x, y) = (width - pixels - 12.0 * unit, height - 16.0 * unit);
    format!(
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#000\" fill-opacity=\".62\"/>\n\
         <rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{pixels:.1}\" height=\"{:.1}\" fill=\"#fff\"/>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"{:.1}\" fill=\"#fff\">{length} µm</text>\n",
        x - 6.0 * unit,
        y - 28.0 * unit,
        pixels + 12.0 * unit,
        38.0 * unit,
        5.0 * unit,
        x + pixels / 2.0,
        y - 7.0 * unit,
        22.0 * unit
    )
}

/// The largest of 1, 2, 5, 10, 20, 50, … that is not longer.
fn round_length(most: f64) -> Option<f64> {
    let decades = (0..7).rev().map(|power| 10f64.powi(power));
    decades.flat_map(|one| [5.0 * one, 2.0 * one, one]).find(|length| *length <= most)
}

/// What the colours mean.
fn key(scene: &Scene) -> String {
    if !scene.with_truth {
        return "<p class=\"fine\">Outlines: what was found.</p>\n".into();
    }
    let entry = |agreement: &Agreement| {
        let [red, green, blue] = agreement.colour();
        format!(
            "<li><span class=\"part\" style=\"background:#{red:02x}{green:02x}{blue:02x}\"></span> {}</li>\n",
            agreement.words()
        )
    };
    let entries: String = Agreement::ALL.iter().map(entry).collect();
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
