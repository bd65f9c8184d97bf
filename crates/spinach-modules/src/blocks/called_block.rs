//! `called_block`: a block whose behaviour is called outside of the library, as that of a class in Python.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use spinach_engine::declaration::Ports;
use spinach_engine::{
    AnyNumber, Declaration, Edge, Idle, Input, Module, Output, Payloads, Process, Signals, ack, data, ports,
};

use super::OWN_COUNTERS;
use crate::values::{Frame, Reference, Response};

/// A value of a lane, as the behaviour sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CalledValue {
    /// A frame with its bytes.
    Frame {
        /// The bytes, without frame check sequence.
        bytes: Box<[u8]>,
        /// True if the frame check sequence is correct.
        is_intact: bool,
    },
    /// A word.
    Word(u64),
    /// A request to a memory or to registers.
    Reference(Reference),
    /// The answer to a request.
    Response(Response),
}

/// Outputs of a block in the next cycle.
#[derive(Clone, Debug, Default)]
pub struct CalledOutputs {
    /// Value of each output lane: frames, words, requests of `memory`, responses of `registers`.
    pub presented: Vec<Option<CalledValue>>,
    /// True for each input lane that accepts: frames, words, responses of `memory`, requests of `registers`.
    pub accepts: Vec<bool>,
    /// True if only a transfer changes the state.
    pub is_idle: bool,
}

/// Behaviour of a block: a state, and its change at each edge.
pub trait Behaviour: Send {
    /// Compute the outputs that the state implies.
    ///
    /// # Errors
    /// If the behaviour fails; one sentence.
    fn settle(&mut self) -> Result<CalledOutputs, String>;
    /// The clock edge of `cycle`: values that came in, by input lane, and outputs that left, by output lane. Returns the increments
    /// of its counters.
    ///
    /// # Errors
    /// If the behaviour fails; one sentence.
    fn commit(
        &mut self,
        cycle: u64,
        received: Vec<Option<CalledValue>>,
        sent: Vec<bool>,
    ) -> Result<Vec<u64>, String>;
    /// The state.
    ///
    /// # Errors
    /// If it is not plain data; one sentence.
    fn save(&self) -> Result<Vec<u8>, String>;
    /// Puts a saved state in place of the present one.
    ///
    /// # Errors
    /// If it is not a state of this behaviour; one sentence.
    fn restore(&mut self, state: &[u8]) -> Result<(), String>;
}

/// Request to a block to take its behaviour, by [`spinach_engine::Simulation::ask`].
pub struct GiveBehaviour(pub Option<Box<dyn Behaviour>>);

ports! {
    /// Ports of a called block.
    pub struct CalledBlockPorts {
        /// Frames into the block.
        pub frame_in: AnyNumber<Input<Frame>>,
        /// Frames from the block.
        pub frame_out: AnyNumber<Output<Frame>>,
        /// Words into the block.
        pub word_in: AnyNumber<Input<u64>>,
        /// Words from the block.
        pub word_out: AnyNumber<Output<u64>>,
        /// Memories that the block accesses.
        pub memory: { request: AnyNumber<Output<Reference>>, response: AnyNumber<Input<Response>> },
        /// Accesses to the block.
        pub registers: { request: AnyNumber<Input<Reference>>, response: AnyNumber<Output<Response>> },
    }
}

enum Attached {
    Nothing,
    Behaviour(Box<dyn Behaviour>),
    Saved(Vec<u8>),
}

impl Serialize for Attached {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = match self {
            Self::Nothing => Vec::new(),
            Self::Behaviour(behaviour) => behaviour.save().map_err(S::Error::custom)?,
            Self::Saved(bytes) => bytes.clone(),
        };
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Attached {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Err(D::Error::custom("the state of a block has no readable form"));
        }
        serde_bytes::ByteBuf::deserialize(deserializer).map(|bytes| Self::Saved(bytes.into_vec()))
    }
}

/// State of a called block.
#[derive(Serialize, Deserialize)]
pub struct CalledBlockState {
    attached: Attached,
    frames: Vec<Option<Frame>>,
    words: Vec<Option<u64>>,
    requests: Vec<Option<Reference>>,
    responses: Vec<Option<Response>>,
    accepts: Vec<bool>,
    is_idle: bool,
}

/// A block whose behaviour is called. See its declaration.
pub struct CalledBlock {
    ports: CalledBlockPorts,
    state: CalledBlockState,
}

const RECEIVED: usize = 0;
const SENT: usize = 1;

impl Module for CalledBlock {
    type Parameters = ();
    type Ports = CalledBlockPorts;
    type State = CalledBlockState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "called_block",
            family: "blocks",
            documentation: "A block whose behaviour is a class in Python.\n\n`spinach_nic.blocks.PythonModule` makes it; its \
                            ports are the lanes of this module. It is called in each cycle in which it does not sleep, which costs as much as \
                            many modules of the library: use it for prototypes and tests.",
            timing: "All outputs are registered. In cycle 0 it presents and accepts nothing.",
            source: "design of this project",
            parameters: Vec::new(),
            ports: CalledBlockPorts::declare(),
            counters: &with_own_counters!(("received", "values that entered"), ("sent", "values that left")),
            clocks: &["clock"],
        }
    }

    fn new((): (), ports: CalledBlockPorts) -> Result<Self, String> {
        if ports.memory_request.len() != ports.memory_response.len()
            || ports.registers_request.len() != ports.registers_response.len()
        {
            return Err("requests and responses are not connected on the same lanes".to_owned());
        }
        let inputs = [ports.frame_in.len(), ports.word_in.len()];
        let memories = [ports.memory_response.len(), ports.registers_request.len()];
        let state = CalledBlockState {
            attached: Attached::Nothing,
            frames: vec![None; ports.frame_out.len()],
            words: vec![None; ports.word_out.len()],
            requests: vec![None; ports.memory_request.len()],
            responses: vec![None; ports.registers_response.len()],
            accepts: vec![false; inputs.into_iter().chain(memories).sum()],
            is_idle: false,
        };
        Ok(Self { ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = CalledBlockPorts;
        let outputs = [P::FRAME_OUT, P::WORD_OUT, P::MEMORY_REQUEST, P::REGISTERS_RESPONSE].map(data);
        let inputs = [P::FRAME_IN, P::WORD_IN, P::MEMORY_RESPONSE, P::REGISTERS_REQUEST].map(ack);
        vec![Process::new(0).drives(outputs).drives(inputs)]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        ports.frame_out.iter().zip(&state.frames).for_each(|(output, value)| signals.write(*output, *value));
        ports.word_out.iter().zip(&state.words).for_each(|(output, value)| signals.write(*output, *value));
        ports
            .memory_request
            .iter()
            .zip(&state.requests)
            .for_each(|(output, value)| signals.write(*output, *value));
        let responses = ports.registers_response.iter().zip(&state.responses);
        responses.for_each(|(output, value)| signals.write(*output, *value));
        let mut accepts = state.accepts.iter().copied();
        let mut next = || accepts.next().unwrap_or(false);
        ports.frame_in.iter().for_each(|input| signals.acknowledge(*input, next()));
        ports.word_in.iter().for_each(|input| signals.acknowledge(*input, next()));
        ports.memory_response.iter().for_each(|input| signals.acknowledge(*input, next()));
        ports.registers_request.iter().for_each(|input| signals.acknowledge(*input, next()));
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let (received, sent) = (self.received(edge), self.sent(edge));
        edge.count(RECEIVED, received.iter().flatten().count() as u64);
        edge.count(SENT, sent.iter().filter(|is_sent| **is_sent).count() as u64);
        let Attached::Behaviour(behaviour) = &mut self.state.attached else {
            return edge.stop("it has no behaviour");
        };
        // Cycle 0 is the reset.
        let committed =
            if edge.cycle() == 0 { Ok(Vec::new()) } else { behaviour.commit(edge.cycle(), received, sent) };
        let outputs = committed.and_then(|counts| {
            counts
                .iter()
                .take(OWN_COUNTERS)
                .enumerate()
                .for_each(|(index, count)| edge.count(SENT + 1 + index, *count));
            behaviour.settle()
        });
        if let Err(reason) = outputs.and_then(|outputs| self.state.set(outputs, edge.payloads())) {
            edge.stop(reason);
        }
    }

    fn idle(&self) -> Idle {
        if self.state.is_idle { Idle::UntilTransfer } else { Idle::No }
    }

    fn ask(&mut self, request: &mut dyn std::any::Any) {
        if let Some(behaviour) = request.downcast_mut::<GiveBehaviour>().and_then(|given| given.0.take()) {
            self.state.attached = Attached::Behaviour(behaviour);
        }
    }

    fn obstacle_to_saving(&self) -> Option<String> {
        match &self.state.attached {
            Attached::Behaviour(behaviour) => behaviour.save().err(),
            _ => None,
        }
    }

    fn state(&self) -> &CalledBlockState {
        &self.state
    }

    fn restore(&mut self, state: CalledBlockState) -> Result<(), String> {
        if state.sizes() != self.state.sizes() {
            return Err("its ports differ".to_owned());
        }
        if let (Attached::Behaviour(behaviour), Attached::Saved(bytes)) =
            (&mut self.state.attached, &state.attached)
        {
            behaviour.restore(bytes)?;
        }
        let attached = std::mem::replace(&mut self.state.attached, Attached::Nothing);
        self.state = CalledBlockState { attached, ..state };
        Ok(())
    }
}

impl CalledBlock {
    fn received(&self, edge: &mut Edge<'_>) -> Vec<Option<CalledValue>> {
        let (ports, signals) = (&self.ports, edge.signals);
        let mut received = Vec::with_capacity(self.state.accepts.len());
        for input in &*ports.frame_in {
            received.push(signals.received(*input).map(|frame| CalledValue::Frame {
                bytes: edge.payloads().remove(frame.bytes).unwrap_or_default(),
                is_intact: frame.is_intact,
            }));
        }
        received.extend(ports.word_in.iter().map(|input| signals.received(*input).map(CalledValue::Word)));
        let responses = ports.memory_response.iter();
        received.extend(responses.map(|input| signals.received(*input).map(CalledValue::Response)));
        let requests = ports.registers_request.iter();
        received.extend(requests.map(|input| signals.received(*input).map(CalledValue::Reference)));
        received
    }

    // Returns, for each output, true if its value has left. Such values are no longer presented.
    fn sent(&mut self, edge: &Edge<'_>) -> Vec<bool> {
        let (ports, state, signals) = (&self.ports, &mut self.state, edge.signals);
        let mut sent: Vec<bool> = ports.frame_out.iter().map(|output| signals.is_sent(*output)).collect();
        for (frame, is_sent) in state.frames.iter_mut().zip(&sent) {
            // Its payload belongs to the receiver.
            frame.take_if(|_| *is_sent);
        }
        sent.extend(ports.word_out.iter().map(|output| signals.is_sent(*output)));
        sent.extend(ports.memory_request.iter().map(|output| signals.is_sent(*output)));
        sent.extend(ports.registers_response.iter().map(|output| signals.is_sent(*output)));
        sent
    }
}

impl CalledBlockState {
    fn sizes(&self) -> [usize; 5] {
        let memories = [self.requests.len(), self.responses.len()];
        [self.frames.len(), self.words.len(), memories[0], memories[1], self.accepts.len()]
    }

    fn set(&mut self, outputs: CalledOutputs, payloads: &mut Payloads) -> Result<(), String> {
        let lanes = self.frames.len() + self.words.len() + self.requests.len() + self.responses.len();
        if (outputs.presented.len(), outputs.accepts.len()) != (lanes, self.accepts.len()) {
            return Err("the behaviour has other ports".to_owned());
        }
        let mut presented = outputs.presented.into_iter();
        let wrong = || "a port presents a value of another type".to_owned();
        for frame in &mut self.frames {
            match presented.next().flatten() {
                None => discard(frame.take(), payloads),
                Some(CalledValue::Frame { bytes, is_intact }) => {
                    // A frame that is presented again keeps its payload.
                    if !frame
                        .is_some_and(|old| old.is_intact == is_intact && *payloads.get(old.bytes) == *bytes)
                    {
                        discard(frame.take(), payloads);
                        *frame = Some(Frame { is_intact, ..Frame::intact(payloads.insert(bytes)) });
                    }
                }
                Some(_) => return Err(wrong()),
            }
        }
        for word in &mut self.words {
            *word = match presented.next().flatten() {
                None => None,
                Some(CalledValue::Word(value)) => Some(value),
                Some(_) => return Err(wrong()),
            };
        }
        for request in &mut self.requests {
            *request = match presented.next().flatten() {
                None => None,
                Some(CalledValue::Reference(value)) => Some(value),
                Some(_) => return Err(wrong()),
            };
        }
        for response in &mut self.responses {
            *response = match presented.next().flatten() {
                None => None,
                Some(CalledValue::Response(value)) => Some(value),
                Some(_) => return Err(wrong()),
            };
        }
        self.accepts = outputs.accepts;
        self.is_idle = outputs.is_idle;
        Ok(())
    }
}

fn discard(frame: Option<Frame>, payloads: &mut Payloads) {
    if let Some(Frame { bytes, .. }) = frame {
        payloads.remove(bytes);
    }
}
