//! Numbers, blanks and fields read off the front of a text, eight bytes at a time.
//!
//! A line as its tool writes it is read in one pass: nothing looks for its end, or for the ends of its fields, beforehand.
//! A word of eight bytes tells at once how many of them are digits, and becomes their number with three multiplications.
//! Only plain forms are read. `None` means anything else: the caller then splits the line into its fields and finds out
//! what it is.

use crate::number::POW10;

/// Bytes of a word.
const WORD: usize = 8;
/// A byte with the value 1 in each place.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The digit 0 in each place.
const ZEROS: u64 = b'0' as u64 * ONES;
/// A line end in each place.
const LINE_ENDS: u64 = b'\n' as u64 * ONES;
/// The upper bit of each byte.
const UPPER: u64 = 0x80 * ONES;

/// Bytes of the longest line that is read; a power of two.
const SPAN: usize = 128;

/// The bytes from the start of a line on, and how many of them have been read.
///
/// A count past [`SPAN`] goes on at the start again, so that no access needs a check of its own; [`Self::taken`] refuses
/// what was read that way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Front<'a> {
    bytes: &'a [u8; SPAN + WORD],
    at: usize,
}

impl<'a> Front<'a> {
    /// `None` where too few bytes are at hand.
    #[inline(always)]
    pub(crate) fn new(text: &'a [u8]) -> Option<Self> {
        text.first_chunk().map(|bytes| Self { bytes, at: 0 })
    }

    /// How many bytes have been read.
    #[inline(always)]
    pub(crate) fn taken(&self) -> Option<usize> {
        (self.at <= SPAN).then_some(self.at)
    }

    /// The value of digits, at most 19.
    #[inline(always)]
    pub(crate) fn number(&mut self) -> Option<u64> {
        let first = self.word();
        match first.count {
            0 => None,
            WORD => self.long_number(first.value()),
            count => {
                self.at += count;
                Some(first.value())
            }
        }
    }

    /// The same; most have one digit.
    #[inline(always)]
    pub(crate) fn small_number(&mut self) -> Option<u64> {
        let [digit, next] = [0, 1].map(|ahead| self.bytes[(self.at + ahead) % SPAN].wrapping_sub(b'0'));
        if digit > 9 || next <= 9 {
            return self.number();
        }
        self.at += 1;
        Some(u64::from(digit))
    }

    /// A number that begins with eight digits, whose value is given.
    #[inline(always)]
    fn long_number(&mut self, first: u64) -> Option<u64> {
        self.at += WORD;
        let second = self.word();
        if second.count == WORD {
            return self.longest_number(first * POW10[WORD] + second.value());
        }
        self.at += second.count;
        Some(first * POW10[second.count] + second.value())
    }

    /// A number that begins with sixteen digits, whose value is given.
    #[inline(always)]
    fn longest_number(&mut self, value: u64) -> Option<u64> {
        self.at += WORD;
        let third = self.word();
        match third.count {
            0 => Some(value),
            count @ 1..=3 => {
                self.at += count;
                Some(value * POW10[count] + third.value())
            }
            _ => None,
        }
    }

    /// Digits, and behind a point at most `power` digits more: the number times 10^`power`.
    #[inline(always)]
    pub(crate) fn scaled(&mut self, power: u32) -> Option<u64> {
        let power = power as usize;
        let whole = self.number()?.checked_mul(*POW10.get(power)?)?;
        if self.peek() != b'.' {
            return Some(whole);
        }
        self.at += 1;
        let word = self.word();
        // Most stamps have all digits of their unit: a guess that the processor learns, where the length is an address it
        // must wait for.
        if (1..WORD).contains(&power) && word.count == power {
            self.at += power;
            return whole.checked_add(word.value());
        }
        let from = self.at;
        let part = self.number()?;
        let missing = power.checked_sub(self.at - from)?;
        whole.checked_add(part * POW10[missing]) // below 10^`power`
    }

    /// Passes over this byte.
    #[inline(always)]
    pub(crate) fn byte(&mut self, byte: u8) -> Option<()> {
        (self.any() == byte).then_some(())
    }

    /// Passes over this text, where it stands here: at most eight bytes.
    #[inline(always)]
    pub(crate) fn text<const N: usize>(&mut self, text: &[u8; N]) -> Option<()> {
        let mut word = [0; WORD];
        word.get_mut(..N)?.copy_from_slice(text);
        let others = self.bytes_at() ^ u64::from_le_bytes(word);
        if others.trailing_zeros() as usize / 8 < N {
            return None;
        }
        self.at += N;
        Some(())
    }

    /// The next byte, whatever it is.
    #[inline(always)]
    pub(crate) fn any(&mut self) -> u8 {
        let byte = self.peek();
        self.at += 1;
        byte
    }

    /// The same, left where it is.
    #[inline(always)]
    pub(crate) fn peek(&self) -> u8 {
        self.bytes[self.at % SPAN]
    }

    /// Passes over one blank or more.
    #[inline(always)]
    pub(crate) fn blank(&mut self) -> Option<()> {
        if !is_blank(self.any()) {
            return None;
        }
        if is_blank(self.peek()) { self.blanks() } else { Some(()) }
    }

    /// Passes over blanks, if there are any.
    ///
    /// One by one: columns are mostly as wide as in the line before, which the processor learns, where a counted width is
    /// an address that it must wait for.
    #[inline(always)]
    pub(crate) fn blanks(&mut self) -> Option<()> {
        while is_blank(self.peek()) {
            self.at += 1;
            self.taken()?;
        }
        Some(())
    }

    /// Passes over capital letters, if there are any.
    #[inline(always)]
    pub(crate) fn letters(&mut self) -> Option<()> {
        while self.peek().is_ascii_uppercase() {
            self.at += 1;
            self.taken()?;
        }
        Some(())
    }

    /// What stands before the next `separator` or the line end, which are left. A quoted field, or one with white space at its
    /// ends, is none of the plain ones.
    #[inline(always)]
    pub(crate) fn field(&mut self, separator: u8) -> Option<&'a [u8]> {
        let from = self.at;
        self.pass_to(separator)?;
        let mut field = self.bytes.get(from..self.at)?;
        if self.peek() == b'\n'
            && let Some(before) = field.strip_suffix(b"\r")
        {
            field = before;
            self.at -= 1;
        }
        if let ([first, ..], [.., last]) = (field, field)
            && (*first == b'"' || first.is_ascii_whitespace() || last.is_ascii_whitespace())
        {
            return None;
        }
        Some(field)
    }

    /// What was read from `from` on.
    #[inline(always)]
    pub(crate) fn since(&self, from: Self) -> Option<&'a [u8]> {
        self.bytes.get(from.at..self.at)
    }

    /// Passes over the line end, of a line that is not too long.
    #[inline(always)]
    pub(crate) fn line_end(&mut self) -> Option<()> {
        match self.any() {
            b'\n' => {}
            b'\r' => self.byte(b'\n')?,
            _ => return None,
        }
        self.taken().map(|_| ())
    }

    /// Passes over the rest of the line.
    #[inline(always)]
    pub(crate) fn skip_line(&mut self) -> Option<()> {
        self.pass_to(b'\n')?;
        self.line_end()
    }

    /// Passes over what stands before the next `separator` or the line end.
    #[inline(always)]
    fn pass_to(&mut self, separator: u8) -> Option<()> {
        let separators = u64::from(separator) * ONES;
        loop {
            let word = self.bytes_at();
            let found = zeros(word ^ separators) | zeros(word ^ LINE_ENDS);
            if found != 0 {
                self.at += found.trailing_zeros() as usize / 8;
                return Some(());
            }
            self.at += WORD;
            self.taken()?;
        }
    }

    #[inline(always)]
    fn word(&self) -> Word {
        Word::of(self.bytes_at())
    }

    /// The next eight bytes, the first of them lowest.
    #[inline(always)]
    fn bytes_at(&self) -> u64 {
        let at = self.at % SPAN;
        let mut word = [0; WORD];
        word.copy_from_slice(&self.bytes[at..at + WORD]);
        u64::from_le_bytes(word)
    }
}

#[inline(always)]
fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The upper bit of the lowest byte that is 0, and none below it.
#[inline(always)]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & UPPER
}

/// Eight bytes as digits.
#[derive(Clone, Copy)]
struct Word {
    /// 0 to 9 for digits, the first of them lowest.
    values: u64,
    /// How many are digits before the first that is none.
    count: usize,
}

impl Word {
    #[inline(always)]
    fn of(bytes: u64) -> Self {
        let values = bytes ^ ZEROS;
        // The upper half of a digit is 3, and still is with 6 more. What carries over into the next byte comes from one that
        // is no digit.
        let others = (values | (bytes.wrapping_add(6 * ONES) ^ ZEROS)) & (0xf0 * ONES);
        Self { values, count: others.trailing_zeros() as usize / 8 }
    }

    /// The number that these digits are; 0 where there are none.
    #[inline(always)]
    fn value(self) -> u64 {
        // Zeros in front; all 64 bits where there are no digits, hence in two steps.
        let digits = if self.count == WORD { self.values } else { self.values << (56 - 8 * self.count) << 8 };
        let pairs = (digits.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
        let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
        fours.wrapping_mul(10_000 << 32 | 1) >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::{scaled, unsigned};
    use proptest::prelude::*;

    fn padded(text: &[u8]) -> Vec<u8> {
        let mut bytes = text.to_vec();
        bytes.resize(text.len() + SPAN + WORD, b'x');
        bytes
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_careful_way(stamp in "[0-9]{1,20}(\\.[0-9]{0,12})?", power in 0_u32..12) {
            let text = padded(stamp.as_bytes());
            let mut front = Front::new(&text);
            if let Some(value) = front.as_mut().and_then(|front| front.scaled(power)) {
                prop_assert_eq!(Ok(value), scaled(stamp.as_bytes(), power));
                prop_assert_eq!(front.and_then(|front| front.taken()), Some(stamp.len()));
            }
        }

        #[test]
        fn integers_of_up_to_19_digits_are_read(number in "[0-9]{1,22}", behind in any::<u8>()) {
            let mut text = padded(number.as_bytes());
            text[number.len()] = behind;
            let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let expected = (digits <= 19).then(|| unsigned(&text[..digits]).ok()).flatten();
            prop_assert_eq!(Front::new(&text).and_then(|mut front| front.number()), expected);
            prop_assert_eq!(Front::new(&text).and_then(|mut front| front.small_number()), expected);
        }

        #[test]
        fn a_field_ends_at_its_separator_or_with_its_line(name in "[a-z\t\" ]{0,20}", end in "[,\n]|\r\n") {
            let text = padded(format!("{name}{end}").as_bytes());
            let plain = name.trim_ascii() == name && !name.starts_with('"');
            let expected = plain.then_some(name.as_bytes());
            prop_assert_eq!(Front::new(&text).and_then(|mut front| front.field(b',')), expected);
        }

        #[test]
        fn nothing_hostile_panics_or_goes_on_for_ever(
            text in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b' '), Just(b'7')], 0..400),
            steps in proptest::collection::vec(0..9, 0..60),
        ) {
            let Some(mut front) = Front::new(&text) else { return Ok(()) };
            for step in steps {
                let _ = match step {
                    0 => front.number(),
                    1 => front.small_number(),
                    2 => front.scaled(9),
                    3 => front.blank().map(|()| 0),
                    4 => front.blanks().map(|()| 0),
                    5 => front.letters().map(|()| 0),
                    6 => front.field(b',').map(|_| 0),
                    7 => front.skip_line().map(|()| 0),
                    _ => Some(u64::from(front.any())),
                };
            }
            prop_assert!(front.taken().is_none_or(|taken| taken <= SPAN));
        }
    }
}
