//! Server data kept until a timeline is written.

use std::ops::Range;

use spinach_net::ethernet::frame_duration;
use spinach_observe::timeline::{Categories, FunctionNames, LinkFrame};
use spinach_server::network::Passed;

const ETHERTYPE: Range<usize> = 12..14;
const PROTOCOL: usize = 23;

/// Data kept for a timeline of servers.
pub(super) struct Recorded {
    pub(super) window_ps: Range<u64>,
    pub(super) functions: Vec<FunctionNames>,
    pub(super) categories: Categories,
    pub(super) bits_per_s: u64,
    pub(super) frames: Vec<LinkFrame>,
}

impl Recorded {
    pub(super) fn take_frame(&mut self, passed: &Passed) {
        let begins = passed.at.saturating_sub(frame_duration(passed.frame.len(), self.bits_per_s));
        if passed.at > self.window_ps.start && begins < self.window_ps.end {
            let name = format!("{}, {} bytes", kind_of(&passed.frame), passed.frame.len());
            self.frames.push(LinkFrame { from: passed.from, begins, ends: passed.at, name });
        }
    }
}

/// Content of a frame, in one word.
fn kind_of(frame: &[u8]) -> &'static str {
    match (frame.get(ETHERTYPE), frame.get(PROTOCOL)) {
        (Some([8, 0]), Some(1)) => "ICMP",
        (Some([8, 0]), Some(6)) => "TCP",
        (Some([8, 0]), Some(17)) => "UDP",
        (Some([8, 0]), _) => "IPv4",
        (Some([8, 6]), _) => "ARP",
        _ => "frame",
    }
}
