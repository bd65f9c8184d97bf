//! Cycles in which nothing moves but words of packets, and simple references of the core.

use spinach_engine::{Edge, Signals};

use super::core_side::{ADDRESS, REGISTER_BYTES, response};
use super::register_map::{flag, read, region};
use super::sending::is_in_packets;
use super::state::Departure;
use super::{CoreExchange, PacketMover, READ_CONFLICTS, bank_of};
use crate::values::{Access, Reference, Response};

impl PacketMover {
    /// True if a value moves through a port that is not the core's, or if a reference of the core does more than use a memory or read a register.
    #[inline(always)]
    pub(super) fn has_events(&self, exchange: &CoreExchange, signals: &Signals) -> bool {
        let ports = &self.ports;
        let is_sent = self.offers
            && signals.is_sent(ports.output)
                | signals.is_sent(ports.message)
                | (ports.broadcast.is_connected && signals.is_sent(ports.broadcast.port));
        let is_received = signals.is_received(ports.input)
            | (ports.command.is_connected && signals.is_received(ports.command.port))
            | (ports.heard.is_connected && signals.is_received(ports.heard.port))
            | (ports.fetch_beyond.is_connected && signals.is_received(ports.fetch_beyond.port))
            | (ports.accelerator_response.is_connected
                && signals.is_received(ports.accelerator_response.port));
        is_sent | is_received | exchange.reference.is_some_and(|reference| !self.is_simple(&reference))
    }

    /// True if a reference of the core uses a memory, without a broadcast, or reads a register.
    #[inline]
    fn is_simple(&self, reference: &Reference) -> bool {
        let (place, writes) = (reference.address & ADDRESS, reference.access == Access::Write);
        !self.has_accelerator() && (!writes || place >= region::DATA.into() && !self.is_broadcast(place))
    }

    /// Exchanges a reference and an answer with the core, in a cycle without events.
    #[inline]
    pub(super) fn exchange_with_core(&mut self, exchange: &CoreExchange, cycle: u64) {
        if exchange.reference.is_none() && !exchange.is_answered {
            return;
        }
        let flags = self.state.registers.flags;
        self.note_answer(exchange);
        self.serve_core(exchange.reference, false, cycle);
        self.answered.forget();
        // The next answer is presented after the commit of the cycle before.
        let due = self.state.answers.front().map_or(u64::MAX, |(due, _)| *due);
        if due > cycle + 1 {
            self.attends_at = self.attends_at.min(due - 1);
        }
        if self.state.registers.flags != flags {
            self.attends_at = 0;
        }
    }

    /// Commits a cycle in which at most an arriving and a departing word move. The core has used its bank.
    #[inline]
    pub(super) fn move_words(&mut self, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        self.state.next_cycle = cycle + 1;
        let mut bank = None;
        if !self.state.receiver.writes.is_empty() {
            bank = self.write_word(cycle, edge.counters);
            self.end_write();
        }
        if self.state.sender.current.is_some() && self.read_word(bank, edge) {
            // The departure of the packet is known from now on.
            self.attends_at = 0;
        }
    }

    /// True if only the action of another module, or a commit that [`Self::rests_until`] waits for, changes what a read returns.
    pub(crate) fn is_steady(reference: &Reference) -> bool {
        let place = reference.address & ADDRESS;
        let is_register = place < REGISTER_BYTES
            && matches!(place as u32 & !3, read::STATUS | read::RECEIVED_LOW | read::RECEIVED_HIGH);
        is_register || (u64::from(region::DATA)..u64::from(region::PACKETS)).contains(&place)
    }

    /// Answer to a read that [`Self::is_steady`], if it were made now; `None` for one that takes another's answer into account.
    pub(crate) fn steady_answer(&self, reference: &Reference) -> Option<Response> {
        let place = reference.address & ADDRESS;
        if place >= u64::from(region::DATA) {
            let data = self.state.data.load(place - u64::from(region::DATA), reference.size)?;
            return Some(response(reference, data));
        }
        let is_status = place as u32 & !3 == read::STATUS;
        let word = is_status.then(|| self.room_status(self.state.next_cycle))?;
        Some(Response { data: u128::from(word >> (8 * (place & 3))), is_fault: false })
    }

    /// Finds the next commit that does more than move words.
    pub(crate) fn look_ahead(&mut self) {
        self.attends_at = self.next_due();
    }

    /// True if the last commit may have changed what a read returns.
    #[inline]
    pub(crate) fn has_acted(&self) -> bool {
        self.attends_at == 0
    }

    /// First cycle whose commit may do more than move words, or begins or ends to read a packet, if no value moves through a port
    /// before; 0 if it is not known.
    pub(crate) fn rests_until(&self) -> u64 {
        self.attends_at.min(self.next_outer_word().unwrap_or(u64::MAX))
    }

    /// Moves the words of cycles before the one that [`Self::rests_until`] names, in which the core used no bank.
    pub(crate) fn rest(&mut self, first: u64, count: u64, counters: &mut [u64]) {
        let end = first + count;
        self.state.core_bank = None;
        self.state.next_cycle = end;
        let mut cycle = first;
        while cycle < end {
            cycle = self.move_inner_words(cycle, end, counters);
            self.end_write();
        }
    }

    /// Moves a word of the oldest arriving packet in each cycle from `cycle` on, and one of the departing packet. Returns `end`, or an earlier cycle
    /// in which one of them begins, or another packet follows.
    fn move_inner_words(&mut self, cycle: u64, mut end: u64, counters: &mut [u64]) -> u64 {
        let (receiver, sender) = (&mut self.state.receiver, &mut self.state.sender);
        let mut sending = sender.current.as_mut().filter(|sending| sending.read < sending.words);
        if let Some(late) = sending.take_if(|sending| sending.reads_from > cycle) {
            end = end.min(late.reads_from);
        }
        let mut bank = None;
        if let Some(write) = receiver.writes.iter_mut().find(|write| write.written < write.words) {
            let due = write.begins + u64::from(write.written);
            if due > cycle {
                end = end.min(due);
            } else {
                end = end.min(cycle + u64::from(write.words - write.written));
                bank = Some(bank_of(write.address, write.written));
                write.written += (end - cycle) as u32;
            }
        }
        if let Some(sending) = sending {
            // Both use the banks in turns: a departing word waits once, and from then on is where the arriving word is not.
            let Departure { high, .. } = sending.departure;
            let waits = is_in_packets(sending.departure) && bank == Some(bank_of(high, sending.read));
            counters[READ_CONFLICTS] += u64::from(waits);
            sending.read += (end - cycle) as u32 - u32::from(waits);
            debug_assert!(sending.read > 0 && sending.read < sending.words, "neither the first nor the last");
        }
        end
    }

    /// Exchanges a reference and an answer with the core, in a cycle whose words move in [`Self::rest`].
    pub(crate) fn exchange_at_rest(&mut self, reference: Option<Reference>, cycle: u64) {
        self.state.next_cycle = cycle;
        let is_answered = self.answer().is_some();
        self.exchange_with_core(&CoreExchange { reference, is_answered }, cycle);
    }

    /// Moves all answers on their way to the core to later cycles.
    pub(crate) fn delay_answers(&mut self, cycles: u64) {
        self.state.answers.iter_mut().for_each(|(due, _)| *due += cycles);
    }

    /// First cycle, from the next one on, whose commit may do more than move words, or after which outputs may change, if no
    /// value moves through a port before.
    pub(super) fn next_due(&self) -> u64 {
        let state = &self.state;
        let now = state.next_cycle;
        let ports = &self.ports;
        let is_hosted = ports.control_request.is_connected || ports.host_request.is_connected;
        let is_line_late = ports.interrupt.is_connected && state.lines.external != self.raises_interrupt(now);
        if is_hosted || is_line_late || state.registers.pending.is_some() {
            return now;
        }
        // Outputs change after the commit of the cycle before.
        let output = |due: Option<u64>| due.filter(|due| *due > now).map(|due| due - 1);
        let message = [state.slot_messages.front(), state.core_messages.front()]
            .into_iter()
            .flatten()
            .map(|(due, _)| *due)
            .min()
            .filter(|_| state.message.is_none());
        let is_timed = ports.timer_interrupt.is_connected && state.registers.mask & flag::TIMER != 0;
        let timer = is_timed.then(|| state.registers.timer_began + u64::from(state.registers.interval));
        let visible = state.receiver.received.front().map(|received| received.visible_at);
        let dues = [
            output(state.answers.front().map(|(due, _)| *due)),
            output(state.broadcasts.sent.front().map(|(due, _)| *due)),
            output(state.sender.output.map(|(due, _)| due)),
            output(Some(state.receiver.free_at)),
            message.map(|due| due.saturating_sub(1)),
            state.rising.front().map(|(due, _)| due.saturating_sub(1)),
            state.host_data.front().map(|(due, _)| due.saturating_sub(1)),
            state.broadcasts.heard.front().map(|(due, _)| *due),
            visible.filter(|visible| *visible >= now),
            timer,
            self.next_arrival(),
            self.next_departure(),
        ];
        dues.into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    /// Cycle in which all of a packet has come at the earliest.
    fn next_arrival(&self) -> Option<u64> {
        let coming = self.state.receiver.writes.iter().filter(|write| !write.has_come);
        coming.map(|write| (write.begins + u64::from(write.words)).saturating_sub(1)).min()
    }

    /// Cycle in which a packet begins to leave or has left at the earliest.
    fn next_departure(&self) -> Option<u64> {
        let sender = &self.state.sender;
        let oldest = sender.leaving.front().or(sender.current.as_ref());
        let ends = oldest.and_then(|sending| sending.ends).filter(|_| sender.output.is_none());
        let begins = [sender.commanded.front(), sender.queue.front()]
            .into_iter()
            .flatten()
            .map(|departure| departure.begins.max(sender.free_at))
            .min()
            .filter(|_| sender.current.is_none());
        [ends, begins].into_iter().flatten().min()
    }
}
