//! Numbers in text, exactly: decimal stamps become integer nanoseconds without passing through
//! `f64`, which cannot hold a filetime or a Unix stamp to the nanosecond.

use std::borrow::Cow;

use crate::error::Code;

/// Why a text is not the number that was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFault {
    /// Not a plain decimal number (`nan`, `inf`, words, empty).
    NotANumber,
    /// Below zero.
    Negative,
    /// Does not fit in 64 bits.
    TooLarge,
}

impl NumberFault {
    /// What kind of fault it is.
    #[must_use]
    pub fn code(self) -> Code {
        match self {
            Self::NotANumber => Code::BadSyntax,
            Self::Negative | Self::TooLarge => Code::OutOfRange,
        }
    }

    /// The fault in words, for column `column` that read `text`.
    #[must_use]
    pub fn describe(self, column: &str, text: &[u8]) -> String {
        let text = excerpt(text);
        match self {
            Self::NotANumber => format!("{column} is '{text}', not a plain number"),
            Self::Negative => format!("{column} is negative: {text}"),
            Self::TooLarge => format!("{column} is too large: {text}"),
        }
    }
}

/// At most 60 characters of `bytes`, printable, for messages.
#[must_use]
pub fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 60;
    let text: Cow<'_, str> = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SHOWN)]);
    let mut shown: String = text.chars().flat_map(char::escape_debug).take(SHOWN).collect();
    if text.chars().count() > SHOWN || bytes.len() > 4 * SHOWN {
        shown.push_str("...");
    }
    shown
}

/// A non-negative decimal integer.
///
/// # Errors
/// Anything but digits, or a value over `u64::MAX`.
#[inline]
pub fn unsigned(text: &[u8]) -> Result<u64, NumberFault> {
    if text.is_empty() || text.len() > 19 {
        return unsigned_slow(text);
    }
    let mut value = 0_u64;
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return unsigned_slow(text);
        }
        value = value * 10 + u64::from(digit); // 19 digits fit
    }
    Ok(value)
}

#[cold]
fn unsigned_slow(text: &[u8]) -> Result<u64, NumberFault> {
    let (negative, digits) = sign(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(NumberFault::NotANumber);
    }
    if negative {
        return Err(NumberFault::Negative);
    }
    digits.iter().try_fold(0_u64, |value, byte| {
        value.checked_mul(10).and_then(|v| v.checked_add(u64::from(byte - b'0'))).ok_or(NumberFault::TooLarge)
    })
}

/// A hexadecimal integer, with or without `0x`.
///
/// # Errors
/// Anything but hexadecimal digits, or a value over `u64::MAX`.
pub fn hexadecimal(text: &[u8]) -> Result<u64, NumberFault> {
    let digits = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X")).unwrap_or(text);
    if digits.is_empty() {
        return Err(NumberFault::NotANumber);
    }
    let mut value = 0_u64;
    for &byte in digits {
        let digit = char::from(byte).to_digit(16).ok_or(NumberFault::NotANumber)?;
        if value >> 60 != 0 {
            return Err(NumberFault::TooLarge);
        }
        value = value << 4 | u64::from(digit);
    }
    Ok(value)
}

/// Powers of 10.
pub(crate) const POW10: [u64; 20] = {
    let mut table = [1_u64; 20];
    let mut i = 1;
    while i < 20 {
        table[i] = table[i - 1] * 10;
        i += 1;
    }
    table
};

/// A non-negative decimal number times 10^`power`, rounded half up to an integer.
///
/// `scaled(b"13.191135", 6)` reads milliseconds as 13,191,135 ns. An exponent (`1.5e3`) is accepted.
///
/// # Errors
/// Anything but a finite, non-negative decimal number whose scaled value fits in 64 bits.
#[inline]
pub fn scaled(text: &[u8], power: u32) -> Result<u64, NumberFault> {
    let mut mantissa = 0_u64;
    let mut digits = 0_usize;
    let mut point = None;
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 && digits < 18 {
            mantissa = mantissa * 10 + u64::from(digit);
            digits += 1;
        } else if byte == b'.' && point.is_none() {
            point = Some(digits);
        } else {
            return scaled_slow(text, power);
        }
    }
    if digits == 0 {
        return Err(NumberFault::NotANumber);
    }
    let fraction = digits - point.unwrap_or(digits);
    let power = power as usize;
    if fraction <= power {
        let factor = *POW10.get(power - fraction).ok_or(NumberFault::TooLarge)?;
        mantissa.checked_mul(factor).ok_or(NumberFault::TooLarge)
    } else {
        let divisor = POW10[fraction - power]; // at most 18
        Ok((mantissa + divisor / 2) / divisor)
    }
}

/// The same for signs, exponents and more than 18 digits.
#[cold]
fn scaled_slow(text: &[u8], power: u32) -> Result<u64, NumberFault> {
    let (negative, text) = sign(text);
    let (number, exponent) = match text.iter().position(|b| matches!(b, b'e' | b'E')) {
        Some(at) => (&text[..at], small_integer(&text[at + 1..])?),
        None => (text, 0),
    };
    // 38 significant digits fit in u128; what follows cannot matter to a 64-bit result.
    let (mut mantissa, mut significant) = (0_u128, 0);
    let mut shift = i64::from(power) + exponent;
    let (mut seen_digit, mut seen_point) = (false, false);
    for &byte in number {
        match byte {
            b'0'..=b'9' => {
                seen_digit = true;
                if significant < 38 {
                    mantissa = mantissa * 10 + u128::from(byte - b'0');
                    significant += i32::from(mantissa != 0);
                    shift -= i64::from(seen_point);
                } else if !seen_point {
                    shift += 1;
                }
            }
            b'.' if !seen_point => seen_point = true,
            _ => return Err(NumberFault::NotANumber),
        }
    }
    if !seen_digit {
        return Err(NumberFault::NotANumber);
    }
    if mantissa == 0 {
        return Ok(0);
    }
    if negative {
        return Err(NumberFault::Negative);
    }
    let value = if shift >= 0 {
        u32::try_from(shift)
            .ok()
            .and_then(|shift| 10_u128.checked_pow(shift))
            .and_then(|factor| mantissa.checked_mul(factor))
            .ok_or(NumberFault::TooLarge)?
    } else {
        match u32::try_from(-shift).ok().and_then(|s| 10_u128.checked_pow(s)) {
            Some(divisor) => mantissa / divisor + u128::from(mantissa % divisor >= divisor / 2),
            None => 0,
        }
    };
    u64::try_from(value).map_err(|_| NumberFault::TooLarge)
}

fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// An exponent; past +-9999 it saturates, which decides overflow or zero all the same.
fn small_integer(text: &[u8]) -> Result<i64, NumberFault> {
    let (negative, digits) = sign(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(NumberFault::NotANumber);
    }
    let value = digits.iter().fold(0_i64, |value, byte| (value * 10 + i64::from(byte - b'0')).min(9999));
    Ok(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn milliseconds_become_nanoseconds_exactly() {
        assert_eq!(scaled(b"13.191135", 6), Ok(13_191_135));
        assert_eq!(scaled(b"0.0000004", 6), Ok(0));
        assert_eq!(scaled(b"0.0000005", 6), Ok(1)); // half up
        assert_eq!(scaled(b"7", 9), Ok(7_000_000_000));
        assert_eq!(scaled(b".5", 9), Ok(500_000_000));
        assert_eq!(scaled(b"5.", 9), Ok(5_000_000_000));
        // 2016-02-21 as a Unix stamp: f64 holds it to 238 ns only.
        assert_eq!(scaled(b"1456095145.133076001", 9), Ok(1_456_095_145_133_076_001));
    }

    #[test]
    fn exponents_signs_and_long_fractions() {
        assert_eq!(scaled(b"1.5e3", 0), Ok(1500));
        assert_eq!(scaled(b"1.5E-3", 6), Ok(1500));
        assert_eq!(scaled(b"+2", 0), Ok(2));
        assert_eq!(scaled(b"-0.0", 9), Ok(0));
        assert_eq!(scaled(b"0.33333333333333333333333333333333333333333333", 9), Ok(333_333_333));
        assert_eq!(scaled(b"1e-99999999999", 9), Ok(0));
        assert_eq!(scaled(b"1e99999999999", 9), Err(NumberFault::TooLarge));
        assert_eq!(scaled(b"18446744073709551615", 0), Ok(u64::MAX));
        assert_eq!(scaled(b"18446744073709551616", 0), Err(NumberFault::TooLarge));
    }

    #[test]
    fn what_is_not_a_number() {
        for text in ["", ".", "nan", "inf", "1,5", "1.2.3", "0x10", "e5", "1e", "--1", "1 "] {
            assert_eq!(scaled(text.as_bytes(), 9), Err(NumberFault::NotANumber), "{text}");
        }
        assert_eq!(scaled(b"-1.5", 9), Err(NumberFault::Negative));
        assert_eq!(unsigned(b"-1"), Err(NumberFault::Negative));
        assert_eq!(unsigned(b"1.5"), Err(NumberFault::NotANumber));
        assert_eq!(unsigned(b"18446744073709551616"), Err(NumberFault::TooLarge));
        assert_eq!(unsigned(b"18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn flags_in_hexadecimal() {
        assert_eq!(hexadecimal(b"11"), Ok(17));
        assert_eq!(hexadecimal(b"0x0A"), Ok(10));
        assert_eq!(hexadecimal(b"ffffffffffffffff"), Ok(u64::MAX));
        assert_eq!(hexadecimal(b"1ffffffffffffffff"), Err(NumberFault::TooLarge));
        assert_eq!(hexadecimal(b"g"), Err(NumberFault::NotANumber));
    }

    proptest! {
        #[test]
        fn printed_nanoseconds_come_back(ns in 0..=u64::MAX) {
            let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
            prop_assert_eq!(scaled(text.as_bytes(), 9), Ok(ns));
            prop_assert_eq!(scaled_slow(text.as_bytes(), 9), Ok(ns));
        }

        #[test]
        fn both_paths_agree(text in "[0-9]{0,10}\\.?[0-9]{0,8}", power in 0_u32..10) {
            let slow = scaled_slow(text.as_bytes(), power);
            prop_assert_eq!(scaled(text.as_bytes(), power), slow);
        }

        #[test]
        fn hostile_text_never_panics(text in proptest::collection::vec(any::<u8>(), 0..64), power in 0_u32..20) {
            let _ = (scaled(&text, power), unsigned(&text), hexadecimal(&text), excerpt(&text));
        }
    }
}
