//! The fetch stage, and the way into decode.

use spinach_engine::Signals;
use spinach_isa::mips::semantics::Redirection;

use super::super::accounts::Cause;
use super::PipelinedMips;
use super::state::{Fetch, Fetched, Phase};
use crate::values::Reference;

impl Fetch {
    /// Takes an instruction into the buffer and goes on to the next.
    #[inline]
    fn receive(&mut self, word: u32, has_failed: bool) {
        self.buffer = Some(Fetched { pc: self.pc, word, has_failed });
        self.pc = self.next;
        self.next = self.pc.wrapping_add(4);
    }
}

impl PipelinedMips {
    /// Whether the fetch stage presents a reference.
    #[inline]
    pub(super) fn presents_fetch(&self) -> bool {
        let fetch = &self.state.fetch;
        let is_ready = !fetch.outstanding && fetch.buffer.is_none() && fetch.pc.is_multiple_of(4);
        is_ready && self.state.program.is_running()
    }

    /// The reference that the fetch stage presents, if it presents one.
    #[inline]
    pub(super) fn fetch_reference(&self) -> Reference {
        Reference { source: self.settings.identity, ..Reference::read(u64::from(self.state.fetch.pc), 4) }
    }

    /// The address of the oldest instruction that was not issued.
    #[inline]
    pub(super) fn oldest_unissued(&self) -> u32 {
        let state = &self.state;
        match (state.decode, &state.fetch.buffer) {
            (Some(place), _) => state.flight(place).slot.pc,
            (None, Some(fetched)) => fetched.pc,
            (None, None) => state.fetch.pc,
        }
    }

    /// Takes an instruction that arrives into the buffer, which is empty then.
    #[inline(always)]
    pub(super) fn receive_instruction(&mut self, signals: &Signals) {
        let fetch = &mut self.state.fetch;
        // Whatever is presented is also acknowledged.
        if let Some(response) = signals.read(self.ports.fetch_response) {
            fetch.outstanding = false;
            if fetch.discard {
                fetch.discard = false;
                return;
            }
            fetch.receive((response.data as u32).swap_bytes(), response.is_fault);
        } else if signals.is_sent(self.ports.fetch_request) {
            fetch.outstanding = true;
        } else if !fetch.pc.is_multiple_of(4) && !fetch.outstanding && fetch.buffer.is_none() {
            fetch.receive(0, true);
        }
    }

    /// Fills decode if it is empty.
    #[inline(always)]
    pub(super) fn fill_decode(&mut self) {
        let state = &mut self.state;
        if state.decode.is_some() {
            return;
        }
        if state.held > 0 {
            state.held -= 1;
            state.empty_cause = Cause::Pipeline;
        } else if let Some(fetched) = state.fetch.buffer.take() {
            let place = state.next;
            state.next = place.next();
            state.decode = Some(place);
            let flight = state.flight_mut(place);
            flight.slot.pc = fetched.pc;
            flight.slot.decoded = *self.decoder.decode(fetched.pc, fetched.word);
            flight.slot.trap = None;
            if fetched.has_failed {
                flight.slot.trap = Some(fetched.trap());
            }
            flight.phase = Phase::Complete;
            flight.destination = 0;
            flight.stop = None;
            (flight.branch_taken, flight.annuls) = (false, false);
        } else {
            state.empty_cause = if state.wrong_path { Cause::Pipeline } else { Cause::InstructionMiss };
        }
    }

    fn drop_fetched(&mut self) {
        self.state.fetch.buffer = None;
        self.state.fetch.discard = self.state.fetch.outstanding;
        self.state.wrong_path = true;
    }

    /// Throws away everything not issued and continues at `pc`.
    pub(super) fn fetch_from(&mut self, pc: u32) {
        self.drop_fetched();
        if self.state.decode.take().is_some() {
            self.state.empty_cause = Cause::Pipeline;
        }
        self.state.held = 0;
        self.state.fetch.pc = pc;
        self.state.fetch.next = pc.wrapping_add(4);
    }

    /// Fetches everything not issued once more, in the same order.
    pub(super) fn fetch_again(&mut self) {
        let fetch = &self.state.fetch;
        let decoded = self.state.decode.map(|place| self.state.flight(place).slot.pc);
        let buffered = fetch.buffer.as_ref().map(|fetched| fetched.pc);
        // Only the oldest of these can be a delay slot, so that what follows the second follows it directly.
        let mut unissued = [decoded, buffered, Some(fetch.pc), Some(fetch.next)].into_iter().flatten();
        if let (Some(first), Some(second)) = (unissued.next(), unissued.next()) {
            self.fetch_from(first);
            self.state.fetch.next = second;
        }
    }

    /// Follows a branch or jump whose delay slot is in decode, in the buffer, or not yet there.
    pub(super) fn follow(&mut self, redirection: Redirection, delay_slot_is_decoded: bool) {
        if redirection.taken {
            let target = redirection.target;
            if !delay_slot_is_decoded && self.state.fetch.buffer.is_none() {
                self.state.fetch.next = target;
                return;
            }
            if delay_slot_is_decoded {
                self.drop_fetched();
            }
            self.state.fetch.pc = target;
            self.state.fetch.next = target.wrapping_add(4);
        } else if redirection.annuls_delay_slot {
            self.annul(delay_slot_is_decoded);
        }
    }

    fn annul(&mut self, delay_slot_is_decoded: bool) {
        let (state, slots) = (&mut self.state, self.timing.annulled_slots);
        state.follows_branch = false;
        if delay_slot_is_decoded {
            // The slot that it would have been issued in is lost now.
            state.decode = None;
            state.empty_cause = Cause::Pipeline;
            state.held = slots - 1;
            return;
        }
        state.held = slots;
        if state.fetch.buffer.take().is_none() {
            state.fetch.discard = state.fetch.outstanding;
            state.fetch.pc = state.fetch.next;
            state.fetch.next = state.fetch.pc.wrapping_add(4);
        }
    }
}
