//! The smallest ELF executable: one segment that is loaded and run.

/// A static big-endian 32-bit MIPS executable whose image lies at `base`, starting at its first byte.
pub(crate) fn executable(image: &[u8], base: u32, memory_bytes: u32) -> Vec<u8> {
    const HEADERS_BYTES: u32 = 52 + 32;
    const SEGMENT_OFFSET: u32 = 0x1000;
    const MIPS: u16 = 8;
    const MIPS2_O32_NO_REORDER: u32 = 0x1000_1001;
    let mut file = vec![0x7f, b'E', b'L', b'F', 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let half = |file: &mut Vec<u8>, value: u16| file.extend(value.to_be_bytes());
    let word = |file: &mut Vec<u8>, value: u32| file.extend(value.to_be_bytes());
    half(&mut file, 2); // executable
    half(&mut file, MIPS);
    word(&mut file, 1); // version
    word(&mut file, base); // entry
    word(&mut file, 52); // program headers' offset
    word(&mut file, 0); // no section headers
    word(&mut file, MIPS2_O32_NO_REORDER);
    for value in [52, 32, 1, 0, 0, 0] {
        half(&mut file, value); // sizes and counts of headers
    }
    let read_write_execute = 7;
    let size = image.len() as u32;
    for value in [1, SEGMENT_OFFSET, base, base, size, memory_bytes, read_write_execute, SEGMENT_OFFSET] {
        word(&mut file, value);
    }
    assert_eq!(file.len() as u32, HEADERS_BYTES);
    file.resize(SEGMENT_OFFSET as usize, 0);
    file.extend(image);
    file
}
