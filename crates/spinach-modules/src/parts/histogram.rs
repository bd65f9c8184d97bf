//! `Histogram`: spans of time in buckets that grow with the span.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use spinach_engine::Time;

/// Buckets in each power of two: a quantile is at most one part in this many too high.
const STEPS: u64 = 32;
const STEP_BITS: u32 = STEPS.trailing_zeros();

/// Distribution of spans in log-linear buckets of nanoseconds: exact below 64 ns, 3 % wide above. Its memory does not grow with
/// the number of spans.
///
/// As structured data it appears as `count`, `p50_ns`, `p99_ns`, `max_ns`, and `buckets`: the longest span in nanoseconds that belongs
/// into a bucket, and how many do, of those that are not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Histogram {
    count: u64,
    longest_ns: u64,
    buckets: Vec<u64>,
}

impl Histogram {
    /// Counts a span.
    pub(crate) fn record(&mut self, span: Time) {
        let nanoseconds = span.femtoseconds() / 1_000_000;
        let bucket = bucket_of(nanoseconds);
        if self.buckets.len() <= bucket {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        self.count += 1;
        self.longest_ns = self.longest_ns.max(nanoseconds);
    }

    fn filled(&self) -> Vec<(u64, u64)> {
        let counts = self.buckets.iter().enumerate().filter(|(_, count)| **count != 0);
        counts.map(|(bucket, count)| (highest_of(bucket), *count)).collect()
    }

    /// The span in nanoseconds that `thousandths` of all spans do not exceed; 0 if none were counted.
    pub(crate) fn quantile_ns(&self, thousandths: u64) -> u64 {
        let rank = (self.count * thousandths).div_ceil(1000).max(1);
        let mut below = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            below += count;
            if below >= rank {
                return highest_of(bucket).min(self.longest_ns);
            }
        }
        0
    }
}

fn bucket_of(nanoseconds: u64) -> usize {
    let shift = (u64::BITS - nanoseconds.leading_zeros()).saturating_sub(STEP_BITS + 1);
    (u64::from(shift) * STEPS + (nanoseconds >> shift)) as usize
}

fn highest_of(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    let shift = (bucket / STEPS).saturating_sub(1);
    ((bucket - shift * STEPS + 1) << shift) - 1
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            let mut structure = serializer.serialize_struct("Histogram", 5)?;
            structure.serialize_field("count", &self.count)?;
            structure.serialize_field("p50_ns", &self.quantile_ns(500))?;
            structure.serialize_field("p99_ns", &self.quantile_ns(990))?;
            structure.serialize_field("max_ns", &self.longest_ns)?;
            structure.serialize_field("buckets", &self.filled())?;
            structure.end()
        } else {
            let mut structure = serializer.serialize_struct("Histogram", 3)?;
            structure.serialize_field("count", &self.count)?;
            structure.serialize_field("longest_ns", &self.longest_ns)?;
            structure.serialize_field("buckets", &self.buckets)?;
            structure.end()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_span_lies_in_its_bucket_and_buckets_are_narrow() {
        for nanoseconds in (0..100_000).chain((0..60).map(|bit| 1u64 << bit)).chain([u64::MAX / 2]) {
            let bucket = bucket_of(nanoseconds);
            let highest = highest_of(bucket);
            assert!(highest >= nanoseconds && highest - nanoseconds <= nanoseconds / STEPS, "{nanoseconds}");
            assert!(bucket == 0 || highest_of(bucket - 1) < nanoseconds);
        }
    }

    #[test]
    fn quantiles_of_a_thousand_different_spans() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile_ns(500), 0);
        for nanoseconds in 1..=1000 {
            histogram.record(Time::from_nanoseconds(nanoseconds).expect("short"));
        }
        assert_eq!((histogram.count, histogram.longest_ns), (1000, 1000));
        assert!((500..=516).contains(&histogram.quantile_ns(500)), "{}", histogram.quantile_ns(500));
        assert!((990..=1000).contains(&histogram.quantile_ns(990)));
        assert_eq!(histogram.quantile_ns(1000), 1000);
    }
}
