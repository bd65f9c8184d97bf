//! `ack_detector`: tells when channels are acknowledged.

use spinach_engine::declaration::Ports;
use spinach_engine::{Any, Declaration, Input, Many, Module, Output, Process, Signals, ack, data, ports};

ports! {
    /// Where an acknowledgement detector is connected.
    pub struct AckDetectorPorts {
        /// Channels to pass through.
        pub input: Many<Input<Any>>,
        /// The same channels.
        pub output: Many<Output<Any>>,
        /// For each channel 1 in cycles in which it is acknowledged, else 0; presented in every cycle, whether acknowledged or not.
        pub detected: Many<Output<u64>>,
    }
}

/// Detects acknowledgements of channels. See its declaration.
pub struct AckDetector {
    ports: AckDetectorPorts,
}

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;
const DETECT: u16 = 2;

impl Module for AckDetector {
    type Parameters = ();
    type Ports = AckDetectorPorts;
    type State = ();

    const COMMITS: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "ack_detector",
            family: "interconnect",
            documentation: "Detects acknowledgements of channels.\n\nChannels pass through untouched. An acknowledgement may be given while no data is there; a value moves when this and a `data_detector` both say 1.",
            timing: "Combinational. Each lane depends on that lane alone: data on data, acknowledgement on acknowledgement, \
                     `detected` on the acknowledgement.",
            source: "Spinach thesis, section 3.2.1, table 3.1 (Ack Detector)",
            parameters: Vec::new(),
            ports: AckDetectorPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new((): (), ports: AckDetectorPorts) -> Result<Self, String> {
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
        type Own = AckDetectorPorts;
        let of_lane = |lane: usize| {
            let (input, output) = (data(Own::INPUT).lane(lane), ack(Own::OUTPUT).lane(lane));
            [
                Process::new(FORWARD).lane(lane).drives([data(Own::OUTPUT).lane(lane)]).reads([input]),
                Process::new(BACKWARD).lane(lane).drives([ack(Own::INPUT).lane(lane)]).reads([output]),
                Process::new(DETECT).lane(lane).drives([data(Own::DETECTED).lane(lane)]).reads([output]),
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
                let is_detected = signals.is_acknowledged(output);
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
