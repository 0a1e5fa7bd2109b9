//! Sizes, durations and shares as people write them: `2 GiB`, `1 h 30 min`, `5 %`.

use std::fmt;
use std::time::Duration;

use crate::located::{Data, FromNode, LocatedNode, Mismatch};

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

/// A share of a whole, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Share(pub f64);

/// Why a text is not a size, duration or share.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found \"{found}\"")]
pub struct UnitError {
    /// The accepted forms.
    pub expected: &'static str,
    /// The text.
    pub found: String,
}

const SIZES: [(&str, u128); 9] = [
    ("B", 1),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// In nanoseconds, largest first.
const DURATIONS: [(&str, u128); 5] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
];

impl Size {
    const EXPECTED: &'static str = "a size such as \"2 GiB\", \"600 MiB\", \"512 kB\" or a number of bytes";

    /// Reads `2 GiB`, `1.5GB`, `4096`. Parts of a byte are cut off.
    pub fn parse(text: &str) -> Result<Self, UnitError> {
        let error = || UnitError { expected: Self::EXPECTED, found: text.into() };
        let (number, rest) = Decimal::take(text.trim()).ok_or_else(error)?;
        let unit = rest.trim();
        let known = SIZES.iter().find(|(word, _)| word.eq_ignore_ascii_case(unit));
        let bytes = known.map(|(_, bytes)| *bytes).or_else(|| unit.is_empty().then_some(1));
        let bytes = bytes.and_then(|bytes| number.times(bytes)).and_then(|bytes| u64::try_from(bytes).ok());
        bytes.map(Self).ok_or_else(error)
    }

    /// The next size that people read: whole MiB (below 1 MiB whole KiB), unless it is such already.
    #[must_use]
    pub fn rounded_up(self) -> Self {
        let unit = self.unit();
        if self.is_short() { self } else { Self(self.0.div_ceil(unit).saturating_mul(unit)) }
    }

    /// The same, downwards.
    #[must_use]
    pub fn rounded_down(self) -> Self {
        let unit = self.unit();
        if self.is_short() { self } else { Self(self.0 / unit * unit) }
    }

    fn unit(self) -> u64 {
        if self.0 < 1 << 20 { 1 << 10 } else { 1 << 20 }
    }

    /// Whether it is written in a larger unit than bytes, or is too small for one.
    fn is_short(self) -> bool {
        self.0 < 1 << 10 || !self.to_string().ends_with(" B")
    }
}

/// In the largest binary unit that leaves no more than one decimal: `2 GiB`, `1.5 MiB`, `1001 B`.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let binary = SIZES.iter().rev().take(4);
        for (word, unit) in binary {
            let tenths = u128::from(self.0) * 10;
            if u128::from(self.0) >= *unit && tenths.is_multiple_of(*unit) {
                let (whole, tenth) = (tenths / unit / 10, tenths / unit % 10);
                return if tenth == 0 {
                    write!(f, "{whole} {word}")
                } else {
                    write!(f, "{whole}.{tenth} {word}")
                };
            }
        }
        write!(f, "{} B", self.0)
    }
}

impl FromNode<'_> for Size {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        match &node.data {
            Data::Text(text) => Self::parse(text).map_err(|e| Mismatch::new(node, e.expected)),
            _ => u64::from_node(node).map(Self).map_err(|_| Mismatch::new(node, Self::EXPECTED)),
        }
    }
}

const EXPECTED_DURATION: &str =
    "a duration such as \"2 min\", \"1 h 30 min\", \"250 ms\" or a number of seconds";

/// Reads `2 min`, `1 h 30 min`, `90`: units descend, and a bare number is in seconds.
///
/// # Errors
/// When the text is not a duration.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let error = || UnitError { expected: EXPECTED_DURATION, found: text.into() };
    let nanoseconds = nanoseconds_of(text.trim()).ok_or_else(error)?;
    let seconds = u64::try_from(nanoseconds / 1_000_000_000).map_err(|_| error())?;
    Ok(Duration::new(seconds, (nanoseconds % 1_000_000_000) as u32))
}

fn nanoseconds_of(text: &str) -> Option<u128> {
    let (number, rest) = Decimal::take(text)?;
    if rest.is_empty() {
        return number.times(1_000_000_000);
    }
    let (mut total, mut text, mut units) = (0u128, text, DURATIONS.as_slice());
    while !text.is_empty() {
        let (number, rest) = Decimal::take(text)?;
        let rest = rest.trim_start();
        let word = &rest[..rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len())];
        let place = units.iter().position(|(unit, _)| *unit == word)?;
        total = total.checked_add(number.times(units[place].1)?)?;
        units = &units[place + 1..];
        text = rest[word.len()..].trim_start();
    }
    Some(total)
}

impl FromNode<'_> for Duration {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        let duration = match &node.data {
            Data::Text(text) => parse_duration(text).ok(),
            _ => node.as_number().and_then(|seconds| Self::try_from_secs_f64(seconds).ok()),
        };
        duration.ok_or_else(|| Mismatch::new(node, EXPECTED_DURATION))
    }
}

/// How far a run may go: a number of rows, or a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunBound {
    /// Rows of all phases together.
    Rows(u64),
    /// Time.
    Time(Duration),
}

impl RunBound {
    const EXPECTED: &'static str =
        "a time such as \"2 h\" or \"90 min\", or a number of rows such as \"5000 rows\"";

    /// Reads `2 h`, `1h30min`, `5000 rows`; a number needs its unit.
    pub fn parse(text: &str) -> Result<Self, UnitError> {
        let error = || UnitError { expected: Self::EXPECTED, found: text.into() };
        let trimmed = text.trim();
        if let Some(rows) = trimmed.strip_suffix("rows") {
            let rows = rows.trim_end().parse().ok().filter(|rows| *rows > 0);
            return rows.map(Self::Rows).ok_or_else(error);
        }
        let has_unit = trimmed.ends_with(|c: char| c.is_ascii_alphabetic());
        let time = parse_duration(trimmed).ok().filter(|time| has_unit && !time.is_zero());
        time.map(Self::Time).ok_or_else(error)
    }
}

/// As [`RunBound::parse`] reads it: `1 h 30 min`, `5000 rows`.
impl fmt::Display for RunBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = match self {
            Self::Rows(rows) => return write!(f, "{rows} rows"),
            Self::Time(time) => time.as_nanos(),
        };
        let mut parts = Vec::new();
        for (word, unit) in DURATIONS {
            if left >= unit {
                parts.push(format!("{} {word}", left / unit));
                left %= unit;
            }
        }
        f.write_str(&parts.join(" "))
    }
}

impl FromNode<'_> for RunBound {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        let bound = if let Data::Text(text) = &node.data { Self::parse(text).ok() } else { None };
        bound.ok_or_else(|| Mismatch::new(node, Self::EXPECTED))
    }
}

impl Share {
    const EXPECTED: &'static str = "a share from 0 to 1, or a percentage such as \"5 %\"";

    /// Reads `0.05` and `5 %`.
    pub fn parse(text: &str) -> Result<Self, UnitError> {
        let trimmed = text.trim();
        let (number, scale) = trimmed.strip_suffix('%').map_or((trimmed, 1.0), |n| (n.trim_end(), 100.0));
        let share = number.parse::<f64>().ok().map(|x| x / scale).filter(|x| (0.0..=1.0).contains(x));
        share.map(Self).ok_or_else(|| UnitError { expected: Self::EXPECTED, found: text.into() })
    }
}

impl FromNode<'_> for Share {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        let share = match &node.data {
            Data::Text(text) => Self::parse(text).ok(),
            _ => node.as_number().filter(|x| (0.0..=1.0).contains(x)).map(Self),
        };
        share.ok_or_else(|| Mismatch::new(node, Self::EXPECTED))
    }
}

/// A number with commas between thousands: `2,304`.
pub fn with_commas(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun, in the plural unless there is one: `1 row`, `12,345 rows`.
pub fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", with_commas(count as u128))
}

/// A decimal number without rounding: `digits / 10^decimals`.
#[derive(Clone, Copy)]
struct Decimal {
    digits: u128,
    decimals: u32,
}

impl Decimal {
    /// More digits than any size or duration needs, and few enough that nothing overflows.
    const MOST_DIGITS: usize = 20;

    /// The number a text begins with, and the rest of the text.
    fn take(text: &str) -> Option<(Self, &str)> {
        let length = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let (number, rest) = text.split_at(length);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let fits = !whole.is_empty() && !fraction.is_empty() && number.len() <= Self::MOST_DIGITS;
        let digits = Some(format!("{whole}{fraction}")).filter(|_| fits)?.parse().ok()?;
        Some((Self { digits, decimals: u32::try_from(fraction.len()).ok()? }, rest))
    }

    /// The product, its decimals cut off.
    fn times(self, unit: u128) -> Option<u128> {
        Some(self.digits.checked_mul(unit)? / 10u128.pow(self.decimals))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_have_a_known_unit_or_none() {
        let size = |text: &str| Size::parse(text).map(|s| s.0).map_err(|e| e.to_string());
        assert_eq!(size("2 GiB"), Ok(2 << 30));
        assert_eq!(size("600MiB"), Ok(600 << 20));
        assert_eq!(size("512 kB"), Ok(512_000));
        assert_eq!(size("0.1 GiB"), Ok(107_374_182));
        assert_eq!(size(" 4096 "), Ok(4096));
        assert_eq!(size("18446744073709551615"), Ok(u64::MAX));
        for bad in [
            "2 G",
            "2 GiBs",
            "-1 B",
            "1e3",
            "",
            "GiB",
            "1.2.3 B",
            ".",
            "16777216 TiB",
            "18446744073709551616",
        ] {
            assert_eq!(
                size(bad),
                Err(format!(
                    "expected a size such as \"2 GiB\", \"600 MiB\", \"512 kB\" or a number of bytes, found \"{bad}\""
                ))
            );
        }
    }

    #[test]
    fn units_of_a_duration_descend() {
        let seconds = |text: &str| parse_duration(text).map(|d| d.as_secs_f64()).ok();
        assert_eq!(seconds("2 min"), Some(120.0));
        assert_eq!(seconds("1 h 30 min"), Some(5400.0));
        assert_eq!(seconds("1.5h"), Some(5400.0));
        assert_eq!(seconds("250 ms"), Some(0.25));
        assert_eq!(seconds("1d2s"), Some(86_402.0));
        assert_eq!(seconds("90"), Some(90.0));
        for bad in
            ["30 min 1 h", "1 h 1 h", "1 h 30", "2 minutes", "", "min", "-1 s", "99999999999999999999 d"]
        {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn bounds_of_a_run_are_rows_or_a_time() {
        let bound = |text: &str| RunBound::parse(text).ok();
        let time = |seconds| Some(RunBound::Time(Duration::from_secs(seconds)));
        assert_eq!(["2h", "2 h", "1 h 30 min"].map(bound), [time(7200), time(7200), time(5400)]);
        assert_eq!(["5000rows", " 5000 rows "].map(bound), [Some(RunBound::Rows(5000)); 2]);
        for bad in ["", "2", "5000", "rows", "0 rows", "-1 rows", "1.5 rows", "0 s", "2 hours", "5000 row"] {
            assert_eq!(bound(bad), None, "{bad}");
        }
        for text in ["1 h 30 min", "2 d", "250 ms", "5000 rows"] {
            assert_eq!(bound(text).map(|bound| bound.to_string()).as_deref(), Some(text));
        }
    }

    #[test]
    fn shares_lie_between_0_and_1() {
        assert_eq!(Share::parse("5 %"), Ok(Share(0.05)));
        assert_eq!(Share::parse("0.1"), Ok(Share(0.1)));
        assert!(
            Share::parse("120 %").is_err() && Share::parse("-1").is_err() && Share::parse("NaN").is_err()
        );
    }

    #[test]
    fn thousands_have_commas() {
        assert_eq!(
            ["0", "999", "1,000", "1,234,567"],
            [0, 999, 1000, 1_234_567].map(with_commas).each_ref().map(String::as_str)
        );
    }

    #[test]
    fn one_is_singular() {
        assert_eq!((counted(1, "row"), counted(4352, "row")), ("1 row".into(), "4,352 rows".into()));
    }

    proptest! {
        #[test]
        fn a_printed_size_reads_back(bytes: u64) {
            prop_assert_eq!(Size::parse(&Size(bytes).to_string()), Ok(Size(bytes)));
        }

        #[test]
        fn nothing_panics(text in "[0-9. a-zA-Z%µ-]{0,30}") {
            let _ = (Size::parse(&text), parse_duration(&text), Share::parse(&text));
        }
    }
}
