//! Waveforms: the values of channels and of the states of modules in every cycle, in the format FST of GTKWave and Surfer.
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
use spinach_engine::{ChannelId, Netlist, Observed, Observer, Time};
use spinach_io::StreamFile;

pub(crate) use self::states::ACCOUNTS;
use self::states::{ShownState, digits};
pub use self::states::{StateName, state_names};
use crate::carried::Carries;

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
            // After the first failure nothing more is written; `finish` returns the failure.
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
            let values = shown.carries.values(&words, |payload| observed.payload(shown.channel, payload));
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
