//! What this machine computes on, in words that differ where costs do.

use std::sync::OnceLock;

/// The processor's model, or its architecture where the system does not say: `cpu AMD EPYC 7763 64-Core Processor`.
pub(crate) fn device() -> &'static str {
    static DEVICE: OnceLock<String> = OnceLock::new();
    DEVICE.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        format!("cpu {}", model(&text).unwrap_or_else(|| std::env::consts::ARCH.to_owned()))
    })
}

/// Longer names are cut.
const MOST_LETTERS: usize = 80;

/// The first processor's name; ARM has numbers of the maker and the part in its place.
fn model(text: &str) -> Option<String> {
    let numbers = || Some(format!("{} {}", value(text, "CPU implementer")?, value(text, "CPU part")?));
    value(text, "model name").or_else(numbers)
}

fn value(text: &str, key: &str) -> Option<String> {
    let of_key =
        |line: &str| line.split_once(':').filter(|(name, _)| name.trim() == key).map(|(_, v)| v.to_owned());
    let words = text.lines().find_map(of_key)?;
    let words: Vec<&str> = words.split_whitespace().collect();
    let name: String =
        words.join(" ").chars().filter(|letter| !letter.is_control()).take(MOST_LETTERS).collect();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_read_where_the_system_says_it() {
        let text = "processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD  EPYC 7763\nprocessor\t: 1\nmodel name\t: other\n";
        assert_eq!(model(text).as_deref(), Some("AMD EPYC 7763"));
        let arm = "processor : 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(model(arm).as_deref(), Some("0x41 0xd0c"));
        assert_eq!(model("model name :\n"), None);
        assert_eq!(
            model(&format!("model name: {}", "x".repeat(1000))).map(|name| name.len()),
            Some(MOST_LETTERS)
        );
    }

    #[test]
    fn there_is_always_a_word() {
        assert!(device().len() > "cpu ".len());
    }
}
