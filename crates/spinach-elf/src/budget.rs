//! Bounds on what reading a file may cost, so that none can take more time or memory than its length justifies.
//!
//! Parts of ELF and DWARF refer to each other by offset, so that a small file may refer to one part very often. Each reference to a
//! part is charged, to a budget that grows with the length of the file.

/// The longest file that is read.
pub const FILE_MAXIMUM_BYTES: usize = 256 << 20;

/// The budget was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exceeded;

/// Remaining work budget.
#[derive(Debug)]
pub(crate) struct Budget(usize);

impl Budget {
    /// Budget of `per_byte` units for each byte of a file, and a minimum for small files.
    pub(crate) fn new(bytes: usize, per_byte: usize) -> Self {
        Self(bytes.saturating_mul(per_byte).saturating_add(1 << 16))
    }

    /// Pays for something.
    pub(crate) fn spend(&mut self, units: usize) -> Result<(), Exceeded> {
        self.0 = self.0.checked_sub(units).ok_or(Exceeded)?;
        Ok(())
    }
}
