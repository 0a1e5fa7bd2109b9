//! The list of rows that supplied the cached objects of each call, written by a run and read by `why`.

use std::fmt::Write as _;

use onceflow_kernels::object_cache::{MOST_ORIGINS, ObjectOrigins};
use onceflow_study::counted;

/// The header of the list.
pub(crate) const HEAD: &str = "phase,task,site,row,objects,known,from\n";

/// One line per call; rows have their numbers in the table.
pub(crate) fn lines(phase: &str, mut calls: Vec<ObjectOrigins>) -> String {
    calls.sort_unstable_by(|one, other| {
        (one.row, &one.task, one.site).cmp(&(other.row, &other.task, other.site))
    });
    let mut text = String::new();
    for ObjectOrigins { task, site, row, objects, known, from } in &calls {
        let from: Vec<String> = from.iter().map(|(row, count)| format!("{row}:{count}")).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{phase},{task},{site},{row},{objects},{known},{}", from.join(" "));
    }
    text
}

/// Says which rows supplied the cached objects of a task, over all its sites; empty when the list has none of them.
pub(crate) fn words(text: &str, phase: &str, task: &str, row: usize) -> String {
    let (mut objects, mut known, mut from) = (0, 0, Vec::<(usize, u64)>::new());
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.rsplitn(7, ',').collect();
        let [origins, known_here, objects_here, of_row, _, of_task, of_phase] = fields[..] else { continue };
        if of_phase != phase || of_task != task || of_row.parse() != Ok(row) {
            continue;
        }
        objects += objects_here.parse().unwrap_or(0u64);
        known += known_here.parse().unwrap_or(0u64);
        for (row, count) in origins.split(' ').filter_map(|origin| origin.split_once(':')) {
            if let (Ok(row), Ok(count)) = (row.parse::<usize>(), count.parse::<u64>()) {
                match from.iter_mut().find(|(other, _)| *other == row) {
                    Some((_, sum)) => *sum += count,
                    None => from.push((row, count)),
                }
            }
        }
    }
    if objects == 0 {
        return String::new();
    }
    from.sort_unstable_by_key(|(row, count)| (std::cmp::Reverse(*count), *row));
    from.truncate(MOST_ORIGINS);
    let listed: u64 = from.iter().map(|(_, count)| count).sum();
    let mut places: Vec<String> = from.iter().map(|(row, count)| format!("{count} from row {row}")).collect();
    if known > listed {
        places.push(format!("{} from others", known - listed));
    }
    let places = if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) };
    format!("      in the run {known} of its {} were known{places}\n", counted(objects as usize, "object"))
}

#[cfg(test)]
mod tests {
    use onceflow_kernels::object_cache::most_frequent_rows;

    use super::*;

    #[test]
    fn rows_with_most_objects_are_listed_and_read_again() {
        let from = most_frequent_rows(vec![104, 107, 104, 109, 109, 109, 101, 107, 104, 104]);
        assert_eq!(from, [(104, 4), (109, 3), (107, 2)]);
        let call = |site: usize| ObjectOrigins {
            task: "t6".into(),
            site,
            row: 120,
            objects: 12,
            known: 10,
            from: from.clone(),
        };
        let text = format!("{HEAD}{}", lines("screen", vec![call(1), call(0)]));
        assert_eq!(text.lines().nth(1), Some("screen,t6,0,120,12,10,104:4 109:3 107:2"));
        assert_eq!(words(&text, "screen", "t6", 121), "");
        assert_eq!(
            words(&text, "screen", "t6", 120),
            "      in the run 20 of its 24 objects were known: 8 from row 104, 6 from row 109, 4 from row 107, 2 from others\n"
        );
        assert_eq!(words(&text, "later", "t6", 120), "");
        assert_eq!(words("nonsense\n1,2\n,,,,,,\n", "screen", "t6", 120), "");
    }
}
