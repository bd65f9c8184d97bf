//! The contract that every module fulfils.

use std::any::Any;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::declaration::{Declaration, Ports, Process};
use super::direct::{Passage, Reach};
use super::edge_context::{EdgeContext, End};
use super::joint::JointValue;
use super::note::Note;
use super::outside::Outside;
use super::parameter::Parameters;
use super::payload::Payloads;
use super::repetition::{Leap, Outlook};
use super::signals::Signals;
use crate::ids::{Id, ModuleId};
use crate::time::Time;

/// A kind of hardware block.
///
/// In each cycle of its clock a module first *evaluates*: every one of its [`Process`]es computes the outputs it drives from
/// the state and from the inputs it declares. Then it *commits*: it sees which values moved and changes its state.
/// `evaluate` must be a pure function of the state and the declared inputs; it may run any number of times in a cycle.
/// Modules share nothing: what a module knows of others comes through its ports.
pub trait Module: Sized + Send + 'static {
    /// Parameters that a user can set.
    type Parameters: Parameters;
    /// Ports of the module.
    type Ports: Ports;
    /// Everything that changes from cycle to cycle; plain data, so that a checkpoint is a copy.
    type State: Serialize + DeserializeOwned;

    /// True if [`Module::commit`] does anything. `false` for modules without state, which cost less.
    const COMMITS: bool = true;
    /// True if the engine may skip this module while it is idle. Worth it for blocks that cost more than a few nanoseconds a
    /// cycle and are idle often.
    const SLEEPS: bool = false;
    /// True if [`Module::slept`] does anything. Modules that do not count idle cycles say `false`, and may sleep even while their
    /// counters are watched.
    const ACCOUNTS_FOR_SLEEP: bool = true;

    /// True if modules of this kind can predict their behaviour, with [`Module::outlook`]. Worth it for modules that stay awake
    /// while a system waits, such as cores that poll and the memories that they poll. Only for modules that sleep and have one
    /// clock.
    const REPEATS: bool = false;

    /// Documentation, parameters, ports, counters and clocks.
    fn declaration() -> Declaration;

    /// Makes an instance in its initial state.
    ///
    /// # Errors
    /// If the parameters contradict each other or the connections; one sentence that says how.
    fn new(parameters: Self::Parameters, ports: Self::Ports) -> Result<Self, String>;

    /// The groups of outputs and what each depends on. Must drive every output of every connected port exactly once.
    fn processes(&self) -> Vec<Process>;

    /// Computes the outputs of one process. Modules that only accept always need none.
    fn evaluate(&self, code: u16, lane: u32, signals: &mut Signals) {
        let _ = (code, lane, signals);
    }

    /// The clock edge: look at the transfers, change the state.
    ///
    /// A module with several clocks commits once for each of them. Where their edges fall together, it does so in the order in
    /// which they are declared, after all sides have settled. A later commit sees the state that an earlier one left, so a
    /// module that must not look ahead compares [`Edge::time`] with the time of the change.
    fn commit(&mut self, edge: &mut Edge<'_>) {
        let _ = edge;
    }

    /// The wake condition of this module, given that nothing is presented to it or by it.
    ///
    /// A module that does not return [`Idle::No`] promises that, as long as nothing is presented to it or by it, its commits
    /// before the one it names change no state and no counter, apart from those that [`Module::slept`] corrects. One that returns
    /// [`Idle::UntilTransfer`] or [`Idle::UntilTransferOrCycle`] promises the same for as long as no value moves through any of
    /// its ports, even if values are presented and refused. Modules with [`Module::SLEEPS`] are skipped one by one; the others are
    /// skipped when their whole clock domain is idle and nothing is presented in it.
    fn idle(&self) -> Idle {
        Idle::No
    }

    /// True if all outputs are set as the present state demands, so that an idle module may sleep at once. The engine otherwise waits
    /// until each clock of the module has evaluated and committed once more.
    fn outputs_are_set(&self, signals: &Signals) -> bool {
        let _ = signals;
        false
    }

    /// Accounts for cycles in which this module was skipped: cycles `first` to `first + count - 1` of its clock, the first if it
    /// has several. Other clocks may have committed since then. Called only of modules with [`Module::ACCOUNTS_FOR_SLEEP`].
    fn slept(&mut self, first: u64, count: u64, counters: &mut [u64]) {
        let _ = (first, count, counters);
    }

    /// Adds to `outlook` all state that determines the future behaviour of this module, besides its inputs; a cycle as
    /// [`Outlook::add_cycle`]. Pure counts, and state that matters only after another event, can be left out: unchanged counters
    /// of the module already show that no event of some kind has happened. Returns the first cycle in which time alone changes
    /// the behaviour, [`u64::MAX`] if there is no such cycle; `None` if the module cannot tell at present.
    fn outlook(&self, counters: &[u64], outlook: &mut Outlook) -> Option<u64> {
        let _ = (counters, outlook);
        None
    }

    /// Hash of a part of the outlook, which costs little.
    fn outlook_hash(&self) -> u64 {
        0
    }

    /// Begins a period that may be repeated and that [`Module::leap`] ends. It lasts `cycles`. In each such period the values
    /// registered by [`Outlook::add_advancing`] are expected to advance by `advances`.
    fn begin_period(&mut self, cycles: u64, advances: &[u64]) {
        let _ = (cycles, advances);
    }

    /// Maximum number of repetitions of the period that ends now, given that values advance equally in each: behaviour must not
    /// depend on these values.
    fn repeatable(&self) -> u64 {
        u64::MAX
    }

    /// Repeats the effects of the period that ends now, as often as `leap` says; zero times if an event intervened. The engine
    /// updates the counters. State outside of the outlook must be advanced to its final value.
    fn leap(&mut self, leap: Leap) {
        let _ = leap;
    }

    /// Takes a value that left the other end of its [joint](super::Joint). `cycle` is its first cycle whose edge is later than the
    /// departure. Called in the order of departures, before the edge that is [`Module::lookahead`] cycles later; the exact moment must
    /// not matter.
    fn arrive(&mut self, cycle: u64, departure: JointValue) {
        let _ = (cycle, departure);
    }

    /// Number of cycles for which an arriving value changes nothing, counted from the first edge later than its departure. At least 1
    /// for modules with a joint.
    fn lookahead(&self) -> u64 {
        0
    }

    /// The addressable contents, for modules that are memories.
    fn contents(&mut self) -> Option<&mut dyn Contents> {
        None
    }

    /// The way to the world outside of the simulation, for modules that have one.
    fn outside(&mut self) -> Option<&mut dyn Outside> {
        None
    }

    /// Answers a request of a client that knows this kind of module, such as a debugger of a core. The two agree on the form of
    /// requests and answers; a module ignores unknown requests.
    fn ask(&mut self, request: &mut dyn Any) {
        let _ = request;
    }

    /// Destinations of references that enter through lane `lane` of the input with index `port`, as far as they may bypass the
    /// ports; see [`Reach`]. Ranges do not overlap. Addresses outside of every range must use the port.
    fn passages(&self, port: usize, lane: usize) -> Vec<Passage> {
        let _ = (port, lane);
        Vec::new()
    }

    /// The outputs behind which this module reaches bytes directly, by their indices. Only modules with one clock.
    fn reaches(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Receives its reachable memory, before the first edge; called if there is any.
    fn attach(&mut self, reach: &Reach<'_>) {
        let _ = reach;
    }

    /// Exchanges data with a loan of a module that reaches this one directly; the two agree on the form of loans. Every loan comes
    /// back before anything else happens to this module.
    fn lend(&mut self, loan: &mut dyn Any, counters: &mut [u64]) {
        let _ = (loan, counters);
    }

    /// The state after a cycle as text of a few words, for a line trace. Traces show the changed values of other states.
    fn line(&self) -> Option<String> {
        None
    }

    /// Reason why the state cannot be saved, for modules that depend on something outside of this library; one sentence.
    fn obstacle_to_saving(&self) -> Option<String> {
        None
    }

    /// The state.
    fn state(&self) -> &Self::State;

    /// Puts a saved state in place of the present one.
    ///
    /// # Errors
    /// If the state does not belong to an instance with these parameters.
    fn restore(&mut self, state: Self::State) -> Result<(), String>;
}

/// The wake condition of an idle module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Idle {
    /// It has work to do.
    No,
    /// Something presented to it.
    UntilInput,
    /// Something presented to it, or the commit of this cycle of its clock. The same as [`Idle::No`] for modules with
    /// several clocks.
    UntilCycle(u64),
    /// A transfer into it or out of it. It stays idle while it refuses a value and while a value that it
    /// presents is refused.
    UntilTransfer,
    /// A transfer into it or out of it, or the commit of this cycle of its clock; the latter as [`Idle::UntilCycle`].
    UntilTransferOrCycle(u64),
}

impl Idle {
    /// The wake condition of two modules that sleep as one.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        use Idle::{No, UntilCycle, UntilInput, UntilTransfer, UntilTransferOrCycle};
        let (own, others) = (self.cycle(), other.cycle());
        let first = own.into_iter().chain(others).min();
        match (self, other) {
            (No, _) | (_, No) => No,
            (UntilTransfer | UntilTransferOrCycle(_), UntilTransfer | UntilTransferOrCycle(_)) => {
                first.map_or(UntilTransfer, UntilTransferOrCycle)
            }
            _ => first.map_or(UntilInput, UntilCycle),
        }
    }

    /// The cycle whose commit it waits for, if it waits for one.
    fn cycle(self) -> Option<u64> {
        match self {
            Self::UntilCycle(cycle) | Self::UntilTransferOrCycle(cycle) => Some(cycle),
            Self::No | Self::UntilInput | Self::UntilTransfer => None,
        }
    }
}

/// Addressable bytes inside a module, for loading, dumping and watching from outside.
pub trait Contents {
    /// Size of the memory, in bytes.
    fn size(&self) -> u64;
    /// Copies bytes out, from `address` on; `false` (and nothing copied) if they are not all inside.
    fn read(&self, address: u64, bytes: &mut [u8]) -> bool;
    /// Copies bytes in, from `address` on; `false` (and nothing changed) if they are not all inside.
    fn write(&mut self, address: u64, bytes: &[u8]) -> bool;
}

/// View of a module at a clock edge.
pub struct Edge<'a> {
    /// The settled channels.
    pub signals: &'a Signals,
    /// This module's counters, in the order of its declaration.
    pub counters: &'a mut [u64],
    /// Clock of the module, as an index into its declaration; 0 for modules with one clock.
    pub clock: u32,
    pub(crate) module: u32,
    pub(crate) context: &'a mut EdgeContext,
}

impl Edge<'_> {
    /// A copy of this edge for rare, out-of-line code. With a reference to this one, the compiler would keep it in memory in
    /// every cycle.
    #[inline(always)]
    pub fn reborrow(&mut self) -> Edge<'_> {
        Edge { counters: self.counters, context: self.context, ..*self }
    }

    /// The number of this cycle, counted from 0 by the clock whose edge it is.
    #[inline]
    pub fn cycle(&self) -> u64 {
        self.context.cycle
    }

    /// Time of this edge.
    #[inline]
    pub fn time(&self) -> Time {
        self.context.time
    }

    /// Values too long to travel through channels.
    #[inline]
    pub fn payloads(&mut self) -> &mut Payloads {
        &mut self.context.payloads
    }

    /// Sends a value through the [joint](super::Joint) of this module; it is lost if nothing is connected there.
    pub fn send_through_joint(&mut self, words: Vec<u64>, payload: Option<Box<[u8]>>) {
        let departure = JointValue { time: self.context.time, words, payload };
        self.context.departures.push((self.module, departure));
        if self.context.is_alone {
            self.context.end.get_or_insert(End::Sent);
        }
    }

    /// Memory that this module reaches directly behind the outputs that it named; `None` if there is none, or if the engine did
    /// not resolve it. Constant over a run.
    #[inline]
    pub fn reach(&mut self) -> Option<Reach<'_>> {
        let window = self.context.windows.get(self.module as usize)?.as_deref()?;
        Some(Reach { window })
    }

    /// The edge `cycles` cycles later of the same clock, for a module that acts ahead of time. Only the number of the cycle is that
    /// of the later edge.
    #[inline]
    pub fn ahead<R>(&mut self, cycles: u64, act: impl FnOnce(&mut Edge<'_>) -> R) -> R {
        self.context.cycle += cycles;
        let result = act(&mut self.reborrow());
        self.context.cycle -= cycles;
        result
    }

    /// True if a listener receives the notes of modules.
    #[inline]
    pub fn is_heard(&self) -> bool {
        self.context.notes.is_heard()
    }

    /// Stops the simulation after this cycle, because the simulated system cannot continue, with the reason. The engine puts the
    /// name of the module in front.
    #[cold]
    pub fn stop(&mut self, reason: impl Into<String>) {
        if !matches!(self.context.end, Some(End::Stop(..))) {
            self.context.end = Some(End::Stop(self.module, reason.into()));
        }
    }

    /// Ends the run after this cycle with [`crate::Outcome::Paused`], for an observer of the module outside; another run
    /// continues it. A stop in the same cycle takes precedence.
    pub fn pause(&mut self) {
        if !matches!(self.context.end, Some(End::Stop(..))) {
            self.context.end = Some(End::Pause);
        }
    }

    /// Adds `amount` to counter number `counter` of this module.
    #[inline]
    pub fn count(&mut self, counter: usize, amount: u64) {
        self.counters[counter] += amount;
    }

    /// Sends a note to the [`crate::Listener`], if there is one; `words` is not called otherwise. No state may depend on it.
    #[inline]
    pub fn note(&mut self, words: impl FnOnce() -> [u64; 3]) {
        if self.context.notes.is_heard() {
            self.reborrow().note_heard(words);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_heard(self, words: impl FnOnce() -> [u64; 3]) {
        let EdgeContext { cycle, time, notes, .. } = self.context;
        let module = ModuleId::from_index(self.module as usize);
        notes.push(Note { module, cycle: *cycle, time: *time, words: words() });
    }
}
