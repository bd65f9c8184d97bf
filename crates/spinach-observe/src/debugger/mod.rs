//! The remote protocol of gdb for the cores of a simulated system.
//!
//! The run stands while gdb holds it, and nothing that gdb looks at changes what comes: what it shows of a core lies between two
//! instructions, and for that a copy of the run completes what is under way and is thrown away. Going back restores a checkpoint
//! and runs from there to the last moment at which something was met.

mod layout;
mod machine;
mod memory;
mod monitor;
mod past;
mod target;

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gdbstub::stub::{DisconnectReason, GdbStub};
use spinach_engine::{Control, Limit, ModuleId, Outcome, Progress, Simulation};

use self::layout::Layout;
use self::machine::{Machine, Stand, views_of};
pub use self::memory::MappedMemory;
use self::target::{Client, Ending, EventLoop, Job, Order, Server, Told};

/// How often a run that stands looks whether it is to end.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// How long the end of a run waits for the client to take note.
const FAREWELL: Duration = Duration::from_secs(2);

/// A debugger of one simulation. The run stands from the start until a client has it go on.
pub struct Debugger {
    server: Server,
    jobs: Receiver<Job>,
    told: Sender<Told>,
    interrupt: Arc<AtomicBool>,
    address: SocketAddr,
    connection: Option<JoinHandle<()>>,
    ending: Ending,
    /// Whether a client holds the run, or one is awaited.
    is_held: bool,
    can_go_back: bool,
}

impl Debugger {
    /// Waits at `address` for one client that debugs `cores`. What happens between two calls of [`Self::run`] can be repeated if it
    /// `can_go_back`.
    ///
    /// # Errors
    /// If a core answers no debugger, or nobody can listen there; one sentence.
    pub fn listen(
        simulation: &mut Simulation,
        cores: Vec<ModuleId>,
        memories: Vec<MappedMemory>,
        caches: Vec<ModuleId>,
        address: &str,
        can_go_back: bool,
    ) -> Result<Self, String> {
        let views = views_of(simulation, &cores).filter(|views| !views.is_empty());
        let Some(views) = views else {
            return Err("cores of this kind answer no debugger".to_owned());
        };
        let name = views[0].instruction_set;
        let layout = Layout::of(name).ok_or_else(|| format!("nothing is known of {name}"))?;
        let listener = TcpListener::bind(address).map_err(|error| format!("{address}: {error}"))?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let ((job_sender, jobs), (told, hears)) = (channel(), channel());
        let (interrupt, ending) = (Arc::new(AtomicBool::new(false)), Ending::default());
        let client = Client::new(layout, cores.len(), job_sender, hears, Arc::clone(&interrupt));
        let left = Arc::clone(&ending);
        let connection = std::thread::spawn(move || serve(&listener, client, &left));
        Ok(Self {
            server: Server { machine: Machine::new(cores, memories, caches), order: None, is_killed: false },
            jobs,
            told,
            interrupt,
            address,
            connection: Some(connection),
            ending,
            is_held: true,
            can_go_back,
        })
    }

    /// Where it waits.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Runs as [`Simulation::run`] does, except that the client may have the run stand, go back and go on.
    ///
    /// # Errors
    /// If a condition names something that does not exist, or a checkpoint fails.
    pub fn run(
        &mut self,
        simulation: &mut Simulation,
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Outcome, String> {
        if !self.can_go_back {
            self.server.machine.forget_past();
        }
        loop {
            if !self.is_held {
                return simulation.run(limit, progress);
            }
            match self.await_order(simulation, limit, progress)? {
                Some(Outcome::Paused) => {}
                Some(outcome) => return Ok(outcome),
                None => return self.end_early(simulation),
            }
        }
    }

    // One order of the client, and what came of it: `Paused` if the run stands, `None` if it is to end.
    fn await_order(
        &mut self,
        simulation: &mut Simulation,
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Option<Outcome>, String> {
        while self.server.order.is_none() {
            match self.jobs.recv_timeout(BETWEEN_LOOKS) {
                Ok(job) => job(&mut self.server, simulation),
                Err(RecvTimeoutError::Timeout) => {
                    if progress(Progress { now: simulation.now(), limit: limit.time }) == Control::Stop {
                        return Ok(None);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.is_held = false;
                    self.server.machine.let_go(simulation)?;
                    return Ok((!self.server.is_killed).then_some(Outcome::Paused));
                }
            }
        }
        let Some(order) = self.server.order.take() else { return Ok(Some(Outcome::Paused)) };
        let machine = &mut self.server.machine;
        let stand = match &order {
            Order::Back(going) => machine.go_back(simulation, going)?,
            Order::Forward(going) => {
                let interrupt = &self.interrupt;
                let mut asked = false;
                let mut look = |at: Progress| {
                    asked = interrupt.swap(false, Ordering::Relaxed);
                    if asked { Control::Stop } else { progress(at) }
                };
                match machine.go_on(simulation, going, limit, &mut look)? {
                    Ok(stand) => stand,
                    Err(Outcome::Interrupted) if asked => Stand::Asked,
                    Err(outcome) => {
                        // The client still waits: the next run goes on with what it asked for.
                        self.server.order = Some(order);
                        return Ok(Some(outcome));
                    }
                }
            }
        };
        let watched = self.server.machine.data.clone();
        // A client that is gone needs no answer.
        let _ = self.told.send(Told::Stand(stand, watched));
        Ok(Some(Outcome::Paused))
    }

    fn end_early(&mut self, simulation: &mut Simulation) -> Result<Outcome, String> {
        self.server.machine.let_go(simulation)?;
        Ok(Outcome::Interrupted)
    }

    /// Tells the client that the run has ended, with an exit code. Says why the connection broke, if it did.
    pub fn finish(&mut self, simulation: &mut Simulation, code: u8) -> Option<String> {
        let _ = self.told.send(Told::Ended(code));
        let until = Instant::now() + FAREWELL;
        while self.connection.as_ref().is_some_and(|connection| !connection.is_finished())
            && Instant::now() < until
        {
            if let Ok(job) = self.jobs.recv_timeout(BETWEEN_LOOKS) {
                job(&mut self.server, simulation);
            }
        }
        self.ending.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn serve(listener: &TcpListener, mut client: Client, ending: &Mutex<Option<String>>) {
    let failure = match listener.accept() {
        Err(error) => Some(error.to_string()),
        Ok((stream, _)) => match GdbStub::new(stream).run_blocking::<EventLoop>(&mut client) {
            Ok(DisconnectReason::Kill) => {
                let kill: Job = Box::new(|server, _| server.is_killed = true);
                // The run may have ended meanwhile.
                let _ = client.jobs.send(kill);
                None
            }
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        },
    };
    *ending.lock().unwrap_or_else(PoisonError::into_inner) = failure;
}
