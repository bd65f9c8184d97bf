//! The window onto an accelerator: references and answers pass between it and the core within a cycle.

use spinach_engine::Signals;

use super::PacketMover;
use super::core_side::{ACCELERATOR, ADDRESS};
use super::register_map::flag;

impl PacketMover {
    /// True if there is an accelerator.
    pub(crate) fn has_accelerator(&self) -> bool {
        self.ports.accelerator_request.is_connected && self.ports.accelerator_response.is_connected
    }

    /// True if the reference that the core presents is one of the accelerator.
    pub(super) fn is_for_accelerator(&self, signals: &Signals) -> bool {
        self.has_accelerator() && ACCELERATOR.contains(&(signals.word(self.ports.core_request, 0) & ADDRESS))
    }

    /// True if the reference of the core may pass: all earlier ones are answered in this cycle at the latest.
    pub(super) fn may_pass(&self, signals: &Signals) -> bool {
        !self.awaits_answer(signals)
    }

    /// Presents the reference of the core to the accelerator.
    pub(super) fn pass_reference(&self, signals: &mut Signals) {
        let ports = &self.ports;
        let passes = signals.is_present(ports.core_request)
            && self.is_for_accelerator(signals)
            && self.may_pass(signals);
        let reference = if passes { signals.read(ports.core_request) } else { None };
        signals.write(ports.accelerator_request.port, reference);
    }

    /// Presents an answer to the core, of the accelerator or of the rest.
    pub(super) fn present_answer(&self, signals: &mut Signals) {
        let accelerated = signals.read(self.ports.accelerator_response.port);
        signals.write(self.ports.core_response, accelerated.or_else(|| self.answer()));
    }

    /// Records an answer. A fault sets the flag.
    pub(super) fn note_accelerator(&mut self, signals: &Signals) {
        if let Some(response) = signals.received(self.ports.accelerator_response.port) {
            self.state.awaits_accelerator = false;
            if response.is_fault {
                self.state.registers.flags |= flag::ACCELERATOR;
            }
        }
    }
}
