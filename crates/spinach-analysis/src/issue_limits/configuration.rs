//! Cores to find the limits of.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// Issue order of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// No instruction before its predecessor.
    InOrder,
    /// Issue as early as dependences allow, with renamed registers.
    OutOfOrder,
}

/// Times at which results are ready, and limit of memory operations per cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pipeline {
    /// A load's result is ready after two cycles; one memory operation issues per cycle.
    Stalls,
    /// Every result is ready in the next cycle.
    Perfect,
}

/// Cost model of branches, jumps and exception returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prediction {
    /// Nothing after one and its delay slot issues before the next cycle.
    None,
    /// All are predicted, but only one issues per cycle.
    OnePerCycle,
    /// All are predicted.
    Perfect,
}

/// A core to find the limit of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Configuration {
    /// Issue order.
    pub order: Order,
    /// Instructions per cycle at most.
    pub width: NonZeroU32,
    /// Times at which results are ready.
    pub pipeline: Pipeline,
    /// Cost model of branches.
    pub prediction: Prediction,
    /// Out of order, an instruction issues only after the one this many before it has issued and all before that: the
    /// instructions in flight. In order it has no effect.
    pub window: NonZeroU32,
}

impl Configuration {
    /// Window that no core has: an unlimited one, in bounded memory.
    pub const WINDOW: NonZeroU32 = NonZeroU32::new(1 << 14).unwrap();

    /// True if every schedule of `self` is a schedule of `other`.
    pub(super) fn restricts(&self, other: &Self) -> bool {
        let window = |configuration: &Self| match configuration.order {
            Order::InOrder => 0,
            Order::OutOfOrder => configuration.window.get(),
        };
        self.order <= other.order
            && self.width <= other.width
            && self.pipeline <= other.pipeline
            && self.prediction <= other.prediction
            && window(self) <= window(other)
    }

    /// The cores of HPCA 2005, table 2, row by row, generalized to any widths: perfect pipeline with perfect and no
    /// prediction, pipeline stalls with perfect, single and no prediction; in order first.
    pub fn table_2(widths: &[NonZeroU32]) -> Vec<Self> {
        let columns = [
            (Pipeline::Perfect, Prediction::Perfect),
            (Pipeline::Perfect, Prediction::None),
            (Pipeline::Stalls, Prediction::Perfect),
            (Pipeline::Stalls, Prediction::OnePerCycle),
            (Pipeline::Stalls, Prediction::None),
        ];
        let rows = [Order::InOrder, Order::OutOfOrder].into_iter();
        let rows = rows.flat_map(|order| widths.iter().map(move |width| (order, *width)));
        let cells = rows.flat_map(|(order, width)| {
            columns.into_iter().map(move |(pipeline, prediction)| Self {
                order,
                width,
                pipeline,
                prediction,
                window: Self::WINDOW,
            })
        });
        cells.collect()
    }
}
