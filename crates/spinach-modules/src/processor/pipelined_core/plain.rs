//! A short form of the pipeline with the default timing, for stretches in which only frequent instructions move through it.
//!
//! It does what [`PipelinedCore::cycle`] does, without the cases that cannot occur: nothing is refused, no exception is raised, and an
//! instruction cannot be followed by a delay slot. It stops before a cycle of which that is not known.

use spinach_isa::architecture::{Answer, Architecture, RegisterFile};
use spinach_isa::word::Word;

use super::super::accounts::{COUNTERS, Cause};
use super::super::data_port::response_value;
use super::super::decoded::Work;
use super::super::form::Usual;
use super::PipelinedCore;
use super::known_code::half_word;
use super::register_set::bit;
use super::state::{Interest, Outstanding, Phase, PipelinedState, WordReference};
use super::stretch::{Core, INSTRUCTIONS, Others, Stretch};
use crate::memory::MultiportedMemory;

/// Progress of the instruction in the memory stage.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// Nothing is left to be done.
    Complete,
    /// A store or a load presents its reference.
    Stores,
    Loads,
    /// A load is answered.
    Answered,
}

impl<A: Architecture> PipelinedCore<A> {
    /// Progress in the memory stage, if the short form can continue from the present state.
    fn plain_progress(&self) -> Option<Progress> {
        let state = &self.state;
        let fetch = &state.fetch;
        let progress = match state.memory[0].map(|place| state.flight(place)) {
            None => Progress::Complete,
            Some(flight) => match (flight.phase, flight.slot.decoded.work) {
                (Phase::Complete, _) => Progress::Complete,
                (Phase::Unanswered, Work::Load(_)) => Progress::Answered,
                _ => return None,
            },
        };
        let is_plain = !A::HAS_DELAY_SLOTS
            && !A::HAS_RUNS
            && state.held == 0
            && !(fetch.outstanding | fetch.discard | state.presents_data)
            && fetch.pc.is_aligned(A::PARCEL_BYTES);
        is_plain.then_some(progress)
    }
}

impl<A: Architecture> Stretch<A> {
    /// Simulates cycles from `cycle` to `end`, as far as they are plain. Returns the first that was not simulated.
    #[inline(never)]
    pub(super) fn run_plain(
        &mut self,
        mut cycle: u64,
        end: u64,
        core: &mut Core<'_, A>,
        others: &mut Others<'_>,
    ) -> u64 {
        let state = &core.module.state;
        let end = end.min(state.program.interrupts.due());
        // The memory may have been changed from outside after half of an instruction was fetched.
        let memory = others.at(INSTRUCTIONS).module;
        let is_current = state.parcel.is_none() || state.parcel == half_word::<A>(state.fetch.pc, memory);
        let progress = core.module.plain_progress().filter(|_| cycle < end && is_current);
        let Some(mut progress) = progress else { return cycle };
        let counters = &mut core.counters[..COUNTERS.len()];
        let PipelinedCore { state, settings, .. } = &mut *core.module;
        let PipelinedState { fetch, flights, program, outstanding, .. } = state;
        let (mut pc, mut has_parcel, mut buffer) = (fetch.pc, state.parcel.is_some(), fetch.buffer);
        let (mut decode, mut execute, mut memory) = (state.decode, state.execute, state.memory[0]);
        let (mut awaited, mut fresh, mut wrong_path) = (state.awaited, state.fresh, state.wrong_path);
        let (mut next, mut answer) = (state.next, self.answer);
        let mut made_answer = 0;
        let mut fetches = 0;
        // Instructions behind the decode stage whose issue has been counted; that of others is counted when they complete.
        let mut counted = u32::from(execute.is_some()) + u32::from(memory.is_some());
        while cycle < end {
            let waits = progress == Progress::Loads;
            // All that may keep the cycle from being plain comes first.
            let mut arrives = false;
            if buffer.is_none() {
                let Some(known) = self.code.at(pc, others.at(INSTRUCTIONS).module) else { break };
                let flight = &mut flights[next as usize];
                let is_half = !has_parcel && known.bytes == 4 && !pc.is_aligned(4);
                arrives = !is_half;
                if arrives {
                    // It overwrites nothing that is in use, and arrives again if the cycle is not plain.
                    flight.slot.decoded = known.decoded;
                }
            }
            let mut result = A::Word::default();
            let mut reference = None;
            if let Some(place) = execute.filter(|_| !waits) {
                let slot = &flights[place as usize].slot;
                let decoded = &slot.decoded;
                match decoded.work {
                    Work::Calculate(function) => {
                        let (a, b) = decoded.operands(&program.registers);
                        let Ok(value) = A::alu(function, a, b) else { break };
                        result = value;
                    }
                    Work::Load(unit) | Work::Store(unit) => {
                        let [base, value] = decoded.values(&program.registers);
                        let address = base.wrapping_add(A::Word::from_signed(decoded.immediate));
                        let may_refer = unit.is_aligned(address) & !settings.is_guarded(address);
                        if !may_refer || cycle + 1 >= end {
                            break;
                        }
                        let made = if decoded.is_posted() {
                            WordReference::store::<A>(unit, address, value, settings.identity)
                        } else {
                            WordReference::load(unit, address, settings.identity)
                        };
                        let Some(data) = self.refer(made, others) else { break };
                        (reference, made_answer) = (Some(made), data);
                    }
                    Work::Branch(_) | Work::IndirectJump | Work::DirectJump => {
                        result = A::return_address(slot.pc, decoded.bytes());
                    }
                    _ => break,
                }
            }
            if arrives {
                let flight = &mut flights[next as usize];
                let bytes = flight.slot.decoded.bytes();
                (flight.slot.pc, flight.slot.was_fetched) = (pc, true);
                (flight.phase, flight.destination, flight.part) = (Phase::Complete, 0, 0);
                (flight.branch_taken, flight.annuls) = (false, false);
                fetches += u64::from(!has_parcel || bytes == 4);
                buffer = Some(next);
                next = next.next();
                pc = pc.plus(bytes);
                has_parcel = A::PARCEL_BYTES != 4 && !pc.is_aligned(4);
            } else if buffer.is_none() {
                (fetches, has_parcel) = (fetches + 1, true);
            }
            (wrong_path, fresh) = (false, 0);
            let arrived = answer.take();
            if matches!(progress, Progress::Stores | Progress::Loads)
                && let Some(place) = memory
            {
                let flight = &flights[place as usize];
                let interest = if waits { Interest::Awaited } else { Interest::Posted };
                outstanding.push(Outstanding { pc: flight.slot.pc, address: flight.address, interest });
                answer = Some(made_answer);
                self.answered = Some((made_answer, cycle + 1));
            }
            if arrived.is_some() {
                outstanding.pop();
            }
            if waits {
                progress = Progress::Answered;
                let pc = memory.map_or(pc, |place| flights[place as usize].slot.pc);
                program.book::<Usual>(counters, (Cause::Load, pc));
                cycle += 1;
                continue;
            }
            if let Some(place) = memory {
                let flight = &mut flights[place as usize];
                if progress == Progress::Answered {
                    let data = A::Word::from_u64(arrived.unwrap_or_default());
                    let (address, previous) = (flight.address, flight.value);
                    let answer = Answer { address, part: 0, previous, data };
                    flight.value = response_value(&flight.slot.decoded, &answer);
                    flight.phase = Phase::Complete;
                }
                if flight.destination != 0 {
                    program.registers.set_general(flight.destination, flight.value);
                    fresh |= bit(flight.destination);
                    awaited = 0;
                }
                if counted > 0 {
                    counted -= 1;
                    program.count_completed(&flight.slot, flight.branch_taken, cycle, counters);
                    if let Some(profile) = &mut program.profile {
                        profile.complete(flight.slot.pc, flight.slot.decoded.accesses_memory());
                    }
                } else {
                    program.count_executed(&flight.slot, flight.branch_taken, cycle, counters);
                }
            }
            progress = Progress::Complete;
            memory = execute.take();
            if let Some(place) = memory {
                let flight = &mut flights[place as usize];
                let destination = flight.slot.decoded.destination;
                if let Some(reference) = reference {
                    flight.address = reference.address;
                    (state.reference, state.presented) = (reference, reference);
                    progress = Progress::Stores;
                    if !flight.slot.decoded.is_posted() {
                        (flight.destination, flight.value) = (destination, A::Word::default());
                        awaited = bit(destination);
                        progress = Progress::Loads;
                    }
                } else {
                    program.registers.set_general(destination, result);
                    fresh |= bit(destination);
                }
            }
            match decode {
                None => program.book::<Usual>(counters, (state.empty_cause, state.missing)),
                Some(place) => {
                    let slot = &mut flights[place as usize].slot;
                    let transfers_control = slot.decoded.transfers_control();
                    let late = if transfers_control { awaited | fresh } else { awaited };
                    let [first, second] = slot.decoded.sources;
                    if (late >> (first & 63) | late >> (second & 63)) & 1 != 0 {
                        program.book::<Usual>(counters, (Cause::Pipeline, slot.pc));
                        cycle += 1;
                        continue;
                    }
                    slot.in_delay_slot = false;
                    execute = Some(place);
                    let slot = *slot;
                    if transfers_control && program.is_taken(&slot) == Some(true) {
                        flights[place as usize].branch_taken = slot.decoded.is_branch();
                        pc = program.target(&slot);
                        fetch.next = pc.plus(4);
                        (buffer, has_parcel, wrong_path) = (None, false, true);
                    }
                    counters[Cause::Execution as usize] += 1;
                }
            }
            decode = buffer.take();
            if decode.is_none() {
                state.empty_cause = if wrong_path { Cause::Pipeline } else { Cause::InstructionMiss };
                state.missing = pc;
            }
            cycle += 1;
            if wrong_path && !pc.is_aligned(A::PARCEL_BYTES) {
                break;
            }
        }
        if let Some(place) = memory {
            flights[place as usize].phase = match progress {
                Progress::Complete => Phase::Complete,
                Progress::Stores | Progress::Loads => Phase::Unsent,
                Progress::Answered => Phase::Unanswered,
            };
        }
        for place in [memory, execute].into_iter().flatten().skip(counted as usize) {
            if let Some(profile) = &mut program.profile {
                profile.spend(flights[place as usize].slot.pc, Cause::Execution);
            }
        }
        state.presents_data = matches!(progress, Progress::Stores | Progress::Loads);
        self.made_answer = state.presents_data.then_some(made_answer);
        self.answer = answer;
        let instructions = others.at(INSTRUCTIONS);
        state.parcel = if has_parcel { half_word::<A>(pc, instructions.module) } else { None };
        (fetch.pc, fetch.buffer, state.next) = (pc, buffer, next);
        (state.decode, state.execute, state.memory[0]) = (decode, execute, memory);
        (state.awaited, state.fresh, state.wrong_path) = (awaited, fresh, wrong_path);
        core.module.note_fetch_change();
        MultiportedMemory::count_words(fetches, instructions.counters);
        cycle
    }
}
