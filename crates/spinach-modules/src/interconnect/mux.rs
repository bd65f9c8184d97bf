//! `mux`: passes one of several groups of channels through.

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Any, Declaration, Input, Many, Module, Output, Process, Signals, ack, data, parameters, ports,
};

parameters! {
    /// The parameters of a mux.
    pub struct MuxParameters {
        /// How many channels make a group; the output has as many.
        pub width: u32 = 1 => in 1..=1024,
    }
}

ports! {
    /// Where a mux is connected.
    pub struct MuxPorts {
        /// The groups one after another: lane `g * width + i` is channel `i` of group `g`.
        pub input: Many<Input<Any>>,
        /// Which group passes, from 0. Acknowledged when everything that the group presents moves, so that a queue of
        /// selections advances with the values.
        pub select: Input<u64>,
        /// The channels of the chosen group.
        pub output: Many<Output<Any>>,
    }
}

/// Connects one of several groups of channels to the output. See its declaration.
pub struct Mux {
    groups: usize,
    width: usize,
    ports: MuxPorts,
}

const FORWARD: u16 = 0;
const BACKWARD: u16 = 1;
const SELECTION: u16 = 2;

impl Mux {
    #[inline]
    fn selected(&self, signals: &Signals) -> Option<usize> {
        let group = usize::try_from(signals.read(self.ports.select)?).ok()?;
        (group < self.groups).then_some(group)
    }

    // Whether the group presents something and all that it presents is accepted.
    fn moves(&self, group: usize, signals: &Signals) -> bool {
        let lanes = self.ports.input[group * self.width..][..self.width].iter().zip(&*self.ports.output);
        let mut presented = lanes.filter(|(input, _)| signals.is_present(**input)).peekable();
        presented.peek().is_some() && presented.all(|(_, output)| signals.is_acknowledged(*output))
    }
}

impl Module for Mux {
    type Parameters = MuxParameters;
    type Ports = MuxPorts;
    type State = ();

    const COMMITS: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "mux",
            family: "interconnect",
            documentation: "Connects one of several groups of channels to the output.\n\nWhole channels pass: data and presence \
                            forward, acknowledgements back. The groups that are not chosen get a Nack. Nothing passes while \
                            no selection is presented or while there is no group of that number.",
            timing: "Combinational. Data depends on the selection and on the same channel of every group; acknowledgements \
                     depend on the selection and on the acknowledgement of the same channel of the output.",
            source: "Spinach thesis, section 3.2.1, table 3.1 (Mux), figure 3.1",
            parameters: MuxParameters::declare(),
            ports: MuxPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new(parameters: MuxParameters, ports: MuxPorts) -> Result<Self, String> {
        let width = parameters.width as usize;
        let (inputs, outputs) = (ports.input.len(), ports.output.len());
        if outputs != width {
            return Err(format!("{outputs} lanes of output are connected, but width = {width}"));
        }
        if inputs % width != 0 {
            return Err(format!("{inputs} lanes of input are not whole groups of width = {width}"));
        }
        Ok(Self { groups: inputs / width, width, ports })
    }

    fn processes(&self) -> Vec<Process> {
        let mut processes = Vec::with_capacity(2 * self.width + 1);
        for channel in 0..self.width {
            let lanes = || (0..self.groups).map(move |group| group * self.width + channel);
            processes.push(
                Process::new(FORWARD)
                    .lane(channel)
                    .drives([data(MuxPorts::OUTPUT).lane(channel)])
                    .reads([data(MuxPorts::SELECT)])
                    .reads(lanes().map(|lane| data(MuxPorts::INPUT).lane(lane))),
            );
            processes.push(
                Process::new(BACKWARD)
                    .lane(channel)
                    .drives(lanes().map(|lane| ack(MuxPorts::INPUT).lane(lane)))
                    .reads([data(MuxPorts::SELECT), ack(MuxPorts::OUTPUT).lane(channel)]),
            );
        }
        processes.push(Process::new(SELECTION).drives([ack(MuxPorts::SELECT)]).reads([
            data(MuxPorts::SELECT),
            data(MuxPorts::INPUT),
            ack(MuxPorts::OUTPUT),
        ]));
        processes
    }

    fn evaluate(&self, code: u16, lane: u32, signals: &mut Signals) {
        let (selected, channel) = (self.selected(signals), lane as usize);
        match code {
            FORWARD => match selected {
                Some(group) => {
                    let input = self.ports.input[group * self.width + channel];
                    signals.forward(input, self.ports.output[channel]);
                }
                None => signals.clear(self.ports.output[channel]),
            },
            BACKWARD => {
                let accepts = signals.is_acknowledged(self.ports.output[channel]);
                for group in 0..self.groups {
                    let input = self.ports.input[group * self.width + channel];
                    signals.acknowledge(input, accepts && selected == Some(group));
                }
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
