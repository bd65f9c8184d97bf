//! The word by which a receiving MAC reports the state of its link.

use serde::{Deserialize, Serialize};
use spinach_engine::{OrUnconnected, Output, Signals};

/// State of a link whose MAC announces it once, when the firmware first enables the MAC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) enum LinkSignal {
    #[default]
    Down,
    Announcing,
    Up,
}

impl LinkSignal {
    /// Presents the word.
    pub(super) fn evaluate(self, port: &OrUnconnected<Output<u64>>, signals: &mut Signals) {
        signals.write(port.port, (self == Self::Announcing).then_some(1));
    }

    /// Records that the word was taken.
    pub(super) fn see(&mut self, port: &OrUnconnected<Output<u64>>, signals: &Signals) {
        if signals.is_sent(port.port) {
            *self = Self::Up;
        }
    }

    /// Begins to announce once the MAC is enabled, if the port is connected.
    pub(super) fn enable(&mut self, is_enabled: bool, port: &OrUnconnected<Output<u64>>) {
        if is_enabled && *self == Self::Down {
            *self = if port.is_connected { Self::Announcing } else { Self::Up };
        }
    }
}
