//! Branch prediction of a core: a hybrid of local and global history, as in the Alpha 21264, targets of indirect jumps, and a
//! stack of return addresses.

const LOCAL: usize = 1024;
const LOCAL_BITS: u32 = 10;
const GLOBAL: usize = 4096;
const TARGETS: usize = 1024;
const RETURNS: usize = 32;

/// A counter that saturates at both ends says yes in its upper half.
fn count(counter: &mut u8, is_up: bool, maximum: u8) {
    *counter = if is_up { (*counter + 1).min(maximum) } else { counter.saturating_sub(1) };
}

/// Predictor of a core.
#[derive(Debug)]
pub(super) struct Predictor {
    local_history: Box<[u16; LOCAL]>,
    local: Box<[u8; 1 << LOCAL_BITS]>,
    global: Box<[u8; GLOBAL]>,
    choice: Box<[u8; GLOBAL]>,
    history: usize,
    targets: Box<[(u64, u64); TARGETS]>,
    returns: [u64; RETURNS],
    depth: usize,
}

impl Predictor {
    pub(super) fn new() -> Self {
        Self {
            local_history: Box::new([0; LOCAL]),
            local: Box::new([3; 1 << LOCAL_BITS]),
            global: Box::new([1; GLOBAL]),
            choice: Box::new([1; GLOBAL]),
            history: 0,
            targets: Box::new([(0, 0); TARGETS]),
            returns: [0; RETURNS],
            depth: 0,
        }
    }

    /// True if a conditional branch at `pc`, which is taken or not, was predicted; learns from it.
    pub(super) fn predicts_branch(&mut self, pc: u64, is_taken: bool) -> bool {
        let history = &mut self.local_history[(pc >> 1) as usize % LOCAL];
        let local = &mut self.local[usize::from(*history)];
        let global = &mut self.global[self.history];
        let choice = &mut self.choice[self.history];
        let (says_local, says_global) = (*local >= 4, *global >= 2);
        let says = if *choice >= 2 { says_global } else { says_local };
        if says_local != says_global {
            count(choice, says_global == is_taken, 3);
        }
        count(local, is_taken, 7);
        count(global, is_taken, 3);
        *history = (*history << 1 | u16::from(is_taken)) & ((1 << LOCAL_BITS) - 1);
        self.history = (self.history << 1 | usize::from(is_taken)) % GLOBAL;
        says == is_taken
    }

    /// True if the target of an indirect jump was predicted; learns from it.
    pub(super) fn predicts_target(&mut self, pc: u64, target: u64) -> bool {
        let entry = &mut self.targets[(pc >> 1) as usize % TARGETS];
        std::mem::replace(entry, (pc, target)) == (pc, target)
    }

    /// Records a call that returns to `next`.
    pub(super) fn call(&mut self, next: u64) {
        self.returns[self.depth % RETURNS] = next;
        self.depth = self.depth.wrapping_add(1);
    }

    /// True if a return to `target` was predicted.
    pub(super) fn predicts_return(&mut self, target: u64) -> bool {
        self.depth = self.depth.wrapping_sub(1);
        self.returns[self.depth % RETURNS] == target
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(outcomes: impl IntoIterator<Item = (u64, bool)>) -> usize {
        let mut predictor = Predictor::new();
        outcomes.into_iter().filter(|(pc, is_taken)| !predictor.predicts_branch(*pc, *is_taken)).count()
    }

    #[test]
    fn loops_and_patterns_are_learned_and_chance_is_not() {
        // A loop of eight turns: the local history is long enough to know the last one.
        assert!(wrong((0..8000).map(|turn| (0x100, turn % 8 != 7))) < 60);
        // A branch that does what another has just done.
        let mut state = 1_u32;
        let pairs: Vec<_> = (0..4000)
            .flat_map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let is_taken = state >> 31 != 0;
                [(0x100, is_taken), (0x200, is_taken)]
            })
            .collect();
        let missed = wrong(pairs);
        assert!((1600..3000).contains(&missed), "{missed}");
    }

    #[test]
    fn a_branch_is_known_by_its_own_history_among_others() {
        // Two turns of three, with twelve random branches between, which fill the global history.
        let mut predictor = Predictor::new();
        let (mut state, mut missed) = (1_u32, 0);
        for turn in 0..1000 {
            let is_right = predictor.predicts_branch(0x100, turn % 3 != 2);
            missed += u32::from(!is_right && turn >= 500);
            for branch in 0..12 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                predictor.predicts_branch(0x200 + 2 * branch, state >> 31 != 0);
            }
        }
        assert!(missed < 100, "{missed}");
    }

    #[test]
    fn calls_return_and_targets_repeat() {
        let mut predictor = Predictor::new();
        for next in [0x10, 0x20, 0x30] {
            predictor.call(next);
        }
        assert!([0x30, 0x20, 0x10].into_iter().all(|target| predictor.predicts_return(target)));
        assert!(!predictor.predicts_target(0x40, 0x80));
        assert!(predictor.predicts_target(0x40, 0x80));
        assert!(!predictor.predicts_target(0x40, 0x90));
    }
}
