//! Registration in five levels, as in the data-minimisation paper: each level refines the vectors of the level before. A level is
//! identified by the names of the images and the values of `prm` until then, not by images and vectors.
//!
//! ```text
//! memo-example FOLDER IMAGE IMAGE PRM PRM PRM PRM PRM
//! ```

use std::error::Error;

use onceflow_memo::{BlockStore, block};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, first, second, prm @ ..] = arguments.as_slice() else {
        return Err("expected FOLDER IMAGE IMAGE PRM..., found fewer arguments".into());
    };
    let store = BlockStore::open(folder, "levels in Rust", "1")?;
    let mut computed = 0;
    let mut vectors = vec![0.0_f64; 1000];
    for value in prm {
        let value: f64 = value.parse()?;
        store.record("prm", &value.to_ne_bytes());
        let before = vectors.clone();
        vectors = block!(store, "register", n1 = first.as_str(), n2 = second.as_str(), [prm]; {
            computed += 1;
            refined(&before, first, second, value)
        })?;
    }
    store.flush()?;
    let sum: f64 = vectors.iter().sum();
    write(&format!("{computed} of {} levels computed, sum {sum:.6}\n", prm.len()))
}

/// Stands for hours of computing.
fn refined(vectors: &[f64], first: &str, second: &str, prm: f64) -> Vec<f64> {
    let names = first.bytes().chain(second.bytes()).map(f64::from).sum::<f64>();
    vectors.iter().enumerate().map(|(place, x)| (x + names + place as f64) * prm / (1.0 + x.abs())).collect()
}

fn write(text: &str) -> Result<(), Box<dyn Error>> {
    use std::io::Write as _;
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}
