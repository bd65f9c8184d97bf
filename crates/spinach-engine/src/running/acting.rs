//! Commits of modules that may sleep.

use super::activity::ASLEEP;
use super::batches::Batches;
use super::world::World;
use crate::contract::{Idle, Signals};

/// Actor that commits at the edges of a clock, and sleeps in between: a module, or a fusion.
pub(super) trait Acting {
    const SLEEPS: bool;
    const ACCOUNTS_FOR_SLEEP: bool;

    /// Its number among the modules.
    fn number(&self) -> u32;
    /// See [`Instance::pause`](crate::contract::Instance).
    fn pause(&mut self) -> &mut i8;
    /// Commits, asleep or not.
    fn commit(&mut self, clock: u32, world: &mut World);
    fn idle(&self) -> Idle;
    /// See [`Module::outputs_are_set`](crate::contract::Module).
    #[inline(always)]
    fn outputs_are_set(&self, signals: &Signals) -> bool {
        let _ = signals;
        false
    }
    /// See [`Fusion::begins_to_rest`](crate::contract::Fusion).
    #[inline(always)]
    fn begins_to_rest(&self) -> bool {
        false
    }
    /// Accounts for cycles in which it was skipped.
    fn slept(&mut self, since: u64, count: u64);

    /// Commits unless it sleeps, and tests whether it may fall asleep.
    #[inline(always)]
    fn commit_awake(&mut self, clock: u32, batches: &Batches, world: &mut World) {
        if Self::SLEEPS && *self.pause() < 0 && !self.wakes(clock, world) {
            return;
        }
        self.commit(clock, world);
        if !Self::SLEEPS {
        } else if *self.pause() > 0 && !self.begins_to_rest() {
            *self.pause() -= 1;
        } else if *self.pause() >= 0 && world.sleeping {
            let are_set = self.outputs_are_set(&world.signals);
            *self.pause() = world.consider(batches, self.number(), clock, (self.idle(), are_set));
        }
    }

    /// Ends the sleep if it has been woken.
    #[cold]
    #[inline(never)]
    fn wakes(&mut self, clock: u32, world: &mut World) -> bool {
        if *self.pause() == ASLEEP && world.activity.is_fast_asleep(self.number()) {
            return false;
        }
        let (pause, skipped) = world.activity.end_sleep(self.number(), clock, world.context.cycle);
        *self.pause() = pause;
        if Self::ACCOUNTS_FOR_SLEEP
            && let Some((since, count)) = skipped
        {
            self.slept(since, count);
        }
        true
    }
}
