//! Messages of 9P2000.L: their numbers, and readers and writers of their fields.

pub(crate) const ERROR: u8 = 7;
pub(crate) const STATFS: u8 = 8;
pub(crate) const OPEN: u8 = 12;
pub(crate) const CREATE: u8 = 14;
pub(crate) const SYMLINK: u8 = 16;
pub(crate) const RENAME: u8 = 20;
pub(crate) const READ_LINK: u8 = 22;
pub(crate) const GET_ATTRIBUTES: u8 = 24;
pub(crate) const SET_ATTRIBUTES: u8 = 26;
pub(crate) const READ_FOLDER: u8 = 40;
pub(crate) const SYNCHRONIZE: u8 = 50;
pub(crate) const LOCK: u8 = 52;
pub(crate) const GET_LOCK: u8 = 54;
pub(crate) const LINK: u8 = 70;
pub(crate) const MAKE_FOLDER: u8 = 72;
pub(crate) const RENAME_AT: u8 = 74;
pub(crate) const UNLINK_AT: u8 = 76;
pub(crate) const AGREE: u8 = 100;
pub(crate) const ATTACH: u8 = 104;
pub(crate) const FLUSH: u8 = 108;
pub(crate) const WALK: u8 = 110;
pub(crate) const READ: u8 = 116;
pub(crate) const WRITE: u8 = 118;
pub(crate) const FORGET: u8 = 120;
pub(crate) const REMOVE: u8 = 122;

/// Size, kind and tag of a message.
pub(crate) const HEADER_BYTES: usize = 7;

/// Error numbers of Linux.
pub(crate) mod errno {
    pub(crate) const PERMISSION: u32 = 1;
    pub(crate) const IO: u32 = 5;
    pub(crate) const BAD_FILE: u32 = 9;
    pub(crate) const NO_MEMORY: u32 = 12;
    pub(crate) const NOT_A_FOLDER: u32 = 20;
    pub(crate) const INVALID: u32 = 22;
    pub(crate) const LINK: u32 = 40;
    pub(crate) const NOT_SUPPORTED: u32 = 95;
}

/// Fields of a request that are not read yet.
#[derive(Debug)]
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], u32> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(errno::INVALID)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn number<const SIZE: usize>(&mut self) -> Result<u64, u32> {
        let mut number = [0; 8];
        number[..SIZE].copy_from_slice(self.bytes(SIZE)?);
        Ok(u64::from_le_bytes(number))
    }

    pub(crate) fn u16(&mut self) -> Result<u16, u32> {
        Ok(self.number::<2>()? as u16)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, u32> {
        Ok(self.number::<4>()? as u32)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, u32> {
        self.number::<8>()
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, u32> {
        let length = self.u16()?;
        std::str::from_utf8(self.bytes(length.into())?).map_err(|_| errno::INVALID)
    }

    /// Name of an entry of a folder, neither the folder itself nor its parent.
    pub(crate) fn name(&mut self) -> Result<&'a str, u32> {
        let name = self.text()?;
        match name {
            "" | "." | ".." => Err(errno::INVALID),
            _ if name.contains(['/', '\0']) => Err(errno::INVALID),
            _ => Ok(name),
        }
    }
}

/// Fields of an answer.
#[derive(Debug, Default)]
pub(crate) struct Answer(pub(crate) Vec<u8>);

impl Answer {
    pub(crate) fn u8(&mut self, number: u8) {
        self.0.push(number);
    }

    pub(crate) fn u16(&mut self, number: u16) {
        self.0.extend(number.to_le_bytes());
    }

    pub(crate) fn u32(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(crate) fn text(&mut self, text: &str) {
        // Texts are names and targets of links, which the file systems of the host keep short.
        let length = text.len().min(usize::from(u16::MAX));
        self.u16(length as u16);
        self.0.extend(&text.as_bytes()[..length]);
    }
}
