//! Words in bytes and bytes in references.

use crate::values::Response;

/// The big-endian word at `offset`; bytes beyond the end are 0.
pub(crate) fn word_at(bytes: &[u8], offset: usize) -> u32 {
    (offset..offset + 4).fold(0, |word, at| word << 8 | u32::from(bytes.get(at).copied().unwrap_or(0)))
}

/// A big-endian word as the data of a reference or a response.
pub(crate) fn word_to_data(word: u32) -> u128 {
    u128::from(word.swap_bytes())
}

/// The big-endian word that the data of a reference or a response holds.
pub(crate) fn word_from_data(data: u128) -> u32 {
    (data as u32).swap_bytes()
}

/// The response that carries `word`, or a fault.
pub(crate) fn word_response(word: Option<u32>) -> Response {
    Response { data: word_to_data(word.unwrap_or(0)), is_fault: word.is_none() }
}
