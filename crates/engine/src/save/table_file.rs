//! The table of rows that a run wrote, read back.

use onceflow_study::Value;

/// The values of a row in `rows.csv`: every column between `status` and the metrics. Columns that are no parameters of
/// the study are the caller's to leave out. `None` when there is no such row, or the text is no such table.
pub fn read_row(text: &str, row: u64) -> Option<Vec<(String, Value)>> {
    let mut lines = csv::Reader::from_reader(text.as_bytes());
    let head = lines.headers().ok()?.clone();
    let column = |name: &str| head.iter().position(|found| found == name);
    let (numbers, first) = (column("row")?, column("status")? + 1);
    let record = lines
        .records()
        .filter_map(Result::ok)
        .find(|record| record.get(numbers).is_some_and(|found| found == row.to_string()))?;
    Some(
        head.iter()
            .zip(record.iter())
            .skip(first)
            .map(|(name, text)| (name.to_owned(), value(text)))
            .collect(),
    )
}

/// A whole number, another finite one, or a word.
fn value(text: &str) -> Value {
    let real = || text.parse().ok().filter(|x: &f64| x.is_finite()).map(Value::Real);
    text.parse().ok().map(Value::Integer).or_else(real).unwrap_or_else(|| Value::Text(text.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_found_by_its_number() {
        let text = "row,phase,role,base,status,G1,kind,dice\n0,,reference,0,ok,80,\"a,b\",0.5\n7,p,start,0,ok,2.5,c,\n";
        let row = read_row(text, 0).unwrap();
        assert_eq!(row[0], ("G1".into(), Value::Integer(80)));
        assert_eq!(row[1], ("kind".into(), Value::Text("a,b".into())));
        assert_eq!(read_row(text, 7).unwrap()[0].1, Value::Real(2.5));
        assert_eq!(read_row(text, 8), None);
        assert_eq!(read_row("nonsense", 0), None);
        assert_eq!(read_row("", 0), None);
    }
}
