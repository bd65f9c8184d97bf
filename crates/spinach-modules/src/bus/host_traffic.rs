//! Traffic of a host: the frames that its driver sends, and those that it expects.

use spinach_engine::{Rate, parameters};

use crate::traffic::checker::Overtaking;
use crate::traffic::live_frames::Outbox;
use crate::traffic::pace::Pace;
use crate::traffic::plan::TrafficPlan;

parameters! {
    /// Parameters of the traffic of a host.
    pub struct HostTraffic {
        /// Frames to send, in JSON, as {"kind": "udp", "sizes": [1472]}; empty for `send_frames`, or for no traffic. See
        /// `spinach_nic.traffic`.
        pub send_traffic: String = String::new(); variable,
        /// The frames of a capture: each preceded by its length in 32 bits, big-endian, and without frame check sequence.
        pub send_frames: Vec<u8> = Vec::new(); variable,
        /// Number of frames to send.
        pub send_count: u64 = u64::MAX; variable,
        /// Seed of sizes and contents.
        pub send_seed: u64 = 1; variable,
        /// Bits a second on the wire, with preamble and gap; 0 for as many as the NIC takes.
        pub send_rate: Rate = Rate(0); variable,
        /// Frames a second; 0 for no limit.
        pub send_frame_rate: u64 = 0 => in 0..=1_000_000_000_000; variable,
        /// Expected frames, as `send_traffic`.
        pub receive_traffic: String = String::new(); variable,
        /// Expected frames of a capture, as `send_frames`.
        pub receive_frames: Vec<u8> = Vec::new(); variable,
        /// Number of expected frames, as `send_count`.
        pub receive_count: u64 = u64::MAX; variable,
        /// Seed of the expected frames, as `send_seed`.
        pub receive_seed: u64 = 2; variable,
        /// If true, received frames are kept for export.
        pub receive_exports: bool = false,
        /// If true, received frames of different flows may overtake each other.
        pub receive_by_flow: bool = false,
        /// If true, received frames may overtake each other.
        pub receive_any_order: bool = false,
    }
}

impl HostTraffic {
    /// The frames to send.
    ///
    /// # Errors
    /// One sentence that names the mistake in the parameters.
    pub(super) fn send_plan(&self) -> Result<TrafficPlan, String> {
        TrafficPlan::new(&self.send_traffic, &self.send_frames, self.send_seed, self.send_count)
    }

    /// The expected frames.
    ///
    /// # Errors
    /// One sentence that names the mistake in the parameters.
    pub(super) fn receive_plan(&self) -> Result<TrafficPlan, String> {
        TrafficPlan::new(&self.receive_traffic, &self.receive_frames, self.receive_seed, self.receive_count)
    }

    /// The expected frames that may overtake each other.
    pub(super) const fn overtaking(&self) -> Overtaking {
        Overtaking::of(self.receive_by_flow, self.receive_any_order)
    }

    /// The pace of the frames to send.
    pub(super) fn pace(&self) -> Pace {
        Pace::new(self.send_rate.0, self.send_frame_rate)
    }

    /// The received frames that wait for export.
    pub(super) fn outbox(&self) -> Outbox {
        Outbox::new(self.receive_exports)
    }
}
