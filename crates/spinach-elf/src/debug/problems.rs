//! Damage found while reading.

/// Maximum number of listed problems; the rest are only counted.
const LISTED_MAXIMUM: usize = 3;

/// Damages of debug information, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Problems {
    listed: Vec<String>,
    count: usize,
}

impl Problems {
    pub(super) fn add(&mut self, section: &str, offset: usize, problem: &str) {
        self.count += 1;
        if self.listed.len() < LISTED_MAXIMUM {
            self.listed.push(format!("{section}, offset {offset:#x}: {problem}"));
        }
    }

    pub(super) fn into_notes(self, name: &str) -> Vec<String> {
        let more = self.count - self.listed.len();
        let mut notes: Vec<_> = self
            .listed
            .iter()
            .map(|problem| format!("{name}: damaged debug information: {problem}"))
            .collect();
        if more > 0 {
            notes.push(format!("{name}: {more} more damaged places in its debug information"));
        }
        notes
    }
}
