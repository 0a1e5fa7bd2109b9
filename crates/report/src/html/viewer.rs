//! A crop that is shown large: the image, the truth and the results lie over each other, and one of them is switched on at a
//! time. It works without a script; with one, the small pictures open it.

use onceflow_sensitivity::svg::{Svg, SvgElement};

use super::crops::{embedded, image_name, row_name, scale_bar};
use super::element::escaped;
use crate::{Answer, CropOverview, ImageCrop, Pictures, RowMarks};

/// The large view of a crop, closed until it is asked for.
pub(super) fn viewer(answer: &Answer, pictures: &Pictures, place: usize) -> String {
    let Some(crop) = pictures.crops.get(place) else { return String::new() };
    let layers = layers(answer, pictures, place);
    let input = |(number, (name, _)): (usize, &(String, Option<SvgElement>))| {
        let id = layer_id(place, number);
        // The last one is the best row.
        let checked = if number + 1 == layers.len() { " checked=\"checked\"" } else { "" };
        format!(
            "<input type=\"radio\" name=\"layer-{place}\" id=\"{id}\"{checked}/><label for=\"{id}\">{}</label>\n",
            escaped(name)
        )
    };
    let inputs: String = layers.iter().enumerate().map(input).collect();
    let mut content = Svg::default();
    content.push(&SvgElement::new("use").attribute("href", &format!("#crop-{place}")));
    for (number, layer) in layers.iter().enumerate().filter_map(|(n, (_, layer))| Some((n, layer.as_ref()?)))
    {
        let mut inside = Svg::default();
        inside.push(layer);
        let class = format!("layer layer-{}", number + 1);
        content.push(&SvgElement::new("g").attribute("class", &class).children(&inside));
    }
    scale_bar(&mut content, answer, crop);
    let label = format!("{}: the crop enlarged", image_name(answer, crop));
    format!(
        "<details class=\"viewer\">\n<summary>Enlarge, and switch between {}</summary>\n<div class=\"tabs layers\" id=\"view-{place}\">\n\
         {inputs}<div class=\"views\">\n{}{}</div>\n</div>\n</details>\n",
        escaped(&crate::words::and(&layers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())),
        svg(crop.width, crop.height, "large", &label, &content),
        crop.overview.as_ref().map(|overview| whole(answer, crop, overview)).unwrap_or_default()
    )
}

/// The id of a layer's switch.
pub(super) fn layer_id(place: usize, number: usize) -> String {
    format!("layer-{place}-{}", number + 1)
}

/// What can be switched on: the image alone, the truth, and the result of each row that is shown.
fn layers(answer: &Answer, pictures: &Pictures, place: usize) -> Vec<(String, Option<SvgElement>)> {
    let image = ("image".to_owned(), None);
    let crop = pictures.crops.get(place);
    let truth = crop.and_then(|crop| Some((crop, crop.truth.as_ref()?))).map(|(crop, png)| {
        ("truth".to_owned(), Some(embedded(SvgElement::new("image"), crop.width, crop.height, png)))
    });
    let row = |shown: &RowMarks| {
        let marks = SvgElement::new("use").attribute("href", &format!("#{}", mark_id(shown)));
        (row_name(answer, shown.row), Some(marks))
    };
    let rows = pictures.shown.iter().filter(|shown| shown.crop == place).map(row);
    std::iter::once(image).chain(truth).chain(rows).collect()
}

/// The id of the marks of a row on a crop, which are in the page once.
pub(super) fn mark_id(shown: &RowMarks) -> String {
    format!("marks-{}-{}", shown.crop, shown.row)
}

/// The whole part with the place of the crop in it.
fn whole(answer: &Answer, crop: &ImageCrop, overview: &CropOverview) -> String {
    let mut content = Svg::default();
    content.push(&embedded(SvgElement::new("image"), overview.width, overview.height, &overview.png));
    let corner = ((crop.left - overview.left) as f64, (crop.top - overview.top) as f64);
    let line = overview.width.max(overview.height) as f64 / 100.0;
    for (colour, width) in [("#000", 2.0 * line), ("#fff", line)] {
        let frame = SvgElement::rectangle(corner, (crop.width as f64, crop.height as f64));
        let frame = frame.attribute("fill", "none").attribute("stroke", colour);
        content.push(&frame.number("stroke-width", width));
    }
    let label = format!("{}: the whole part, the crop is framed", image_name(answer, crop));
    format!(
        "<figure class=\"whole\">\n{}<figcaption>The whole part; the crop is framed.</figcaption>\n</figure>\n",
        svg(overview.width, overview.height, "large", &label, &content)
    )
}

fn svg(width: u64, height: u64, class: &str, label: &str, content: &Svg) -> String {
    let root = SvgElement::new("svg").attribute("class", class);
    let root = root.attribute("viewBox", &format!("0 0 {width} {height}"));
    format!("{}\n", root.attribute("role", "img").attribute("aria-label", label).children(content))
}
