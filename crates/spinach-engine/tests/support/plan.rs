//! Random netlists, and designs of them in any order and under any names.

use spinach_engine::{Design, DomainId, End, Frequency, Id, ModuleDescription, ModuleId, ParameterValue};

use super::random::Random;

/// A module of a plan.
#[derive(Clone, Debug)]
pub struct PlanModule {
    /// Its kind.
    pub kind: &'static str,
    /// The domain of each of its clocks.
    pub domains: Vec<usize>,
    /// Its parameters.
    pub parameters: Vec<(&'static str, ParameterValue)>,
}

/// A module of a plan, a port of it and a lane of that.
pub type PlanEnd = (usize, &'static str, usize);

/// A netlist without names and without an order that matters.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The frequencies of the domains as fractions of hertz.
    pub domains: Vec<(u64, u64)>,
    /// The modules.
    pub modules: Vec<PlanModule>,
    /// The connections: output and input.
    pub connections: Vec<(PlanEnd, PlanEnd)>,
}

/// Order and names by which a plan becomes a design.
pub struct Layout {
    modules: Vec<usize>,
    domains: Vec<usize>,
    connections: Vec<usize>,
    names: Vec<usize>,
}

impl Layout {
    /// The order of the plan.
    pub fn plain(plan: &Plan) -> Self {
        Self {
            modules: (0..plan.modules.len()).collect(),
            domains: (0..plan.domains.len()).collect(),
            connections: (0..plan.connections.len()).collect(),
            names: (0..plan.modules.len()).collect(),
        }
    }

    /// Everything described in another order, under the same names.
    pub fn shuffled(plan: &Plan, random: &mut Random) -> Self {
        let mut layout = Self::plain(plan);
        random.shuffle(&mut layout.modules);
        random.shuffle(&mut layout.domains);
        random.shuffle(&mut layout.connections);
        layout
    }

    /// Everything described in another order, under other names.
    pub fn renamed(plan: &Plan, random: &mut Random) -> Self {
        let mut layout = Self::shuffled(plan, random);
        random.shuffle(&mut layout.names);
        layout
    }

    /// The path of a module of the plan.
    pub fn path(&self, module: usize) -> String {
        format!("part[{}].m{}", self.names[module] % 3, self.names[module])
    }

    /// The name of a domain of the plan.
    pub fn domain(domain: usize) -> String {
        format!("clock{domain}")
    }
}

impl Plan {
    /// The design that this plan and a layout make.
    pub fn design(&self, layout: &Layout) -> Design {
        let mut design = Design::new();
        let mut domain_ids = vec![DomainId::from_index(0); self.domains.len()];
        for domain in &layout.domains {
            let (numerator, denominator) = self.domains[*domain];
            let frequency = Frequency::from_fraction(numerator, denominator).expect("plans have sane clocks");
            domain_ids[*domain] = design.domain(Layout::domain(*domain), frequency);
        }
        let mut module_ids = vec![ModuleId::from_index(0); self.modules.len()];
        for module in &layout.modules {
            let plan = &self.modules[*module];
            let clocks = if let [write, read] = plan.domains[..] {
                [("write", write), ("read", read)]
                    .map(|(clock, at)| (clock.to_owned(), domain_ids[at]))
                    .into()
            } else {
                [].into()
            };
            module_ids[*module] = design.modules.push(ModuleDescription {
                path: layout.path(*module),
                kind: plan.kind.to_owned(),
                parameters: plan
                    .parameters
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), value.clone()))
                    .collect(),
                domain: Some(domain_ids[plan.domains[0]]),
                clocks,
                location: None,
            });
        }
        for connection in &layout.connections {
            let (from, to) = self.connections[*connection];
            let end = |(module, port, lane): PlanEnd| End {
                module: module_ids[module],
                port: port.to_owned(),
                lane,
            };
            design.connections.push(spinach_engine::ConnectionDescription {
                from: end(from),
                to: end(to),
                location: None,
            });
        }
        design
    }
}

// An output that nothing is connected to yet.
#[derive(Clone, Copy)]
struct Loose {
    end: PlanEnd,
    domain: usize,
    is_wide: bool,
}

struct Builder<'a> {
    plan: Plan,
    loose: Vec<Loose>,
    random: &'a mut Random,
    // True if everything comes to rest now and then, so that there is something to jump over.
    is_calm: bool,
}

/// Ratios of clocks that meet often, rarely and never again.
const CLOCKS: [(u64, u64); 12] = [
    (1_000_000_000, 1),
    (500_000_000, 1),
    (166_000_000, 1),
    (1_000_000_000, 3),
    (10_312_500_000, 66),
    (333_333_333, 1),
    (1_000_000_007, 7),
    (750_000_000, 1),
    (250_000_000, 1),
    (999_999_999, 1),
    (2_000_000_000, 5),
    (1_000_000_000_000, 999),
];

impl Plan {
    /// A random netlist of about `size` modules, sources, sinks and crossings not counted.
    pub fn random(random: &mut Random, size: usize) -> Plan {
        let domains = 1 + random.below(if size < 4 { 2 } else { 4 });
        let mut plan = Plan::default();
        plan.domains.extend((0..domains).map(|_| *random.choose(&CLOCKS)));
        let is_calm = random.chance(50);
        let mut builder = Builder { plan, loose: Vec::new(), random, is_calm };
        // Outputs of these are used from the start, their inputs are connected in the end: feedback.
        let feedback: Vec<PlanEnd> = (0..builder.random.below(3)).map(|_| builder.feedback()).collect();
        for _ in 0..size {
            builder.any_module();
        }
        for input in feedback {
            let domain = builder.plan.modules[input.0].domains[0];
            builder.connect_input(input, domain, false);
        }
        while let Some(loose) = builder.loose.pop() {
            if builder.random.chance(5) {
                let plug = builder.module("plug", loose.domain, &[]);
                builder.plan.connections.push((loose.end, (plug, "input", 0)));
                continue;
            }
            let sink = builder.module("sink", loose.domain, &[]);
            builder.set_stream(sink);
            let patient = builder.is_calm.into();
            builder.plan.modules[sink].parameters.push(("patient", patient));
            builder.plan.connections.push((loose.end, (sink, "input", 0)));
        }
        builder.plan
    }
}

impl Builder<'_> {
    fn module(&mut self, kind: &'static str, domain: usize, parameters: &[(&'static str, u64)]) -> usize {
        self.plan.modules.push(PlanModule {
            kind,
            domains: vec![domain],
            parameters: parameters.iter().map(|(name, value)| (*name, (*value).into())).collect(),
        });
        self.plan.modules.len() - 1
    }

    fn set_stream(&mut self, module: usize) {
        let percent = *self.random.choose(&[0u64, 3, 10, 50, 75, 75, 100]);
        let seed = self.random.draw();
        self.plan.modules[module].parameters = vec![("seed", seed.into()), ("percent", percent.into())];
    }

    fn output(&mut self, module: usize, port: &'static str, lane: usize, domain: usize, is_wide: bool) {
        self.loose.push(Loose { end: (module, port, lane), domain, is_wide });
    }

    fn source(&mut self, domain: usize, is_wide: bool) {
        let kind = if is_wide { "wide_source" } else { "source" };
        let source = self.module(kind, domain, &[]);
        self.set_stream(source);
        let is_fickle = self.random.chance(20);
        let limits: &[u64] = if self.is_calm { &[0, 0, 1, 2, 5] } else { &[1, 20, u64::MAX, u64::MAX] };
        let limit = *self.random.choose(limits);
        let more = [("fickle", is_fickle.into()), ("limit", limit.into())];
        self.plan.modules[source].parameters.extend(more);
        self.output(source, "output", 0, domain, is_wide);
    }

    // Takes a loose output of this width, makes a source if there is none, and puts a crossing in between if needed.
    fn connect_input(&mut self, input: PlanEnd, domain: usize, is_wide: bool) {
        let fits = |loose: &Loose| loose.is_wide == is_wide;
        let mut candidates: Vec<usize> =
            (0..self.loose.len()).filter(|index| fits(&self.loose[*index])).collect();
        if candidates.is_empty() || self.random.chance(10) {
            let at = if self.random.chance(70) { domain } else { self.random.below(self.plan.domains.len()) };
            self.source(at, is_wide);
            candidates.push(self.loose.len() - 1);
        }
        let chosen = *self.random.choose(&candidates);
        let loose = self.loose.swap_remove(chosen);
        let mut from = loose.end;
        if loose.domain != domain || self.random.chance(3) {
            let kind = *self.random.choose(&["crossing", "mailbox"]);
            let crossing = self.module(kind, loose.domain, &[]);
            self.plan.modules[crossing].domains.push(domain);
            self.plan.connections.push((from, (crossing, "input", 0)));
            from = (crossing, "output", 0);
        }
        self.plan.connections.push((from, input));
    }

    fn feedback(&mut self) -> PlanEnd {
        let domain = self.random.below(self.plan.domains.len());
        let kind = *self.random.choose(&[
            "fifo",
            "stalling_block",
            "sleeping_block",
            "block",
            "cooldown",
            "sleeping_cooldown",
        ]);
        let module = self.module(kind, domain, &[]);
        let (input, output) = match kind {
            "fifo" => ("input", "outputs"),
            "cooldown" | "sleeping_cooldown" => ("input", "output"),
            _ => ("request", "response"),
        };
        self.output(module, output, 0, domain, false);
        (module, input, 0)
    }

    fn lanes(&mut self) -> usize {
        if self.random.chance(5) { 2 + self.random.below(30) } else { 1 + self.random.below(3) }
    }

    fn any_module(&mut self) {
        let domain = self.random.below(self.plan.domains.len());
        let is_wide = self.random.chance(25);
        match self.random.below(13) {
            0 => self.join("function", domain),
            1 => self.join("accumulator", domain),
            2 => self.merge("priority_mux", domain, is_wide),
            3 => self.merge("round_robin", domain, is_wide),
            4 => self.split("tee", domain, is_wide),
            5 => self.split("demux", domain, false),
            6 => self.split("pipe", domain, false),
            7 => self.split("fifo", domain, false),
            8 => self.pass("register", domain, is_wide),
            9 => {
                let kind = *self.random.choose(&["wire", "sleeping_wire", "stalling_wire"]);
                self.pass(kind, domain, is_wide);
            }
            10 => self.block(domain),
            11 => self.cooldown(domain),
            _ => self.window(domain),
        }
    }

    fn join(&mut self, kind: &'static str, domain: usize) {
        let module = self.module(kind, domain, &[]);
        self.connect_input((module, "a", 0), domain, false);
        self.connect_input((module, "b", 0), domain, false);
        self.output(module, "output", 0, domain, false);
    }

    fn merge(&mut self, kind: &'static str, domain: usize, is_wide: bool) {
        let module = self.module(kind, domain, &[]);
        for lane in 0..self.lanes() {
            self.connect_input((module, "inputs", lane), domain, is_wide);
        }
        self.output(module, "output", 0, domain, is_wide);
    }

    fn split(&mut self, kind: &'static str, domain: usize, is_wide: bool) {
        let module = self.module(kind, domain, &[]);
        self.connect_input((module, "input", 0), domain, is_wide);
        for lane in 0..self.lanes() {
            self.output(module, "outputs", lane, domain, is_wide);
        }
    }

    fn pass(&mut self, kind: &'static str, domain: usize, is_wide: bool) {
        let module = self.module(kind, domain, &[]);
        self.connect_input((module, "input", 0), domain, is_wide);
        self.output(module, "output", 0, domain, is_wide);
        if self.random.chance(50) {
            self.output(module, "copy", 0, domain, is_wide);
        }
    }

    fn block(&mut self, domain: usize) {
        let kind = *self.random.choose(&["stalling_block", "sleeping_block", "block"]);
        let latency = *self.random.choose(&[1, 2, 10, 40]);
        let period = *self.random.choose(&[0, 0, 1, 2, 7, 30, 100]);
        let module = self.module(kind, domain, &[("latency", latency), ("period", period)]);
        self.connect_input((module, "request", 0), domain, false);
        self.output(module, "response", 0, domain, false);
        if self.random.chance(70) {
            self.output(module, "tick", 0, domain, false);
        }
    }

    fn cooldown(&mut self, domain: usize) {
        let kind = *self.random.choose(&["cooldown", "sleeping_cooldown"]);
        let cycles = 1 + self.random.below(6) as u64;
        let module = self.module(kind, domain, &[("cycles", cycles)]);
        self.connect_input((module, "input", 0), domain, false);
        self.output(module, "output", 0, domain, false);
    }

    fn window(&mut self, domain: usize) {
        let kind = *self.random.choose(&["window", "sleeping_window"]);
        let cycles = *self.random.choose(&[1, 2, 5, 20, 60]);
        let module = self.module(kind, domain, &[("cycles", cycles)]);
        self.connect_input((module, "input", 0), domain, false);
        self.output(module, "output", 0, domain, false);
    }
}
