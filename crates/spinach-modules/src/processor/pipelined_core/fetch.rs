//! The fetch stage, and the way into decode.

use spinach_engine::Signals;
use spinach_isa::architecture::{Architecture, ArchitectureTrap, Transfer};
use spinach_isa::word::Word;

use super::super::accounts::Cause;
use super::super::decoded::{Work, instruction_word};
use super::super::stop::StopCause;
use super::PipelinedCore;
use super::exchanged::Fetched;
use super::state::Phase;
use crate::values::{Reference, Response};

impl<A: Architecture> PipelinedCore<A> {
    /// Outcome of the fetch stage's reference, read from the channels.
    #[inline(always)]
    pub(super) fn fetched(&self, signals: &Signals) -> Fetched {
        let (request, response) = (self.ports.fetch_request, self.ports.fetch_response);
        // Whatever is presented is also acknowledged.
        if signals.is_present(response) {
            let is_fault = Response::is_fault_at(signals, response);
            Fetched::Answer { data: signals.word(response, 0), is_fault }
        } else {
            Fetched::Nothing { is_taken: signals.is_acknowledged(request) }
        }
    }

    /// True if the fetch stage presents a reference.
    pub(super) fn may_present_fetch(&self) -> bool {
        let fetch = &self.state.fetch;
        let is_ready = !fetch.outstanding && fetch.buffer.is_none() && fetch.pc.is_aligned(A::PARCEL_BYTES);
        is_ready && !self.state.has_short_instruction() && self.state.program.is_running()
    }

    /// The reference that the fetch stage presents, if it presents one.
    #[inline]
    pub(super) fn fetch_reference(&self) -> Reference {
        Reference {
            source: self.settings.identity,
            ..Reference::read(self.state.fetch_address().to_u64(), 4)
        }
    }

    /// Records a change of the fetch stage, of decode, or of the running state of the core.
    pub(super) fn note_fetch_change(&mut self) {
        self.state.fetch.presents = self.may_present_fetch();
    }

    /// Empties decode before the cycle is counted.
    fn drop_decoded(&mut self) {
        if let Some(place) = self.state.decode.take() {
            self.state.empty_cause = Cause::Pipeline;
            self.state.missing = self.state.flight(place).slot.pc;
        }
    }

    /// The address of the oldest instruction that was not issued.
    pub(super) fn oldest_unissued(&self) -> A::Word {
        let state = &self.state;
        state.decode.or(state.fetch.buffer).map_or(state.fetch.pc, |place| state.flight(place).slot.pc)
    }

    /// Takes an instruction that arrives into the buffer, which is empty then.
    #[inline(always)]
    pub(super) fn receive_instruction(&mut self, fetched: Fetched) {
        if let Fetched::Answer { data, is_fault } = fetched {
            if self.state.fetch.discard {
                self.discard();
                return;
            }
            let word = instruction_word::<A>(data);
            if A::PARCEL_BYTES == 4 {
                self.arrive(word);
            } else {
                self.arrive_in_parcels(word, is_fault);
            }
            if is_fault {
                self.note_fetch_failure();
            }
        } else if let Fetched::Nothing { is_taken } = fetched
            && self.state.fetch.presents
        {
            self.state.fetch.outstanding = is_taken;
            self.state.fetch.presents = !is_taken;
        } else if A::PARCEL_BYTES != 4 && self.state.has_short_instruction() {
            self.receive_short();
        } else if !self.state.fetch.pc.is_aligned(A::PARCEL_BYTES) {
            self.receive_misaligned();
        }
    }

    /// Takes an instruction into the buffer and advances to the next.
    #[inline(always)]
    fn arrive(&mut self, word: u32) {
        let state = &mut self.state;
        let pc = state.fetch.pc;
        // This comes first because code around a rare call costs more.
        let decoded = self.decoder.decode(pc, word);
        let (place, next) = (state.next, state.fetch.next);
        state.next = place.next();
        let flight = state.flight_mut(place);
        flight.slot.decoded = *decoded;
        flight.slot.pc = pc;
        flight.slot.was_fetched = true;
        let bytes = flight.slot.decoded.bytes();
        flight.phase = Phase::Complete;
        flight.destination = 0;
        flight.part = 0;
        (flight.branch_taken, flight.annuls) = (false, false);
        let fetch = &mut state.fetch;
        (fetch.presents, fetch.outstanding) = (false, false);
        fetch.buffer = Some(place);
        if A::HAS_DELAY_SLOTS {
            (fetch.pc, fetch.next) = (next, next.plus(4));
        } else {
            fetch.pc = pc.plus(bytes);
        }
    }

    /// The same where instructions may be shorter than the words that are fetched, and lie across two of them. The rest of a word
    /// behind the instruction is kept.
    #[inline]
    fn arrive_in_parcels(&mut self, word: u32, is_fault: bool) {
        let state = &mut self.state;
        let (low, high) = (word & 0xffff, (word >> 16) as u16);
        let is_short = |parcel: u32| A::instruction_bytes(parcel) == 2;
        let (instruction, rest) = match state.parcel.take() {
            _ if is_fault => (0, None),
            Some(first) => (u32::from(first) | word << 16, Some(high)),
            None if state.fetch.pc.is_aligned(4) && is_short(low) => (low, Some(high)),
            None if state.fetch.pc.is_aligned(4) => (word, None),
            None if is_short(high.into()) => (high.into(), None),
            None => {
                state.parcel = Some(high);
                state.fetch.outstanding = false;
                self.note_fetch_change();
                return;
            }
        };
        self.arrive(instruction);
        self.state.parcel = rest;
    }

    /// Takes an instruction that came with the one before it, if there is room.
    fn receive_short(&mut self) {
        let state = &mut self.state;
        if !state.fetch.outstanding && state.fetch.buffer.is_none() && state.program.is_running() {
            let parcel = state.parcel.take().unwrap_or_default();
            self.arrive(parcel.into());
        }
    }

    #[cold]
    #[inline(never)]
    fn discard(&mut self) {
        (self.state.fetch.outstanding, self.state.fetch.discard) = (false, false);
        self.note_fetch_change();
    }

    /// Marks the instruction that has just arrived as one that could not be fetched.
    #[cold]
    #[inline(never)]
    fn note_fetch_failure(&mut self) {
        if let Some(place) = self.state.fetch.buffer {
            let slot = &mut self.state.flight_mut(place).slot;
            slot.was_fetched = false;
            slot.decoded.work = Work::Unfetched;
            let address = slot.pc;
            let is_aligned = address.is_aligned(A::PARCEL_BYTES);
            let trap = if is_aligned {
                A::Trap::fetch_bus_error(address)
            } else {
                A::Trap::misaligned_fetch(address)
            };
            self.state.note_failure(place, StopCause::of(trap));
        }
    }

    /// Fails to fetch from an address at which no instruction can be, if the stage has nothing else to do.
    #[cold]
    #[inline(never)]
    fn receive_misaligned(&mut self) {
        if !self.state.fetch.outstanding && self.state.fetch.buffer.is_none() {
            self.arrive(0);
            self.note_fetch_failure();
        }
    }

    /// Fills decode, which is empty.
    #[inline(always)]
    pub(super) fn fill_decode(&mut self) {
        let state = &mut self.state;
        debug_assert!(state.decode.is_none());
        if state.held > 0 {
            self.stay_empty();
        } else if let Some(place) = state.fetch.buffer.take() {
            state.decode = Some(place);
            // The core ran when this cycle began; a halt from outside comes later.
            state.fetch.presents =
                state.fetch.pc.is_aligned(A::PARCEL_BYTES) && !state.has_short_instruction();
        } else {
            state.empty_cause = if state.wrong_path { Cause::Pipeline } else { Cause::InstructionMiss };
            state.missing = state.fetch.pc;
        }
    }

    #[cold]
    #[inline(never)]
    fn stay_empty(&mut self) {
        self.state.held -= 1;
        self.state.empty_cause = Cause::Pipeline;
        self.state.missing = self.oldest_unissued();
        self.note_fetch_change();
    }

    fn drop_fetched(&mut self) {
        self.state.fetch.buffer = None;
        self.state.fetch.discard = self.state.fetch.outstanding;
        self.state.parcel = None;
        self.state.wrong_path = true;
    }

    /// Throws away everything not issued and continues at `pc`. Without delay slots, what is thrown away is the wrong path, and the
    /// lost slots are counted on `pc`.
    pub(super) fn fetch_from(&mut self, pc: A::Word) {
        self.drop_fetched();
        self.drop_decoded();
        if !A::HAS_DELAY_SLOTS {
            self.state.missing = pc;
        }
        self.state.held = 0;
        self.state.fetch.pc = pc;
        self.state.fetch.next = pc.plus(4);
        self.note_fetch_change();
    }

    /// Fetches everything not issued once more, in the same order.
    pub(super) fn fetch_again(&mut self) {
        if !A::HAS_DELAY_SLOTS {
            return self.fetch_from(self.oldest_unissued());
        }
        let fetch = &self.state.fetch;
        let decoded = self.state.decode.map(|place| self.state.flight(place).slot.pc);
        let buffered = fetch.buffer.map(|place| self.state.flight(place).slot.pc);
        // Only the oldest of these can be a delay slot, so the successor of the second follows it directly.
        let mut unissued = [decoded, buffered, Some(fetch.pc), Some(fetch.next)].into_iter().flatten();
        if let (Some(first), Some(second)) = (unissued.next(), unissued.next()) {
            self.fetch_from(first);
            self.state.fetch.next = second;
        }
    }

    /// Follows a branch or jump whose delay slot is in decode, in the buffer, or not yet there.
    pub(super) fn follow(&mut self, redirection: Transfer<A::Word>) {
        let delay_slot_is_decoded = self.state.decode.is_some();
        if redirection.taken && !A::HAS_DELAY_SLOTS {
            self.fetch_from(redirection.target);
        } else if redirection.taken {
            if delay_slot_is_decoded {
                self.drop_fetched();
                self.state.fetch.pc = redirection.target;
                self.state.fetch.next = redirection.target.plus(4);
            } else {
                self.follow_after_delay_slot(redirection.target);
            }
            self.note_fetch_change();
        } else if redirection.annuls_delay_slot {
            self.annul(delay_slot_is_decoded);
        }
    }

    /// Goes to `target` once the delay slot has arrived, which is in the buffer or not yet there. Decode is empty, and
    /// [`Self::fill_decode`] takes note.
    #[inline]
    pub(super) fn follow_after_delay_slot(&mut self, target: A::Word) {
        let fetch = &mut self.state.fetch;
        if fetch.buffer.is_none() {
            fetch.next = target;
        } else {
            (fetch.pc, fetch.next) = (target, target.plus(4));
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn annul(&mut self, delay_slot_is_decoded: bool) {
        let (state, slots) = (&mut self.state, self.timing.annulled_slots);
        state.follows_branch = false;
        if delay_slot_is_decoded {
            // The slot that it would have been issued in is lost now.
            state.held = slots - 1;
            return self.drop_decoded();
        }
        state.held = slots;
        if state.fetch.buffer.take().is_none() {
            state.fetch.discard = state.fetch.outstanding;
            state.fetch.pc = state.fetch.next;
            state.fetch.next = state.fetch.pc.plus(4);
        }
        self.note_fetch_change();
    }
}
