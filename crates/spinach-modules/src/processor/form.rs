//! Forms of a core's cycle, known at compile time.

/// Facts that a cycle relies on.
pub(super) trait Form {
    /// True if the timing is the default, and the core runs freely.
    const IS_USUAL: bool;
    /// True if the core runs freely: without steps, delays, stop conditions, a call graph, or a period that is followed.
    const IS_FREE: bool;
    /// True if bundles of instructions complete together.
    const HAS_BUNDLES: bool = false;
}

/// A core with the default timing that runs freely.
pub(super) struct Usual;
/// A core with any timing that runs freely.
pub(super) struct Free;
/// Any core.
pub(super) struct General;
/// Any core of bundles.
pub(super) struct Bundled;

impl Form for Usual {
    const IS_USUAL: bool = true;
    const IS_FREE: bool = true;
}

impl Form for Free {
    const IS_USUAL: bool = false;
    const IS_FREE: bool = true;
}

impl Form for General {
    const IS_USUAL: bool = false;
    const IS_FREE: bool = false;
}

impl Form for Bundled {
    const IS_USUAL: bool = false;
    const IS_FREE: bool = false;
    const HAS_BUNDLES: bool = true;
}
