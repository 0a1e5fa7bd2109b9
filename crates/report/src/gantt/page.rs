//! The page of the plans of a workflow: makespan against cost, a slider between them, and the Gantt chart of the choice.

use onceflow_sensitivity::svg::{Stroke, Svg, SvgElement, SvgText, TextAnchor, escaped};

use super::{GanttChart, gantt_svg};

/// One plan that can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanChoice {
    /// Its makespan and its cost.
    pub value: (u64, u64),
    /// The alphas for which it is the best of the front, from and to; none for a plan that is best for no alpha.
    pub alphas: Option<(f64, f64)>,
    /// Its numbers of nodes, by task.
    pub counts: Vec<(String, u64)>,
    /// Its schedule; for plans that the slider reaches.
    pub chart: Option<GanttChart>,
    /// What makes it as long as it is.
    pub words: String,
}

/// All of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanPage {
    /// The heading.
    pub title: String,
    /// Plans that no other beats in both, by makespan.
    pub front: Vec<PlanChoice>,
    /// Where the slider begins.
    pub alpha: f64,
}

/// Positions of the slider.
const STEPS: u32 = 100;

impl PlanPage {
    /// The page as one file that needs no other.
    pub fn html(&self) -> String {
        let chosen: Vec<&PlanChoice> = self.front.iter().filter(|choice| choice.alphas.is_some()).collect();
        let plans: String = chosen.iter().enumerate().map(|(place, choice)| plan(place, choice)).collect();
        let start = (self.alpha.clamp(0.0, 1.0) * f64::from(STEPS)).round();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <h1>{title}</h1>\n<p>Which matters more: cost (left) or makespan (right)?</p>\n\
             <p><label>cost <input id=\"alpha\" type=\"range\" min=\"0\" max=\"{STEPS}\" value=\"{start}\" \
             aria-label=\"alpha\"> makespan</label> <output id=\"said\"></output></p>\n{front}\n{plans}\n\
             <script>{SCRIPT}</script>\n</body>\n</html>\n",
            title = escaped(&self.title),
            front = self.front_svg(),
        )
    }

    /// Makespan to the right, cost upwards.
    fn front_svg(&self) -> String {
        let (width, height, left, bottom) = (560.0, 300.0, 90.0, 44.0);
        let most = |of: fn(&PlanChoice) -> u64| self.front.iter().map(of).max().unwrap_or(1).max(1) as f64;
        let least = |of: fn(&PlanChoice) -> u64| self.front.iter().map(of).min().unwrap_or(0) as f64;
        let place =
            |value: f64, low: f64, high: f64| if high > low { (value - low) / (high - low) } else { 0.5 };
        let x =
            |value: u64| left + (width - left - 24.0) * place(value as f64, least(makespan), most(makespan));
        let y = |value: u64| {
            height - bottom - (height - bottom - 24.0) * place(value as f64, least(cost), most(cost))
        };
        let mut svg = Svg::default();
        svg.push(&SvgElement::new("title").words("Plans that no other beats in both makespan and cost"));
        let grey = Stroke::new("#9aa2ab", 1.0);
        svg.line((left - 12.0, height - bottom + 10.0), (width - 8.0, height - bottom + 10.0), grey);
        svg.line((left - 12.0, 10.0), (left - 12.0, height - bottom + 10.0), grey);
        for value in [least(makespan), most(makespan)] {
            let words = format!("{value} s");
            let at = (x(value as u64), height - bottom + 26.0);
            svg.text(at, &SvgText::new(&words, 11.0, "#5c6570").at(TextAnchor::Middle));
        }
        for value in [least(cost), most(cost)] {
            let words = format!("{value}");
            svg.text(
                (left - 18.0, y(value as u64) + 4.0),
                &SvgText::new(&words, 11.0, "#5c6570").at(TextAnchor::End),
            );
        }
        svg.text(
            (left, height - 4.0),
            &SvgText::new("makespan; upwards: cost in node-seconds", 11.0, "#5c6570"),
        );
        for choice in &self.front {
            let words = format!("{} s, {} node-seconds", choice.value.0, choice.value.1);
            let (radius, fill) = if choice.alphas.is_some() { (5.0, "#0072b2") } else { (3.0, "#9aa2ab") };
            let dot =
                SvgElement::circle((x(choice.value.0), y(choice.value.1)), radius).attribute("fill", fill);
            let dot = dot.attribute("data-plan", &format!("{}-{}", choice.value.0, choice.value.1));
            svg.push(&dot.tooltip(&words));
        }
        SvgElement::document(width, height).attribute("role", "img").children(&svg).to_string()
    }
}

fn makespan(choice: &PlanChoice) -> u64 {
    choice.value.0
}

fn cost(choice: &PlanChoice) -> u64 {
    choice.value.1
}

/// One plan with its chart, hidden until the slider is there.
fn plan(place: usize, choice: &PlanChoice) -> String {
    let (from, to) = choice.alphas.unwrap_or((0.0, 0.0));
    let chart = choice.chart.as_ref().map(gantt_svg).unwrap_or_default();
    let row = |(task, nodes): &(String, u64)| {
        format!("<tr><th scope=\"row\">{}</th><td>{nodes}</td></tr>", escaped(task))
    };
    let rows: String = choice.counts.iter().map(row).collect();
    format!(
        "<section class=\"plan\" id=\"plan-{place}\" data-from=\"{from}\" data-to=\"{to}\" data-plan=\"{}-{}\">\n\
         <h2>{} s, {} node-seconds</h2>\n{chart}<pre>{}</pre>\n<details><summary>Nodes of each task</summary>\n\
         <table><tr><th>task</th><th>nodes</th></tr>{rows}</table></details>\n</section>\n",
        choice.value.0,
        choice.value.1,
        choice.value.0,
        choice.value.1,
        escaped(&choice.words),
    )
}

const STYLE: &str = "body{font:15px system-ui,Arial,sans-serif;max-width:940px;margin:24px auto;padding:0 12px;color:#1c1f23;\
background:#fff}input[type=range]{width:320px;vertical-align:middle}svg{max-width:100%;height:auto}pre{white-space:pre-wrap}\
table{border-collapse:collapse}td,th{padding:2px 10px;text-align:right;border-bottom:1px solid #dfe2e6}circle.chosen{stroke:#d55e00;\
stroke-width:4}";

/// Without it all plans stand one below the other.
const SCRIPT: &str = "(function(){const slider=document.getElementById('alpha'),said=document.getElementById('said'),\
plans=[...document.querySelectorAll('.plan')];function show(){const alpha=slider.value/100;let best=plans[0];\
for(const plan of plans){if(alpha>=+plan.dataset.from-1e-9&&alpha<=+plan.dataset.to+1e-9){best=plan;break}}\
for(const plan of plans)plan.hidden=plan!==best;for(const dot of document.querySelectorAll('circle'))\
dot.classList.toggle('chosen',!!best&&dot.dataset.plan===best.dataset.plan);\
said.textContent='alpha '+alpha.toFixed(2)}slider.addEventListener('input',show);show()})()";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_nothing_is_loaded() {
        let choice = PlanChoice {
            value: (10, 20),
            alphas: Some((0.0, 1.0)),
            counts: vec![("<b>".into(), 2)],
            chart: Some(GanttChart::default()),
            words: "a < b".into(),
        };
        let page = PlanPage { title: "<x>".into(), front: vec![choice], alpha: 0.5 };
        let html = page.html();
        assert!(
            html.contains("&lt;b&gt;")
                && html.contains("<title>&lt;x&gt;</title>")
                && html.contains("a &lt; b")
        );
        assert!(!html.contains("src=") && !html.contains("href="));
    }
}
