//! Firmware calls that give counters to supervisor mode: the extension for performance monitoring of the supervisor binary interface
//! (version 1.0, chapter 11), without firmware events.

use crate::answer::{Answer, Error};
use crate::counting::{COUNTERS, Event, FIRST_COUNTER};
use crate::hart::Hart;

/// Number of the extension.
pub(crate) const EXTENSION: u64 = 0x50_4d55;

const CYCLE: u64 = 0xc00;
/// Width of a counter less one, in the description of a counter.
const WIDTH: u64 = 63 << 12;

const CACHE: u64 = 1 << 16;
/// Kinds of caches.
const DATA: u64 = 0;
const CODE: u64 = 1;
const LAST_LEVEL: u64 = 2;
const DATA_PAGES: u64 = 3;
const CODE_PAGES: u64 = 4;
const PREDICTOR: u64 = 5;
/// Operations on caches.
const READ: u64 = 0;
const WRITE: u64 = 1;

const SKIPS_MATCH: u64 = 1 << 0;
const CLEARS: u64 = 1 << 1;
const STARTS: u64 = 1 << 2;
const EXCLUDES_USER: u64 = 1 << 5;
const EXCLUDES_SUPERVISOR: u64 = 1 << 6;
const CONFIGURATION_FLAGS: u64 = 0xff;
const SETS_VALUE: u64 = 1;
const RESETS: u64 = 1;

/// The event `operation` on a cache, and whether it missed.
const fn of_cache(cache: u64, operation: u64, misses: bool) -> u64 {
    CACHE | cache << 3 | operation << 1 | misses as u64
}

/// Events of a number of the interface, which are added; `None` if there are none in the model.
fn events(number: u64) -> Option<&'static [Event]> {
    use Event as E;
    const fn read(cache: u64) -> u64 {
        of_cache(cache, READ, false)
    }
    const fn read_misses(cache: u64) -> u64 {
        of_cache(cache, READ, true)
    }
    const DATA_READ: u64 = read(DATA);
    const DATA_READ_MISSES: u64 = read_misses(DATA);
    const DATA_WRITE: u64 = of_cache(DATA, WRITE, false);
    const DATA_WRITE_MISSES: u64 = of_cache(DATA, WRITE, true);
    const CODE_READ: u64 = read(CODE);
    const CODE_READ_MISSES: u64 = read_misses(CODE);
    const LAST_READ: u64 = read(LAST_LEVEL);
    const LAST_READ_MISSES: u64 = read_misses(LAST_LEVEL);
    const LAST_WRITE: u64 = of_cache(LAST_LEVEL, WRITE, false);
    const LAST_WRITE_MISSES: u64 = of_cache(LAST_LEVEL, WRITE, true);
    const DATA_PAGES_READ_MISSES: u64 = read_misses(DATA_PAGES);
    const DATA_PAGES_WRITE_MISSES: u64 = of_cache(DATA_PAGES, WRITE, true);
    const CODE_PAGES_READ_MISSES: u64 = read_misses(CODE_PAGES);
    const PREDICTOR_READ: u64 = read(PREDICTOR);
    const PREDICTOR_READ_MISSES: u64 = read_misses(PREDICTOR);
    Some(match number {
        1 => &[E::Cycles],
        2 => &[E::Instructions],
        3 => &[E::SecondLevelLoads, E::SecondLevelStores],
        4 => &[E::SecondLevelLoadMisses, E::SecondLevelStoreMisses],
        5 | PREDICTOR_READ => &[E::Branches],
        6 | PREDICTOR_READ_MISSES => &[E::Mispredictions],
        DATA_READ => &[E::Loads],
        DATA_READ_MISSES => &[E::LoadMisses],
        DATA_WRITE => &[E::Stores],
        DATA_WRITE_MISSES => &[E::StoreMisses],
        CODE_READ => &[E::Fetches],
        CODE_READ_MISSES => &[E::FetchMisses],
        LAST_READ => &[E::SecondLevelLoads],
        LAST_READ_MISSES => &[E::SecondLevelLoadMisses],
        LAST_WRITE => &[E::SecondLevelStores],
        LAST_WRITE_MISSES => &[E::SecondLevelStoreMisses],
        DATA_PAGES_READ_MISSES => &[E::LoadWalks],
        DATA_PAGES_WRITE_MISSES => &[E::StoreWalks],
        CODE_PAGES_READ_MISSES => &[E::CodeWalks],
        _ => return None,
    })
}

/// Indices of the counters of a mask whose lowest bit is counter `base`.
fn chosen(base: u64, mask: u64) -> Result<Vec<usize>, Error> {
    let numbers = (0..u64::BITS).filter(|bit| mask >> bit & 1 != 0).map(|bit| base.checked_add(bit.into()));
    let index = |number: Option<u64>| {
        let index = usize::try_from(number?).ok()?.checked_sub(FIRST_COUNTER)?;
        (index < COUNTERS).then_some(index)
    };
    let indices: Vec<usize> = numbers.map(index).collect::<Option<_>>().ok_or(Error::InvalidParameter)?;
    if indices.is_empty() { Err(Error::InvalidParameter) } else { Ok(indices) }
}

impl Hart {
    /// Serves a call on its counters.
    pub(crate) fn serve_counters(&mut self, function: u64, arguments: [u64; 5]) -> Answer {
        let [first, mask, flags, fourth, _] = arguments;
        match function {
            0 => Ok((FIRST_COUNTER + COUNTERS) as u64),
            1 => match chosen(first, 1) {
                Ok(_) => Ok((CYCLE + first) | WIDTH),
                Err(error) => Err(error),
            },
            2 => self.match_counter(&chosen(first, mask)?, flags, fourth),
            3 => {
                let chosen = chosen(first, mask)?;
                if flags & !SETS_VALUE != 0 {
                    return Err(Error::NotSupported);
                }
                if chosen.iter().any(|index| self.is_free(*index) != Some(false)) {
                    return Err(Error::InvalidParameter);
                }
                let mut all_started = true;
                for index in chosen {
                    if flags & SETS_VALUE != 0 {
                        self.set_counter(index, fourth);
                    }
                    all_started &= self.start_counter(index);
                }
                if all_started { Ok(0) } else { Err(Error::AlreadyStarted) }
            }
            4 => {
                let chosen = chosen(first, mask)?;
                if flags & !RESETS != 0 {
                    return Err(Error::NotSupported);
                }
                let stopped = chosen.iter().map(|index| self.stop_counter(*index, flags & RESETS != 0));
                if stopped.fold(true, |all, one| all & one) { Ok(0) } else { Err(Error::AlreadyStopped) }
            }
            // Firmware counters: there are none.
            5 => Err(Error::InvalidParameter),
            _ => Err(Error::NotSupported),
        }
    }

    /// Takes one of these counters for an event; returns its number.
    fn match_counter(&mut self, chosen: &[usize], flags: u64, event: u64) -> Answer {
        if flags & !CONFIGURATION_FLAGS != 0 {
            return Err(Error::InvalidParameter);
        }
        let skips = flags & SKIPS_MATCH != 0;
        let index = if skips {
            let index = *chosen.first().ok_or(Error::InvalidParameter)?;
            if self.is_free(index) != Some(false) {
                return Err(Error::InvalidParameter);
            }
            index
        } else {
            let events = events(event).ok_or(Error::NotSupported)?;
            let mut free = chosen.iter().filter(|index| self.is_free(**index) == Some(true));
            let index = *free.next().ok_or(Error::NotSupported)?;
            let excluded = [EXCLUDES_USER, EXCLUDES_SUPERVISOR].map(|flag| flags & flag != 0);
            self.configure(index, events, excluded);
            index
        };
        if flags & CLEARS != 0 {
            self.set_counter(index, 0);
        }
        if flags & STARTS != 0 {
            self.start_counter(index);
        }
        Ok((index + FIRST_COUNTER) as u64)
    }
}
