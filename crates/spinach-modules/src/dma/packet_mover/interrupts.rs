//! Flags of a packet mover, and the interrupt lines that follow from them.

use spinach_engine::Signals;

use super::PacketMover;
use super::register_map::flag;

/// Flags that the external line stands for.
const EXTERNAL: u32 = 0xffff & !flag::TIMER;

impl PacketMover {
    /// Flags as a load in `cycle` reads them; that of the timer as of the last look at it.
    pub(super) fn flags(&self, cycle: u64) -> u32 {
        let registers = &self.state.registers;
        let received = self.state.receiver.received.front();
        let packet = received.is_some_and(|received| received.visible_at <= cycle);
        let packet = if packet { flag::PACKET } else { 0 };
        let host = if registers.host_flags != 0 { flag::HOST_DATA } else { 0 };
        let broadcast = if self.state.broadcasts.queued.is_empty() { 0 } else { flag::BROADCAST };
        registers.flags | packet | host | broadcast
    }

    /// True if an enabled flag is set in `cycle`; the line follows a cycle later.
    pub(super) fn raises_interrupt(&self, cycle: u64) -> bool {
        self.ports.interrupt.is_connected && self.flags(cycle) & self.state.registers.mask & EXTERNAL != 0
    }

    /// Sets the lines for the next cycle, at the end of a cycle in which the external one was to rise if `raises`.
    pub(super) fn set_lines(&mut self, raises: bool) {
        let state = &mut self.state;
        state.lines.external = raises && !state.lines.is_acknowledged;
        if self.ports.timer_interrupt.is_connected && state.registers.mask & flag::TIMER != 0 {
            state.registers.note_time(state.next_cycle);
            state.lines.timer = state.registers.flags & flag::TIMER != 0;
        } else {
            state.lines.timer = false;
        }
        state.lines.is_acknowledged = false;
    }

    /// Presents the lines.
    pub(super) fn present_lines(&self, signals: &mut Signals) {
        let (ports, lines) = (&self.ports, self.state.lines);
        for (port, is_up) in [(&ports.interrupt, lines.external), (&ports.timer_interrupt, lines.timer)] {
            if port.is_connected {
                signals.write(port.port, is_up.then_some(1));
            }
        }
    }

    /// True if the external line stays as it is while the core does nothing.
    pub(super) fn are_lines_settled(&self) -> bool {
        let state = &self.state;
        let is_seen = |cycle| cycle <= state.next_cycle;
        !self.ports.interrupt.is_connected
            || state.receiver.received.front().is_none_or(|received| is_seen(received.visible_at))
                && state.lines.external == self.raises_interrupt(state.next_cycle)
    }

    /// Cycle whose commit raises the line of the timer, if it is enabled and down.
    pub(super) fn next_timer_interrupt(&self) -> Option<u64> {
        let state = &self.state;
        let registers = &state.registers;
        let is_enabled = self.ports.timer_interrupt.is_connected && registers.mask & flag::TIMER != 0;
        (is_enabled && !state.lines.timer).then(|| registers.timer_began + u64::from(registers.interval))
    }
}
