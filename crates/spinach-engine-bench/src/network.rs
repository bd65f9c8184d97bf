//! The random network, as plain numbers: what the design and the generated code are both made from.

/// Kind of a module of the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Sums whatever is there.
    Function,
    /// The lowest lane first.
    PriorityMux,
    /// Lanes take turns.
    RoundRobin,
    /// Sums whatever is there, and all before.
    Accumulator,
    /// Values go to both outputs.
    Tee,
    /// Values go to one output.
    Demux,
    /// One register, then to one output.
    Pipe,
    /// Four entries, then to one output.
    Fifo,
}

/// The kinds with two inputs and one output.
const JOINING: [Kind; 4] = [Kind::Function, Kind::PriorityMux, Kind::RoundRobin, Kind::Accumulator];
/// The kinds with one input and two outputs.
const SPLITTING: [Kind; 4] = [Kind::Tee, Kind::Demux, Kind::Pipe, Kind::Fifo];

/// Number of sources, and of sinks.
pub const ENDS: usize = 8;
/// Percentage of cycles in which a sink accepts.
pub const ACCEPT_PERCENT: u64 = 75;

/// One module and its channels.
#[derive(Clone, Debug)]
pub struct Module {
    /// Kind of module.
    pub kind: Kind,
    /// The channels it receives from.
    pub inputs: Vec<usize>,
    /// The channels it sends into.
    pub outputs: Vec<usize>,
}

/// A network in which data flows from lower to higher modules; channel `n` of the first eight comes from source `n`.
#[derive(Clone, Debug)]
pub struct Network {
    /// The modules between sources and sinks.
    pub modules: Vec<Module>,
    /// Number of channels.
    pub channels: usize,
    /// The channel that each sink receives from.
    pub sinks: Vec<usize>,
}

impl Network {
    /// The network of `size` modules, an even number; always the same.
    pub fn random(size: usize) -> Self {
        let mut state = size as u64;
        let mut below = move |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        let mut loose: Vec<usize> = (0..ENDS).collect();
        let (mut modules, mut channels) = (Vec::new(), ENDS);
        // As many of each sort, in random order.
        let mut left = [size / 2, size / 2];
        while left != [0, 0] {
            let is_splitting = loose.len() < 2 || below(left[0] + left[1]) >= left[0];
            let sort = usize::from(is_splitting && left[1] > 0);
            left[sort] -= 1;
            let kinds = if sort == 1 { SPLITTING } else { JOINING };
            let (ins, outs) = if sort == 1 { (1, 2) } else { (2, 1) };
            let inputs = (0..ins).map(|_| loose.swap_remove(below(loose.len()))).collect();
            let outputs: Vec<usize> = (channels..channels + outs).collect();
            channels += outs;
            loose.extend(&outputs);
            modules.push(Module { kind: kinds[below(4)], inputs, outputs });
        }
        Self { modules, channels, sinks: loose }
    }
}
