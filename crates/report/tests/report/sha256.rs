//! SHA-256 by its standard (FIPS 180-4), and base 64 both ways: what a browser does with the script of the page.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The digest of a message.
pub(crate) fn sha256(message: &[u8]) -> Vec<u8> {
    let primes: Vec<u32> = (2u32..312).filter(|n| (2..*n).all(|d| n % d != 0)).collect();
    let bits = |x: f64| ((x - x.floor()) * 4_294_967_296.0) as u32;
    let mut state: Vec<u32> = primes.iter().take(8).map(|p| bits(f64::from(*p).sqrt())).collect();
    let constants: Vec<u32> = primes.iter().take(64).map(|p| bits(f64::from(*p).cbrt())).collect();
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize(padded.len() + (120 - padded.len() % 64) % 64, 0);
    padded.extend((message.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks(64) {
        let mut w: Vec<u32> = block.chunks(4).map(|b| u32::from_be_bytes(b.try_into().unwrap())).collect();
        for i in 16..64 {
            let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ w[i - 15] >> 3;
            let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ w[i - 2] >> 10;
            w.push(w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1));
        }
        let mut v = state.clone();
        for (word, constant) in w.iter().zip(&constants) {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choice = v[4] & v[5] ^ !v[4] & v[6];
            let one = [s1, choice, *constant, *word].iter().fold(v[7], |sum, x| sum.wrapping_add(*x));
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let two = s0.wrapping_add(v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2]);
            v = vec![one.wrapping_add(two), v[0], v[1], v[2], v[3].wrapping_add(one), v[4], v[5], v[6]];
        }
        state = state.iter().zip(&v).map(|(a, b)| a.wrapping_add(*b)).collect();
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// Standard base 64.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |sum, i| sum << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        (0..=three.len()).for_each(|i| text.push(char::from(DIGITS[(bits >> (18 - 6 * i) & 63) as usize])));
        text.extend(std::iter::repeat_n('=', 3 - three.len()));
    }
    text
}

/// What a text in base 64 stands for.
pub(crate) fn decoded(text: &str) -> Vec<u8> {
    let digit = |c: u8| DIGITS.iter().position(|d| *d == c).unwrap_or(0) as u32;
    let padding = text.bytes().rev().take_while(|c| *c == b'=').count();
    let mut bytes: Vec<u8> = text
        .as_bytes()
        .chunks(4)
        .flat_map(|four| four.iter().fold(0u32, |sum, c| sum << 6 | digit(*c)).to_be_bytes()[1..].to_vec())
        .collect();
    bytes.truncate(bytes.len() - padding);
    bytes
}

#[test]
fn they_are_what_the_standards_say() {
    let hex: String = sha256(b"abc").iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!((base64(b"foob"), decoded("Zm9vYg==")), ("Zm9vYg==".into(), b"foob".to_vec()));
}
