//! The parameters of a pipelined core, and where it is connected.

use spinach_engine::{AnyNumber, Input, OrUnconnected, Output, parameters, ports};
use spinach_isa::registered::NAMES;

use super::super::settings::CoreParameters;
use crate::values::{Reference, Response};

parameters! {
    /// The parameters of a pipelined core.
    pub struct PipelinedCoreParameters {
        /// Parameters of every core.
        pub core: CoreParameters,
        /// The instruction set that the core executes.
        pub instruction_set: String = NAMES[0].to_owned() => of NAMES,
        /// The stage in which branches and jumps through registers resolve: in `decode` they wait for their operands but a taken
        /// branch costs nothing beyond its delay slot; in `execute` a taken branch costs one slot.
        pub branch_stage: String = "decode".to_owned() => of ["decode", "execute"],
        /// The stage in which direct jumps resolve, with the same cost.
        pub jump_stage: String = "decode".to_owned() => of ["decode", "execute"],
        /// Cycles after a shift from which its result can be used.
        pub shift_latency: u32 = 1 => in 1..=4,
        /// Handling of a branch whose conditions come too late for decode: it waits (`none`), or it is predicted by the sign of
        /// its displacement (`static`, as in the PowerPC 405). Conditions come too late from the two instructions before; a wrong
        /// guess costs two slots if they come from the one before, else one.
        pub branch_prediction: String = "none".to_owned() => of ["none", "static"],
        /// Cycles after its answer from which a loaded value can be used. At 1, the instruction after a load waits one cycle if
        /// it uses the value.
        pub load_use_delay: u32 = 1 => in 0..=4,
        /// Issue slots that a delay slot costs that a likely branch annuls.
        pub annulled_slots: u32 = 1 => in 1..=4,
        /// Number of refused stores that may wait while younger instructions continue: 0 as in the thesis, 1 as in HPCA 2005.
        pub store_buffer: u32 = 0 => in 0..=64,
        /// Number of loads taken by the memory and not answered that may leave the memory stage; their consumers wait in decode.
        /// A load whose consumer is in execute stays, which needs a `load_use_delay` of 0. 0 if every load is waited for. A bus
        /// error of such a load always stops the core.
        pub loads_under_way: u32 = 0 => in 0..=7,
        /// Number of memory stages of the pipeline.
        pub memory_stages: u32 = 1 => in 1..=2,
        /// Cycles after a multiplication from which its result can be used. The R4000 takes 10.
        pub multiply_latency: u32 = 1 => in 1..=1024,
        /// If true, a multiplication by a number that fits in 8 bits takes three cycles less than `multiply_latency`, and by one
        /// that fits in 16 bits two less, but never less than one.
        pub multiply_by_operand: bool = false,
        /// Cycles that cache operations, conditional stores and reads of the whole condition register take in the execute stage.
        /// The PowerPC 405 takes 2.
        pub system_latency: u32 = 1 => in 1..=64,
        /// Cycles after a division from which its result can be used. The R4000 takes 69.
        pub divide_latency: u32 = 1 => in 1..=1024,
    }
}

ports! {
    /// Ports of a pipelined core.
    pub struct PipelinedCorePorts {
        /// Instruction memory.
        pub fetch: { request: Output<Reference>, response: Input<Response> },
        /// Data memory.
        pub data: { request: Output<Reference>, response: Input<Response> },
        /// Commands from outside: 1 in the upper 32 bits halts the core, 2 resumes it, 3 makes it continue at the address in
        /// the lower 32 bits, 4 lets it execute one instruction and halt. All but 1 wait until what was issued has completed.
        pub control: OrUnconnected<Input<u64>>,
        /// External interrupts, one lane for each of at most five lines. A line is up while its lane presents a word; the word is
        /// taken when an interrupt is entered of which the line is a cause.
        pub interrupt: AnyNumber<Input<u64>>,
        /// The registers of the core, reported each time it halts: a number in the upper 32 bits, a word in the lower. 0 to 31
        /// are the general registers, 32 is the program counter, 33 whether its program has ended (1) or it was halted (0).
        pub report: OrUnconnected<Output<u64>>,
    }
}
