//! Writes straight-line Rust for the two networks: signals are local variables, state is fields with constant indices, and
//! nothing is looked up. This is what a compiler could make of the design at best.

#[allow(
    dead_code,
    unreachable_pub,
    reason = "the generator shares it with the benchmark, and needs only a part"
)]
#[path = "src/network.rs"]
mod network;

use std::fmt::Write;
use std::path::Path;

use network::{ACCEPT_PERCENT, ENDS, Kind, Module, Network};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/network.rs");
    let directory = std::env::var("OUT_DIR").expect("cargo sets it");
    for size in [50, 800] {
        let path = Path::new(&directory).join(format!("straight_line_{size}.rs"));
        std::fs::write(path, generate(size)).expect("the directory can be written");
    }
}

fn generate(size: usize) -> String {
    let network = Network::random(size);
    let (mut forward, mut backward, mut commit) = (String::new(), String::new(), String::new());
    for index in 0..ENDS {
        let _ = writeln!(forward, "(p[{index}], d[{index}]) = (true, self.offered[{index}]);");
        let _ = writeln!(
            commit,
            "if a[{index}] {{ self.offered[{index}] = self.sources[{index}].draw() >> 8; }}"
        );
    }
    for (index, module) in network.modules.iter().enumerate() {
        forward.push_str(&forward_of(index, module));
        commit.push_str(&commit_of(index, module));
    }
    for (index, channel) in network.sinks.iter().enumerate() {
        let _ = writeln!(backward, "a[{channel}] = self.accepts[{index}];");
        let _ = writeln!(
            commit,
            "if p[{channel}] & a[{channel}] {{
                self.checksums[{index}] = (self.checksums[{index}] ^ d[{channel}]).wrapping_mul(0x100_0000_01b3);
            }}
            self.accepts[{index}] = self.sinks[{index}].chance({ACCEPT_PERCENT});"
        );
    }
    for (index, module) in network.modules.iter().enumerate().rev() {
        backward.push_str(&backward_of(index, module));
    }
    type_of(size, network.channels, &format!("{forward}\n{backward}\n{commit}"))
}

// The type with its state and its methods; `body` is what happens in a cycle.
fn type_of(size: usize, channels: usize, body: &str) -> String {
    format!(
        "/// The network of {size} modules.
        pub(crate) struct Network{size} {{
            sources: [Random; {ENDS}], offered: [u64; {ENDS}],
            sinks: [Random; {ENDS}], accepts: [bool; {ENDS}], checksums: [u64; {ENDS}],
            words: [u64; {size}], flags: [bool; {size}], firsts: [u32; {size}], counts: [u32; {size}],
            entries: [[u64; 4]; {size}],
        }}
        impl Default for Network{size} {{
            fn default() -> Self {{ Self::new() }}
        }}
        impl Network{size} {{
            /// The network before its first cycle.
            pub(crate) fn new() -> Self {{
                let mut sources = std::array::from_fn(|index| Random::new(index as u64));
                let mut sinks = std::array::from_fn(|index| Random::new(1000 + index as u64));
                let offered = std::array::from_fn(|index: usize| {{ let source: &mut Random = &mut sources[index]; source.draw() >> 8 }});
                let accepts = std::array::from_fn(|index: usize| {{ let sink: &mut Random = &mut sinks[index]; sink.chance({ACCEPT_PERCENT}) }});
                Self {{ sources, offered, sinks, accepts, checksums: [0; {ENDS}], words: [0; {size}], flags: [false; {size}],
                    firsts: [0; {size}], counts: [0; {size}], entries: [[0; 4]; {size}] }}
            }}
            /// Evaluates and commits once.
            pub(crate) fn cycle(&mut self) {{
                // One array for all signals of a sort, because a variable for each would nest a thousand scopes.
                let (mut p, mut a, mut d) = ([false; {channels}], [false; {channels}], [0u64; {channels}]);
                let (mut h, mut l, mut c, mut t) = ([false; {size}], [false; {size}], [false; {size}], [false; {size}]);
                let mut s = [0u64; {size}];
                {body}
            }}
            /// Checksum over the input of all sinks.
            pub(crate) fn checksum(&self) -> u64 {{
                self.checksums.iter().fold(0, |sum, checksum| sum.rotate_left(1) ^ checksum)
            }}
        }}
        "
    )
}

// The channels of a module: both inputs (the only one twice), both outputs (the only one twice).
fn channels(module: &Module) -> (usize, usize, usize, usize) {
    let both = |list: &[usize]| (list[0], list[list.len() - 1]);
    let ((a, b), (x, y)) = (both(&module.inputs), both(&module.outputs));
    (a, b, x, y)
}

// Presence `p` and data `d` of the outputs from those of the inputs.
fn forward_of(i: usize, module: &Module) -> String {
    let (a, b, x, y) = channels(module);
    let steer = |present: String, data: String| {
        format!(
            "(h[{i}], d[{x}]) = ({present}, {data}); d[{y}] = d[{x}]; l[{i}] = lane_of(d[{x}], 2) == 0;
             (p[{x}], p[{y}]) = (h[{i}] & l[{i}], h[{i}] & !l[{i}]);\n"
        )
    };
    let masked = |channel: usize| format!("(if p[{channel}] {{ d[{channel}] }} else {{ 0 }})");
    let sum = format!("{}.wrapping_mul(3).wrapping_add({})", masked(a), masked(b));
    match module.kind {
        Kind::Function => format!("(p[{x}], d[{x}]) = (p[{a}] | p[{b}], {sum});\n"),
        Kind::Accumulator => {
            format!(
                "s[{i}] = self.words[{i}].wrapping_add({sum}); (p[{x}], d[{x}]) = (p[{a}] | p[{b}], s[{i}]);\n"
            )
        }
        Kind::PriorityMux => {
            format!("(p[{x}], d[{x}]) = (p[{a}] | p[{b}], if p[{a}] {{ d[{a}] }} else {{ d[{b}] }});\n")
        }
        Kind::RoundRobin => format!(
            "c[{i}] = if self.flags[{i}] {{ !p[{b}] }} else {{ p[{a}] }};
             (p[{x}], d[{x}]) = (p[{a}] | p[{b}], if c[{i}] {{ d[{a}] }} else {{ d[{b}] }});\n"
        ),
        Kind::Tee => format!(
            "(p[{x}], p[{y}]) = (p[{a}] & (self.counts[{i}] & 1 == 0), p[{a}] & (self.counts[{i}] & 2 == 0));
             (d[{x}], d[{y}]) = (d[{a}], d[{a}]);\n"
        ),
        Kind::Demux => steer(format!("p[{a}]"), format!("d[{a}]")),
        Kind::Pipe => steer(format!("self.flags[{i}]"), format!("self.words[{i}]")),
        Kind::Fifo => steer(
            format!("self.counts[{i}] > 0"),
            format!("self.entries[{i}][self.firsts[{i}] as usize % 4]"),
        ),
    }
}

// Acknowledgement `a` of the inputs from those of the outputs.
fn backward_of(i: usize, module: &Module) -> String {
    let (a, b, x, y) = channels(module);
    let taken = format!("if l[{i}] {{ a[{x}] }} else {{ a[{y}] }}");
    match module.kind {
        Kind::Function | Kind::Accumulator => format!("(a[{a}], a[{b}]) = (a[{x}], a[{x}]);\n"),
        Kind::PriorityMux => format!("(a[{a}], a[{b}]) = (a[{x}] & p[{a}], a[{x}] & p[{b}] & !p[{a}]);\n"),
        Kind::RoundRobin => {
            format!("(a[{a}], a[{b}]) = (a[{x}] & p[{a}] & c[{i}], a[{x}] & p[{b}] & !c[{i}]);\n")
        }
        Kind::Tee => format!(
            "a[{a}] = ((self.counts[{i}] & 1 != 0) | a[{x}]) & ((self.counts[{i}] & 2 != 0) | a[{y}]);\n"
        ),
        Kind::Demux => format!("a[{a}] = p[{a}] & ({taken});\n"),
        Kind::Pipe => format!("t[{i}] = h[{i}] & ({taken}); a[{a}] = !h[{i}] | t[{i}];\n"),
        Kind::Fifo => format!("t[{i}] = h[{i}] & ({taken}); a[{a}] = self.counts[{i}] < 4;\n"),
    }
}

fn commit_of(i: usize, module: &Module) -> String {
    let (a, b, x, y) = channels(module);
    match module.kind {
        Kind::Function | Kind::PriorityMux | Kind::Demux => String::new(),
        Kind::Accumulator => format!("if p[{x}] & a[{x}] {{ self.words[{i}] = s[{i}]; }}\n"),
        Kind::RoundRobin => format!("if p[{x}] & a[{x}] {{ self.flags[{i}] = !(p[{b}] & a[{b}]); }}\n"),
        Kind::Tee => format!(
            "if p[{a}] {{
                let taken = self.counts[{i}] | u32::from(p[{x}] & a[{x}]) | u32::from(p[{y}] & a[{y}]) << 1;
                self.counts[{i}] = if a[{a}] {{ 0 }} else {{ taken }};
            }}\n"
        ),
        Kind::Pipe => format!(
            "if t[{i}] | (p[{a}] & a[{a}]) {{ self.flags[{i}] = p[{a}] & a[{a}]; self.words[{i}] = d[{a}]; }}\n"
        ),
        Kind::Fifo => format!(
            "if p[{a}] & a[{a}] {{
                self.entries[{i}][(self.firsts[{i}] + self.counts[{i}]) as usize % 4] = d[{a}];
                self.counts[{i}] += 1;
            }}
            if t[{i}] {{ self.firsts[{i}] = (self.firsts[{i}] + 1) % 4; self.counts[{i}] -= 1; }}\n"
        ),
    }
}
