//! `wire_faults`: a wire that loses, damages, doubles, reorders and delays frames.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, Output, Process, Signals, Time, ack, data, parameters, ports,
};

use crate::parts::alarm::Alarm;
use crate::traffic::faults::{Chosen, Fault, Faults};
use crate::values::Frame;

parameters! {
    /// The parameters of a wire with faults. Frames are numbered from 0 in the order in which they come.
    pub struct WireFaultsParameters {
        /// Chooses the faults of frames at random.
        pub seed: u64 = 1; variable,
        /// Numbers of the frames that get one wrong bit, and with it a wrong frame check sequence.
        pub damaged: Vec<u64> = Vec::new(),
        /// Number of randomly damaged frames of this kind per million.
        pub damaged_per_million: u32 = 0 => in 0..=1_000_000; variable,
        /// Numbers of the frames that are cut to less than 60 bytes.
        pub shortened: Vec<u64> = Vec::new(),
        /// Number of randomly cut frames per million.
        pub shortened_per_million: u32 = 0 => in 0..=1_000_000; variable,
        /// Numbers of the frames that are lengthened to `lengthened_to` bytes.
        pub lengthened: Vec<u64> = Vec::new(),
        /// Number of randomly lengthened frames per million.
        pub lengthened_per_million: u32 = 0 => in 0..=1_000_000; variable,
        /// See `lengthened`.
        pub lengthened_to: u32 = 1515 => in 60..=65535; variable,
        /// Numbers of the frames that are lost.
        pub lost: Vec<u64> = Vec::new(),
        /// Number of randomly lost frames per million.
        pub lost_per_million: u32 = 0 => in 0..=1_000_000; variable,
        /// Numbers of the frames that arrive twice.
        pub duplicated: Vec<u64> = Vec::new(),
        /// Number of randomly duplicated frames per million.
        pub duplicated_per_million: u32 = 0 => in 0..=1_000_000; variable,
        /// Numbers of the frames that others overtake.
        pub reordered: Vec<u64> = Vec::new(),
        /// Number of randomly reordered frames per million.
        pub reordered_per_million: u32 = 0 => in 0..=1_000_000; variable,
        /// Number of frames that overtake a reordered one.
        pub reordered_by: u32 = 1 => in 1..=1024; variable,
        /// Maximum time that a reordered frame is held, even if fewer have overtaken it.
        pub held_at_most: Time = Time::from_femtoseconds(100_000_000_000),
        /// Numbers of the frames that are delayed, with all that follow them.
        pub delayed: Vec<u64> = Vec::new(),
        /// Number of randomly delayed frames per million.
        pub delayed_per_million: u32 = 0 => in 0..=1_000_000; variable,
        /// Delay of a delayed frame.
        pub delay: Time = Time::from_femtoseconds(10_000_000_000); variable,
    }
}

ports! {
    /// Ports of a wire with faults.
    pub struct WireFaultsPorts {
        /// Frames as they were sent.
        pub input: Input<Frame>,
        /// Frames as they arrive.
        pub output: Output<Frame>,
    }
}

/// State of a wire with faults.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WireFaultsState {
    // The number of the next frame.
    next: u64,
    // Frames in the order in which they leave, and when each may.
    leaving: VecDeque<Leaving>,
    // Frames that others still overtake.
    held: VecDeque<Held>,
    is_presenting: bool,
    alarm: Option<Alarm>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Leaving {
    frame: Frame,
    due: Time,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Held {
    frame: Leaving,
    overtaken_by: u32,
    until: Time,
}

/// Wire that loses, damages, duplicates, reorders and delays frames. See its declaration.
pub struct WireFaults {
    faults: Faults,
    reordered_by: u32,
    held_at_most: Time,
    delay: Time,
    ports: WireFaultsPorts,
    state: WireFaultsState,
}

// With as many inside, the next has to wait: frames that the module holds back must not be without end.
const MOST_FRAMES: usize = 64;

const FRAMES: usize = 0;
const FAULTY: usize = 1;
const LOST: usize = 2;
const DUPLICATED: usize = 3;
const REORDERED: usize = 4;
const DELAYED: usize = 5;

impl Module for WireFaults {
    type Parameters = WireFaultsParameters;
    type Ports = WireFaultsPorts;
    type State = WireFaultsState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "wire_faults",
            family: "traffic",
            documentation: "A wire that loses, damages, doubles, reorders and delays frames.\n\nIt is placed between any two \
                            modules that pass frames. A frame has at most one fault. The number of a frame and the seed \
                            determine its fault, so a run with faults can be repeated.",
            timing: "All outputs are registered: a frame is presented in the cycle after the one in which it was taken. It holds up to \
                     64 frames; a delayed or reordered frame is presented in the cycle after the first edge at or after its time.",
            source: "IEEE 802.3, 3.4 (frames to be refused); RFC 4737 (reordering)",
            parameters: WireFaultsParameters::declare(),
            ports: WireFaultsPorts::declare(),
            counters: &[
                ("frames", "frames that were taken"),
                ("faulty", "frames whose bytes a fault has changed"),
                ("dropped_lost", "frames that were lost"),
                ("duplicated", "frames that left twice"),
                ("reordered", "frames that were held back for others"),
                ("delayed", "frames that were delayed, without those behind them"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(p: WireFaultsParameters, ports: WireFaultsPorts) -> Result<Self, String> {
        let kinds = vec![
            (Fault::Damaged, Chosen::new(p.damaged, p.damaged_per_million)),
            (Fault::Shortened, Chosen::new(p.shortened, p.shortened_per_million)),
            (Fault::Lengthened, Chosen::new(p.lengthened, p.lengthened_per_million)),
            (Fault::Lost, Chosen::new(p.lost, p.lost_per_million)),
            (Fault::Duplicated, Chosen::new(p.duplicated, p.duplicated_per_million)),
            (Fault::Reordered, Chosen::new(p.reordered, p.reordered_per_million)),
            (Fault::Delayed, Chosen::new(p.delayed, p.delayed_per_million)),
        ];
        Ok(Self {
            faults: Faults::new(kinds, p.lengthened_to as usize, p.seed)?,
            reordered_by: p.reordered_by,
            held_at_most: p.held_at_most,
            delay: p.delay,
            ports,
            state: WireFaultsState::default(),
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = WireFaultsPorts;
        vec![Process::new(0).drives([data(P::OUTPUT), ack(P::INPUT)])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let state = &self.state;
        let first = state.leaving.front().filter(|_| state.is_presenting);
        signals.write(self.ports.output, first.map(|leaving| leaving.frame));
        signals.acknowledge(self.ports.input, state.leaving.len() + state.held.len() < MOST_FRAMES);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.output) {
            self.state.leaving.pop_front();
        }
        if let Some(frame) = edge.signals.received(self.ports.input) {
            self.take(frame, edge);
        }
        let state = &mut self.state;
        while let Some(held) = state.held.front().filter(|held| held.until <= edge.time()) {
            state.leaving.push_back(held.frame);
            state.held.pop_front();
        }
        let first_due = state.leaving.front().map(|leaving| leaving.due);
        state.is_presenting = first_due.is_some_and(|due| due <= edge.time());
        let waits_for = first_due.filter(|_| !state.is_presenting);
        let released = state.held.front().map(|held| held.until);
        let due = waits_for.into_iter().chain(released).min();
        state.alarm = due.map(|due| Alarm::set(due, edge));
    }

    fn idle(&self) -> Idle {
        self.state.alarm.map_or(Idle::UntilTransfer, |alarm| Idle::UntilTransferOrCycle(alarm.look_at()))
    }

    fn state(&self) -> &WireFaultsState {
        &self.state
    }

    fn restore(&mut self, state: WireFaultsState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl WireFaults {
    // Puts a frame where its fault lets it go.
    fn take(&mut self, frame: Frame, edge: &mut Edge<'_>) {
        let index = self.state.next;
        self.state.next += 1;
        edge.count(FRAMES, 1);
        let mut leaving = Leaving { frame, due: edge.time() };
        match self.faults.of(index) {
            None => {}
            Some(fault @ (Fault::Damaged | Fault::Shortened | Fault::Lengthened)) => {
                let mut bytes = edge.payloads().remove(frame.bytes).unwrap_or_default().into_vec();
                self.faults.put(fault, index, &mut bytes);
                leaving.frame.bytes = edge.payloads().insert(bytes);
                leaving.frame.is_intact &= fault != Fault::Damaged;
                edge.count(FAULTY, 1);
            }
            Some(Fault::Lost) => {
                drop(edge.payloads().remove(frame.bytes));
                edge.count(LOST, frame.loss());
                return;
            }
            Some(Fault::Duplicated) => {
                let bytes = edge.payloads().get(frame.bytes).to_vec();
                self.leave(leaving);
                leaving.frame.bytes = edge.payloads().insert(bytes);
                edge.count(DUPLICATED, frame.loss());
            }
            Some(Fault::Reordered) => {
                let until = edge.time().saturating_add(self.held_at_most);
                self.state.held.push_back(Held { frame: leaving, overtaken_by: 0, until });
                edge.count(REORDERED, 1);
                return;
            }
            Some(Fault::Delayed) => {
                leaving.due = edge.time().saturating_add(self.delay);
                edge.count(DELAYED, 1);
            }
        }
        self.leave(leaving);
    }

    // A frame leaves, and behind it those that enough others have overtaken now.
    fn leave(&mut self, frame: Leaving) {
        let state = &mut self.state;
        state.leaving.push_back(frame);
        state.held.iter_mut().for_each(|held| held.overtaken_by += 1);
        while let Some(held) = state.held.front().filter(|held| held.overtaken_by >= self.reordered_by) {
            state.leaving.push_back(held.frame);
            state.held.pop_front();
        }
    }
}
