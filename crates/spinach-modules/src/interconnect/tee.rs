//! `tee`: fans one channel out to many.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, Declaration, Edge, Idle, Input, Many, Module, Output, Process, Signals, ack, data, parameters, ports,
};

parameters! {
    /// The parameters of a tee.
    pub struct TeeParameters {
        /// Transfer mode. `each`: every branch takes a value when it can, and the tee remembers which have taken it until all
        /// have; the sender must not change or withdraw a value that was refused. `all`: a value moves only in a cycle in which
        /// every branch accepts it. `level`: for control signals that are presented in every cycle; every branch sees every
        /// value, and acknowledgements do not matter.
        pub mode: String = "each".to_owned() => of ["each", "all", "level"],
    }
}

ports! {
    /// Ports of a tee.
    pub struct TeePorts {
        /// Values to fan out.
        pub input: Input<Any>,
        /// The branches.
        pub output: Many<Output<Any>>,
    }
}

/// Branches that took the present value already.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TeeState {
    // One bit for each branch; zero unless the mode is `each`.
    served: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Each,
    All,
    Level,
}

/// Fans one channel out to many. See its declaration.
pub struct Tee {
    mode: Mode,
    ports: TeePorts,
    state: TeeState,
}

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;
const MAXIMUM_BRANCHES: usize = 64;

impl Tee {
    // True if every branch but `except` accepts, or has taken the present value already.
    #[inline]
    fn others_accept(&self, except: Option<usize>, signals: &Signals) -> bool {
        let mut branches = self.ports.output.iter().enumerate();
        branches.all(|(branch, output)| {
            Some(branch) == except || self.is_served(branch) || signals.is_acknowledged(*output)
        })
    }

    #[inline]
    fn is_served(&self, branch: usize) -> bool {
        self.state.served >> branch & 1 != 0
    }
}

impl Module for Tee {
    type Parameters = TeeParameters;
    type Ports = TeePorts;
    type State = TeeState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "tee",
            family: "interconnect",
            documentation: "Fans one channel out to many.\n\nEvery branch receives every value exactly once and in order. The \
                            exception is the mode `level`, for control signals: a branch sees a value while it is presented.",
            timing: "Combinational. `each`: data depends on the data of the input, the acknowledgement on those of all \
                     branches. `all`: the data of a branch depends also on the acknowledgements of the other branches, \
                     because a value may be presented only if all branches accept; a branch whose acknowledgement depends on its \
                     data therefore makes a combinational loop. `level`: data depends on the data of the input; the \
                     input is always acknowledged.",
            source: "Spinach thesis, section 3.2.1, table 3.1 (Tee)",
            parameters: TeeParameters::declare(),
            ports: TeePorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new(parameters: TeeParameters, ports: TeePorts) -> Result<Self, String> {
        let branches = ports.output.len();
        if branches > MAXIMUM_BRANCHES {
            return Err(format!("{branches} branches are more than the {MAXIMUM_BRANCHES} a tee can have"));
        }
        let mode = match parameters.mode.as_str() {
            "each" => Mode::Each,
            "all" => Mode::All,
            _ => Mode::Level,
        };
        Ok(Self { mode, ports, state: TeeState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        let branches = self.ports.output.len();
        let backward = Process::new(BACKWARD).drives([ack(TeePorts::INPUT)]);
        if self.mode != Mode::All {
            let forward =
                Process::new(FORWARD).drives([data(TeePorts::OUTPUT)]).reads([data(TeePorts::INPUT)]);
            let acks = (self.mode == Mode::Each).then_some(ack(TeePorts::OUTPUT));
            return vec![forward, backward.reads(acks)];
        }
        let forward = |branch| {
            let others = (0..branches).filter(move |other| *other != branch);
            Process::new(FORWARD)
                .lane(branch)
                .drives([data(TeePorts::OUTPUT).lane(branch)])
                .reads([data(TeePorts::INPUT)])
                .reads(others.map(|other| ack(TeePorts::OUTPUT).lane(other)))
        };
        (0..branches).map(forward).chain([backward.reads([ack(TeePorts::OUTPUT)])]).collect()
    }

    fn evaluate(&self, code: u16, lane: u32, signals: &mut Signals) {
        let ports = &self.ports;
        match (code, self.mode) {
            (FORWARD, Mode::All) => {
                let branch = lane as usize;
                if self.others_accept(Some(branch), signals) {
                    signals.forward(ports.input, ports.output[branch]);
                } else {
                    signals.clear(ports.output[branch]);
                }
            }
            (FORWARD, _) => {
                for (branch, output) in ports.output.iter().enumerate() {
                    if self.is_served(branch) {
                        signals.clear(*output);
                    } else {
                        signals.forward(ports.input, *output);
                    }
                }
            }
            (_, Mode::Level) => signals.acknowledge(ports.input, true),
            _ => {
                let accepted = self.others_accept(None, signals);
                signals.acknowledge(ports.input, accepted);
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if self.mode != Mode::Each || !edge.signals.is_present(self.ports.input) {
            return;
        }
        if edge.signals.is_received(self.ports.input) {
            self.state.served = 0;
            return;
        }
        for (branch, output) in self.ports.output.iter().enumerate() {
            self.state.served |= u64::from(edge.signals.is_sent(*output)) << branch;
        }
    }

    fn idle(&self) -> Idle {
        Idle::UntilInput
    }

    fn state(&self) -> &TeeState {
        &self.state
    }

    fn restore(&mut self, state: TeeState) -> Result<(), String> {
        let branches = self.ports.output.len();
        if self.mode != Mode::Each && state.served != 0 || state.served >> (branches - 1) > 1 {
            return Err("the saved state names branches that do not exist".to_owned());
        }
        self.state = state;
        Ok(())
    }
}
