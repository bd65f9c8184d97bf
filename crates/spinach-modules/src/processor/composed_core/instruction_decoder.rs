//! `instruction_decoder`: from an instruction to the signals that control its way through a pipeline.

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{Declaration, Input, Module, Output, Process, Signals, data, parameters, ports};
use spinach_isa::architecture::Architecture;
use spinach_isa::registered::Classic;

use super::super::decoded::Decoded;
use super::super::settings::with_extensions;
use super::control_word::control_word;

parameters! {
    /// The parameters of a decoder.
    pub struct InstructionDecoderParameters {
        /// The instruction set that the core executes.
        pub instruction_set: String = Classic::NAME.to_owned() => of [Classic::NAME],
        /// Presence of the atomic bit-array instructions `set` and `update`.
        pub bit_array: bool = true,
        /// Presence of the Tigon-2's priority decode and jump offset, and the bit that comes first.
        pub priority_decode: String = "none".to_owned() => of ["none", "highest_first", "lowest_first"],
    }
}

ports! {
    /// Ports of a decoder.
    pub struct InstructionDecoderPorts {
        /// The instruction, in the lower 32 bits.
        pub instruction: Input<u64>,
        /// The control word, from the lowest bit: destination register (5 bits), source registers (5 and 5), ALU opcode (5), first
        /// operand is the shift amount (1), second operand is the immediate (1), shift amount (5), kind (4: plain, awaited
        /// reference, posted reference, transfer that depends on registers, direct jump, barrier, exception return),
        /// likely (1), links (1), condition (3), conditional (1), jump offset (1), access (3), logarithm of its size (2), sign
        /// extension (1), part (2), uses the multiplier (1), multiplies (1), divides (1), multiplier move (3), system operation
        /// (4), coprocessor register (5), traps on overflow (1). Bits 62 and 63 are free.
        pub control: Output<u64>,
        /// The immediate as the instruction uses it, 32 bits.
        pub immediate: Output<u64>,
        /// Address of the first source register in a register file of 32 words.
        pub source_s: Output<u64>,
        /// Address of the second source register in a register file of 32 words.
        pub source_t: Output<u64>,
    }
}

/// Decodes one instruction per cycle. See its declaration.
pub struct InstructionDecoder {
    architecture: Classic,
    ports: InstructionDecoderPorts,
}

impl Module for InstructionDecoder {
    type Parameters = InstructionDecoderParameters;
    type Ports = InstructionDecoderPorts;
    type State = ();

    const COMMITS: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "instruction_decoder",
            family: "processor",
            documentation: "Decodes an instruction.\n\nThe signals are stationary with the data: they travel along with the \
                            instruction, and each stage looks at those that concern it. An absent instruction is decoded as \
                            `nop`.",
            timing: "Combinational. The input is always acknowledged.",
            source: "Spinach thesis, section 3.2.4, table 3.4 (MIPS Decoder)",
            parameters: InstructionDecoderParameters::declare(),
            ports: InstructionDecoderPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new(parameters: InstructionDecoderParameters, ports: InstructionDecoderPorts) -> Result<Self, String> {
        Ok(Self {
            architecture: with_extensions(parameters.bit_array, false, &parameters.priority_decode)?,
            ports,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = InstructionDecoderPorts;
        let outputs = [P::CONTROL, P::IMMEDIATE, P::SOURCE_S, P::SOURCE_T];
        let decoding = Process::new(0).drives(outputs.map(data)).reads([data(P::INSTRUCTION)]);
        vec![decoding.accepts([P::INSTRUCTION])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let word = signals.read(self.ports.instruction).unwrap_or(0) as u32;
        let decoded = Decoded::new(word, self.architecture);
        let address = |register: u8| u64::from(register) * 4;
        signals.write(self.ports.control, Some(control_word(&decoded)));
        signals.write(self.ports.immediate, Some(u64::from(decoded.immediate)));
        signals.write(self.ports.source_s, Some(address(decoded.sources[0])));
        signals.write(self.ports.source_t, Some(address(decoded.sources[1])));
    }

    fn state(&self) -> &() {
        &()
    }

    fn restore(&mut self, (): ()) -> Result<(), String> {
        Ok(())
    }
}
