//! Numbers, durations and sizes as people read them.

use onceflow_sensitivity::short_number;
use onceflow_study::with_commas;

/// A metric's value: three digits, thousands with commas.
pub(crate) fn metric_text(value: f64) -> String {
    if value.abs() >= 1000.0 && value.abs() < 1e15 {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", with_commas(value.abs().round() as u128));
    }
    short_number(value)
}

/// Two values of a metric, with as many digits as it takes to tell them apart.
pub(crate) fn metric_pair(a: f64, b: f64) -> (String, String) {
    let short = (metric_text(a), metric_text(b));
    if short.0 != short.1 || a == b { short } else { (a.to_string(), b.to_string()) }
}

/// Seconds in the units in which people think of them.
pub fn duration_words(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match seconds {
        s if s < 1.0 => format!("{s:.2} s"),
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{whole} s"),
        s if s < 7200.0 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole / 60 % 60),
    }
}

/// Bytes against a bound, in its unit unless they are much less: `0.11 of 2 GiB`, `5.4 MiB of 2 GiB`.
pub fn memory_words(bytes: u64, bound: u64) -> String {
    let size = |bytes: u64| {
        let (unit, word) = unit(bytes);
        format!("{} {word}", short_number(bytes as f64 / unit))
    };
    match unit(bound).0 {
        _ if bound == 0 => size(bytes),
        unit if bytes as f64 >= unit / 10.0 => {
            format!("{} of {}", short_number(bytes as f64 / unit), size(bound))
        }
        _ => format!("{} of {}", size(bytes), size(bound)),
    }
}

fn unit(bytes: u64) -> (f64, &'static str) {
    match bytes {
        b if b >= 1 << 30 => ((1u64 << 30) as f64, "GiB"),
        b if b >= 1 << 20 => ((1u64 << 20) as f64, "MiB"),
        b if b >= 1 << 10 => ((1u64 << 10) as f64, "KiB"),
        _ => (1.0, "B"),
    }
}

/// The text with a capital first.
pub(crate) fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_long_as_they_need_to_be() {
        assert_eq!([0.6922, 180_870.0, 0.0, -5224.0].map(metric_text), ["0.692", "180,870", "0", "-5,224"]);
        assert_eq!(metric_pair(0.5, 0.25), ("0.5".into(), "0.25".into()));
        assert_eq!(metric_pair(0.123_41, 0.123_42), ("0.12341".into(), "0.12342".into()));
    }

    #[test]
    fn durations_and_sizes_have_fitting_units() {
        let shown = [0.25, 4.26, 24.4, 125.0, 7300.0].map(duration_words);
        assert_eq!(shown, ["0.25 s", "4.3 s", "24 s", "2 min 5 s", "2 h 1 min"]);
        assert_eq!(memory_words(118_000_000, 2 << 30), "0.11 of 2 GiB");
        assert_eq!(memory_words(5_700_000, 2 << 30), "5.44 MiB of 2 GiB");
        assert_eq!(memory_words(1 << 20, 0), "1 MiB");
    }
}
