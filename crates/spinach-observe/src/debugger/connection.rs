//! The connection to a client: a thread that speaks the protocol, and passes jobs to the one that runs the system.

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gdbstub::stub::{DisconnectReason, GdbStub};
use spinach_isa::debugging::Watched;

use super::debugged::{Debugged, Job, Order, Orders, Report, StopReason};
use super::layout::Layout;
use super::target::{Client, Ending, EventLoop};

/// Interval at which a stopped run checks if it is to end.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum time that the end of a run waits for the client's acknowledgement.
const FAREWELL: Duration = Duration::from_secs(2);

/// Message of a client about the next step.
pub(super) enum ClientMessage {
    /// Resume order.
    Order(Order),
    /// Nothing yet.
    Nothing,
    /// It has left; the run is to end if `is_killed`.
    Gone { is_killed: bool },
}

/// A connection to one client, which may not have come yet.
pub(super) struct Connection {
    /// Outstanding requests of the client.
    pub orders: Orders,
    jobs: Receiver<Job>,
    reports: Sender<Report>,
    interrupt: Arc<AtomicBool>,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
    has_come: Arc<AtomicBool>,
    ending: Ending,
}

impl Connection {
    /// Waits at `address` for one client that debugs `layout`'s cores.
    ///
    /// # Errors
    /// If the address cannot be used; one sentence.
    pub(super) fn listen(
        layout: Layout,
        cores: usize,
        can_go_back: bool,
        address: &str,
    ) -> Result<Self, String> {
        let listener = TcpListener::bind(address).map_err(|error| format!("{address}: {error}"))?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let ((job_sender, jobs), (reports, received)) = (channel(), channel());
        let (interrupt, ending) = (Arc::new(AtomicBool::new(false)), Ending::default());
        let client = Client::new(layout, (cores, can_go_back), job_sender, received, Arc::clone(&interrupt));
        let has_come = Arc::new(AtomicBool::new(false));
        let (came, left) = (Arc::clone(&has_come), Arc::clone(&ending));
        let thread = std::thread::spawn(move || serve(&listener, client, &came, &left));
        Ok(Self {
            orders: Orders::default(),
            jobs,
            reports,
            interrupt,
            address,
            thread: Some(thread),
            has_come,
            ending,
        })
    }

    /// Listening address.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Next message of the client, or none for a moment.
    pub(super) fn receive(&mut self, debugged: &mut dyn Debugged) -> ClientMessage {
        loop {
            if let Some(order) = self.orders.order.take() {
                return ClientMessage::Order(order);
            }
            match self.jobs.recv_timeout(POLL_INTERVAL) {
                Ok(job) => job(debugged, &mut self.orders),
                Err(RecvTimeoutError::Timeout) => return ClientMessage::Nothing,
                Err(RecvTimeoutError::Disconnected) => {
                    return ClientMessage::Gone { is_killed: self.orders.is_killed };
                }
            }
        }
    }

    /// True if the client has requested a stop since the last call.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.swap(false, Ordering::Relaxed)
    }

    /// Reports a stop to the client, with the present watchpoints.
    pub(super) fn report(&self, reason: StopReason, watched: Vec<Watched>) {
        // A client that is gone needs no answer.
        let _ = self.reports.send(Report::Stopped(reason, watched));
    }

    /// Tells the client that the run has ended, with an exit code. Says why the connection broke, if it did.
    pub(super) fn finish(&mut self, debugged: &mut dyn Debugged, code: u8) -> Option<String> {
        let _ = self.reports.send(Report::Exited(code));
        if !self.has_come.load(Ordering::Relaxed) {
            return None;
        }
        let until = Instant::now() + FAREWELL;
        while self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) && Instant::now() < until {
            if let Ok(job) = self.jobs.recv_timeout(POLL_INTERVAL) {
                job(debugged, &mut self.orders);
            }
        }
        self.ending.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn serve(listener: &TcpListener, mut client: Client, has_come: &AtomicBool, ending: &Mutex<Option<String>>) {
    let accepted = listener.accept();
    has_come.store(true, Ordering::Relaxed);
    let failure = match accepted {
        Err(error) => Some(error.to_string()),
        Ok((stream, _)) => match GdbStub::new(stream).run_blocking::<EventLoop>(&mut client) {
            Ok(DisconnectReason::Kill) => {
                let kill: Job = Box::new(|_, orders| orders.is_killed = true);
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
