//! `Checker`: checks that sent frames arrive, all intact and in order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use spinach_engine::{Time, Value, ValueType};
use spinach_net::ethernet::{PAUSE_DESTINATION, pause_quanta};
use spinach_net::flow_hash::{ALL_TYPES, DEFAULT_KEY, of_flow, of_frame};

use crate::parts::histogram::Histogram;
use crate::traffic::plan::TrafficPlan;
use crate::traffic::raw_frames::udp_payload_bytes;

/// Frames further back than this are forgotten, and frames further ahead are not looked for.
const WINDOW: u64 = 16_384;

/// A frame has left its source: a note that travels next to the frames to the latency measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Departure {
    /// The number of the frame in its plan.
    pub index: u64,
    /// Time.
    pub time: Time,
}

impl Value for Departure {
    const TYPE: ValueType = ValueType { name: "departure", words: 2 };

    #[inline]
    fn load(word: impl Fn(u32) -> u64) -> Self {
        Self { index: word(0), time: Time::from_femtoseconds(word(1)) }
    }

    #[inline]
    fn store(self, mut word: impl FnMut(u32, u64)) {
        word(0, self.index);
        word(1, self.time.femtoseconds());
    }
}

/// Verdict on an arrived frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// Right, and the first of its number.
    Delivered {
        /// Bytes of UDP payload.
        payload_bytes: u64,
        /// Number of missing frames between it and the last in order.
        skipped: u64,
        /// True if it was sent before one that arrived already.
        is_reordered: bool,
    },
    /// A frame that arrived before.
    Duplicated,
    /// A pause frame that is not in the plan: one of the other end's flow control, which the card passes on.
    Pause,
    /// No frame of the plan.
    Corrupted,
}

/// Frames that may overtake each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) enum Overtaking {
    /// None.
    #[default]
    None,
    /// Frames of different flows.
    ByFlow,
    /// All.
    All,
}

impl Overtaking {
    /// The choice of two parameters.
    pub(crate) const fn of(by_flow: bool, any_order: bool) -> Self {
        match (by_flow, any_order) {
            (_, true) => Self::All,
            (true, false) => Self::ByFlow,
            (false, false) => Self::None,
        }
    }
}

/// Checks the frames of one direction against their plan. Its memory does not grow with the number of frames.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Checker {
    // The frame after the last in order.
    next: u64,
    // If parts of a plan may overtake each other: of each the frame after its last.
    next_of_part: Vec<u64>,
    overtaking: Overtaking,
    // If flows may overtake each other: of each the frame after its last, by the hashes of the flow.
    next_of_flow: BTreeMap<u64, u64>,
    // For the frames of the last window, by number modulo its size, whether they arrived.
    has_arrived: Vec<u64>,
    // Departures of frames, by number modulo the size of the window.
    departures: Vec<(u64, Time)>,
    /// Latency from departure to arrival.
    latency: Histogram,
    first_arrival: Option<Time>,
    last_arrival: Option<Time>,
    last_delivery: Time,
}

impl Default for Checker {
    fn default() -> Self {
        Self {
            next: 0,
            next_of_part: Vec::new(),
            overtaking: Overtaking::None,
            next_of_flow: BTreeMap::new(),
            has_arrived: vec![0; (WINDOW / 64) as usize],
            departures: Vec::new(),
            latency: Histogram::default(),
            first_arrival: None,
            last_arrival: None,
            last_delivery: Time::ZERO,
        }
    }
}

impl Checker {
    /// Notes that a frame has left.
    pub(crate) fn depart(&mut self, departure: Departure) {
        if self.departures.is_empty() {
            self.departures.resize(WINDOW as usize, (u64::MAX, Time::ZERO));
        }
        self.departures[(departure.index % WINDOW) as usize] = (departure.index, departure.time);
    }

    /// Notes a delivery at `time`; returns the femtoseconds since the one before, which a counter sums up to the time of the last.
    pub(crate) fn deliver(&mut self, time: Time) -> u64 {
        let since = time.saturating_sub(self.last_delivery);
        self.last_delivery = time;
        since.femtoseconds()
    }

    /// The first frame that is worth comparing with; those before it are long past.
    pub(crate) fn oldest(&self) -> u64 {
        self.next.saturating_sub(WINDOW / 16)
    }

    /// A checker that lets some frames overtake each other.
    pub(crate) fn new(overtaking: Overtaking) -> Self {
        Self { overtaking, ..Self::default() }
    }

    /// Judges a frame that arrives at `time`. `scratch` is overwritten.
    pub(crate) fn check(
        &mut self,
        plan: &TrafficPlan,
        frame: &[u8],
        time: Time,
        scratch: &mut Vec<u8>,
    ) -> Verdict {
        if plan.is_any() {
            self.next += 1;
            self.first_arrival.get_or_insert(time);
            self.last_arrival = Some(time);
            return Verdict::Delivered {
                payload_bytes: udp_payload_bytes(frame),
                skipped: 0,
                is_reordered: false,
            };
        }
        let flow = (self.overtaking == Overtaking::ByFlow).then(|| flow(frame));
        let Some(index) = self.find(plan, frame, flow, scratch) else {
            let is_pause = pause_quanta(frame, PAUSE_DESTINATION).is_some();
            return if is_pause { Verdict::Pause } else { Verdict::Corrupted };
        };
        let is_late = index < self.next;
        let is_in_order = match flow {
            Some(flow) => advance(self.next_of_flow.entry(flow).or_default(), index),
            None => plan.is_apart() && self.advance_part(plan.order(index), index),
        } || self.overtaking == Overtaking::All;
        // Of a frame from before the window it is not known whether it arrived; late it is in any case.
        if is_late && self.next - index <= WINDOW && self.mark(index) {
            return Verdict::Duplicated;
        }
        self.first_arrival.get_or_insert(time);
        self.last_arrival = Some(time);
        if let Some((departed, departure)) = self.departures.get((index % WINDOW) as usize)
            && *departed == index
        {
            self.latency.record(time.saturating_sub(*departure));
        }
        let payload_bytes = plan.payload_bytes(index);
        if is_late {
            return Verdict::Delivered { payload_bytes, skipped: 0, is_reordered: !is_in_order };
        }
        for missing in self.next.max(index.saturating_sub(WINDOW))..index {
            self.has_arrived[(missing % WINDOW / 64) as usize] &= !(1 << (missing % 64));
        }
        self.mark(index);
        // Overtaken frames may come yet.
        let may_come = self.overtaking != Overtaking::None || plan.is_apart();
        let skipped = if may_come { 0 } else { index - self.next };
        self.next = index + 1;
        Verdict::Delivered { payload_bytes, skipped, is_reordered: false }
    }

    // True if a frame is behind all of its part that arrived.
    fn advance_part(&mut self, part: usize, index: u64) -> bool {
        if self.next_of_part.len() <= part {
            self.next_of_part.resize(part + 1, 0);
        }
        advance(&mut self.next_of_part[part], index)
    }

    // Notes that a frame of the window arrived; returns whether it had before.
    fn mark(&mut self, index: u64) -> bool {
        let had_arrived = self.had_arrived(index);
        self.has_arrived[(index % WINDOW / 64) as usize] |= 1 << (index % 64);
        had_arrived
    }

    // True if a frame of the window had arrived.
    fn had_arrived(&self, index: u64) -> bool {
        self.has_arrived[(index % WINDOW / 64) as usize] >> (index % 64) & 1 != 0
    }

    // The number of the frame: the expected one, the one that it claims to be, or the next one ahead, else the last one back, that
    // is equal. Where a capture repeats itself, losing frames is thus taken to be likelier than seeing some twice. Where flows may
    // overtake each other, ahead is behind the last of the flow; where all frames may, those that have not arrived come first.
    fn find(
        &self,
        plan: &TrafficPlan,
        frame: &[u8],
        flow: Option<u64>,
        scratch: &mut Vec<u8>,
    ) -> Option<u64> {
        let mut is = |index: u64| {
            index < plan.count() && plan.frame_bytes(index) == frame.len() && {
                plan.build(index, scratch);
                scratch == frame
            }
        };
        if (plan.has_claims() || flow.is_none()) && is(self.next) {
            return Some(self.next);
        }
        if plan.has_claims() {
            return plan.claims(frame, self.next).find(|index| is(*index));
        }
        let first = self.next.saturating_sub(WINDOW);
        let next = flow
            .map_or(self.next, |flow| self.next_of_flow.get(&flow).map_or(first, |next| first.max(*next)));
        let found = (next..self.next + WINDOW).chain((first..next).rev()).find(|index| is(*index))?;
        if self.overtaking == Overtaking::All && found < self.next && self.had_arrived(found) {
            return (first..found)
                .rev()
                .find(|index| !self.had_arrived(*index) && is(*index))
                .or(Some(found));
        }
        Some(found)
    }
}

// Both hashes by which cards choose queues and cores. Frames that differ in either may overtake each other.
fn flow(frame: &[u8]) -> u64 {
    u64::from(of_frame(frame)) << 32 | u64::from(of_flow(&DEFAULT_KEY, ALL_TYPES, frame).unwrap_or(0))
}

// Moves on to the frame after `index`; returns whether that is ahead.
fn advance(next: &mut u64, index: u64) -> bool {
    let is_in_order = index >= *next;
    *next = (*next).max(index + 1);
    is_in_order
}

#[cfg(test)]
mod tests {
    use spinach_net::ethernet::pause_frame;

    use super::*;

    fn on_time(payload_bytes: u64, skipped: u64) -> Verdict {
        Verdict::Delivered { payload_bytes, skipped, is_reordered: false }
    }

    fn late(payload_bytes: u64) -> Verdict {
        Verdict::Delivered { payload_bytes, skipped: 0, is_reordered: true }
    }

    fn judge(checker: &mut Checker, plan: &TrafficPlan, index: u64) -> Verdict {
        let mut frame = Vec::new();
        plan.build(index, &mut frame);
        checker.check(plan, &frame, Time::ZERO, &mut Vec::new())
    }

    fn plans() -> [TrafficPlan; 3] {
        let given: Vec<u8> = (0..100u8).flat_map(|number| [0, 0, 0, 2, number, 1]).collect();
        let plan = |description: &str, frames: &[u8], count| {
            TrafficPlan::new(description, frames, 1, count).expect("a good plan")
        };
        let mix = r#"{"kind": "mix", "parts": [
            {"weight": 3, "source": {"kind": "tcp", "sizes": [0, 700], "flows": 5}},
            {"weight": 1, "source": {"kind": "raw", "sizes": [46]}},
            {"weight": 2, "source": {"kind": "udp", "sizes": [18], "flows": 3, "payload": "zeros"}}]}"#;
        [
            plan(r#"{"kind": "udp", "sizes": [18]}"#, &[], 1_000_000),
            plan("", &given, 100),
            plan(mix, &[], 1_000_000),
        ]
    }

    #[test]
    fn frames_are_told_apart() {
        for plan in plans() {
            let mut checker = Checker::default();
            let right = |index, skipped| on_time(plan.payload_bytes(index), skipped);
            let late = |index| late(plan.payload_bytes(index));
            let arrivals = [
                (0, right(0, 0)),
                (1, right(1, 0)),
                (1, Verdict::Duplicated),
                (5, right(5, 3)),
                (3, late(3)),
                (3, Verdict::Duplicated),
                (2, late(2)),
                (6, right(6, 0)),
                (0, Verdict::Duplicated),
            ];
            for (index, expected) in arrivals {
                assert_eq!(judge(&mut checker, &plan, index), expected, "frame {index}");
            }
            let noise = checker.check(&plan, &[1; 60], Time::ZERO, &mut Vec::new());
            assert_eq!(noise, Verdict::Corrupted);
            let pause = checker.check(&plan, &pause_frame([2; 6], 7), Time::ZERO, &mut Vec::new());
            assert_eq!(pause, Verdict::Pause);
        }
    }

    #[test]
    fn where_any_frame_is_right_frames_are_counted_only() {
        let plan =
            TrafficPlan::new(r#"{"kind": "any", "longest": 1514}"#, &[], 1, u64::MAX).expect("a good plan");
        let [sent, ..] = plans();
        let mut checker = Checker::default();
        for index in [4, 2, 2] {
            let mut frame = Vec::new();
            sent.build(index, &mut frame);
            let verdict = checker.check(&plan, &frame, Time::ZERO, &mut Vec::new());
            assert_eq!(verdict, on_time(18, 0));
        }
    }

    #[test]
    fn parts_that_stand_apart_overtake_each_other_and_not_themselves() {
        let parts = r#"{"kind": "mix", "apart": true, "parts": [{"weight": 1, "source": {"kind": "udp", "sizes": [18]}},
            {"weight": 1, "source": {"kind": "udp", "sizes": [18], "destination_port": 10}}]}"#;
        let plan = TrafficPlan::new(parts, &[], 1, 1000).expect("a good plan");
        let (first, second): (Vec<u64>, Vec<u64>) = (0..1000).partition(|index| plan.order(*index) == 0);
        let mut checker = Checker::default();
        let right = on_time(18, 0);
        for index in [&first[..300], &second[..290]].concat() {
            assert_eq!(judge(&mut checker, &plan, index), right, "frame {index}");
        }
        assert_eq!(judge(&mut checker, &plan, second[7]), Verdict::Duplicated);
        assert_eq!(judge(&mut checker, &plan, second[299]), right);
        assert_eq!(judge(&mut checker, &plan, second[295]), late(18));
    }

    #[test]
    fn flows_overtake_each_other_and_not_themselves() {
        let plan = TrafficPlan::new(r#"{"kind": "udp", "sizes": [18], "flows": 4}"#, &[], 1, 1000)
            .expect("a good plan");
        let mut checker = Checker::new(Overtaking::ByFlow);
        let mut judge = |index: u64| {
            let mut frame = Vec::new();
            plan.build(index, &mut frame);
            checker.check(&plan, &frame, Time::ZERO, &mut Vec::new())
        };
        let right = on_time(18, 0);
        for index in [4, 8, 1, 12, 5] {
            assert_eq!(judge(index), right, "frame {index}");
        }
        assert_eq!(judge(0), late(18));
        assert_eq!(judge(5), Verdict::Duplicated);
    }

    /// A frame of IPv6 to one of some destinations, numbered so that equal ones recur.
    fn report(destination: u8, number: u8) -> Vec<u8> {
        let mut frame = vec![0; 80];
        frame[12..14].copy_from_slice(&[0x86, 0xdd]);
        (frame[14], frame[20], frame[53], frame[60]) = (0x60, 58, destination, number);
        frame
    }

    fn judgements(overtaking: Overtaking, arrivals: &[(u8, u8)]) -> Vec<Verdict> {
        // The first and the last are equal, and another flow lies between them.
        let given = [(1, 0), (2, 0), (2, 1), (1, 0)];
        let records = given.iter().flat_map(|(destination, number)| {
            let frame = report(*destination, *number);
            [&(frame.len() as u32).to_be_bytes(), frame.as_slice()].concat()
        });
        let plan = TrafficPlan::new("", &records.collect::<Vec<u8>>(), 1, 4).expect("a good plan");
        let mut checker = Checker::new(overtaking);
        let judge = |(destination, number): &(u8, u8)| {
            checker.check(&plan, &report(*destination, *number), Time::ZERO, &mut Vec::new())
        };
        arrivals.iter().map(judge).collect()
    }

    #[test]
    fn equal_frames_of_a_capture_may_be_overtaken_by_other_flows() {
        let right = on_time(0, 0);
        let overtaken = [(2, 0), (2, 1), (1, 0), (1, 0), (1, 0)];
        let [by_flow, all] =
            [Overtaking::ByFlow, Overtaking::All].map(|overtaking| judgements(overtaking, &overtaken));
        assert_eq!(by_flow, [right, right, right, right, Verdict::Duplicated]);
        assert_eq!(all[2..], [right, right, Verdict::Duplicated]);
        let within = judgements(Overtaking::ByFlow, &[(1, 0), (2, 1), (2, 0), (1, 0)]);
        assert_eq!(within, [right, right, late(0), right]);
        let lost = judgements(Overtaking::None, &[(1, 0), (1, 0)]);
        assert_eq!(lost[1], on_time(0, 2));
    }

    #[test]
    fn a_single_wrong_bit_is_found_wherever_it_is() {
        let [plan, ..] = plans();
        let mut frame = Vec::new();
        plan.build(0, &mut frame);
        for bit in 0..8 * frame.len() {
            let mut wrong = frame.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            let verdict = Checker::default().check(&plan, &wrong, Time::ZERO, &mut Vec::new());
            assert_eq!(verdict, Verdict::Corrupted, "bit {bit}");
        }
    }

    #[test]
    fn gaps_longer_than_the_window_are_no_problem() {
        let [plan, ..] = plans();
        let mut checker = Checker::default();
        for index in [0, WINDOW * 3 + 7, WINDOW * 3 + 8, WINDOW * 9] {
            assert!(matches!(judge(&mut checker, &plan, index), Verdict::Delivered { .. }));
        }
        assert_eq!(judge(&mut checker, &plan, WINDOW * 9 - 5), late(18));
        assert_eq!(judge(&mut checker, &plan, 1), late(18));
    }
}
