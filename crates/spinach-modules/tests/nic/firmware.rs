//! Stand-in for a core with firmware: a function that waits for the answer of memory wherever a core would.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Input, Many, Module, Output, Process, Signals, data, parameters, ports,
};
use spinach_modules::values::{Reference, Response};

parameters! {
    pub struct StandInParameters {
        /// Name of the program among [`PROGRAMS`].
        pub program: String,
        /// A number for the program.
        pub option: u64 = 0,
    }
}

ports! {
    pub struct StandInPorts {
        /// Requests; which lane is decided by bits 28 and up of the address: 0 is lane 0, others are registers, lane `n` from
        /// `0x1000_0000 + 0x100 * (n - 1)` on.
        pub bus: { request: Many<Output<Reference>>, response: Many<Input<Response>> },
    }
}

/// The address of register block `number`.
pub(crate) const fn registers(number: u32) -> u32 {
    0x1000_0000 + 0x100 * number
}

/// Request of the program, and the answer.
#[derive(Default)]
struct Exchange {
    request: Option<Reference>,
    answer: Option<Response>,
}

/// A program's view of the system.
pub(crate) struct Bus {
    exchange: Arc<Mutex<Exchange>>,
    pub option: u64,
}

impl Bus {
    async fn perform(&self, reference: Reference) -> u32 {
        self.exchange.lock().expect("no thread panicked").request = Some(reference);
        let response = poll_fn(|_| match self.exchange.lock().expect("no thread panicked").answer.take() {
            Some(response) => Poll::Ready(response),
            None => Poll::Pending,
        });
        let response = response.await;
        assert!(!response.is_fault, "nothing answers to {reference:x?}");
        (response.data as u32).swap_bytes()
    }

    pub(crate) async fn read(&self, address: u32) -> u32 {
        self.perform(Reference::read(u64::from(address), 4)).await
    }

    pub(crate) async fn write(&self, address: u32, word: u32) {
        self.perform(Reference::write(u64::from(address), 4, u128::from(word.swap_bytes()))).await;
    }
}

/// A program under way.
pub(crate) type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A program.
pub(crate) type Program = fn(Bus) -> Running;

/// Performs what its program asks for, one reference at a time. Checkpoints are not supported.
pub(crate) struct StandIn {
    ports: StandInPorts,
    exchange: Arc<Mutex<Exchange>>,
    program: Option<Running>,
    pending: Option<Reference>,
    is_taken: bool,
}

fn lane_of(reference: &Reference) -> usize {
    if reference.address < 0x1000_0000 { 0 } else { 1 + ((reference.address - 0x1000_0000) >> 8) as usize }
}

impl Module for StandIn {
    type Parameters = StandInParameters;
    type Ports = StandInPorts;
    type State = ();

    fn declaration() -> Declaration {
        Declaration {
            kind: "test_firmware",
            family: "test",
            documentation: "Runs a program.",
            timing: "Registered.",
            source: "None.",
            parameters: StandInParameters::declare(),
            ports: StandInPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new(parameters: StandInParameters, ports: StandInPorts) -> Result<Self, String> {
        let found = super::PROGRAMS.iter().find(|(name, _)| *name == parameters.program);
        let (_, program) = *found.ok_or("there is no such program")?;
        let exchange = Arc::new(Mutex::new(Exchange::default()));
        let bus = Bus { exchange: Arc::clone(&exchange), option: parameters.option };
        Ok(Self { ports, exchange, program: Some(program(bus)), pending: None, is_taken: false })
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).drives([data(StandInPorts::BUS_REQUEST)]).accepts([StandInPorts::BUS_RESPONSE])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let offered = self.pending.filter(|_| !self.is_taken);
        let chosen = offered.as_ref().map(lane_of);
        for (lane, port) in self.ports.bus_request.iter().enumerate() {
            signals.write(*port, offered.filter(|_| chosen == Some(lane)));
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let Some(pending) = self.pending else {
            self.step();
            return;
        };
        let lane = lane_of(&pending);
        self.is_taken |= edge.signals.is_sent(self.ports.bus_request[lane]);
        if let Some(response) = edge.signals.received(self.ports.bus_response[lane]) {
            self.exchange.lock().expect("no thread panicked").answer = Some(response);
            self.step();
        }
    }

    fn state(&self) -> &() {
        &()
    }

    fn restore(&mut self, (): ()) -> Result<(), String> {
        Err("a running program cannot be restored".to_owned())
    }
}

impl StandIn {
    // Runs the program until it waits for its next answer, or ends.
    fn step(&mut self) {
        let Some(program) = &mut self.program else { return };
        if program.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
            self.program = None;
        }
        self.pending = self.exchange.lock().expect("no thread panicked").request.take();
        self.is_taken = false;
    }
}
