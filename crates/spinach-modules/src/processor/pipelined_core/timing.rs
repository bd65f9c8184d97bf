//! Timing parameters of a pipelined core.

use super::interface::PipelinedCoreParameters;

/// Latencies and depths of the pipeline.
#[derive(Clone, Debug)]
#[cfg_attr(test, derive(Default))]
pub(super) struct Timing {
    pub(super) branches_resolve_in_decode: bool,
    pub(super) jumps_resolve_in_decode: bool,
    pub(super) shift_latency: u32,
    pub(super) has_second_memory_stage: bool,
    pub(super) load_use_delay: u32,
    pub(super) store_buffer: u32,
    pub(super) annulled_slots: u32,
    pub(super) multiply_latency: u32,
    pub(super) multiplies_by_operand: bool,
    pub(super) predicts_branches: bool,
    pub(super) divide_latency: u32,
    pub(super) loads_under_way: u32,
    pub(super) system_latency: u32,
}

impl Timing {
    pub(super) fn of(parameters: &PipelinedCoreParameters) -> Self {
        Self {
            branches_resolve_in_decode: parameters.branch_stage == "decode",
            jumps_resolve_in_decode: parameters.jump_stage == "decode",
            shift_latency: parameters.shift_latency,
            load_use_delay: parameters.load_use_delay,
            annulled_slots: parameters.annulled_slots,
            store_buffer: parameters.store_buffer,
            has_second_memory_stage: parameters.memory_stages == 2,
            multiply_latency: parameters.multiply_latency,
            multiplies_by_operand: parameters.multiply_by_operand,
            predicts_branches: parameters.branch_prediction == "static",
            divide_latency: parameters.divide_latency,
            loads_under_way: parameters.loads_under_way,
            system_latency: parameters.system_latency,
        }
    }

    /// The latency of a multiplication by a number.
    pub(super) const fn multiply_latency_by(&self, operand: i64) -> u32 {
        let shorter = match operand {
            -0x80..=0x7f => 3,
            -0x8000..=0x7fff => 2,
            _ => 0,
        };
        let latency = self.multiply_latency;
        if !self.multiplies_by_operand || latency <= shorter + 1 {
            if self.multiplies_by_operand && shorter > 0 { 1 } else { latency }
        } else {
            latency - shorter
        }
    }

    /// True if a branch or jump resolves in decode.
    pub(super) const fn resolves_in_decode(&self, is_direct_jump: bool) -> bool {
        if is_direct_jump { self.jumps_resolve_in_decode } else { self.branches_resolve_in_decode }
    }

    /// True if every timing option except the store buffer has its default: a core is then cheaper to simulate.
    pub(super) const fn is_usual(&self) -> bool {
        self.branches_resolve_in_decode
            && self.jumps_resolve_in_decode
            && self.shift_latency == 1
            && !self.has_second_memory_stage
            && self.load_use_delay == 1
            && self.multiply_latency == 1
            && !self.predicts_branches
            && self.divide_latency == 1
            && self.loads_under_way == 0
            && self.system_latency == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_operands_multiply_faster_but_in_one_cycle_at_least() {
        for (latency, cycles) in [
            (5, [2, 2, 3, 3, 5]),
            (4, [1, 1, 2, 2, 4]),
            (3, [1, 1, 1, 1, 3]),
            (2, [1, 1, 1, 1, 2]),
            (1, [1; 5]),
        ] {
            let mut timing =
                Timing { multiply_latency: latency, multiplies_by_operand: true, ..Timing::default() };
            let operands = [0x7f, -0x80, 0x80, 0x7fff, 0x8000];
            assert_eq!(operands.map(|operand| timing.multiply_latency_by(operand)), cycles);
            timing.multiplies_by_operand = false;
            assert_eq!(operands.map(|operand| timing.multiply_latency_by(operand)), [latency; 5]);
        }
    }
}
