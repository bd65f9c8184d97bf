//! `vliw_core`: the five-stage pipeline of `pipelined_core`, a bundle of instructions in place of each instruction.
//!
//! # Bundles
//! A bundle is a set of instructions that a scheduler has found to be executable at once. It is addressed as an instruction is:
//! consecutive bundles are 4 apart, so that return addresses, function pointers and jump tables of code that was compiled for a
//! scalar core keep their values. In memory a bundle is a power of two of 16-byte slices, each fetched through a separate port and
//! from a separate place: slice `s` of the bundle at `a` is at `code_base + s * slice_distance + 4 * (a - code_base)`. Its first
//! word is a header; the others are instructions, 0 where there is none. The upper half of the header is the number of bundles
//! left out before the next, the lower half the number of instructions from the bundle's address to the original place of its
//! branch or jump: targets and return addresses count from there. All words are big-endian.
//!
//! # The pipeline
//! In each cycle at most one bundle is issued; whatever keeps an instruction of it waiting keeps all of it waiting. Results of
//! the integer units can be used in the next cycle, and a cycle later by branches and jumps through registers, which resolve in
//! decode. A loaded value can be used two cycles after its answer came. A taken branch costs nothing beyond its delay slot,
//! which is a bundle; a likely branch that is not taken loses it.
//!
//! Each load/store unit has a data port. The loads of a bundle are presented together, and may be performed in any order; a store
//! is presented once all loads of its bundle were taken, and what follows in the next bundle once all of this were.

mod fetch;
mod issue;
mod memory;
mod state;

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Many, Module, OrUnconnected, Output, Process, Signals, ack, data,
    parameters, ports,
};

use super::accounts::{COUNTERS, Cause};
use super::control::{Command, Order};
use super::decoded::DecodeCache;
use super::form::General;
use super::settings::{CoreParameters, Settings};
use crate::values::{Reference, Response};
use spinach_isa::architecture::Architecture;
use spinach_isa::registered::Classic;
pub(super) use state::VliwState;
use state::{LANES, SLICES};

parameters! {
    /// The parameters of a VLIW core.
    pub struct VliwCoreParameters {
        /// Parameters of every core.
        pub core: CoreParameters,
        /// The instruction set that the core executes.
        pub instruction_set: String = Classic::NAME.to_owned() => of [Classic::NAME],
        /// Number of integer units: for instructions of a bundle that are neither loads, stores, branches nor jumps.
        pub integer_units: u32 = 1 => in 1..=12,
        /// Number of load/store units, each with a data port.
        pub load_store_units: u32 = 1 => in 1..=6,
        /// Number of branch units.
        pub branch_units: u32 = 1 => in 1..=1,
        /// The first address of the code, from which the places of bundles in memory are counted.
        pub code_base: u32 = 0,
        /// Distance of the first slices of bundles from the second ones, those from the third ones, and further on.
        pub slice_distance: spinach_engine::Size = spinach_engine::Size(0x8_0000) => in 16..=0x1000_0000,
        /// Number of refused stores that may wait while younger instructions continue.
        pub store_buffer: u32 = 0 => in 0..=64,
    }
}

ports! {
    /// Ports of a VLIW core.
    pub struct VliwCorePorts {
        /// Memories of slices of bundles, 16 bytes each: one lane for each slice.
        pub fetch: { request: Many<Output<Reference>>, response: Many<Input<Response>> },
        /// Data memories: one lane for each load/store unit.
        pub data: { request: Many<Output<Reference>>, response: Many<Input<Response>> },
        /// Commands from outside: 1 in the upper 32 bits halts the core, 2 resumes it, 3 makes it continue at the address in
        /// the lower 32 bits, 4 makes it issue one bundle and halt.
        pub control: OrUnconnected<Input<u64>>,
    }
}

/// Parallelism of a core, and the layout of its bundles.
#[derive(Clone, Debug)]
struct Machine {
    integer_units: usize,
    load_store_units: usize,
    branch_units: usize,
    /// Number of slices of a bundle.
    slices: usize,
    /// Number of its words that are read.
    words: usize,
    code_base: u32,
    slice_distance: u64,
    store_buffer: usize,
}

/// The five-stage pipeline for bundles. See its declaration.
pub struct VliwCore<A: Architecture<Word = u32>> {
    ports: VliwCorePorts,
    settings: Settings<A>,
    machine: Machine,
    decoder: DecodeCache<A>,
    state: VliwState<A>,
}

impl<A: Architecture<Word = u32>> Module for VliwCore<A> {
    type Parameters = VliwCoreParameters;
    type Ports = VliwCorePorts;
    type State = VliwState<A>;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "vliw_core",
            family: "processor",
            documentation: "A core that issues a bundle of scheduled instructions per cycle.\n\nThe pipeline and the count of \
                            its cycles are those of `pipelined_core`; `spinach_nic.studies.analysis` must have scheduled the \
                            program for the same units. A bundle that needs more units is a reserved instruction. Every exception stops the core. Interrupts are not taken.",
            timing: "All outputs are registered. Responses are always accepted, commands while none waits. At most 8 data references of a \
                     unit await their response.",
            source: "Brogioli, Willmann and Rixner, Parallelization strategies for network interface firmware, sections 3.2 \
                     and 7 (a core for the schedules that the paper evaluates offline)",
            parameters: VliwCoreParameters::declare(),
            ports: VliwCorePorts::declare(),
            counters: COUNTERS,
            clocks: &["clock"],
        }
    }

    fn new(parameters: VliwCoreParameters, ports: VliwCorePorts) -> Result<Self, String> {
        let settings = parameters.core.settings()?;
        if settings.exception_vector.is_some() {
            return Err("exception_vector must be 0: every exception stops this core".to_owned());
        }
        let units = [parameters.integer_units, parameters.load_store_units, parameters.branch_units];
        let width = units.iter().sum::<u32>() as usize;
        let slices = (width + 1).next_power_of_two().max(4) / 4;
        let machine = Machine {
            integer_units: parameters.integer_units as usize,
            load_store_units: parameters.load_store_units as usize,
            branch_units: parameters.branch_units as usize,
            slices,
            words: width + 1,
            code_base: parameters.code_base,
            slice_distance: parameters.slice_distance.0,
            store_buffer: parameters.store_buffer as usize,
        };
        if slices > SLICES {
            return Err(format!("{width} units are too many: a bundle has at most {} words", 4 * SLICES));
        }
        let expected = |name: &str, lanes: usize, wanted: usize, what: &str| {
            (lanes == wanted)
                .then_some(())
                .ok_or_else(|| format!("{name} has {lanes} lanes, but {wanted} {what}"))
        };
        expected("fetch", ports.fetch_request.len(), slices, "slices of a bundle must be fetched")?;
        expected("fetch", ports.fetch_response.len(), slices, "slices of a bundle must be fetched")?;
        expected("data", ports.data_request.len(), machine.load_store_units, "units load and store")?;
        expected("data", ports.data_response.len(), machine.load_store_units, "units load and store")?;
        debug_assert!(machine.load_store_units <= LANES);
        let state = VliwState::new(&settings);
        Ok(Self { decoder: DecodeCache::new(settings.architecture), ports, settings, machine, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = VliwCorePorts;
        let drives = [data(P::FETCH_REQUEST), data(P::DATA_REQUEST)];
        let control = self.ports.control.is_connected.then_some(ack(P::CONTROL));
        vec![Process::new(0).drives(drives).drives(control).accepts([P::FETCH_RESPONSE, P::DATA_RESPONSE])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        for (slice, request) in self.ports.fetch_request.iter().enumerate() {
            signals.write(*request, self.presented_fetch(slice));
        }
        for (request, reference) in self.ports.data_request.iter().zip(self.presented_data()) {
            signals.write(*request, reference);
        }
        signals.acknowledge(self.ports.control.port, self.state.program.control.has_room());
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let oldest = self.oldest_unissued();
        let stands = matches!(self.state.program.control.pending(), Some(Order::StandUntil(_)));
        let is_drained = stands || self.is_drained();
        let had_ended = self.state.program.stop.is_some();
        self.receive_bundle(edge.signals);
        self.exchange_data(edge);
        let has_ended = self.state.program.stop.is_some();
        let account = if has_ended { (Cause::Halted, 0) } else { self.advance(edge, oldest) };
        self.state.program.book::<General>(edge.counters, account);
        if is_drained && had_ended == has_ended {
            self.obey(edge.cycle());
        }
        self.state.program.control.listen(&self.ports.control, edge.signals);
    }

    fn idle(&self) -> Idle {
        if self.resting_account().is_some() { Idle::UntilInput } else { Idle::No }
    }

    fn slept(&mut self, _: u64, count: u64, counters: &mut [u64]) {
        if let Some(account) = self.resting_account() {
            self.state.program.book_many(counters, account, count);
        }
    }

    fn state(&self) -> &VliwState<A> {
        &self.state
    }

    fn restore(&mut self, state: VliwState<A>) -> Result<(), String> {
        self.state.program.check_replacement(&state.program)?;
        self.state = state;
        Ok(())
    }
}

impl<A: Architecture<Word = u32>> VliwCore<A> {
    /// One step of every stage from memory to decode, oldest first. Returns what the cycle went to, and the address that it is
    /// counted on; `oldest` is that of the oldest bundle not issued when the cycle began.
    fn advance(&mut self, edge: &mut Edge<'_>, oldest: u32) -> (Cause, u32) {
        self.state.wrong_path = false;
        if let Some(account) = self.advance_memory(edge) {
            return account;
        }
        if self.state.program.stop.is_some() {
            return (Cause::Halted, 0);
        }
        if let Some(place) = self.state.execute.take() {
            self.execute(place, edge);
        }
        let account = (self.issue(edge.cycle()), oldest);
        self.fill_decode();
        account
    }

    /// True if everything issued has completed.
    fn is_drained(&self) -> bool {
        self.state.execute.is_none() && self.state.memory.is_none()
    }

    /// Obeys the pending command, if any.
    fn obey(&mut self, cycle: u64) {
        match self.state.program.obey(cycle) {
            None => return,
            Some(Command::Jump(address)) => {
                self.state.follows_branch = false;
                self.fetch_from(address as u32);
            }
            Some(_) => self.fetch_again(),
        }
        self.state.empty_cause = Cause::Pipeline;
    }

    /// If nothing can change before something arrives: what the cycles until then go to.
    fn resting_account(&self) -> Option<(Cause, u32)> {
        let state = &self.state;
        let presents_fetch = (0..self.machine.slices).any(|slice| self.presented_fetch(slice).is_some());
        if state.program.control.pending().is_some() || !state.store_buffer.is_empty() || presents_fetch {
            return None;
        }
        let is_fetching = state.fetch.is_outstanding();
        if !is_fetching && state.fetch.buffer.is_none() && !state.fetch.pc.is_multiple_of(4) {
            return None;
        }
        if state.program.stop.is_some() {
            return Some((Cause::Halted, 0));
        }
        if let Some(account) = self.waits_for_response() {
            return Some(account);
        }
        if !self.is_drained() || state.exception_pending {
            return None;
        }
        if state.program.control.halted {
            return Some((Cause::Halted, 0));
        }
        let waits_for_bundle = state.decode.is_none()
            && state.fetch.buffer.is_none()
            && is_fetching
            && !state.held
            && state.empty_cause == Cause::InstructionMiss;
        waits_for_bundle.then_some((Cause::InstructionMiss, self.oldest_unissued()))
    }
}
