//! `demux`: passes a group of channels through to one of several places.

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, Declaration, Input, Many, Module, Output, Process, Signals, ack, data, parameters, ports,
};

parameters! {
    /// The parameters of a demux.
    pub struct DemuxParameters {
        /// How many channels make a group; the input has as many.
        pub width: u32 = 1 => in 1..=1024,
    }
}

ports! {
    /// Where a demux is connected.
    pub struct DemuxPorts {
        /// The channels of the one group.
        pub input: Many<Input<Any>>,
        /// Which group of the output they pass to, from 0. Acknowledged when everything that is presented moves, so that a
        /// queue of selections advances with the values.
        pub select: Input<u64>,
        /// The groups one after another: lane `g * width + i` is channel `i` of group `g`.
        pub output: Many<Output<Any>>,
    }
}

/// Connects a group of channels to one of several outputs. See its declaration.
pub struct Demux {
    groups: usize,
    width: usize,
    ports: DemuxPorts,
}

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;
const SELECTION: u16 = 2;

impl Demux {
    #[inline]
    fn selected(&self, signals: &Signals) -> Option<usize> {
        let group = usize::try_from(signals.read(self.ports.select)?).ok()?;
        (group < self.groups).then_some(group)
    }

    // Whether something is presented and all that is presented is accepted by the group.
    fn moves(&self, group: usize, signals: &Signals) -> bool {
        let lanes = self.ports.input.iter().zip(&self.ports.output[group * self.width..]);
        let mut presented = lanes.filter(|(input, _)| signals.is_present(**input)).peekable();
        presented.peek().is_some() && presented.all(|(_, output)| signals.is_acknowledged(*output))
    }
}

impl Module for Demux {
    type Parameters = DemuxParameters;
    type Ports = DemuxPorts;
    type State = ();

    const COMMITS: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "demux",
            family: "interconnect",
            documentation: "Connects a group of channels to one of several outputs.\n\nWhole channels pass: data and \
                            presence forward, acknowledgements back. Nothing is presented to the groups that are not \
                            chosen. While no selection is presented, or while there is no group of that number, nothing \
                            passes and the input gets a Nack.",
            timing: "Combinational. Data depends on the selection and on the same channel of the input; acknowledgements \
                     depend on the selection and on the acknowledgement of the same channel of every group.",
            source: "Spinach thesis, section 3.2.1, table 3.1 (Demux)",
            parameters: DemuxParameters::declare(),
            ports: DemuxPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new(parameters: DemuxParameters, ports: DemuxPorts) -> Result<Self, String> {
        let width = parameters.width as usize;
        let (inputs, outputs) = (ports.input.len(), ports.output.len());
        if inputs != width {
            return Err(format!("{inputs} lanes of input are connected, but width = {width}"));
        }
        if outputs % width != 0 {
            return Err(format!("{outputs} lanes of output are not whole groups of width = {width}"));
        }
        Ok(Self { groups: outputs / width, width, ports })
    }

    fn processes(&self) -> Vec<Process> {
        let mut processes = Vec::with_capacity(2 * self.width + 1);
        for channel in 0..self.width {
            let lanes = || (0..self.groups).map(move |group| group * self.width + channel);
            processes.push(
                Process::new(FORWARD)
                    .lane(channel)
                    .drives(lanes().map(|lane| data(DemuxPorts::OUTPUT).lane(lane)))
                    .reads([data(DemuxPorts::SELECT), data(DemuxPorts::INPUT).lane(channel)]),
            );
            processes.push(
                Process::new(BACKWARD)
                    .lane(channel)
                    .drives([ack(DemuxPorts::INPUT).lane(channel)])
                    .reads([data(DemuxPorts::SELECT)])
                    .reads(lanes().map(|lane| ack(DemuxPorts::OUTPUT).lane(lane))),
            );
        }
        processes.push(Process::new(SELECTION).drives([ack(DemuxPorts::SELECT)]).reads([
            data(DemuxPorts::SELECT),
            data(DemuxPorts::INPUT),
            ack(DemuxPorts::OUTPUT),
        ]));
        processes
    }

    fn evaluate(&self, code: u16, lane: u32, signals: &mut Signals) {
        let (selected, channel) = (self.selected(signals), lane as usize);
        match code {
            FORWARD => {
                for group in 0..self.groups {
                    let output = self.ports.output[group * self.width + channel];
                    if selected == Some(group) {
                        signals.forward(self.ports.input[channel], output);
                    } else {
                        signals.clear(output);
                    }
                }
            }
            BACKWARD => {
                let accepts =
                    |group| signals.is_acknowledged::<Any>(self.ports.output[group * self.width + channel]);
                let accepted = selected.is_some_and(accepts);
                signals.acknowledge(self.ports.input[channel], accepted);
            }
            _ => {
                let moves = selected.is_some_and(|group| self.moves(group, signals));
                signals.acknowledge(self.ports.select, moves);
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
