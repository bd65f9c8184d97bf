//! The host's view of a balancer over slots.

use spinach_engine::{Edge, Signals};

use super::SlotBalancer;
use crate::parts::line_port::line_of;
use crate::values::Frame;

/// Zones of the host.
const PORTS: u64 = 1;
const CORES: u64 = 2;
const BALANCING: u64 = 3;
/// Word that is read where there is no register.
const NOTHING: u32 = 0xfefe_fefe;

/// Zone, unit and register of an address.
fn parts(address: u64) -> (u64, usize, u64) {
    (address >> 16 & 3, (address >> 8 & 0xff) as usize, address >> 2 & 0xf)
}

impl SlotBalancer {
    /// Counts frames of ports for the host, and answers it.
    pub(super) fn serve_host(&mut self, edge: &mut Edge<'_>) {
        if !self.ports.control_request.is_connected {
            return;
        }
        for (lane, frame) in self.ports.frame.iter().enumerate() {
            let counts = &mut self.state.counts[lane];
            if let Some(Frame { bytes, .. }) = edge.signals.received(*frame) {
                let length = edge.payloads().get(bytes).len() as u32;
                counts.bytes = counts.bytes.wrapping_add(length);
                counts.frames = counts.frames.wrapping_add(1);
            } else if edge.signals.is_present(*frame) {
                counts.stalls = counts.stalls.wrapping_add(1);
            }
        }
        let ports = &self.ports;
        if let Some(line) = self.state.port.take(&ports.control_request, &ports.control_response, edge) {
            line.words().for_each(|(address, word)| self.obey_host(address, word));
            let fills =
                (0..self.ports.fill.len()).map(|lane| self.fill(lane, edge.signals)).collect::<Vec<_>>();
            let words = line_of(line.address, |address| self.status(address, &fills));
            self.state.port.answer(Some(words));
        }
    }

    /// Lines that the memory of a port holds, and frames that it has dropped.
    pub(super) fn fill(&self, lane: usize, signals: &Signals) -> [u32; 2] {
        let fill = signals.word(self.ports.fill[lane], 0);
        if signals.is_present(self.ports.fill[lane]) { [fill as u32, (fill >> 32) as u32] } else { [0, 0] }
    }

    fn status(&self, address: u64, fills: &[[u32; 2]]) -> u32 {
        let state = &self.state;
        let (zone, unit, register) = parts(address);
        let counts = state.counts.get(unit);
        let found = match (zone, register) {
            (PORTS, 0) => Some(state.counts.iter().rev().fold(0, |bits, it| bits << 1 | u32::from(it.takes))),
            (PORTS, 4) => fills.get(unit).map(|[lines, _]| *lines),
            (PORTS, 8) => counts.map(|counts| counts.bytes),
            (PORTS, 9) => counts.map(|counts| counts.frames),
            (PORTS, 10) => fills.get(unit).map(|[_, dropped]| *dropped),
            (PORTS, 11) => counts.map(|counts| counts.stalls),
            (CORES, 0) => Some(state.enabled as u32),
            (CORES, 1) => Some(state.receivers as u32),
            (CORES, 3) => state.free.get(unit).map(|free| free.count_ones()),
            (BALANCING, 2) => counts.map(|counts| counts.refused),
            _ => None,
        };
        found.unwrap_or(NOTHING)
    }

    fn obey_host(&mut self, address: u64, word: u32) {
        let state = &mut self.state;
        let (zone, _, register) = parts(address);
        let cores = u64::from(word) & ((1 << state.free.len().min(63)) - 1);
        match (zone, register) {
            (PORTS, 0) => {
                for (port, counts) in state.counts.iter_mut().enumerate() {
                    counts.takes = word >> port & 1 != 0;
                }
            }
            (CORES, 0) => (state.enabled, state.receivers) = (cores, state.receivers & cores),
            (CORES, 1) => state.receivers = cores & state.enabled,
            (CORES, 2) => {
                for (core, free) in state.free.iter_mut().enumerate() {
                    if word >> core & 1 != 0 {
                        *free = 0;
                    }
                }
            }
            (BALANCING, 3) => state.drop_limit = word,
            _ => {}
        }
    }
}
