//! Observers of single channels.

use crate::ids::ChannelId;

/// An observer of the values that move through some channels.
pub(super) struct Tap<O> {
    pub(super) observer: O,
    pub(super) channels: Vec<ChannelId>,
}
