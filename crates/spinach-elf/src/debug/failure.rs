//! Why reading debug information ends early.

use gimli::Error;

use crate::budget::Exceeded;

/// Why reading a unit ends early.
#[derive(Debug)]
pub(super) enum Failure {
    /// gimli finds it damaged.
    Damaged(Error),
    /// It costs too much.
    Exceeded,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Damaged(error)
    }
}

impl From<Exceeded> for Failure {
    fn from(Exceeded: Exceeded) -> Self {
        Self::Exceeded
    }
}
