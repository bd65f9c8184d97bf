//! Choosing the instructions that a study looks at.

use serde::{Deserialize, Serialize};

use super::{Instruction, TraceError, TraceReader};

/// Selection of a trace's instructions. The default takes all.
///
/// The papers study an idealized stream without idling and synchronisation: exclude those tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Only these cores.
    pub cores: Option<Vec<u16>>,
    /// Only these tasks, by name.
    pub tasks: Option<Vec<String>>,
    /// Not these tasks, by name.
    pub tasks_excluded: Vec<String>,
    /// Not these functions, by name.
    pub functions_excluded: Vec<String>,
}

/// A [`Filter`] with the numbers of one trace.
#[derive(Clone, Debug)]
pub(crate) struct BoundFilter {
    cores: Option<Vec<u16>>,
    tasks: Vec<bool>,
    functions: Vec<bool>,
    takes_all: bool,
}

impl Filter {
    /// Looks the names up in the trace's header.
    ///
    /// # Errors
    /// [`TraceError::UnknownName`] for a name that the trace does not have.
    pub(crate) fn bind(&self, reader: &TraceReader) -> Result<BoundFilter, TraceError> {
        let header = reader.header();
        let index = |what, known: &[String], name: &String| {
            known.iter().position(|candidate| candidate == name).ok_or_else(|| TraceError::UnknownName {
                path: reader.path().to_owned(),
                what,
                name: name.clone(),
                known: known.to_vec(),
            })
        };
        let mut tasks = vec![self.tasks.is_none(); header.tasks.len()];
        for name in self.tasks.iter().flatten() {
            tasks[index("task", &header.tasks, name)?] = true;
        }
        for name in &self.tasks_excluded {
            tasks[index("task", &header.tasks, name)?] = false;
        }
        let mut functions = vec![true; header.functions.len()];
        for name in &self.functions_excluded {
            functions[index("function", &header.functions, name)?] = false;
        }
        let takes_all = self.cores.is_none() && tasks.iter().chain(&functions).all(|taken| *taken);
        Ok(BoundFilter { cores: self.cores.clone(), tasks, functions, takes_all })
    }
}

impl BoundFilter {
    #[inline]
    pub(crate) fn takes(&self, instruction: &Instruction) -> bool {
        self.takes_all
            || self.tasks[usize::from(instruction.task)]
                && self.functions[instruction.function as usize]
                && self.cores.as_ref().is_none_or(|cores| cores.contains(&instruction.core))
    }
}
