//! Description of a block: its signals, and the ports that they form.

use serde::{Deserialize, Serialize};

/// Largest number of words that the signals of one direction take.
const MAXIMUM_WORDS: usize = 1 << 16;
const WORD_BITS: usize = 64;

/// One signal of the top module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Signal {
    /// Its name in the RTL.
    pub name: String,
    /// True if the block receives it.
    pub is_input: bool,
    /// Width in bits.
    pub width: usize,
    /// Index of its first word among those of its direction. Word `i` has the bits from `64 i` on.
    pub word: usize,
}

impl Signal {
    /// Number of words.
    pub fn words(&self) -> usize {
        self.width.div_ceil(WORD_BITS)
    }
}

/// Signals that move values under `valid` and `ready`, as indices into [`Description::signals`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stream {
    /// Prefix of the names of its signals.
    pub name: String,
    /// True if the block receives the values.
    pub is_input: bool,
    /// True for frames, beat by beat; false for words.
    pub carries_frames: bool,
    /// A beat or word is presented.
    pub valid: usize,
    /// The receiver accepts it; `None` if it always does.
    pub ready: Option<usize>,
    /// The bytes, or the word.
    pub data: usize,
    /// Bytes that are part of the frame, one bit each; `None` if all are.
    pub keep: Option<usize>,
    /// The last beat of a frame.
    pub last: Option<usize>,
    /// Side band: bit 0 marks a damaged frame at its last beat.
    pub user: Option<usize>,
}

/// A port to a memory or to registers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// Prefix of the names of its signals.
    pub name: String,
    /// True if the block is the initiator.
    pub is_initiator: bool,
    /// Its signals.
    #[serde(flatten)]
    pub signals: MemorySignals,
}

/// Signals of a port to a memory, by the protocol that they follow.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MemorySignals {
    /// AXI4 or AXI4-Lite.
    Axi(AxiSignals),
    /// Wishbone or OBI.
    Requests(RequestSignals),
}

/// The five channels of AXI4, as indices into [`Description::signals`]; signals named `None` are absent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AxiSignals {
    /// Address of a write, its `valid` and its `ready`.
    pub write_address: [usize; 3],
    /// Data of a write, its `valid` and its `ready`.
    pub write_data: [usize; 3],
    /// Enabled bytes of a write; `None` if all are.
    pub write_strobe: Option<usize>,
    /// Result of a write, its `valid` and its `ready`.
    pub write_response: [usize; 3],
    /// Address of a read, its `valid` and its `ready`.
    pub read_address: [usize; 3],
    /// Data of a read, its `valid` and its `ready`.
    pub read_data: [usize; 3],
    /// Result of a read; `None` if it never fails.
    pub read_response: Option<usize>,
    /// Bursts of AXI4; `None` for AXI4-Lite.
    #[serde(default)]
    pub bursts: Option<AxiBursts>,
}

/// Signals that AXI4 has besides those of AXI4-Lite; indices as above.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AxiBursts {
    /// Burst of the address of a write.
    pub write: AxiBurst,
    /// Burst of the address of a read.
    pub read: AxiBurst,
    /// Last beat of a write.
    pub write_last: usize,
    /// Last beat of a read.
    pub read_last: usize,
    /// Identifier of the result of a write.
    pub write_response_id: Option<usize>,
    /// Identifier of the result of a read.
    pub read_data_id: Option<usize>,
}

/// Signals next to an address of AXI4.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AxiBurst {
    /// Number of beats, less one.
    pub length: usize,
    /// Logarithm of the bytes of a beat; `None` for the width of the data.
    pub size: Option<usize>,
    /// Kind: fixed, incrementing or wrapping; `None` for incrementing.
    pub kind: Option<usize>,
    /// Identifier.
    pub id: Option<usize>,
    /// Exclusive access.
    pub lock: Option<usize>,
}

/// Signals of a bus with one channel for requests and one for responses, which come in order; indices as above.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RequestSignals {
    /// A request is presented: `stb` of Wishbone, `req` of OBI.
    pub valid: usize,
    /// `cyc` of Wishbone: 1 from a request until its response.
    pub cycle: Option<usize>,
    /// The request is accepted: `gnt` of OBI.
    pub grant: Option<usize>,
    /// The request is not accepted: `stall` of pipelined Wishbone. A request with neither is held until its response.
    pub stall: Option<usize>,
    /// Address.
    pub address: usize,
    /// Bytes that one step of the address spans.
    pub address_unit: u64,
    /// The request is a write; `None` if all are reads.
    pub write: Option<usize>,
    /// Data of a write.
    pub write_data: Option<usize>,
    /// Enabled bytes of a write; `None` if all are.
    pub select: Option<usize>,
    /// A response is presented: `ack` of Wishbone, `rvalid` of OBI.
    pub response: usize,
    /// Data of a read.
    pub read_data: usize,
    /// The access failed.
    pub error: Option<usize>,
    /// True if `error` is presented in place of `response`, as by Wishbone; false if together with it.
    pub error_replaces_response: bool,
}

/// Reset of a block, as an index into [`Description::signals`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Clocking {
    /// The clock.
    pub clock: usize,
    /// The reset, if there is one.
    pub reset: Option<usize>,
    /// True if the reset is active at 1.
    pub is_active_high: bool,
}

/// Description of the block of a library.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Description {
    /// Name of the top module.
    pub name: String,
    /// Signals of the top module.
    pub signals: Vec<Signal>,
    /// Clock and reset.
    pub clocking: Clocking,
    /// Streams of frames and words.
    pub streams: Vec<Stream>,
    /// Ports to memories and registers.
    #[serde(default)]
    pub memories: Vec<Memory>,
    /// Indices of the signals that belong to no port.
    pub values: Vec<usize>,
    /// Index of the output that is 1 while only an input can change the state of the block; `None` if there is none.
    pub idle: Option<usize>,
    /// True if the library saves and restores the state of the block.
    pub can_save: bool,
    /// Format of the waveforms that the library writes, `vcd` or `fst`; `None` if it writes none.
    pub trace: Option<String>,
}

impl Description {
    /// Reads a description and checks that all its indices are valid.
    ///
    /// # Errors
    /// One sentence that says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let description: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        description.check()?;
        Ok(description)
    }

    /// The signal called `name`, by its index.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.signals.iter().position(|signal| signal.name == name)
    }

    /// Number of words of all inputs, or of all outputs.
    pub fn words(&self, is_input: bool) -> usize {
        let of_direction = self.signals.iter().filter(|signal| signal.is_input == is_input);
        of_direction.map(|signal| signal.word + signal.words()).max().unwrap_or(0)
    }

    fn check(&self) -> Result<(), String> {
        for signal in &self.signals {
            let fits = signal.word < MAXIMUM_WORDS && signal.words() <= MAXIMUM_WORDS - signal.word;
            if signal.width == 0 || !fits {
                return Err(format!("the signal {:?} has no valid place", signal.name));
            }
        }
        self.expect(self.clocking.clock, true, 1)?;
        self.expect_if(self.clocking.reset, true, 1)?;
        self.expect_if(self.idle, false, 1)?;
        self.values.iter().try_for_each(|value| {
            let signal = self.signal(*value)?;
            if signal.width <= WORD_BITS {
                Ok(())
            } else {
                Err(format!("the value {:?} is wider than a word", signal.name))
            }
        })?;
        self.streams.iter().try_for_each(|stream| self.check_stream(stream))?;
        self.memories.iter().try_for_each(|memory| self.check_memory(memory))
    }

    fn check_stream(&self, stream: &Stream) -> Result<(), String> {
        let forward = stream.is_input;
        self.expect(stream.valid, forward, 1)?;
        self.expect_if(stream.ready, !forward, 1)?;
        self.expect_if(stream.last, forward, 1)?;
        let data = self.signal(stream.data)?;
        let width = data.width;
        self.expect(stream.data, forward, width)?;
        if !stream.carries_frames {
            return if width <= WORD_BITS {
                Ok(())
            } else {
                Err(format!("{} is wider than a word", data.name))
            };
        }
        if !width.is_multiple_of(8) || stream.last.is_none() {
            return Err(format!("{} does not consist of bytes with a last beat", stream.name));
        }
        self.expect_if(stream.keep, forward, width / 8)?;
        stream.user.map_or(Ok(()), |user| self.expect(user, forward, self.signal(user)?.width))
    }

    fn check_memory(&self, memory: &Memory) -> Result<(), String> {
        match &memory.signals {
            MemorySignals::Axi(signals) => self.check_axi(memory, signals),
            MemorySignals::Requests(signals) => self.check_requests(memory, signals),
        }
    }

    fn check_axi(&self, memory: &Memory, signals: &AxiSignals) -> Result<(), String> {
        let ours = !memory.is_initiator;
        let requests = [signals.write_address, signals.write_data, signals.read_address];
        let answers = [signals.write_response, signals.read_data];
        let all = requests
            .map(|channel| (channel, ours))
            .into_iter()
            .chain(answers.map(|channel| (channel, !ours)));
        for ([value, valid, ready], is_input) in all {
            self.expect_word(value, is_input)?;
            self.expect(valid, is_input, 1)?;
            self.expect(ready, !is_input, 1)?;
        }
        let bits = self.signal(signals.write_data[0])?.width;
        if ![32, 64].contains(&bits) || self.signal(signals.read_data[0])?.width != bits {
            return Err(format!("the data of {} does not have 32 or 64 bits", memory.name));
        }
        self.expect_if(signals.write_strobe, ours, bits / 8)?;
        self.expect(signals.write_response[0], !ours, 2)?;
        self.expect_if(signals.read_response, !ours, 2)?;
        signals.bursts.as_ref().map_or(Ok(()), |bursts| self.check_bursts(bursts, ours))
    }

    fn check_bursts(&self, bursts: &AxiBursts, ours: bool) -> Result<(), String> {
        for burst in [&bursts.write, &bursts.read] {
            self.expect(burst.length, ours, 8)?;
            self.expect_if(burst.size, ours, 3)?;
            self.expect_if(burst.kind, ours, 2)?;
            self.expect_if(burst.lock, ours, 1)?;
            burst.id.map_or(Ok(()), |id| self.expect_word(id, ours))?;
        }
        self.expect(bursts.write_last, ours, 1)?;
        self.expect(bursts.read_last, !ours, 1)?;
        let ids = [bursts.write_response_id, bursts.read_data_id];
        ids.into_iter().flatten().try_for_each(|id| self.expect_word(id, !ours))
    }

    fn check_requests(&self, memory: &Memory, signals: &RequestSignals) -> Result<(), String> {
        let ours = !memory.is_initiator;
        let bits = self.signal(signals.read_data)?.width;
        let unit_is_valid = [1, bits as u64 / 8].contains(&signals.address_unit);
        if ![8, 16, 32, 64].contains(&bits) || !unit_is_valid {
            return Err(format!("the data of {} does not have 8, 16, 32 or 64 bits", memory.name));
        }
        self.expect(signals.valid, ours, 1)?;
        self.expect_word(signals.address, ours)?;
        for (signal, is_input, width) in [
            (signals.cycle, ours, 1),
            (signals.grant, !ours, 1),
            (signals.stall, !ours, 1),
            (signals.write, ours, 1),
            (signals.write_data, ours, bits),
            (signals.select, ours, bits / 8),
            (Some(signals.response), !ours, 1),
            (Some(signals.read_data), !ours, bits),
            (signals.error, !ours, 1),
        ] {
            self.expect_if(signal, is_input, width)?;
        }
        Ok(())
    }

    fn signal(&self, index: usize) -> Result<&Signal, String> {
        self.signals.get(index).ok_or_else(|| format!("there is no signal number {index}"))
    }

    fn expect_if(&self, index: Option<usize>, is_input: bool, width: usize) -> Result<(), String> {
        index.map_or(Ok(()), |index| self.expect(index, is_input, width))
    }

    // A signal of any width up to that of a word.
    fn expect_word(&self, index: usize, is_input: bool) -> Result<(), String> {
        self.expect(index, is_input, self.signal(index)?.width.min(WORD_BITS))
    }

    fn expect(&self, index: usize, is_input: bool, width: usize) -> Result<(), String> {
        let signal = self.signal(index)?;
        if signal.is_input != is_input || signal.width != width {
            let direction = if is_input { "an input" } else { "an output" };
            return Err(format!("the signal {:?} is not {direction} of {width} bits", signal.name));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESCRIPTION: &str = r#"{"name": "counter", "signals": [
        {"name": "clk", "is_input": true, "width": 1, "word": 0},
        {"name": "data", "is_input": true, "width": 128, "word": 1},
        {"name": "total", "is_input": false, "width": 65, "word": 0}],
        "clocking": {"clock": 0, "reset": null, "is_active_high": true},
        "streams": [], "values": [], "idle": null, "can_save": true, "trace": null}"#;

    #[test]
    fn words_of_a_direction_end_with_its_last_signal() {
        let description = Description::parse(DESCRIPTION).expect("it is valid");
        assert_eq!((description.words(true), description.words(false)), (3, 2));
        assert_eq!(description.find("total"), Some(2));
    }

    #[test]
    fn invalid_indices_are_refused() {
        for (from, to) in [
            ("\"clock\": 0", "\"clock\": 3"),
            ("\"clock\": 0", "\"clock\": 2"),
            ("\"idle\": null", "\"idle\": 2"),
            ("\"word\": 1", "\"word\": 18446744073709551615"),
            ("\"width\": 65", "\"width\": 0"),
            ("\"values\": []", "\"values\": [1]"),
        ] {
            let text = DESCRIPTION.replace(from, to);
            assert_ne!(text, DESCRIPTION);
            assert!(Description::parse(&text).is_err(), "{to}");
        }
    }
}
