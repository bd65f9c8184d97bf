//! Rows of a timeline from counters of modules: how busy modules are, and how much memories move.

use spinach_engine::{ModuleId, Netlist, Observed, Time};

use super::by_domain::ByDomain;
use super::writer::{Track, Writer};

/// Interval between samples.
const SAMPLED_EVERY: Time = Time::from_femtoseconds(1_000_000_000);

/// A quantity that counters of modules advance.
#[derive(Clone, Debug)]
pub struct Rate {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// The largest value that it can have, if it is known. What is counted at once beyond it, such as a frame at its beginning,
    /// takes place afterwards.
    pub most: Option<f64>,
    /// Counters, each by its module and name, and the seconds times unit that one count is worth.
    pub counters: Vec<(ModuleId, String, f64)>,
}

/// The rows of rates.
pub(super) struct Rates {
    rows: Vec<Row>,
    counters: Vec<Counted>,
    counters_by_domain: ByDomain,
    /// The last sample; `None` before the first look.
    sampled: Option<Time>,
}

struct Row {
    track: Track,
    most: f64,
    /// Counted, but not yet taken place.
    owed: f64,
    shown: Option<f64>,
}

struct Counted {
    row: usize,
    module: ModuleId,
    counter: usize,
    worth: f64,
    count: u64,
    /// Its count at the last sample.
    sampled: u64,
}

impl Rates {
    /// Rows under a heading for each group of rates; counters that no module has are left out.
    pub(super) fn new(groups: [(&str, &[Rate]); 2], netlist: &Netlist, writer: &mut Writer) -> Self {
        let (mut rows, mut counters) = (Vec::new(), Vec::new());
        for (heading, rates) in groups {
            let group = writer.group(heading);
            for rate in rates {
                counters.extend(counted(rate, rows.len(), netlist));
                let track = writer.counter(&rate.name, &rate.unit, group);
                let most = rate.most.unwrap_or(f64::INFINITY);
                rows.push(Row { track, most, owed: 0.0, shown: None });
            }
        }
        let domains = counters.iter().map(|counted: &Counted| &netlist.modules[counted.module].domains[..]);
        let counters_by_domain = ByDomain::new(netlist, domains);
        Self { rows, counters, counters_by_domain, sampled: None }
    }

    pub(super) fn observe(&mut self, observed: &Observed<'_>, writer: &mut Writer) {
        let Some(sampled) = self.sampled else {
            for counted in &mut self.counters {
                counted.look(observed);
                counted.sampled = counted.count;
            }
            self.sampled = Some(observed.time);
            return;
        };
        self.counters_by_domain.each_due(observed, |place| self.counters[place].look(observed));
        if observed.time.saturating_sub(sampled) >= SAMPLED_EVERY {
            self.sample(sampled, observed.time, writer);
        }
    }

    /// Writes the rest, and an end of all rates at `time`.
    pub(super) fn finish(&mut self, time: Time, writer: &mut Writer) {
        if let Some(sampled) = self.sampled.filter(|sampled| *sampled < time) {
            self.sample(sampled, time, writer);
        }
        self.rows.iter().for_each(|row| writer.measure(row.track, time, 0.0));
    }

    fn sample(&mut self, since: Time, time: Time, writer: &mut Writer) {
        for counted in &mut self.counters {
            let counts = counted.count.saturating_sub(counted.sampled);
            self.rows[counted.row].owed += counted.worth * counts as f64;
            counted.sampled = counted.count;
        }
        let seconds = time.saturating_sub(since).femtoseconds() as f64 / 1e15;
        self.rows.iter_mut().for_each(|row| row.sample(since, seconds, writer));
        self.sampled = Some(time);
    }
}

// The counters of a rate whose row is the `row`-th.
fn counted(rate: &Rate, row: usize, netlist: &Netlist) -> impl Iterator<Item = Counted> {
    rate.counters.iter().filter_map(move |(module, name, worth)| {
        let declared = netlist.modules[*module].declaration.counters;
        let counter = declared.iter().position(|(declared, _)| declared == name)?;
        Some(Counted { row, module: *module, counter, worth: *worth, count: 0, sampled: 0 })
    })
}

impl Counted {
    fn look(&mut self, observed: &Observed<'_>) {
        self.count = observed.counters(self.module).get(self.counter).copied().unwrap_or(self.count);
    }
}

impl Row {
    // Writes the rate from `since` on for some seconds, if it is another one than before.
    fn sample(&mut self, since: Time, seconds: f64, writer: &mut Writer) {
        let rate = (self.owed / seconds).min(self.most);
        self.owed -= rate * seconds;
        let rounded = (rate * 100.0).round() / 100.0;
        if self.shown != Some(rounded) {
            writer.measure(self.track, since, rounded);
            self.shown = Some(rounded);
        }
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::super::messages::Trace;
    use super::*;
    use crate::wire::temporary;

    /// Two frames of 150 us are counted when they begin: the link is busy until both are over, and never more than busy.
    #[test]
    fn what_is_counted_at_once_takes_place_afterwards() {
        let path = temporary("rates");
        let mut writer = Writer::create(&path).expect("temporary files can be written");
        let group = writer.group("blocks");
        let track = writer.counter("link", "%", group);
        let mut row = Row { track, most: 100.0, owed: 0.0, shown: None };
        for (sample, begun) in [0.0, 1.0, 1.0, 0.0, 0.0, 0.0].into_iter().enumerate() {
            row.owed += begun * 100.0 * 150e-6;
            let since = Time::from_femtoseconds(sample as u64 * 100_000_000_000);
            row.sample(since, 100e-6, &mut writer);
        }
        writer.complete().expect("temporary files can be written");
        let bytes = std::fs::read(&path).expect("it was written");
        std::fs::remove_file(&path).expect("it was written");
        let trace = Trace::decode(bytes.as_slice()).expect("it is a trace");
        let shown = trace.packet.iter().filter_map(|packet| {
            Some((packet.timestamp? / 100_000, packet.track_event.as_ref()?.double_counter_value?))
        });
        assert_eq!(shown.collect::<Vec<_>>(), [(0, 0.0), (1, 100.0), (4, 0.0)]);
    }
}
