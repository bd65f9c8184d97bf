//! Register `CONTROL` of units with a queue of descriptors.

/// The unit consumes descriptors.
pub(crate) const ENABLED: u32 = 1;
/// Written alone: the unit is reset; read: the reset is not complete.
pub(crate) const RESET: u32 = 2;

/// Content of the register.
pub(crate) fn word(is_enabled: bool, is_resetting: bool) -> u32 {
    u32::from(is_enabled) | u32::from(is_resetting) << 1
}
