//! A model of the user's own: reads a sample, writes its results. Only what a shell script could do.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::collections::HashMap;

/// One line per row of a sample: `row,NAME`.
pub fn answer(sample: &str, output: &str, f: impl Fn(&HashMap<&str, &str>) -> f64) -> String {
    let mut lines = sample.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut text = format!("row,{output}\n");
    for line in lines {
        let row: HashMap<&str, &str> = header.iter().copied().zip(line.split(',')).collect();
        text.push_str(&format!("{},{}\n", row["row"], f(&row)));
    }
    text
}

/// The number of a column.
pub fn number(row: &HashMap<&str, &str>, name: &str) -> f64 {
    row[name].parse().unwrap()
}

/// Ishigami's function of x1, x2 and x3.
pub fn ishigami(row: &HashMap<&str, &str>) -> f64 {
    let x = |name: &str| number(row, name);
    x("x1").sin() + 7.0 * x("x2").sin().powi(2) + 0.1 * x("x3").powi(4) * x("x1").sin()
}

/// Its problem as a SALib parameter file.
pub const ISHIGAMI: &str = "\
x1 -3.141592653589793 3.141592653589793
x2 -3.141592653589793 3.141592653589793
x3 -3.141592653589793 3.141592653589793
";
