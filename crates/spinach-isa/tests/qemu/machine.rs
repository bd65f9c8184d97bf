//! The reference interpreter with just enough of an operating system to run the random programs.

use spinach_isa::mips::interpreter::{Registers, step};
use spinach_isa::mips::memory::{FlatMemory, Memory};
use spinach_isa::mips::{Extensions, Operation, Trap, access::ByteEnables, decode};

use crate::program::{CODE, DATA, END, Program, TRAP_LOG};

/// Output and counts of a program.
pub(crate) struct Run {
    /// Output of the program.
    pub output: Vec<u8>,
    /// Executions and traps of each operation of the random parts, by discriminant.
    pub counts: Vec<u64>,
}

const RESULT: u8 = 2;
const ARGUMENTS: u8 = 4;
const ERROR_FLAG: u8 = 7;
const RECOVERY: u8 = 26;

/// Runs a program to its exit.
pub(crate) fn run(program: &Program) -> Run {
    let mut memory = FlatMemory::new(CODE, END - CODE);
    memory.words_mut()[..program.words.len()].copy_from_slice(&program.words);
    let data = (DATA - CODE) as usize / 4;
    memory.words_mut()[data..data + program.data.len()].copy_from_slice(&program.data);
    let mut is_random = vec![false; program.words.len()];
    for &(start, dump) in &program.blocks {
        is_random[start..dump].fill(true);
    }
    let mut registers = Registers::reset(CODE, 0);
    registers.coprocessor0.status = 2 << 3; // user mode
    let mut run = Run { output: Vec::new(), counts: vec![0; Operation::ALL.len()] };
    loop {
        let index = (registers.pc - CODE) as usize / 4;
        if is_random[index] {
            run.counts[decode(program.words[index], Extensions::default()).operation as usize] += 1;
        }
        match step(&mut registers, &mut memory, Extensions::default()) {
            Ok(()) => {}
            Err(Trap::Syscall { .. }) => match registers.general(RESULT) {
                4001 => return run,
                number => {
                    let result =
                        if number == 4004 { write(&registers, &mut memory, &mut run.output) } else { 0 };
                    registers.set_general(RESULT, result);
                    registers.set_general(ERROR_FLAG, 0);
                    registers.jump_to(registers.pc + 4);
                }
            },
            Err(trap) => deliver(trap, &mut registers, &mut memory),
        }
    }
}

fn write(registers: &Registers, memory: &mut FlatMemory, output: &mut Vec<u8>) -> u32 {
    let (start, size) = (registers.general(ARGUMENTS + 1), registers.general(ARGUMENTS + 2));
    for address in (start..start + size).step_by(4) {
        output.extend(memory.fetch(address).unwrap().to_be_bytes());
    }
    size
}

/// Does what the kernel and the program's handler do together.
fn deliver(trap: Trap, registers: &mut Registers, memory: &mut FlatMemory) {
    let signal = match trap {
        Trap::ReservedInstruction { .. } | Trap::CoprocessorUnusable { .. } => 4,
        Trap::Breakpoint { .. } | Trap::Condition { .. } => 5,
        Trap::Overflow => 8,
        Trap::MisalignedLoad { .. } | Trap::MisalignedStore { .. } => 10,
        Trap::FetchBusError { .. } | Trap::DataBusError { .. } => 11,
        Trap::Interrupt | Trap::Syscall { .. } => panic!("{trap} is not for the program"),
    };
    let resume = if registers.in_delay_slot { registers.pc - 4 } else { registers.pc };
    let size = memory.fetch(TRAP_LOG).unwrap();
    for (offset, value) in [(size + 4, signal), (size + 8, resume), (0, size + 8)] {
        memory.write(TRAP_LOG + offset, value, ByteEnables::ALL).unwrap();
    }
    registers.jump_to(registers.general(RECOVERY));
}
