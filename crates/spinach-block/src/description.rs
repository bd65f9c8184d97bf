//! Description of a block as text in JSON, made by the compiler: the loader reads it before it calls the library.

const CAPACITY: usize = 1 << 15;

/// One signal of a port.
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    /// Name after that of the port and `_`; empty if it has the port's name.
    pub suffix: &'static str,
    /// True if the block receives it.
    pub is_input: bool,
    /// Width in bits.
    pub width: usize,
}

impl Signal {
    pub(crate) const fn input(suffix: &'static str, width: usize) -> Self {
        Self { suffix, is_input: true, width }
    }

    pub(crate) const fn output(suffix: &'static str, width: usize) -> Self {
        Self { suffix, is_input: false, width }
    }
}

/// Protocol of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Frames, beat by beat.
    Frames,
    /// Words.
    Words,
    /// AXI4-Lite.
    Memory,
    /// A value without handshake.
    Value,
}

/// Name, protocol and signals of a port.
#[derive(Clone, Copy, Debug)]
pub struct PortDescription {
    /// Name of the port.
    pub name: &'static str,
    /// Its protocol.
    pub form: Form,
    /// Its signals. The direction of the first is that of the port.
    pub signals: &'static [Signal],
}

/// Signals of every block: clock, reset and, as an output, idle.
const COMMON: &[PortDescription] = &[
    PortDescription { name: "clk", form: Form::Value, signals: &[Signal::input("", 1)] },
    PortDescription { name: "rst", form: Form::Value, signals: &[Signal::input("", 1)] },
    PortDescription { name: "idle", form: Form::Value, signals: &[Signal::output("", 1)] },
];

/// Parts of AXI4-Lite: name in the description, and its signals.
const CHANNELS: &[(&str, &[&str])] = &[
    ("write_address", &["awaddr", "awvalid", "awready"]),
    ("write_data", &["wdata", "wvalid", "wready"]),
    ("write_response", &["bresp", "bvalid", "bready"]),
    ("read_address", &["araddr", "arvalid", "arready"]),
    ("read_data", &["rdata", "rvalid", "rready"]),
];

/// The description of a block, with a zero byte at its end.
pub struct Text {
    bytes: [u8; CAPACITY],
    length: usize,
}

impl Text {
    /// The description of the block `name`. More ports than its place can hold are an error of the compiler.
    pub const fn of(name: &str, ports: &[PortDescription]) -> Self {
        let mut text = Self { bytes: [0; CAPACITY], length: 0 };
        text.add("{\"name\": \"");
        text.add(name);
        text.add("\", \"clocking\": {\"clock\": 0, \"reset\": 1, \"is_active_high\": true}");
        text.add(", \"idle\": 2, \"can_save\": true, \"trace\": null, \"signals\": [");
        let mut words = [0, 0];
        text.signals(COMMON, &mut words);
        text.signals(ports, &mut words);
        text.add("], \"streams\": [");
        text.section(ports, &[Form::Frames, Form::Words]);
        text.add("], \"memories\": [");
        text.section(ports, &[Form::Memory]);
        text.add("], \"values\": [");
        text.section(ports, &[Form::Value]);
        text.add("]}\0");
        text
    }

    pub(crate) const fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    const fn add(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut index = 0;
        while index < bytes.len() {
            self.bytes[self.length] = bytes[index];
            self.length += 1;
            index += 1;
        }
    }

    const fn number(&mut self, number: usize) {
        if number >= 10 {
            self.number(number / 10);
        }
        self.bytes[self.length] = b'0' + (number % 10) as u8;
        self.length += 1;
    }

    const fn flag(&mut self, key: &str, value: bool) {
        self.add(key);
        self.add(if value { "true" } else { "false" });
    }

    // Separates the elements of a list.
    const fn separate(&mut self) {
        if self.bytes[self.length - 1] != b'[' {
            self.add(", ");
        }
    }

    // `words` are the first free words of inputs and outputs.
    const fn signals(&mut self, ports: &[PortDescription], words: &mut [usize; 2]) {
        let mut index = 0;
        while index < ports.len() {
            let signals = ports[index].signals;
            let mut next = 0;
            while next < signals.len() {
                let signal = signals[next];
                let word = &mut words[!signal.is_input as usize];
                self.separate();
                self.add("{\"name\": \"");
                self.add(ports[index].name);
                self.add(if signal.suffix.is_empty() { "" } else { "_" });
                self.add(signal.suffix);
                self.flag("\", \"is_input\": ", signal.is_input);
                self.add(", \"width\": ");
                self.number(signal.width);
                self.add(", \"word\": ");
                self.number(*word);
                self.add("}");
                *word += signal.width.div_ceil(64);
                next += 1;
            }
            index += 1;
        }
    }

    // Ports with one of some protocols.
    const fn section(&mut self, ports: &[PortDescription], forms: &[Form]) {
        let (mut index, mut first) = (0, COMMON.len());
        while index < ports.len() {
            let port = &ports[index];
            let mut form = 0;
            while form < forms.len() {
                if forms[form] as u8 == port.form as u8 {
                    self.separate();
                    self.port(port, first);
                }
                form += 1;
            }
            first += port.signals.len();
            index += 1;
        }
    }

    // `first` is the index of its first signal.
    const fn port(&mut self, port: &PortDescription, first: usize) {
        if matches!(port.form, Form::Value) {
            self.number(first);
            return;
        }
        self.add("{\"name\": \"");
        self.add(port.name);
        let is_input = port.signals[0].is_input;
        if matches!(port.form, Form::Memory) {
            self.flag("\", \"is_initiator\": ", !is_input);
            let mut channel = 0;
            while channel < CHANNELS.len() {
                let (name, signals) = CHANNELS[channel];
                self.key(name);
                self.add("[");
                let mut next = 0;
                while next < signals.len() {
                    self.separate();
                    self.index(port, first, signals[next]);
                    next += 1;
                }
                self.add("]");
                channel += 1;
            }
            self.role("write_strobe", port, first, "wstrb");
            self.role("read_response", port, first, "rresp");
        } else {
            self.flag("\", \"is_input\": ", is_input);
            self.flag(", \"carries_frames\": ", matches!(port.form, Form::Frames));
            let roles = ["valid", "ready", "data", "keep", "last", "user"];
            let mut role = 0;
            while role < roles.len() {
                self.role(roles[role], port, first, roles[role]);
                role += 1;
            }
        }
        self.add("}");
    }

    const fn key(&mut self, key: &str) {
        self.add(", \"");
        self.add(key);
        self.add("\": ");
    }

    const fn role(&mut self, key: &str, port: &PortDescription, first: usize, suffix: &str) {
        self.key(key);
        self.index(port, first, suffix);
    }

    const fn index(&mut self, port: &PortDescription, first: usize, suffix: &str) {
        let mut next = 0;
        while next < port.signals.len() {
            if is_equal(port.signals[next].suffix.as_bytes(), suffix.as_bytes()) {
                self.number(first + next);
                return;
            }
            next += 1;
        }
        self.add("null");
    }
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    one.len() == other.len() && index == one.len()
}
