//! Translation of addresses into functions and tasks, for recorders of traces.

use std::collections::BTreeMap;
use std::ops::Range;

use super::TraceError;
use crate::image::Image;

const UNKNOWN: &str = "unknown";

/// Code that is in no function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MappedCode {
    /// Its addresses, none of which is in a function.
    pub addresses: Range<u64>,
    /// Its name in place of that of a function.
    pub name: String,
    /// The task that it begins.
    pub task: String,
}

/// Knows which function an address belongs to, and which task each core is in.
///
/// A function that is mapped to a task begins it; the others run on in the task that reached them. So a dispatch loop that is
/// mapped to an idle task ends the handler it comes back from. Assembly code may be mapped without being a function.
#[derive(Clone, Debug)]
pub struct TaskTracker {
    /// First address of each function or other mapped code, one past its last, index of its name, and the task it begins.
    functions: Vec<(u64, u64, u32, Option<u16>)>,
    function_names: Vec<String>,
    task_names: Vec<String>,
    overhead_tasks: Vec<String>,
    /// Per core, the task and the function of the last instruction, as an index into `functions`.
    cores: Vec<(u16, Option<usize>)>,
}

impl TaskTracker {
    /// Takes the functions of `image`; `tasks` maps names of functions to names of tasks.
    ///
    /// # Errors
    /// [`TraceError::UnknownName`] if a mapped function is not in the image.
    pub fn new(image: &Image, tasks: &BTreeMap<String, String>) -> Result<Self, TraceError> {
        let mut function_names = vec![UNKNOWN.to_owned()];
        let mut task_names = vec![UNKNOWN.to_owned()];
        let mut functions = Vec::new();
        for function in image.functions() {
            let task = tasks.get(&function.name).map(|name| number(&mut task_names, name) as u16);
            let end = function.address.saturating_add(function.bytes);
            functions.push((function.address, end, function_names.len() as u32, task));
            function_names.push(function.name.clone());
        }
        if let Some(name) = tasks.keys().find(|name| !function_names.contains(name)) {
            return Err(TraceError::UnknownName {
                path: image.name().into(),
                what: "function",
                name: name.clone(),
                known: function_names.split_off(1),
            });
        }
        Ok(Self { functions, function_names, task_names, overhead_tasks: Vec::new(), cores: Vec::new() })
    }

    /// Maps code that is in no function to tasks.
    #[must_use]
    pub fn with_code(mut self, code: &[MappedCode]) -> Self {
        for MappedCode { addresses, name, task } in code {
            let name = number(&mut self.function_names, name) as u32;
            let task = number(&mut self.task_names, task) as u16;
            self.functions.push((addresses.start, addresses.end, name, Some(task)));
        }
        self.functions.sort_by_key(|(start, ..)| *start);
        self
    }

    /// Marks those of `tasks` that any code begins as no work on frames.
    #[must_use]
    pub fn with_overhead(mut self, tasks: Vec<String>) -> Self {
        self.overhead_tasks = tasks;
        self.overhead_tasks.retain(|task| self.task_names.contains(task));
        self
    }

    /// The task and the function of the instruction that `core` executes at `pc`, as indexes into the names.
    pub fn locate(&mut self, core: u16, pc: u64) -> (u16, u32) {
        let index = usize::from(core);
        if index >= self.cores.len() {
            self.cores.resize(index + 1, (0, None));
        }
        let (task, last) = &mut self.cores[index];
        if let Some((start, end, name, _)) = last.map(|last| self.functions[last])
            && (start..end).contains(&pc)
        {
            return (*task, name);
        }
        let candidate = self.functions.partition_point(|(start, ..)| *start <= pc).checked_sub(1);
        *last = candidate.filter(|candidate| pc < self.functions[*candidate].1);
        let Some((_, _, name, begins)) = last.map(|last| self.functions[last]) else { return (*task, 0) };
        *task = begins.unwrap_or(*task);
        (*task, name)
    }

    /// Names of the tasks, the first for instructions before any mapped function.
    pub fn task_names(&self) -> &[String] {
        &self.task_names
    }

    /// Tasks that do not process frames.
    pub fn overhead_tasks(&self) -> &[String] {
        &self.overhead_tasks
    }

    /// Names of the functions, the first for addresses outside all of them.
    pub fn function_names(&self) -> &[String] {
        &self.function_names
    }
}

// Number of a name, which is added if it is new.
fn number(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}
