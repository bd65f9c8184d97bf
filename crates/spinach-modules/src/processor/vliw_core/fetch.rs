//! The fetch stage, and the way into decode.

use spinach_engine::Signals;
use spinach_isa::architecture::{Architecture, ArchitectureTrap, Transfer};

use super::super::accounts::Cause;
use super::super::decoded::{Kind, instruction_word};
use super::super::program::Slot;
use super::super::stop::StopCause;
use super::VliwCore;
use super::state::{Fetched, Instruction, LANES, WORDS};
use crate::values::Reference;

const SLICE_BYTES: u64 = 16;

impl<A: Architecture<Word = u32>> VliwCore<A> {
    /// The reference that the fetch stage presents for a slice of the bundle.
    pub(super) fn presented_fetch(&self, slice: usize) -> Option<Reference> {
        let (fetch, machine) = (&self.state.fetch, &self.machine);
        let is_wanted = !fetch.slices[slice].outstanding && fetch.slices[slice].arrived.is_none();
        let is_ready = is_wanted && fetch.buffer.is_none() && fetch.pc.is_multiple_of(4);
        let offset = 4 * u64::from(fetch.pc.wrapping_sub(machine.code_base));
        let address = u64::from(machine.code_base) + slice as u64 * machine.slice_distance + offset;
        (is_ready && self.state.program.is_running()).then(|| Reference {
            source: self.settings.identity,
            ..Reference::read(address, SLICE_BYTES as u8)
        })
    }

    /// The address of the oldest bundle that was not issued.
    pub(super) fn oldest_unissued(&self) -> u32 {
        let state = &self.state;
        match (state.decode, &state.fetch.buffer) {
            (Some(place), _) => state.bundle(place).pc,
            (None, Some(fetched)) => fetched.pc,
            (None, None) => state.fetch.pc,
        }
    }

    /// Takes slices that arrive; a whole bundle goes into the buffer, which is empty then.
    pub(super) fn receive_bundle(&mut self, signals: &Signals) {
        let lanes = self.ports.fetch_request.iter().zip(self.ports.fetch_response.iter());
        for ((request, response), slice) in lanes.zip(&mut self.state.fetch.slices) {
            slice.outstanding |= signals.is_sent(*request);
            let Some(response) = signals.received(*response) else { continue };
            slice.outstanding = false;
            if !std::mem::take(&mut slice.discard) {
                let word = |index: usize| instruction_word::<A>((response.data >> (32 * index)) as u64);
                slice.arrived = Some((std::array::from_fn(word), response.is_fault));
            }
        }
        let fetch = &mut self.state.fetch;
        let (pc, slices) = (fetch.pc, &mut fetch.slices[..self.machine.slices]);
        let mut words = [0; WORDS];
        let mut trap = None;
        if !pc.is_multiple_of(4) {
            if fetch.buffer.is_some() || slices.iter().any(|slice| slice.outstanding) {
                return;
            }
            trap = Some(A::Trap::misaligned_fetch(pc));
        } else if slices.iter().any(|slice| slice.arrived.is_none()) {
            return;
        }
        for (part, slice) in words.chunks_mut(4).zip(slices) {
            if let Some((arrived, is_fault)) = slice.arrived.take() {
                part.copy_from_slice(&arrived);
                trap = trap.or(is_fault.then_some(A::Trap::fetch_bus_error(pc)));
            }
        }
        let skipped = if trap.is_some() { 0 } else { words[0] >> 16 };
        fetch.pc = fetch.redirect.take().unwrap_or(pc.wrapping_add(4 + 4 * skipped));
        if !std::mem::take(&mut fetch.annuls) {
            fetch.buffer = Some(Fetched { pc, words, trap });
        }
    }

    /// Fills decode if it is empty.
    pub(super) fn fill_decode(&mut self) {
        if self.state.decode.is_some() {
            return;
        }
        if std::mem::take(&mut self.state.held) {
            self.state.empty_cause = Cause::Pipeline;
        } else if let Some(fetched) = self.state.fetch.buffer.take() {
            self.decode(&fetched);
        } else {
            let wrong_path = self.state.wrong_path;
            self.state.empty_cause = if wrong_path { Cause::Pipeline } else { Cause::InstructionMiss };
        }
    }

    fn decode(&mut self, fetched: &Fetched<A>) {
        let place = self.state.next_place();
        self.state.entered += 1;
        self.state.decode = Some(place);
        let Self { state, machine, decoder, .. } = self;
        let bundle = state.bundle_mut(place);
        let Fetched { pc, words, mut trap } = *fetched;
        (bundle.pc, bundle.count, bundle.exit, bundle.reference_count) = (pc, 0, None, 0);
        let (mut integers, mut branches) = (0, 0);
        for word in words[1..machine.words].iter().copied().filter(|word| *word != 0) {
            if trap.is_some() {
                break;
            }
            let index = bundle.count;
            let decoded = *decoder.decode(pc.wrapping_add(4 * index as u32), word);
            let mut at = pc;
            if decoded.transfers_control() {
                branches += 1;
                bundle.exit = Some(index);
                at = pc.wrapping_add(4 * (words[0] & 0xffff));
            } else if decoded.accesses_memory() {
                if bundle.reference_count < LANES {
                    bundle.references[bundle.reference_count] = index as u8;
                }
                bundle.reference_count += 1;
            } else {
                integers += 1;
            }
            let is_too_much = bundle.reference_count > machine.load_store_units
                || branches > machine.branch_units
                || integers > machine.integer_units;
            trap = is_too_much.then_some(A::Trap::reserved(word));
            let slot = Slot { pc: at, decoded, was_fetched: true, in_delay_slot: false };
            bundle.instructions[index] = Instruction::new(slot);
            bundle.count += 1;
        }
        if let Some(trap) = trap {
            let decoded = *decoder.decode(pc, words[1]);
            let slot = Slot { pc, decoded, was_fetched: false, in_delay_slot: false };
            bundle.instructions[0] =
                Instruction { stop: Some(StopCause::of(trap)), ..Instruction::new(slot) };
            (bundle.count, bundle.exit, bundle.reference_count) = (1, None, 0);
        }
    }

    fn drop_fetched(&mut self) {
        let fetch = &mut self.state.fetch;
        fetch.buffer = None;
        fetch.redirect = None;
        fetch.annuls = false;
        for slice in &mut fetch.slices {
            slice.arrived = None;
            slice.discard = slice.outstanding;
        }
        self.state.wrong_path = true;
    }

    /// Throws away everything not issued and continues at `pc`.
    pub(super) fn fetch_from(&mut self, pc: u32) {
        self.drop_fetched();
        if self.state.decode.take().is_some() {
            self.state.empty_cause = Cause::Pipeline;
        }
        self.state.held = false;
        self.state.fetch.pc = pc;
    }

    /// Fetches everything not issued once more, in the same order.
    pub(super) fn fetch_again(&mut self) {
        let fetch = &self.state.fetch;
        if fetch.annuls {
            // The delay slot must come for its header; nothing after it has.
            return;
        }
        let decoded = self.state.decode.map(|place| self.state.bundle(place).pc);
        let buffered = fetch.buffer.as_ref().map(|fetched| fetched.pc);
        // Only the oldest of these can be a delay slot, so the successor of the second follows it directly.
        let mut unissued = [decoded, buffered, Some(fetch.pc), fetch.redirect].into_iter().flatten();
        let (first, second) = (unissued.next(), unissued.next());
        if let Some(first) = first {
            self.fetch_from(first);
            self.state.fetch.redirect = second;
        }
    }

    /// Follows a branch or jump that was just issued; its delay slot is in the buffer or not yet there.
    pub(super) fn follow(&mut self, redirection: Transfer<u32>) {
        let has_arrived = self.state.fetch.buffer.is_some();
        let fetch = &mut self.state.fetch;
        match (redirection.taken, has_arrived) {
            (true, true) => fetch.pc = redirection.target,
            (true, false) => fetch.redirect = Some(redirection.target),
            (false, _) if !redirection.annuls_delay_slot => {}
            (false, true) => {
                fetch.buffer = None;
                (self.state.held, self.state.follows_branch) = (true, false);
            }
            (false, false) => {
                fetch.annuls = true;
                self.state.follows_branch = false;
            }
        }
    }
}

/// True if an instruction redirects control, and does so in decode.
pub(super) fn redirects(kind: Kind) -> bool {
    matches!(kind, Kind::DirectJump | Kind::RegisterTransfer)
}
