//! Mistakes in a design, in words for its author.

use std::fmt;

use super::design::Location;

/// One mistake in a design: the problem, its place, and an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The elaboration pass that found it.
    pub pass: &'static str,
    /// Problem, with the names of the modules and ports concerned.
    pub message: String,
    /// Instruction that mends the problem.
    pub help: String,
    /// Source location of the description at fault.
    pub location: Option<Location>,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            write!(formatter, "{location}: ")?;
        }
        write!(formatter, "{}\n  help: {}", self.message, self.help)
    }
}

/// Why a design cannot be simulated: every mistake that could be found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElaborationError {
    /// Problems found, at least one.
    pub problems: Vec<Problem>,
}

impl fmt::Display for ElaborationError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                writeln!(formatter)?;
            }
            write!(formatter, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ElaborationError {}

/// Collects the problems of one pass.
pub(crate) struct Problems {
    pass: &'static str,
    list: Vec<Problem>,
}

impl Problems {
    pub(crate) fn new(pass: &'static str) -> Self {
        Self { pass, list: Vec::new() }
    }

    pub(crate) fn report(
        &mut self,
        location: Option<&Location>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let (message, help) = (message.into(), help.into());
        self.list.push(Problem { pass: self.pass, message, help, location: location.cloned() });
    }

    pub(crate) fn finish(self) -> Result<(), ElaborationError> {
        if self.list.is_empty() { Ok(()) } else { Err(ElaborationError { problems: self.list }) }
    }
}

/// Maximum names in a line of help.
const NAMES_LISTED: usize = 20;

/// The names most like `wanted`, at most three, best first.
pub fn similar<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut close: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(wanted, name), name))
        .filter(|(similarity, _)| *similarity > 0.75)
        .collect();
    close.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    close.into_iter().take(3).map(|(_, name)| name).collect()
}

/// A line of help for a name that does not exist: the names most like it, or else the first valid ones.
pub fn suggest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    if known.is_empty() {
        return "there are none".to_owned();
    }
    let close = similar(wanted, known.iter().copied());
    if !close.is_empty() {
        return format!("did you mean {}?", close.join(" or "));
    }
    let (listed, others) = known.split_at(known.len().min(NAMES_LISTED));
    let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    format!("valid names: {}{more}", listed.join(", "))
}
