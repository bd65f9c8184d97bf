//! Run of a simulation with a guest that has it as a device.

use std::io;
use std::time::Duration;

use spinach_engine::{Condition, Control, Limit, ModuleId, Outcome, Progress, Simulation};
use spinach_modules::bus::guest_messages::{ACCESS, MEMORY};

use crate::guest::Guest;
use crate::live::waiting::wait;
use crate::live::{Live, counter};

/// Counter of messages from the module that represents the guest.
pub(crate) const MESSAGES: &str = "messages";
/// Wall time that simulated time pauses after an access, since the next often follows at once.
const LINGER: Duration = Duration::from_micros(60);
/// Maximum length of a piece of the run before the guest is polled again.
const LONGEST_PIECE: Duration = Duration::from_micros(300);

/// Lanes into the module that represents the guest, in order, with their names in a recording.
pub const LANES: [(&str, u32); 2] = [("guest.accesses", ACCESS), ("guest.memory", MEMORY)];

/// A run with a guest outside, and other devices.
pub struct Attached {
    live: Live,
    // None in a replay.
    guest: Option<Box<dyn Guest>>,
    host: ModuleId,
    // The number of the lane 0; the others follow.
    first_lane: usize,
    said: u64,
}

impl Attached {
    /// Run with `guest`, which the module `host` represents in the simulation; without a guest, if `live` replays such a run.
    pub fn new(mut live: Live, guest: Option<Box<dyn Guest>>, host: ModuleId) -> Self {
        live.shorten_pieces(LONGEST_PIECE);
        let numbers = LANES.map(|(_, lane)| live.add_lane(host, lane));
        Self { live, guest, host, first_lane: numbers[0], said: 0 }
    }

    /// Other connections to the outside.
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
            let is_awaited = self.guest.as_ref().is_some_and(|guest| guest.is_waiting());
            let end = self.live.end_of_piece(now, limit.time, is_awaited);
            let mut piece = limit.clone();
            if let Some(guest) = &self.guest {
                if end <= now {
                    self.live.wait([guest.readiness()]);
                    continue;
                }
                let at_least = self.said + 1;
                let path = path.clone();
                piece = piece.or(Condition::Counter { path, counter: MESSAGES.to_owned(), at_least });
            }
            match self.live.run_piece(simulation, &piece, end, progress)? {
                Outcome::Reached | Outcome::ConditionHolds => {}
                outcome => return Ok(outcome),
            }
        }
    }

    // Carries messages both ways until neither side has a message.
    fn serve(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        self.tell(simulation)?;
        while let Some(guest) = &mut self.guest {
            if let Some((lane, message)) = guest.take().map_err(gone)? {
                return self.inject(simulation, lane, &message);
            }
            let left = LINGER.saturating_sub(guest.since_answer());
            if left.is_zero() {
                break;
            }
            wait([guest.readiness()].into_iter(), left);
        }
        Ok(())
    }

    // Passes messages of the device to the guest, if there is one.
    fn tell(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        let said = counter(simulation, self.host, MESSAGES);
        if said == self.said {
            return Ok(());
        }
        self.said = said;
        loop {
            let module = simulation.outside(self.host).ok_or("the guest's host has no way out")?;
            let Some(exported) = module.export(0) else { return Ok(()) };
            let Some(guest) = &mut self.guest else { continue };
            if let Some((lane, message)) = guest.tell(&exported.message).map_err(gone)? {
                self.inject(simulation, lane, &message)?;
            }
        }
    }

    fn inject(&mut self, simulation: &mut Simulation, lane: u32, message: &[u8]) -> Result<(), String> {
        self.live.inject(self.first_lane + lane as usize, message, simulation)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn gone(error: io::Error) -> String {
    format!("the guest is gone: {error}")
}
