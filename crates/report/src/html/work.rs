//! The account of the work as a bar whose parts add up.

use super::element::{attribute, escaped, paragraph, section};
use crate::Answer;
use crate::account::{COMPUTED, RoundedAccount};
use crate::text::{earlier, grain, less, machine, objects, proposed_tasks};

/// Seconds as a bar with its balance, then tasks and the machine.
pub(super) fn account(answer: &Answer) -> String {
    let work = &answer.work;
    if work.tasks.asked == 0.0 {
        return section("work", "Work", &paragraph(&format!("{}. {NO_ACCOUNT}", machine(answer))));
    }
    let (seconds, tasks) = (RoundedAccount::seconds(&work.seconds), RoundedAccount::tasks(&work.tasks));
    let mut body = bar(&seconds, "s");
    let less = less(work.seconds.asked, work.seconds.computed)
        .map(|times| format!("{times}, with the same result as without reuse. "));
    let known = objects(answer).map(|objects| format!(" {objects}.")).unwrap_or_default();
    let known = grain(answer).iter().fold(known, |known, change| format!("{known} {change}."));
    let runs = earlier(answer);
    if !runs.is_empty() {
        let text = format!("Taken from earlier runs: {}.", runs.join("; "));
        body.push_str(&format!("<p class=\"fine\">{}</p>\n", escaped(&text)));
    }
    body.push_str(&format!(
        "<p class=\"fine\">{} <a href=\"#schedule\">in detail</a></p>\n",
        escaped(&format!(
            "{}{}{}.{known} {}.",
            less.unwrap_or_default(),
            tasks.sentence("tasks"),
            proposed_tasks(answer).map(|tasks| format!("; {tasks}")).unwrap_or_default(),
            machine(answer)
        ))
    ));
    section("work", "Work", &body)
}

/// Said when no phase was completed.
pub(super) const NO_ACCOUNT: &str = "No phase was completed, so there is no account of saved work.";

/// The balance, each term with its colour, and the bar of the same parts.
fn bar(account: &RoundedAccount, unit: &str) -> String {
    let class = |name: &str| format!("part {}", name.replace(' ', "-"));
    let filled = || account.terms.iter().filter(|(name, shown)| shown.units > 0 || *name == COMPUTED);
    let parts: String = filled()
        .map(|(name, shown)| {
            format!("<span class=\"{}\" style=\"flex-grow:{}\"></span>", class(name), shown.units)
        })
        .collect();
    let terms: Vec<String> = filled()
        .map(|(name, shown)| format!("<span class=\"{}\"></span>\u{a0}{name}\u{a0}{shown}", class(name)))
        .collect();
    format!(
        "<p class=\"balance\">{} {unit} asked = {}</p>\n<div class=\"bar\" role=\"img\" aria-label=\"{}\">{parts}</div>\n",
        account.asked,
        terms.join(" + "),
        attribute(&account.sentence(unit))
    )
}
