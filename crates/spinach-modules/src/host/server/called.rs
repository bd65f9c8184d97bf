//! Calls of guest software on a server, as messages.

use serde::{Deserialize, Serialize};
use spinach_server::calls::Call;

use super::kept::Counts;

/// A call of guest software, and the counts of the harts when it was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Called {
    kind: String,
    detail: String,
    counts: Counts,
}

impl Called {
    pub(super) fn new(call: &Call, counts: Counts) -> Self {
        let (kind, detail) = call.words();
        Self { kind: kind.to_owned(), detail, counts }
    }

    /// JSON object in a line.
    pub(super) fn message(&self) -> Vec<u8> {
        // Text and numbers only, which JSON always expresses.
        let mut message = serde_json::to_vec(self).unwrap_or_default();
        message.push(b'\n');
        message
    }
}
