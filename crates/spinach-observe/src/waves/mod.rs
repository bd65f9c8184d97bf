//! Waveforms: what channels and the states of modules hold in every cycle, in the format FST of GTKWave and Surfer.
//!
//! A channel is a scope with `valid` (a value is presented), `ack` (it is taken) and the fields of the value, which keep what they
//! held while none is presented. `valid` without `ack` is a stall. Scopes are named like the outputs that drive the channels. A state
//! is shown as the edge leaves it.

mod states;

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType, FstWriteError,
};
use spinach_analysis::stream_file::StreamFile;
use spinach_engine::{ChannelId, Netlist, Observed, Observer, Payloads, Time, Value};
use spinach_modules::values::{Block, BlockResponse, Frame, Reference, Response};

use self::states::{ShownState, digits};
pub use self::states::{StateName, state_names};

/// Times count femtoseconds.
const TIMESCALE: i8 = -15;
/// Maximum amount kept before it is written.
const KEPT_BYTES: usize = 16 << 20;

/// Waveforms that are being written. Clones are handles to the same file.
#[derive(Clone)]
pub struct Waves(Arc<Mutex<Option<Open>>>);

struct Open {
    body: FstBodyWriter<StreamFile>,
    channels: Vec<Shown>,
    states: Vec<ShownState>,
    from: Time,
    failed: Option<io::Error>,
}

/// A channel and its signals.
struct Shown {
    channel: ChannelId,
    carries: Carries,
    valid: FstSignalId,
    ack: FstSignalId,
    fields: Vec<(FstSignalId, u32)>,
}

#[derive(Clone, Copy)]
enum Carries {
    Reference,
    Response,
    Block,
    BlockResponse,
    Frame,
    Words(u32),
}

impl Carries {
    fn of(name: &str, words: u32) -> Self {
        match name {
            "reference" => Self::Reference,
            "response" => Self::Response,
            "block" => Self::Block,
            "block_response" => Self::BlockResponse,
            "frame" => Self::Frame,
            _ => Self::Words(words),
        }
    }

    /// The fields of a value with their bits.
    fn fields(self) -> Vec<(String, u32)> {
        let fields: &[(&str, u32)] = match self {
            Self::Reference => &[("address", 64), ("access", 4), ("size", 8), ("source", 16), ("data", 128)],
            Self::Response => &[("data", 128), ("is_fault", 1)],
            Self::Block => &[("address", 64), ("length", 32), ("source", 16), ("writes", 1)],
            Self::BlockResponse => &[("length", 32), ("is_fault", 1)],
            Self::Frame => &[("length", 32), ("is_intact", 1)],
            Self::Words(words) => {
                return (0..words).map(|word| (format!("word{word}"), 64)).collect();
            }
        };
        fields.iter().map(|(name, bits)| ((*name).to_owned(), *bits)).collect()
    }

    /// Values of the words.
    fn values(self, words: &[u64], payloads: &Payloads) -> Vec<u128> {
        let word = |index: u32| words[index as usize];
        match self {
            Self::Reference => {
                let it = Reference::load(word);
                vec![it.address.into(), it.access as u128, it.size.into(), it.source.into(), it.data]
            }
            Self::Response => {
                let it = Response::load(word);
                vec![it.data, it.is_fault.into()]
            }
            Self::Block => {
                let it = Block::load(word);
                vec![it.address.into(), it.length.into(), it.source.into(), it.write.is_some().into()]
            }
            Self::BlockResponse => {
                let it = BlockResponse::load(word);
                let length = it.read.map_or(0, |read| payloads.get(read).len());
                vec![length as u128, it.is_fault.into()]
            }
            Self::Frame => {
                let it = Frame::load(word);
                vec![payloads.get(it.bytes).len() as u128, it.is_intact.into()]
            }
            Self::Words(_) => words.iter().copied().map(u128::from).collect(),
        }
    }
}

impl Waves {
    /// Begins waveforms of `channels` and `states`, each in the order of the netlist, in the file `path`, which is replaced when it is finished; nothing before `from` is written.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(
        path: &Path,
        channels: &[ChannelId],
        states: &[StateName],
        from: Time,
        netlist: &Netlist,
    ) -> io::Result<Self> {
        let info = FstInfo {
            start_time: from.femtoseconds(),
            timescale_exponent: TIMESCALE,
            version: "spinach".to_owned(),
            date: String::new(), // equal runs are equal files
            file_type: FstFileType::Verilog,
        };
        let mut header = FstHeaderWriter::new(StreamFile::create(path)?, &info).map_err(as_io)?;
        let shown = channels.iter().map(|channel| declare(&mut header, netlist, *channel));
        let channels = shown.collect::<Result<_, _>>().map_err(as_io)?;
        let states = states::declare(&mut header, states).map_err(as_io)?;
        let body = header.finish().map_err(as_io)?;
        Ok(Self(Arc::new(Mutex::new(Some(Open { body, channels, states, from, failed: None })))))
    }

    /// True if the waveform is finished: no more is written.
    pub fn is_finished(&self) -> bool {
        self.open().is_none()
    }

    /// Completes the file. A second call does nothing.
    ///
    /// # Errors
    /// If anything could not be written.
    pub fn finish(&self) -> io::Result<()> {
        let Some(open) = self.open().take() else { return Ok(()) };
        match open.failed {
            Some(error) => Err(error),
            None => open.body.finish().map_err(as_io)?.complete(),
        }
    }

    fn open(&self) -> MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn declare(
    header: &mut FstHeaderWriter<StreamFile>,
    netlist: &Netlist,
    id: ChannelId,
) -> Result<Shown, FstWriteError> {
    let channel = &netlist.channels[id];
    let name = netlist.terminal_name(channel.from);
    let scopes: Vec<&str> = name.split('.').collect();
    for scope in &scopes {
        header.scope(scope, "", FstScopeType::Module)?;
    }
    let mut signal = |name: &str, bits: u32| {
        let kind = FstSignalType::bit_vec(bits);
        header.var(name, kind, FstVarType::Wire, FstVarDirection::Implicit, None)
    };
    let (valid, ack) = (signal("valid", 1)?, signal("ack", 1)?);
    let carries = Carries::of(channel.value_type.name, channel.value_type.words);
    let fields = carries.fields().into_iter().map(|(name, bits)| Ok((signal(&name, bits)?, bits)));
    let fields = fields.collect::<Result<_, FstWriteError>>()?;
    for _ in &scopes {
        header.up_scope()?;
    }
    Ok(Shown { channel: id, carries, valid, ack, fields })
}

impl Observer for Waves {
    fn observe(&mut self, observed: &Observed<'_>) {
        if let Some(open) = self.open().as_mut()
            && observed.time >= open.from
            && open.failed.is_none()
        {
            // After the first failure nothing is written any more; `finish` tells.
            open.failed = open.write(observed).map_err(as_io).err();
        }
    }
}

impl Open {
    fn write(&mut self, observed: &Observed<'_>) -> Result<(), FstWriteError> {
        let Self { body, channels, states, .. } = self;
        body.time_change(observed.time.femtoseconds())?;
        for shown in channels.iter().filter(|shown| observed.ticks(shown.channel)) {
            let (words, is_taken) = observed.channel(shown.channel);
            body.signal_change(shown.valid, &digits(words.is_some().into(), 1))?;
            body.signal_change(shown.ack, &digits(is_taken.into(), 1))?;
            let Some(words) = words else { continue };
            let values = shown.carries.values(&words, observed.payloads);
            for ((signal, bits), value) in shown.fields.iter().zip(values) {
                body.signal_change(*signal, &digits(value, *bits))?;
            }
        }
        for state in states {
            state.write(observed, body)?;
        }
        if body.size() > KEPT_BYTES { body.flush() } else { Ok(()) }
    }
}

fn as_io(error: FstWriteError) -> io::Error {
    io::Error::other(error)
}
