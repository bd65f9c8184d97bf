//! Running a simulation beside a guest that has it for a device.

use std::time::Duration;

use spinach_engine::{Condition, Control, Limit, ModuleId, Outcome, Progress, Simulation};

use crate::guest::Guest;
use crate::live::waiting::wait;
use crate::live::{Live, counter};

/// The counter of what the module that stands for the guest says to it.
const MESSAGES: &str = "messages";
/// For how long simulated time stands still after an access, since the next often follows at once.
const LINGER: Duration = Duration::from_micros(60);
/// How long a piece of the run may take before the guest is looked at again.
const LONGEST_PIECE: Duration = Duration::from_micros(300);

/// A run with a guest outside, and what else is outside.
pub struct Attached {
    live: Live,
    guest: Guest,
    host: ModuleId,
    said: u64,
}

impl Attached {
    /// A run with `guest`, for which the module `host` stands in the simulation.
    pub fn new(mut live: Live, guest: Guest, host: ModuleId) -> Self {
        live.shorten_pieces(LONGEST_PIECE);
        Self { live, guest, host, said: 0 }
    }

    /// What else is outside.
    pub fn live(&mut self) -> &mut Live {
        &mut self.live
    }

    /// Runs as [`Live::run`] does, and lets the guest reach its device meanwhile. When the guest ends, the run stops.
    ///
    /// # Errors
    /// If a condition names something that does not exist.
    pub fn run(
        &mut self,
        simulation: &mut Simulation,
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Outcome, String> {
        let path = simulation.netlist().modules[self.host].path.clone();
        loop {
            if let Err(reason) = self.serve(simulation).and_then(|()| self.live.exchange(simulation)) {
                return Ok(Outcome::Stopped(reason));
            }
            let now = simulation.now();
            if now >= limit.time {
                return Ok(Outcome::Reached);
            }
            if progress(Progress { now, limit: limit.time }) == Control::Stop {
                return Ok(Outcome::Interrupted);
            }
            let end = self.live.end_of_piece(now, limit.time, self.guest.is_waiting());
            if end <= now {
                self.live.wait([self.guest.readiness()]);
                continue;
            }
            let at_least = self.said + 1;
            let told = Condition::Counter { path: path.clone(), counter: MESSAGES.to_owned(), at_least };
            match self.live.run_piece(simulation, &limit.clone().or(told), end, progress)? {
                Outcome::Reached | Outcome::ConditionHolds => {}
                outcome => return Ok(outcome),
            }
        }
    }

    // Carries messages both ways until neither side has any more.
    fn serve(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        let gone = |error| format!("the guest is gone: {error}");
        self.tell(simulation)?;
        loop {
            if let Some((lane, message)) = self.guest.take().map_err(gone)? {
                hand_in(simulation, self.host, lane, &message)?;
                return Ok(());
            }
            let left = LINGER.saturating_sub(self.guest.since_answer());
            if left.is_zero() {
                return Ok(());
            }
            wait([self.guest.readiness()].into_iter(), left);
        }
    }

    fn tell(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        let said = counter(simulation, self.host, MESSAGES);
        if said == self.said {
            return Ok(());
        }
        self.said = said;
        loop {
            let module = simulation.outside(self.host).ok_or("the guest's host has no way out")?;
            let Some(handed_out) = module.hand_out() else { return Ok(()) };
            let told = self.guest.tell(&handed_out.message);
            if let Some((lane, message)) = told.map_err(|error| format!("the guest is gone: {error}"))? {
                hand_in(simulation, self.host, lane, &message)?;
            }
        }
    }
}

fn hand_in(simulation: &mut Simulation, host: ModuleId, lane: u32, message: &[u8]) -> Result<(), String> {
    let module = simulation.outside(host).ok_or("the guest's host has no way in")?;
    module.hand_in(lane, message)
}
