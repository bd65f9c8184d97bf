//! The parameters of a register file.

use spinach_engine::{Size, parameters};

parameters! {
    /// The parameters of a register file. Tables are lists of integers, row after row.
    pub struct RegisterFileParameters {
        /// Size of the registers in bytes, 4 each; addresses count modulo this power of two.
        pub size: Size = Size(1024) => power_of_two 4..=65536,
        /// Rows of 4: offset, word after reset, bits that can be written, bits that are cleared by writing ones. Registers that are not
        /// listed hold 0 and can be written.
        pub registers: Vec<u64> = Vec::new(),
        /// Bits that follow from other registers. Rows of 6: offset, bits, condition, first, second, mask. Condition 0: any bit of
        /// `mask` is set in the register at `first`. 1: the registers at `first` and `second` differ in the bits of `mask`. 2: `first`
        /// less `second` is not negative.
        pub derived: Vec<u64> = Vec::new(),
        /// Bits that say that software has something to do in a ring. Rows of 6: offset, bits, consumer, reference, producer, mask of the
        /// index bits. They are set while the consumer is behind the reference: on the way from the reference to the producer it is not met.
        pub behind: Vec<u64> = Vec::new(),
        /// Pointers into a ring whose base follows from another register. Rows of 5: offset, base register, mask of the base, what is
        /// added to it, mask of the index bits, which alone are stored.
        pub pointers: Vec<u64> = Vec::new(),
        /// Registers that tell whether a ring has room: the producer, or 0 if the ring is full. Rows of 5: offset, producer,
        /// consumer, bytes of an entry, mask of the index bits.
        pub rooms: Vec<u64> = Vec::new(),
        /// Effects of a write. Rows of 5: offset, trigger, effect, target, word. If a bit of `trigger` is written as 1, or if
        /// `trigger` is 0: effect 0 sets the bits of `word` in `target`, 1 clears them, 2 copies them from the written word, 3
        /// resets all registers, 4 sets the bits of `word` if a bit of `trigger` that was set is written as 0.
        pub actions: Vec<u64> = Vec::new(),
        /// Rows of 2: the offsets of the two sides of a semaphore. Writing a side takes the semaphore if it is free and frees it if that
        /// side has it; a side reads as 1 if it has it, else as 0.
        pub semaphores: Vec<u64> = Vec::new(),
        /// Rows of 3: offset, prescale register, mask. The register counts up every (prescale + 1) cycles.
        pub timers: Vec<u64> = Vec::new(),
        /// Rows of 3: offset, guard, mask. The register can be written only while a bit of `mask` is set in the register at `guard`.
        pub guards: Vec<u64> = Vec::new(),
        /// Notifications. Rows of 4: first and last offset, lane of `written`, 1 for every change, 0 for writes and their effects
        /// only.
        pub notify: Vec<u64> = Vec::new(),
    }
}
