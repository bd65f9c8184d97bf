//! Queues whose entries leave when they are due.

use std::collections::VecDeque;

/// Takes the oldest entry if it meets a condition.
pub(crate) fn pop_front_if<T>(queue: &mut VecDeque<T>, condition: impl FnOnce(&T) -> bool) -> Option<T> {
    if queue.front().is_some_and(condition) { queue.pop_front() } else { None }
}
