//! The description of the machine for its kernel: a flattened device tree (Devicetree Specification 0.4, chapter 5).

use crate::interrupts::SOURCES;
use crate::machine::{Configuration, HARTS_MAXIMUM};
use crate::map;
use crate::messages::GROUPS;

const MAGIC: u32 = 0xd00d_feed;
const VERSION: u32 = 17;
const COMPATIBLE_VERSION: u32 = 16;
const HEADER_BYTES: u32 = 40;
const RESERVATIONS_BYTES: u32 = 16;
const BEGIN_NODE: u32 = 1;
const END_NODE: u32 = 2;
const PROPERTY: u32 = 3;
const END: u32 = 9;

/// A tree that is being written.
#[derive(Debug, Default)]
struct Tree {
    structure: Vec<u8>,
    strings: Vec<u8>,
}

impl Tree {
    fn cell(&mut self, number: u32) {
        self.structure.extend(number.to_be_bytes());
    }

    fn align(&mut self) {
        self.structure.resize(self.structure.len().next_multiple_of(4), 0);
    }

    fn node(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.cell(BEGIN_NODE);
        self.structure.extend(name.bytes().chain([0]));
        self.align();
        content(self);
        self.cell(END_NODE);
    }

    fn bytes(&mut self, name: &str, value: &[u8]) {
        self.cell(PROPERTY);
        self.cell(value.len() as u32);
        let wanted: Vec<u8> = name.bytes().chain([0]).collect();
        let known = self.strings.windows(wanted.len()).position(|window| window == wanted);
        let place = known.unwrap_or_else(|| {
            self.strings.extend(&wanted);
            self.strings.len() - wanted.len()
        });
        self.cell(place as u32);
        self.structure.extend(value);
        self.align();
    }

    fn cells(&mut self, name: &str, cells: &[u32]) {
        let bytes: Vec<u8> = cells.iter().flat_map(|cell| cell.to_be_bytes()).collect();
        self.bytes(name, &bytes);
    }

    fn texts(&mut self, name: &str, texts: &[&str]) {
        let bytes: Vec<u8> = texts.iter().flat_map(|text| text.bytes().chain([0])).collect();
        self.bytes(name, &bytes);
    }

    fn flag(&mut self, name: &str) {
        self.bytes(name, &[]);
    }

    fn blob(mut self) -> Vec<u8> {
        self.cell(END);
        let structure = HEADER_BYTES + RESERVATIONS_BYTES;
        let strings = structure + self.structure.len() as u32;
        let total = strings + self.strings.len() as u32;
        let header = [
            MAGIC,
            total,
            structure,
            strings,
            HEADER_BYTES,
            VERSION,
            COMPATIBLE_VERSION,
            0,
            self.strings.len() as u32,
            self.structure.len() as u32,
        ];
        let mut blob: Vec<u8> = header.iter().flat_map(|cell| cell.to_be_bytes()).collect();
        blob.resize(structure as usize, 0);
        blob.extend(self.structure);
        blob.extend(self.strings);
        blob
    }
}

const fn high_low(number: u64) -> [u32; 2] {
    [(number >> 32) as u32, number as u32]
}

/// An address and a length, of two cells each.
fn place(start: u64, length: u64) -> [u32; 4] {
    let ([a, b], [c, d]) = (high_low(start), high_low(length));
    [a, b, c, d]
}

/// Arguments of the kernel in the device tree.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// Its command line.
    pub arguments: String,
    /// First and last address of the initramfs.
    pub files: Option<(u64, u64)>,
}

const HANDLE_OF_INTERRUPTS: u32 = 1;
const FIRST_HANDLE_OF_HART: u32 = 2;
const HANDLE_OF_MESSAGES: u32 = FIRST_HANDLE_OF_HART + HARTS_MAXIMUM as u32;
const EXTERNAL_INTERRUPT: u32 = 9;
const SEED_CELLS: usize = 16;

/// The tree of a machine.
pub fn device_tree(configuration: &Configuration, chosen: &Chosen) -> Vec<u8> {
    let mut tree = Tree::default();
    tree.node("", |tree| {
        tree.cells("#address-cells", &[2]);
        tree.cells("#size-cells", &[2]);
        tree.texts("compatible", &["spinach,server"]);
        tree.texts("model", &["Spinach server"]);
        tree.node("chosen", |tree| {
            tree.texts("bootargs", &[&chosen.arguments]);
            tree.cells("rng-seed", &seed(&chosen.arguments));
            if let Some((start, end)) = chosen.files {
                tree.cells("linux,initrd-start", &high_low(start));
                tree.cells("linux,initrd-end", &high_low(end));
            }
        });
        tree.node("cpus", |tree| harts(tree, configuration));
        tree.node(&format!("memory@{:x}", map::MEMORY), |tree| {
            tree.texts("device_type", &["memory"]);
            tree.cells("reg", &place(map::MEMORY, configuration.memory_bytes));
        });
        tree.node("soc", |tree| {
            tree.cells("#address-cells", &[2]);
            tree.cells("#size-cells", &[2]);
            tree.texts("compatible", &["simple-bus"]);
            tree.flag("ranges");
            tree.node(&format!("interrupt-controller@{:x}", map::INTERRUPTS.start), |tree| {
                interrupts(tree, configuration.harts);
            });
            tree.node(&format!("msi@{:x}", map::MESSAGES.start), messages);
            tree.node(&format!("pci@{:x}", map::CONFIGURATION.start), bus);
            for (range, source) in [(map::DISK, map::DISK_SOURCE), (map::SHARE, map::SHARE_SOURCE)] {
                tree.node(&format!("virtio_mmio@{:x}", range.start), |tree| {
                    tree.texts("compatible", &["virtio,mmio"]);
                    tree.flag("dma-coherent");
                    tree.cells("reg", &place(range.start, range.end - range.start));
                    tree.cells("interrupt-parent", &[HANDLE_OF_INTERRUPTS]);
                    tree.cells("interrupts", &[source as u32]);
                });
            }
        });
    });
    tree.blob()
}

/// First random numbers of the kernel. They depend on its command line only, so that two runs are equal.
fn seed(arguments: &str) -> [u32; SEED_CELLS] {
    let mut state = arguments.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    [(); SEED_CELLS].map(|()| {
        // xorshift64 with the parameters 13, 7 and 17.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    })
}

fn harts(tree: &mut Tree, configuration: &Configuration) {
    tree.cells("#address-cells", &[1]);
    tree.cells("#size-cells", &[0]);
    tree.cells("timebase-frequency", &[configuration.ticks_per_s as u32]);
    for hart in 0..configuration.harts as u32 {
        tree.node(&format!("cpu@{hart}"), |tree| {
            tree.texts("device_type", &["cpu"]);
            tree.cells("reg", &[hart]);
            tree.texts("status", &["okay"]);
            tree.texts("compatible", &["riscv"]);
            tree.texts("riscv,isa", &["rv64imafdc_zicsr_zifencei_sscofpmf_sstc"]);
            tree.texts("mmu-type", &["riscv,sv39"]);
            tree.node("interrupt-controller", |tree| {
                tree.cells("#interrupt-cells", &[1]);
                tree.flag("interrupt-controller");
                tree.texts("compatible", &["riscv,cpu-intc"]);
                tree.cells("phandle", &[FIRST_HANDLE_OF_HART + hart]);
            });
        });
    }
}

fn interrupts(tree: &mut Tree, harts: usize) {
    tree.texts("compatible", &["sifive,plic-1.0.0", "riscv,plic0"]);
    tree.cells("reg", &place(map::INTERRUPTS.start, map::INTERRUPTS.end - map::INTERRUPTS.start));
    tree.cells("#address-cells", &[0]);
    tree.cells("#interrupt-cells", &[1]);
    tree.flag("interrupt-controller");
    let contexts = (0..harts as u32).flat_map(|hart| [FIRST_HANDLE_OF_HART + hart, EXTERNAL_INTERRUPT]);
    tree.cells("interrupts-extended", &contexts.collect::<Vec<_>>());
    tree.cells("riscv,ndev", &[SOURCES as u32 - 1]);
    tree.cells("phandle", &[HANDLE_OF_INTERRUPTS]);
}

fn messages(tree: &mut Tree) {
    tree.texts("compatible", &["apm,xgene1-msi"]);
    tree.flag("msi-controller");
    tree.cells("reg", &place(map::MESSAGES.start, map::MESSAGES.end - map::MESSAGES.start));
    tree.cells("interrupt-parent", &[HANDLE_OF_INTERRUPTS]);
    let sources = (0..GROUPS).map(|group| (map::FIRST_SOURCE_OF_MESSAGES + group) as u32);
    tree.cells("interrupts", &sources.collect::<Vec<_>>());
    tree.cells("phandle", &[HANDLE_OF_MESSAGES]);
}

fn bus(tree: &mut Tree) {
    const PORTS: u32 = 0x0100_0000;
    const MEMORY: u32 = 0x0200_0000;
    tree.texts("compatible", &["pci-host-ecam-generic"]);
    tree.texts("device_type", &["pci"]);
    tree.cells("#address-cells", &[3]);
    tree.cells("#size-cells", &[2]);
    tree.cells("#interrupt-cells", &[1]);
    tree.flag("dma-coherent");
    tree.cells("bus-range", &[0, 0]);
    tree.cells("msi-parent", &[HANDLE_OF_MESSAGES]);
    tree.cells("reg", &place(map::CONFIGURATION.start, map::CONFIGURATION.end - map::CONFIGURATION.start));
    let window = |kind: u32, on_bus: u64, range: &std::ops::Range<u64>| {
        let [a, b, c, d] = place(range.start, range.end - range.start);
        let [high, low] = high_low(on_bus);
        [kind, high, low, a, b, c, d]
    };
    let ports = window(PORTS, 0, &map::PORTS);
    let memory = window(MEMORY, map::WINDOW.start, &map::WINDOW);
    tree.cells("ranges", &[ports, memory].concat());
    // Line A to D of device d is line (d + line) mod 4 of the bus, as bridges turn them.
    let line = |device: u32, pin: u32| {
        let source = map::FIRST_SOURCE_OF_BUS as u32 + (device + pin - 1) % 4;
        [device << 11, 0, 0, pin, HANDLE_OF_INTERRUPTS, source]
    };
    let lines: Vec<u32> = (0..4).flat_map(|device| (1..=4).flat_map(move |pin| line(device, pin))).collect();
    tree.cells("interrupt-map-mask", &[3 << 11, 0, 0, 7]);
    tree.cells("interrupt-map", &lines);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_once_and_everything_is_aligned() {
        let blob = device_tree(&Configuration::default(), &Chosen::default());
        let cell = |place: usize| u32::from_be_bytes([0, 1, 2, 3].map(|byte| blob[place + byte]));
        assert_eq!([cell(0), cell(4)], [MAGIC, blob.len() as u32]);
        assert_eq!(cell(8) % 4 + cell(12) % 4, 0);
        let name = b"#address-cells\0";
        assert_eq!(blob.windows(name.len()).filter(|window| window == name).count(), 1);
    }
}
