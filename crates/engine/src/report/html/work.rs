//! The account of the work as a bar whose parts add up.

use super::element::{attribute, escaped, paragraph, section};
use crate::Answer;
use crate::report::account::{Account, COMPUTED};
use crate::report::text::{less, machine};

/// Seconds as a bar with its balance, then tasks and the machine.
pub(super) fn account(answer: &Answer) -> String {
    let work = &answer.work;
    let (seconds, tasks) = (Account::seconds(&work.seconds), Account::tasks(&work.tasks));
    let mut body = bar(&seconds, "s");
    let less = less(work.seconds.asked, work.seconds.computed)
        .map(|times| format!("{times}, with the same result as without reuse. "));
    body.push_str(&paragraph(&format!(
        "{}{}. {}.",
        less.unwrap_or_default(),
        tasks.sentence("tasks"),
        machine(answer)
    )));
    section("work", "Work", &body)
}

fn bar(account: &Account, unit: &str) -> String {
    let sentence = account.sentence(unit);
    let class = |name: &str| format!("part {}", name.replace(' ', "-"));
    let filled = || account.terms.iter().filter(|(name, shown)| shown.units > 0 || *name == COMPUTED);
    let parts: String = filled()
        .map(|(name, shown)| {
            format!("<span class=\"{}\" style=\"flex-grow:{}\"></span>", class(name), shown.units)
        })
        .collect();
    let key: String = filled()
        .map(|(name, shown)| format!("<li><span class=\"{}\"></span> {name} {shown}</li>\n", class(name)))
        .collect();
    format!(
        "<p>{}</p>\n<div class=\"bar\" role=\"img\" aria-label=\"{}\">{parts}</div>\n<ul class=\"key\">\n{key}</ul>\n",
        escaped(&sentence),
        attribute(&sentence)
    )
}
