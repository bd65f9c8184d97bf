//! A private memory whose core acts for it.

use spinach_engine::{Edge, Input, Output, Signals};

use super::{DATA_WAY, INSTRUCTIONS_WAY, PrivateMemory, REGISTERS_WAY, Target, Targets, Waiting};
use crate::values::{Reference, Response, WordAccess};

/// Transfers between a core and its private memory in a cycle.
#[derive(Clone, Copy)]
pub(crate) struct Moved {
    /// True if a reference to an instruction is taken.
    pub(crate) takes_instruction: bool,
    /// True if an instruction is answered.
    pub(crate) gives_instruction: bool,
    /// The same for data.
    pub(crate) takes_data: bool,
    pub(crate) gives_data: bool,
}

impl Moved {
    #[inline]
    pub(super) const fn anything(self) -> bool {
        self.takes_instruction | self.gives_instruction | self.takes_data | self.gives_data
    }
}

/// Compact outcome of one side of a core in a cycle.
#[derive(Clone, Copy, Default)]
pub(crate) struct SideOutcome {
    /// True if a reference is presented and taken.
    pub(crate) is_taken: bool,
    /// True if an answer comes, and true if it is a fault.
    pub(crate) is_answered: bool,
    pub(crate) is_fault: bool,
    /// Data of the answer: no core moves more at once.
    pub(crate) data: u64,
}

impl SideOutcome {
    const NOTHING: Self = Self { is_taken: false, is_answered: false, is_fault: false, data: 0 };

    #[inline(always)]
    fn of(response: Response) -> Self {
        let Response { data, is_fault } = response;
        Self { is_answered: true, is_fault, data: data as u64, ..Self::NOTHING }
    }

    #[inline(always)]
    fn read(input: Input<Response>, signals: &Signals) -> Self {
        Self {
            is_answered: signals.is_present(input),
            is_fault: Response::is_fault_at(signals, input),
            data: signals.word(input, 0),
            ..Self::NOTHING
        }
    }

    /// A requested word that arrives.
    pub(crate) fn word(word: u32) -> Self {
        Self { is_taken: true, is_answered: true, data: word.into(), ..Self::NOTHING }
    }

    /// The answer that comes.
    pub(crate) fn answer(self) -> Option<Response> {
        let Self { is_fault, data, .. } = self;
        self.is_answered.then_some(Response { data: data.into(), is_fault })
    }
}

impl PrivateMemory {
    /// Its processes: forwarding, and responses.
    pub(crate) const PROCESSES: [u16; 2] = [super::FORWARD, super::RESPOND];

    /// True if these lead to it, the sides of instructions and of data.
    pub(crate) fn serves(&self, sides: [(Output<Reference>, Input<Response>); 2]) -> bool {
        let own = [
            (self.ports.instructions_request, self.ports.instructions_response),
            (self.ports.data_request, self.ports.data_response),
        ];
        own.into_iter()
            .zip(sides)
            .all(|((taken, given), (request, response))| request.leads_to(taken) && given.leads_to(response))
    }

    /// Chooses the ways of a core's presented references to these addresses; the core accepts all answers. Forwarded references
    /// are to be passed by [`Self::pass_along`]: the ways that they take, 0 if there are none.
    #[inline(always)]
    pub(crate) fn choose_ways(
        &self,
        instruction: Option<u64>,
        data: Option<u64>,
        signals: &mut Signals,
    ) -> u64 {
        let taken = self.choose(instruction, data);
        signals.clear_other_lanes(&self.ways, taken, &self.last_taken);
        let all = INSTRUCTIONS_WAY | REGISTERS_WAY | DATA_WAY;
        signals.acknowledge_lanes(&self.answers, all, &self.last_heard);
        taken
    }

    /// Presents references on the ways that they take.
    #[inline(never)]
    pub(crate) fn pass_along(
        &self,
        taken: u64,
        instruction: Reference,
        data: Reference,
        signals: &mut Signals,
    ) {
        let ports = &self.ports;
        if taken & INSTRUCTIONS_WAY != 0 {
            signals.write(ports.instructions_beyond_request, Some(instruction));
        }
        if taken & REGISTERS_WAY != 0 {
            signals.write(ports.registers_request, Some(data));
        }
        if taken & DATA_WAY != 0 {
            let address = self.address_beyond(data.address);
            signals.write(ports.data_beyond_request, Some(Reference { address, ..data }));
        }
    }

    /// The instruction at `address` if that comes from the scratch pad and is all that moves in this cycle; [`Self::give_word`] has to
    /// follow then.
    #[inline(always)]
    pub(crate) fn only_word(&self, address: u64) -> Option<u32> {
        let Targets { instruction, data } = self.targets.get();
        let waiting = self.state.instructions.count | self.state.data.count;
        if instruction != Some(Target::Own) || data.is_some() || waiting != 0 {
            return None;
        }
        self.state.storage.word(address.wrapping_sub(self.parameters.base))
    }

    /// Commits the edge of such a cycle; as of [`Self::commit_for_core`].
    #[inline(always)]
    pub(crate) fn give_word(&mut self, edge: &mut Edge<'_>) {
        (self.has_moved, self.conflicts) = (true, false);
        self.state.instructions.target = Target::Own;
        edge.count(super::FETCHES, 1);
        self.relocate(edge);
    }

    /// True if a core that presents nothing gets no answer; [`Self::stay_quiet`] has to follow then.
    #[inline(always)]
    pub(crate) fn is_quiet(&self, signals: &Signals) -> bool {
        let ports = &self.ports;
        let is_silent = |waiting: Waiting, beyond: Input<Response>| match waiting.answering(None) {
            None => true,
            Some(Target::Beyond) => !signals.is_present(beyond),
            Some(Target::Registers) => !signals.is_present(ports.registers_response),
            Some(_) => false,
        };
        is_silent(self.state.instructions, ports.instructions_beyond_response)
            && is_silent(self.state.data, ports.data_beyond_response)
    }

    /// Commits the edge of such a cycle; as of [`Self::commit_for_core`].
    #[inline(always)]
    pub(crate) fn stay_quiet(&mut self, edge: &mut Edge<'_>) {
        (self.has_moved, self.conflicts) = (false, false);
        self.relocate(edge);
    }

    /// Outcome of the instruction side, where the reference to the word at `address` is presented if one is.
    #[inline(always)]
    pub(crate) fn instruction_outcome(&self, address: u64, signals: &Signals) -> SideOutcome {
        let Targets { instruction, .. } = self.targets.get();
        let answer = match self.state.instructions.answering(instruction) {
            None => SideOutcome::NOTHING,
            Some(Target::Own) => self.own_word(address),
            Some(Target::Beyond) => SideOutcome::read(self.ports.instructions_beyond_response, signals),
            Some(_) => SideOutcome::of(Response::FAULT),
        };
        let is_taken = match instruction {
            None => false,
            Some(Target::Beyond) => signals.is_acknowledged(self.ports.instructions_beyond_request),
            Some(_) => true,
        };
        SideOutcome { is_taken, ..answer }
    }

    /// The same for the side of data, where `reference` is presented if anything is: an access to this word, if it is one to a word.
    #[inline(always)]
    pub(crate) fn data_outcome(
        &self,
        word: Option<WordAccess>,
        reference: impl FnOnce() -> Reference,
        signals: &Signals,
    ) -> SideOutcome {
        let Targets { data, .. } = self.targets.get();
        let answer = match (self.state.data.answering(data), word) {
            (None, _) => SideOutcome::NOTHING,
            (Some(Target::Own), Some(WordAccess { address, writes: false, .. })) => self.own_word(address),
            (Some(Target::Own), _) => SideOutcome::of(self.look(&reference())),
            (Some(Target::Beyond), _) => SideOutcome::read(self.ports.data_beyond_response, signals),
            (Some(Target::Registers), _) => SideOutcome::read(self.ports.registers_response, signals),
            (Some(Target::Nowhere), _) => SideOutcome::of(Response::FAULT),
        };
        let is_taken = match data {
            None => false,
            Some(Target::Registers) => signals.is_acknowledged(self.ports.registers_request),
            Some(Target::Beyond) => signals.is_acknowledged(self.ports.data_beyond_request),
            Some(_) => true,
        };
        SideOutcome { is_taken, ..answer }
    }

    /// Answer of the scratch pad to a read of the word at an aligned address.
    #[inline(always)]
    fn own_word(&self, address: u64) -> SideOutcome {
        match self.state.storage.word(address.wrapping_sub(self.parameters.base)) {
            Some(word) => SideOutcome { is_answered: true, data: word.into(), ..SideOutcome::NOTHING },
            None => SideOutcome::of(self.look(&Reference::read(address, 4))),
        }
    }

    /// Commits an edge, given the transfers, the address of a presented instruction, and the reference to data.
    #[inline(always)]
    pub(crate) fn commit_for_core(
        &mut self,
        moved: Moved,
        asked: Option<u64>,
        reference: impl FnOnce() -> Reference,
        edge: &mut Edge<'_>,
    ) {
        self.commit_moved(moved, asked, reference, edge);
    }
}
