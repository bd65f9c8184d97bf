//! `mux` and `demux`: one of several groups of channels connected to a single group, chosen cycle by cycle.

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, Declaration, Input, Many, Module, Output, Process, Signals, ack, data, parameters, ports,
};

parameters! {
    /// Parameters of a mux or demux.
    pub struct SteeringParameters {
        /// Channels of a group; the side that is not steered has one group.
        pub width: u32 = 1 => in 1..=1024,
    }
}

ports! {
    /// Ports of a mux or demux.
    pub struct SteeringPorts {
        /// Channels of the group that enters, or of the groups of a mux one after another: lane `g * width + i` is channel `i`
        /// of group `g`.
        pub input: Many<Input<Any>>,
        /// Number of the chosen group, from 0. Acknowledged when everything that is presented moves, so that a queue of
        /// selections advances with the values.
        pub select: Input<u64>,
        /// Channels of the group that leaves, or of the groups of a demux, in the same order.
        pub output: Many<Output<Any>>,
    }
}

/// Connects one of several groups of channels to a single one: that which leaves, of a mux, or that which enters. See its
/// declaration.
pub struct Steering<const IS_MUX: bool> {
    groups: usize,
    width: usize,
    ports: SteeringPorts,
}

/// Connects one of several groups of channels to the output.
pub type Mux = Steering<true>;
/// Connects a group of channels to one of several outputs.
pub type Demux = Steering<false>;

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;
const SELECTION: u16 = 2;

impl<const IS_MUX: bool> Steering<IS_MUX> {
    #[inline]
    fn selected(&self, signals: &Signals) -> Option<usize> {
        let group = usize::try_from(signals.read(self.ports.select)?).ok()?;
        (group < self.groups).then_some(group)
    }

    /// The input and the output of a channel while a group is chosen.
    #[inline]
    fn ends(&self, group: usize, channel: usize) -> (Input<Any>, Output<Any>) {
        let steered = group * self.width + channel;
        let (input, output) = if IS_MUX { (steered, channel) } else { (channel, steered) };
        (self.ports.input[input], self.ports.output[output])
    }

    /// True if something is presented while a group is chosen, and all of it is accepted.
    fn moves(&self, group: usize, signals: &Signals) -> bool {
        let ends = (0..self.width).map(|channel| self.ends(group, channel));
        let mut presented = ends.filter(|(input, _)| signals.is_present(*input)).peekable();
        presented.peek().is_some() && presented.all(|(_, output)| signals.is_acknowledged(output))
    }
}

impl<const IS_MUX: bool> Module for Steering<IS_MUX> {
    type Parameters = SteeringParameters;
    type Ports = SteeringPorts;
    type State = ();

    const COMMITS: bool = false;

    fn declaration() -> Declaration {
        let common = Declaration {
            kind: "mux",
            family: "interconnect",
            documentation: "Connects one of several groups of channels to the output.\n\nWhole channels pass: data and presence \
                            forward, acknowledgements back. The groups that are not chosen get a Nack. Nothing passes while \
                            no selection is presented or while there is no group of that number.",
            timing: "Combinational. Data depends on the selection and on the same channel of every group; acknowledgements \
                     depend on the selection and on the acknowledgement of the same channel of the output.",
            source: "Spinach thesis, section 3.2.1, table 3.1 (Mux), figure 3.1",
            parameters: SteeringParameters::declare(),
            ports: SteeringPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        };
        if IS_MUX {
            return common;
        }
        Declaration {
            kind: "demux",
            documentation: "Connects a group of channels to one of several outputs.\n\nWhole channels pass: data and \
                            presence forward, acknowledgements back. Nothing is presented to the groups that are not \
                            chosen. While no selection is presented, or while there is no group of that number, nothing \
                            passes and the input gets a Nack.",
            timing: "Combinational. Data depends on the selection and on the same channel of the input; acknowledgements \
                     depend on the selection and on the acknowledgement of the same channel of every group.",
            source: "Spinach thesis, section 3.2.1, table 3.1 (Demux)",
            ..common
        }
    }

    fn new(parameters: SteeringParameters, ports: SteeringPorts) -> Result<Self, String> {
        let width = parameters.width as usize;
        let (inputs, outputs) = (("input", ports.input.len()), ("output", ports.output.len()));
        let ((steered, lanes), (single, others)) = if IS_MUX { (inputs, outputs) } else { (outputs, inputs) };
        if others != width {
            return Err(format!("{others} lanes of {single} are connected, but width = {width}"));
        }
        if lanes % width != 0 {
            return Err(format!("{lanes} lanes of {steered} are not whole groups of width = {width}"));
        }
        Ok(Self { groups: lanes / width, width, ports })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = SteeringPorts;
        let mut processes = Vec::with_capacity(2 * self.width + 1);
        for channel in 0..self.width {
            let lanes = |is_steered: bool| {
                (0..if is_steered { self.groups } else { 1 }).map(move |group| group * self.width + channel)
            };
            processes.push(
                Process::new(FORWARD)
                    .lane(channel)
                    .drives(lanes(!IS_MUX).map(|lane| data(Own::OUTPUT).lane(lane)))
                    .reads([data(Own::SELECT)])
                    .reads(lanes(IS_MUX).map(|lane| data(Own::INPUT).lane(lane))),
            );
            processes.push(
                Process::new(BACKWARD)
                    .lane(channel)
                    .drives(lanes(IS_MUX).map(|lane| ack(Own::INPUT).lane(lane)))
                    .reads([data(Own::SELECT)])
                    .reads(lanes(!IS_MUX).map(|lane| ack(Own::OUTPUT).lane(lane))),
            );
        }
        let all = [data(Own::SELECT), data(Own::INPUT), ack(Own::OUTPUT)];
        processes.push(Process::new(SELECTION).drives([ack(Own::SELECT)]).reads(all));
        processes
    }

    fn evaluate(&self, code: u16, lane: u32, signals: &mut Signals) {
        let (selected, channel) = (self.selected(signals), lane as usize);
        // The steered side has an end in every group; the other is the same whichever group is chosen.
        match code {
            FORWARD if IS_MUX => match selected {
                Some(group) => {
                    let (input, output) = self.ends(group, channel);
                    signals.forward(input, output);
                }
                None => signals.clear(self.ports.output[channel]),
            },
            FORWARD => {
                for group in 0..self.groups {
                    let (input, output) = self.ends(group, channel);
                    if selected == Some(group) {
                        signals.forward(input, output);
                    } else {
                        signals.clear(output);
                    }
                }
            }
            BACKWARD if IS_MUX => {
                let accepts = signals.is_acknowledged(self.ports.output[channel]);
                for group in 0..self.groups {
                    signals.acknowledge(self.ends(group, channel).0, accepts && selected == Some(group));
                }
            }
            BACKWARD => {
                let accepts = |group| signals.is_acknowledged(self.ends(group, channel).1);
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
