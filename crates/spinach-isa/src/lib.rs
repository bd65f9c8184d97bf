//! Instruction sets: decode, semantics, disassembly, and the registers an operation reads and writes.
