//! `function`: computes a word from words.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AnyNumber, Declaration, Edge, Idle, Input, Module, Output, Policy, Process, Signals, ack, data,
    parameters, ports,
};

parameters! {
    /// The parameters of a function.
    pub struct FunctionParameters {
        /// Computed function. Its inputs are the words of the lanes; with `absent = "zero"` they are followed by as many
        /// presences, 1 or 0. A named policy combines the words of all lanes from the first to the last: `subtract` takes all
        /// others from the first, `equal` and `less` compare each neighbouring pair and give 1 or 0.
        pub policy: Policy => of [
            "add", "subtract", "multiply", "and", "or", "exclusive_or", "equal", "less", "minimum", "maximum", "first",
            "last"
        ],
        /// Behaviour while some lanes present nothing. `wait`: present nothing. `zero`: take their words as 0 and present a
        /// result in every cycle, as control logic does.
        pub absent: String = "wait".to_owned() => of ["wait", "zero"],
        /// Time at which the state of the policy advances: when a result is accepted, or in every cycle.
        pub advance: String = "transfer".to_owned() => of ["transfer", "cycle"],
    }
}

ports! {
    /// Ports of a function.
    pub struct FunctionPorts {
        /// Operands.
        pub input: AnyNumber<Input<u64>>,
        /// The result.
        pub output: Output<u64>,
    }
}

/// The state of the policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FunctionState {
    words: Vec<u64>,
}

#[derive(Clone, Copy)]
enum Named {
    Fold(fn(u64, u64) -> u64),
    Chain(fn(&u64, &u64) -> bool),
    First,
    Last,
}

/// Computes a word from words. See its declaration.
pub struct Function {
    policy: Policy,
    named: Option<Named>,
    // Absent words count as 0 instead of being waited for.
    takes_absent: bool,
    advances_every_cycle: bool,
    ports: FunctionPorts,
    state: FunctionState,
}

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;
const MAXIMUM_LANES: usize = 32;

type Words = [u64; 2 * MAXIMUM_LANES];

impl Named {
    fn find(policy: &Policy) -> Option<Self> {
        let Policy::Named(name) = policy else { return None };
        Some(match name.as_str() {
            "add" => Self::Fold(u64::wrapping_add),
            "subtract" => Self::Fold(u64::wrapping_sub),
            "multiply" => Self::Fold(u64::wrapping_mul),
            "and" => Self::Fold(|a, b| a & b),
            "or" => Self::Fold(|a, b| a | b),
            "exclusive_or" => Self::Fold(|a, b| a ^ b),
            "minimum" => Self::Fold(u64::min),
            "maximum" => Self::Fold(u64::max),
            "equal" => Self::Chain(u64::eq),
            "less" => Self::Chain(u64::lt),
            "last" => Self::Last,
            _ => Self::First,
        })
    }

    fn evaluate(self, words: &[u64]) -> u64 {
        match self {
            Self::Fold(combine) => words.iter().copied().reduce(combine).unwrap_or(0),
            Self::Chain(holds) => u64::from(words.iter().zip(&words[1..]).all(|(a, b)| holds(a, b))),
            Self::First => words[0],
            Self::Last => words[words.len() - 1],
        }
    }
}

impl Function {
    #[inline]
    fn is_complete(&self, signals: &Signals) -> bool {
        self.takes_absent || self.ports.input.iter().all(|input| signals.is_present(*input))
    }

    // One of the inputs of the policy.
    #[inline]
    fn input(&self, number: usize, signals: &Signals) -> u64 {
        let inputs = &*self.ports.input;
        match inputs.get(number) {
            Some(input) => signals.read(*input).unwrap_or(0),
            None => u64::from(signals.is_present(inputs[number - inputs.len()])),
        }
    }

    // The inputs of the policy: words, then presences.
    #[inline]
    fn gather<'a>(&self, signals: &Signals, words: &'a mut Words) -> &'a [u64] {
        let lanes = self.ports.input.len();
        for (lane, input) in self.ports.input.iter().enumerate() {
            let word = signals.read(*input);
            words[lane] = word.unwrap_or(0);
            words[lanes + lane] = u64::from(word.is_some());
        }
        &words[..if self.takes_absent { 2 * lanes } else { lanes }]
    }

    fn evaluate(&self, signals: &Signals) -> u64 {
        if let Policy::Lifted(expression) = &self.policy {
            return expression.evaluate_with(|input| self.input(input as usize, signals), &self.state.words);
        }
        let mut words = [0; 2 * MAXIMUM_LANES];
        let inputs = self.gather(signals, &mut words);
        match self.named {
            Some(named) => named.evaluate(&inputs[..self.ports.input.len()]),
            None => self.policy.evaluate(inputs, &self.state.words),
        }
    }
}

impl Module for Function {
    type Parameters = FunctionParameters;
    type Ports = FunctionPorts;
    type State = FunctionState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "function",
            family: "interconnect",
            documentation: "Computes a word from words.\n\nA result is presented when every lane presents a word; all lanes \
                            are acknowledged together, when it is taken. Without lanes it is a source: a constant or a \
                            sequence. With `absent = \"zero\"` it is control logic, such as the generator of a stall signal: \
                            it presents a result in every cycle and acknowledges whatever is presented when that is taken.",
            timing: "Combinational. The result depends on the data of all lanes; the acknowledgements depend on that of the \
                     output and, unless absent words count as zero, on the data of all lanes. State advances at the clock edge.",
            source: "Spinach thesis, section 3.2.1, table 3.1 (Function)",
            parameters: FunctionParameters::declare(),
            ports: FunctionPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new(parameters: FunctionParameters, ports: FunctionPorts) -> Result<Self, String> {
        let lanes = ports.input.len();
        if lanes > MAXIMUM_LANES {
            return Err(format!("{lanes} lanes are more than the {MAXIMUM_LANES} a function can have"));
        }
        let FunctionParameters { policy, absent, advance } = parameters;
        let named = Named::find(&policy);
        if named.is_some() && lanes == 0 {
            return Err(format!("the policy {policy} needs at least one lane of input"));
        }
        let takes_absent = absent == "zero";
        let available = if takes_absent { 2 * lanes } else { lanes };
        if let Policy::Lifted(expression) = &policy
            && expression.inputs() as usize > available
        {
            let wanted = expression.inputs();
            return Err(format!("the policy reads {wanted} inputs, but there are {available}"));
        }
        let state = FunctionState { words: policy.initial_state() };
        let advances_every_cycle = advance == "cycle";
        Ok(Self { policy, named, takes_absent, advances_every_cycle, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        let forward = Process::new(FORWARD).drives([data(FunctionPorts::OUTPUT)]);
        let backward = Process::new(BACKWARD)
            .drives([ack(FunctionPorts::INPUT)])
            .reads([ack(FunctionPorts::OUTPUT)])
            .reads((!self.takes_absent).then_some(data(FunctionPorts::INPUT)));
        vec![forward.reads([data(FunctionPorts::INPUT)]), backward]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let is_complete = self.is_complete(signals);
        if code == FORWARD {
            let result = is_complete.then(|| self.evaluate(signals));
            signals.write(self.ports.output, result);
        } else {
            let accepts = is_complete && signals.is_acknowledged(self.ports.output);
            for input in &*self.ports.input {
                signals.acknowledge(*input, accepts);
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if self.state.words.is_empty() {
            return;
        }
        if self.advances_every_cycle || edge.signals.is_sent(self.ports.output) {
            let mut words = [0; 2 * MAXIMUM_LANES];
            let inputs = self.gather(edge.signals, &mut words);
            self.policy.advance(inputs, &mut self.state.words);
        }
    }

    fn idle(&self) -> Idle {
        let moves_alone = self.advances_every_cycle && !self.state.words.is_empty();
        if moves_alone { Idle::No } else { Idle::UntilInput }
    }

    fn state(&self) -> &FunctionState {
        &self.state
    }

    fn restore(&mut self, state: FunctionState) -> Result<(), String> {
        if state.words.len() != self.state.words.len() {
            return Err("the saved state belongs to another policy".to_owned());
        }
        self.state = state;
        Ok(())
    }
}
