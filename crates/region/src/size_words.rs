//! Numbers of bytes for people: `67 MiB`.

const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

/// `512 bytes`, `1.5 KiB`, `67 MiB`: rounded, with a decimal below ten.
pub fn size_words(bytes: u64) -> String {
    let Some((word, unit)) = UNITS.into_iter().find(|(_, unit)| bytes >= *unit) else {
        return exact(bytes);
    };
    let size = bytes as f64 / unit as f64;
    let tenths = (size * 10.0).round();
    if tenths < 100.0 && tenths % 10.0 != 0.0 {
        format!("{:.1} {word}", tenths / 10.0)
    } else {
        format!("{size:.0} {word}")
    }
}

/// Two sizes that a message compares; to the byte where rounding would make them equal.
pub fn two_sizes(one: u64, other: u64) -> (String, String) {
    let rounded = (size_words(one), size_words(other));
    if rounded.0 == rounded.1 { (exact(one), exact(other)) } else { rounded }
}

fn exact(bytes: u64) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_for_people() {
        let words = [0, 1, 1023, 1024, 1536, 70_030_144, 10 << 20, (3 << 30) / 2, 5 << 40].map(size_words);
        let expected = [
            "0 bytes",
            "1 byte",
            "1023 bytes",
            "1 KiB",
            "1.5 KiB",
            "67 MiB",
            "10 MiB",
            "1.5 GiB",
            "5120 GiB",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn a_comparison_never_shows_the_same_size_twice() {
        assert_eq!(two_sizes(70_030_144, 70_030_145), ("70030144 bytes".into(), "70030145 bytes".into()));
        assert_eq!(two_sizes(70_030_144, 1 << 20), ("67 MiB".into(), "1 MiB".into()));
    }
}
