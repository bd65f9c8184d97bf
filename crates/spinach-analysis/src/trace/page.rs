//! The header of a page in a Parquet file. Its sizes are checked against the file before any memory is allocated for it.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};

/// Maximum compression ratio of the supported formats: each byte of an LZ4 length represents 255 bytes.
const LARGEST_RATIO: u64 = 255;

/// Bytes allowed in addition, such as an end that is not compressed.
const SLACK_BYTES: u64 = 64;

const DICTIONARY_PAGE: u64 = 2;
const CRC: u8 = 4;
const DICTIONARY_HEADER: u8 = 7;

/// Reads on from the header of a page, and refuses a header that claims more than the file can hold.
pub(super) struct PageSource {
    reader: BufReader<File>,
    /// The bytes from the header to the end of the file, until it is checked.
    unchecked: Option<u64>,
}

impl PageSource {
    /// Reads on in a file that has `left` more bytes.
    pub(super) fn new(reader: BufReader<File>, left: u64) -> Self {
        Self { reader, unchecked: Some(left) }
    }

    /// Reads a part other than a page.
    pub(super) fn unchecked(reader: BufReader<File>) -> Self {
        Self { reader, unchecked: None }
    }
}

impl Read for PageSource {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(left) = self.unchecked.take() {
            let header = self.reader.fill_buf()?;
            if !is_plausible(header, left).unwrap_or(false) {
                return Err(io::Error::other("a page claims more than the file can hold"));
            }
        }
        self.reader.read(buffer)
    }
}

/// True if a header fits into `left` bytes of file; `None` if it does not begin as one.
fn is_plausible(header: &[u8], left: u64) -> Option<bool> {
    let mut fields = Fields { bytes: header, last: 0 };
    let [kind, size, compressed] = [fields.number(1)?, fields.number(2)?, fields.number(3)?];
    if compressed > left || size > LARGEST_RATIO * compressed + SLACK_BYTES {
        return Some(false);
    }
    if kind != DICTIONARY_PAGE {
        return Some(true);
    }
    if fields.next_is(CRC) {
        fields.number(CRC)?;
    }
    let values = fields.inside(DICTIONARY_HEADER)?.number(1)?;
    // A value of a dictionary takes a byte at least.
    Some(values <= size)
}

/// The fields of a structure in the compact protocol of Thrift, in the order of their numbers.
struct Fields<'a> {
    bytes: &'a [u8],
    last: u8,
}

impl<'a> Fields<'a> {
    const NUMBER: u8 = 5;
    const STRUCTURE: u8 = 12;

    /// A field begins with how much its number exceeds the last one, and its type.
    fn next_is(&self, field: u8) -> bool {
        self.bytes.first().is_some_and(|first| self.last + (first >> 4) == field)
    }

    fn enter(&mut self, field: u8, kind: u8) -> Option<()> {
        let (first, rest) = self.bytes.split_first()?;
        if !self.next_is(field) || first & 0xf != kind {
            return None;
        }
        (self.bytes, self.last) = (rest, field);
        Some(())
    }

    /// A number that is not negative, unless it is a checksum.
    fn number(&mut self, field: u8) -> Option<u64> {
        self.enter(field, Self::NUMBER)?;
        let end = self.bytes.iter().take(10).position(|byte| byte & 0x80 == 0)?;
        let (digits, rest) = self.bytes.split_at(end + 1);
        self.bytes = rest;
        let folded = digits.iter().rev().fold(0_u64, |sum, byte| sum << 7 | u64::from(byte & 0x7f));
        // Zigzag: the lowest bit is the sign.
        if folded & 1 == 1 && field != CRC { None } else { Some(folded >> 1) }
    }

    fn inside(&mut self, field: u8) -> Option<Fields<'a>> {
        self.enter(field, Self::STRUCTURE)?;
        Some(Fields { bytes: self.bytes, last: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::is_plausible;

    /// Type, sizes, and a header of a data page.
    const DATA: &[u8] = &[0x15, 0x00, 0x15, 0xa0, 0x1f, 0x15, 0x80, 0x02, 0x2c, 0x15];
    /// Type, sizes, a negative checksum, and the number of values.
    const DICTIONARY: &[u8] = &[0x15, 0x04, 0x15, 0x50, 0x15, 0x50, 0x15, 0x03, 0x3c, 0x15];

    fn dictionary_of(values: &[u8]) -> Vec<u8> {
        [DICTIONARY, values].concat()
    }

    #[test]
    fn pages_that_fit_are_read() {
        // 2,000 bytes out of 128.
        assert_eq!(is_plausible(DATA, 128), Some(true));
        assert_eq!(is_plausible(&dictionary_of(&[0x14]), 1000), Some(true));
    }

    #[test]
    fn pages_that_cannot_be_there_are_refused() {
        assert_eq!(is_plausible(DATA, 127), Some(false));
        let bomb = [0x15, 0x00, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x15, 0x80, 0x02];
        assert_eq!(is_plausible(&bomb, 1 << 20), Some(false));
        // 2^31 - 1 values of a dictionary of 40 bytes.
        assert_eq!(is_plausible(&dictionary_of(&[0xfe, 0xff, 0xff, 0xff, 0x0f]), 1000), Some(false));
    }

    #[test]
    fn what_begins_otherwise_is_no_page() {
        assert_eq!(is_plausible(&[], 1000), None);
        assert_eq!(is_plausible(&[0x15], 1000), None);
        assert_eq!(is_plausible(&[0x15, 0x00, 0x25, 0x50], 1000), None);
        assert_eq!(is_plausible(&[0x15, 0x00, 0x15, 0x51, 0x15, 0x50], 1000), None);
        assert_eq!(is_plausible(&DICTIONARY[..8], 1000), None);
        assert_eq!(
            is_plausible(&[0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 1000),
            None
        );
    }
}
