//! Cores on a test memory, running assembled programs.

use serde_json::Value;
use spinach_engine::{ModuleId, Outcome, ParameterValue, Simulation, Size, Time, elaborate};
use spinach_isa::mips::assemble::assemble;
use spinach_modules::processor::control::Command;

use crate::memory::TestMemory;
use crate::support::{self, Bench};

pub(crate) const MEMORY_BYTES: u64 = 0x1_0000;

/// In place of the kind of a core: a functional one on a memory that it reaches directly, so that it runs ahead. Such a memory takes no
/// parameters but its latency, and makes no trouble.
pub(crate) const AHEAD: &str = "functional_core ahead";

/// Parts of the machine.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub kind: &'static str,
    pub cores: u32,
    pub core: Vec<(&'static str, ParameterValue)>,
    pub fetch_latency: u64,
    pub data_latency: u64,
    pub memory: Vec<(&'static str, ParameterValue)>,
    /// The parameters of a data cache, if each core has caches.
    pub data_cache: Option<Vec<(&'static str, ParameterValue)>>,
    /// Commands to every core, one in about `100 / (100 - pause_percent)` cycles, from cycle `start` on.
    pub commands: Vec<Command>,
    pub pause_percent: u64,
    pub start: u64,
    /// Number of interrupt lines with a source per core, and of words that each of these presents now and then.
    pub lines: u32,
    pub words_per_line: u64,
    /// Percentage of cycles in which it presents nothing, after a taken word or not.
    pub line_pause_percent: u64,
    /// Decides when.
    pub seed: u64,
    pub sleeping: bool,
}

impl Machine {
    /// One core with default parameters on a memory that always answers at once.
    pub(crate) fn new(kind: &'static str) -> Self {
        Self {
            kind,
            cores: 1,
            core: Vec::new(),
            fetch_latency: 0,
            data_latency: 0,
            memory: Vec::new(),
            data_cache: None,
            commands: Vec::new(),
            pause_percent: 0,
            start: 0,
            lines: 0,
            words_per_line: 0,
            line_pause_percent: 95,
            seed: 0,
            sleeping: true,
        }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<ParameterValue>) -> Self {
        self.core.retain(|(known, _)| *known != name);
        self.core.push((name, value.into()));
        self
    }

    pub(crate) fn with_memory(mut self, name: &'static str, value: impl Into<ParameterValue>) -> Self {
        self.memory.push((name, value.into()));
        self
    }

    pub(crate) fn latencies(mut self, fetch: u64, data: u64) -> Self {
        (self.fetch_latency, self.data_latency) = (fetch, data);
        self
    }

    /// A simulation with these words at address 0, the most significant byte of each first.
    pub(crate) fn load(&self, words: &[u32]) -> Simulation {
        self.load_bytes(&words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>())
    }

    /// A simulation with these bytes from address 0 on.
    pub(crate) fn load_bytes(&self, bytes: &[u8]) -> Simulation {
        let mut bench = Bench::new();
        let latencies: Vec<u64> =
            (0..self.cores).flat_map(|_| [self.fetch_latency, self.data_latency]).collect();
        let mut parameters: Vec<(&str, ParameterValue)> = vec![("size", Size(MEMORY_BYTES).into())];
        let memory = if self.kind == AHEAD {
            let is_little = self.memory.contains(&("big_endian", false.into()));
            let byte_order = if is_little { "little" } else { "big" };
            parameters.extend([("byte_order", byte_order.into()), ("latency", self.data_latency.into())]);
            bench.design.module("memory", "multiported_memory", bench.domain, parameters)
        } else {
            parameters.push(("latencies", latencies.into()));
            parameters.extend(self.memory.iter().cloned());
            bench.design.module("memory", "test_memory", bench.domain, parameters)
        };
        for number in 0..self.cores {
            let mut parameters: Vec<(&str, ParameterValue)> =
                vec![("identity", number.into()), ("history", 4096_u32.into()), ("on_fault", "halt".into())];
            parameters.retain(|(name, _)| self.core.iter().all(|(own, _)| own != name));
            parameters.extend(self.core.iter().cloned());
            let kind = if self.kind == AHEAD { "functional_core" } else { self.kind };
            let core = bench.design.module(format!("core{number}"), kind, bench.domain, parameters);
            let caches = self.caches(&mut bench, number);
            for (lane, bundle) in [(2 * number as usize, "fetch"), (2 * number as usize + 1, "data")] {
                let (request, response) = (format!("{bundle}_request"), format!("{bundle}_response"));
                let cache = caches.map(|caches| caches[usize::from(bundle == "data")]);
                let (from, request, response) = match cache {
                    Some(cache) => {
                        bench.design.connect((core, &request), (cache, "port_request"));
                        bench.design.connect((cache, "port_response"), (core, &response));
                        (cache, "memory_request", "memory_response")
                    }
                    None => (core, &*request, &*response),
                };
                bench.design.connect_lanes((from, request, 0), (memory, "port_request", lane));
                bench.design.connect_lanes((memory, "port_response", lane), (from, response, 0));
            }
            for line in 0..self.lines {
                let parameters: [(&str, ParameterValue); 3] = [
                    ("script", vec![1_u64; self.words_per_line as usize].into()),
                    ("stall_percent", self.line_pause_percent.into()),
                    ("seed", (self.seed * 8 + u64::from(line)).into()),
                ];
                let name = format!("line{number}_{line}");
                let source = bench.design.module(name, "test_source", bench.domain, parameters);
                bench.design.connect_lanes((source, "output", 0), (core, "interrupt", line as usize));
            }
            if !self.commands.is_empty() {
                let script: Vec<u64> = self.commands.iter().map(|command| command.to_word()).collect();
                let parameters: [(&str, ParameterValue); 4] = [
                    ("script", script.into()),
                    ("stall_percent", self.pause_percent.into()),
                    ("seed", u64::from(number).into()),
                    ("start", self.start.into()),
                ];
                let source =
                    bench.design.module(format!("control{number}"), "test_source", bench.domain, parameters);
                bench.design.connect((source, "output"), (core, "control"));
            }
        }
        let mut registry = support::registry();
        registry.register::<TestMemory>();
        let elaborated = elaborate(&bench.design, &registry).unwrap_or_else(|error| panic!("{error}"));
        let mut simulation = Simulation::new(elaborated);
        simulation.set_sleeping(self.sleeping);
        assert!(contents(&mut simulation).write(0, bytes));
        simulation
    }

    /// The caches of a core, if it has any: that of instructions, and that of data.
    fn caches(&self, bench: &mut Bench, number: u32) -> Option<[ModuleId; 2]> {
        let parameters = self.data_cache.as_ref()?;
        let none: [(&str, ParameterValue); 0] = [];
        let name = format!("instructions{number}");
        let instructions = bench.design.module(name, "cache_controller", bench.domain, none);
        let name = format!("data{number}");
        let data = bench.design.module(name, "data_cache", bench.domain, parameters.clone());
        bench.design.connect_lanes((data, "instructions", 0), (instructions, "snoop", 0));
        Some([instructions, data])
    }

    /// Runs assembly text from address 0 until every core has stopped.
    pub(crate) fn run(&self, program: &str) -> Run {
        let words = assemble(program, 0).unwrap_or_else(|error| panic!("{error}"));
        self.run_words(&words)
    }

    pub(crate) fn run_words(&self, words: &[u32]) -> Run {
        self.finish(self.load(words))
    }

    pub(crate) fn run_bytes(&self, bytes: &[u8]) -> Run {
        self.finish(self.load_bytes(bytes))
    }

    fn finish(&self, simulation: Simulation) -> Run {
        let mut run = Run { simulation, cores: self.cores };
        run.until_stopped(200_000);
        run
    }
}

fn contents(simulation: &mut Simulation) -> &mut dyn spinach_engine::Contents {
    let memory = simulation.netlist().find_module("memory").unwrap();
    simulation.contents(memory).unwrap()
}

/// A machine that runs or has run.
pub(crate) struct Run {
    pub simulation: Simulation,
    cores: u32,
}

impl Run {
    /// A machine of `cores` cores that has run for some time.
    pub(crate) fn of(simulation: Simulation, cores: u32) -> Self {
        Self { simulation, cores }
    }

    /// All counters of the cores.
    pub(crate) fn counters(&mut self) -> Vec<(String, u64)> {
        let statistics = self.simulation.statistics();
        let of_cores = statistics.iter().filter(|(name, _)| name.starts_with("core"));
        of_cores.map(|(name, count)| (name.to_owned(), count)).collect()
    }

    /// Runs this many cycles further.
    pub(crate) fn cycles(&mut self, cycles: u64) {
        let until = self.now() + cycles;
        let outcome = self.simulation.run_until(Time::from_femtoseconds(until * 1_000_000));
        assert_eq!(outcome, Outcome::Reached);
    }

    /// Number of past cycles.
    pub(crate) fn now(&self) -> u64 {
        self.simulation.now().femtoseconds().div_ceil(1_000_000)
    }

    pub(crate) fn until_stopped(&mut self, most: u64) {
        for _ in 0..most / 100 {
            // A hundred cycles are also enough for the last stores to be performed.
            let have_stopped = (0..self.cores).all(|core| {
                self.counter(core, "halted") > 0 && !self.state(core)["program"]["stop"].is_null()
            });
            self.cycles(100);
            if have_stopped {
                return;
            }
        }
        panic!("still running after {most} cycles: {}", self.state(0)["program"]["registers"]);
    }

    pub(crate) fn state(&mut self, core: u32) -> Value {
        let module = self.simulation.netlist().find_module(&format!("core{core}")).unwrap();
        self.simulation.state(module).unwrap()
    }

    /// The general registers.
    pub(crate) fn registers(&mut self, core: u32) -> Vec<u32> {
        let state = self.state(core);
        let general = state["program"]["registers"]["general"].as_array().unwrap();
        general.iter().map(|value| u32::try_from(value.as_u64().unwrap()).unwrap()).collect()
    }

    pub(crate) fn register(&mut self, number: usize) -> u32 {
        self.registers(0)[number]
    }

    /// Address and cycle of completion of each instruction that the history has.
    pub(crate) fn completions(&mut self, core: u32) -> Vec<(u32, u64)> {
        let history: spinach_modules::processor::history::History<u32> =
            serde_json::from_value(self.state(core)["program"]["history"].clone()).unwrap();
        history.iter().map(|completed| (completed.pc, completed.cycle)).collect()
    }

    /// Number of cycles between each instruction's completion and its predecessor's.
    pub(crate) fn gaps(&mut self) -> Vec<u64> {
        let completions = self.completions(0);
        completions.windows(2).map(|pair| pair[1].1 - pair[0].1).collect()
    }

    pub(crate) fn word(&mut self, address: u32) -> u32 {
        let mut bytes = [0; 4];
        assert!(contents(&mut self.simulation).read(u64::from(address), &mut bytes));
        u32::from_be_bytes(bytes)
    }

    pub(crate) fn counter(&mut self, core: u32, name: &str) -> u64 {
        support::counter(&mut self.simulation, &format!("core{core}"), name)
    }

    /// Execution, instruction miss, load, conflict, pipeline.
    pub(crate) fn causes(&mut self, core: u32) -> [u64; 5] {
        let causes = ["execution", "instruction_miss", "load", "conflict", "pipeline"]
            .map(|name| self.counter(core, name));
        let halted = self.counter(core, "halted");
        assert_eq!(causes.iter().sum::<u64>() + halted, self.now(), "every cycle has one cause");
        causes
    }
}
