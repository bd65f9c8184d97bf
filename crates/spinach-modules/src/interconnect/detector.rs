//! `ack_detector` and `data_detector`: outputs that show acknowledgements or data of channels.

use spinach_engine::declaration::Ports;
use spinach_engine::{Any, Declaration, Input, Many, Module, Output, Process, Signals, ack, data, ports};

ports! {
    /// Ports of a detector.
    pub struct DetectorPorts {
        /// Channels to pass through.
        pub input: Many<Input<Any>>,
        /// The same channels.
        pub output: Many<Output<Any>>,
        /// One bit per channel: 1 in cycles in which it is acknowledged or carries data, else 0; presented in every cycle, whether
        /// acknowledged or not.
        pub detected: Many<Output<u64>>,
    }
}

/// Detects acknowledgements of channels, or data on them. See its declaration.
pub struct Detector<const ACKNOWLEDGEMENTS: bool> {
    ports: DetectorPorts,
}

/// Detects acknowledgements.
pub type AckDetector = Detector<true>;
/// Detects data.
pub type DataDetector = Detector<false>;

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;
const DETECT: u16 = 2;

impl<const ACKNOWLEDGEMENTS: bool> Module for Detector<ACKNOWLEDGEMENTS> {
    type Parameters = ();
    type Ports = DetectorPorts;
    type State = ();

    const COMMITS: bool = false;

    fn declaration() -> Declaration {
        let common = Declaration {
            kind: "ack_detector",
            family: "interconnect",
            documentation: "Detects acknowledgements of channels.\n\nChannels pass through unchanged. An acknowledgement may be \
                            given without data; a value moves when this module and a `data_detector` both output 1.",
            timing: "Combinational. Each lane depends on that lane alone: data on data, acknowledgement on acknowledgement, \
                     `detected` on the acknowledgement.",
            source: "Spinach thesis, section 3.2.1, table 3.1 (Ack Detector)",
            parameters: Vec::new(),
            ports: DetectorPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        };
        if ACKNOWLEDGEMENTS {
            return common;
        }
        Declaration {
            kind: "data_detector",
            documentation: "Detects data on channels.\n\nChannels pass through unchanged. The signal does not show whether the \
                            data is accepted; an `ack_detector` shows that.",
            timing: "Combinational. Each lane depends on that lane alone: data on data, acknowledgement on acknowledgement, \
                     `detected` on data.",
            source: "Spinach thesis, section 3.2.1, table 3.1 (Data Detector)",
            ..common
        }
    }

    fn new((): (), ports: DetectorPorts) -> Result<Self, String> {
        let [inputs, outputs, detected] = [ports.input.len(), ports.output.len(), ports.detected.len()];
        if inputs != outputs || inputs != detected {
            return Err(format!(
                "{inputs} lanes of input, {outputs} of output and {detected} of detected are connected; \
                 they must be as many"
            ));
        }
        Ok(Self { ports })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = DetectorPorts;
        let of_lane = |lane: usize| {
            let (input, output) = (data(Own::INPUT).lane(lane), ack(Own::OUTPUT).lane(lane));
            let watched = if ACKNOWLEDGEMENTS { output } else { input };
            [
                Process::new(FORWARD).lane(lane).drives([data(Own::OUTPUT).lane(lane)]).reads([input]),
                Process::new(BACKWARD).lane(lane).drives([ack(Own::INPUT).lane(lane)]).reads([output]),
                Process::new(DETECT).lane(lane).drives([data(Own::DETECTED).lane(lane)]).reads([watched]),
            ]
        };
        (0..self.ports.input.len()).flat_map(of_lane).collect()
    }

    fn evaluate(&self, code: u16, lane: u32, signals: &mut Signals) {
        let lane = lane as usize;
        let (input, output) = (self.ports.input[lane], self.ports.output[lane]);
        match code {
            FORWARD => signals.forward(input, output),
            BACKWARD => signals.acknowledge(input, signals.is_acknowledged(output)),
            _ => {
                let is_detected = if ACKNOWLEDGEMENTS {
                    signals.is_acknowledged(output)
                } else {
                    signals.is_present(input)
                };
                signals.write(self.ports.detected[lane], Some(u64::from(is_detected)));
            }
        }
    }

    fn state(&self) -> &() {
        &()
    }

    fn restore(&mut self, (): ()) -> Result<(), String> {
        Ok(())
    }
}
