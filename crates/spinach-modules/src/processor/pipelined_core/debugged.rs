//! A pipelined core under a debugger.

use spinach_isa::architecture::Architecture;
use spinach_isa::debugging::Hit;
use spinach_isa::word::Word;

use super::super::debugging::{Debugged, Load, View, Watch, set, view};
use super::super::decoded::Unit;
use super::super::profile::AccountSums;
use super::PipelinedCore;
use super::state::{Place, WordReference};

impl<A: Architecture> PipelinedCore<A> {
    /// Records the issue of an instruction, for a debugger.
    #[cold]
    #[inline(never)]
    pub(super) fn look_at_issue(&mut self, place: Place) {
        let slot = &self.state.flight(place).slot;
        let registers = &self.state.program.registers;
        self.hit = self.watch.as_ref().and_then(|watch| watch.meets(slot.pc, &slot.decoded, registers));
    }

    /// The address of the oldest instruction that was not executed.
    fn oldest_unexecuted(&self) -> A::Word {
        let state = &self.state;
        state.execute.map_or_else(|| self.oldest_unissued(), |place| state.flight(place).slot.pc)
    }

    fn has_settled(&self) -> bool {
        self.is_drained() && self.state.store_buffer.is_empty() && self.state.outstanding.is_empty()
    }
}

impl<A: Architecture> Debugged for PipelinedCore<A> {
    fn add_accounts(&mut self, sums: &mut AccountSums) {
        if let Some(profile) = &mut self.state.program.profile {
            profile.add_to(sums);
        }
    }

    fn keeps_calls(&self) -> bool {
        self.state.program.calls.is_some()
    }

    fn watch(&mut self, watch: Option<Box<Watch>>) {
        (self.watch, self.hit) = (watch, None);
        self.note_whether_usual();
    }

    fn hit(&self) -> Option<Hit> {
        self.hit
    }

    fn settle(&mut self) {
        let pc = self.oldest_unexecuted();
        self.state.program.control.settle();
        self.state.execute = None;
        self.state.follows_branch = false;
        self.fetch_from(pc);
        self.state.missing = pc;
    }

    fn view(&self) -> View {
        let state = &self.state;
        view(&state.program, self.oldest_unexecuted(), state.execute.is_some(), self.has_settled())
    }

    fn set(&mut self, general: u8, value: u64) -> bool {
        set(&mut self.state.program, general, value, self.state.awaited)
    }

    // It takes the way of a refused store.
    fn load(&mut self, address: u64) -> bool {
        let may_load = self.has_settled() && !self.state.program.control.may_issue();
        if may_load {
            let load = WordReference::load(Unit::Word, A::Word::from_u64(address), self.settings.identity);
            self.state.store_buffer.push_back((self.oldest_unexecuted(), load));
            self.loaded = Load::Awaited;
            self.note_data_change();
        }
        may_load
    }

    fn loaded(&self) -> Load {
        self.loaded
    }
}
