//! Peers by SimBricks, against a peer that knows only the headers of the protocol: it reads and writes the shared memory as a file.

use std::fs::File;
use std::io::{IoSlice, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use spinach_engine::{
    Control, Design, Frequency, Limit, ModuleId, Outcome, ParameterValue, Simulation, Time, elaborate,
};
use spinach_live::Entrance;
use spinach_live::simbricks::{Cosimulation, Role, Synchronisation, Terms};

/// Picoseconds.
const LATENCY: u64 = 700_000;
const INTERVAL: u64 = 300_000;
const ETHERNET: u64 = 1;
const PCIE: u64 = 2;
/// Parameters of a module that keeps its defaults.
const NONE: [(&str, u64); 0] = [];
const SYNC: u8 = 0;
const TERMINATE: u8 = 1;
const FRAME: u8 = 0x40;
const END: Time = Time::from_femtoseconds(20_000_000_000);

fn place(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("spinach-simbricks-{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn terms(role: Role, path: &Path) -> Terms {
    Terms {
        role,
        path: path.to_owned(),
        latency: LATENCY,
        interval: INTERVAL,
        synchronisation: Synchronisation::IfBoth,
        patience: Duration::from_millis(50),
    }
}

fn started(design: &Design) -> Simulation {
    let elaborated = elaborate(design, &spinach_modules::registry());
    Simulation::new(elaborated.unwrap_or_else(|error| panic!("{error}")))
}

/// A wire whose frames come back, with a clock of 1 GHz, and its peer-to-be.
fn wire(role: Role, path: &Path) -> (Simulation, Cosimulation) {
    let mut design = Design::new();
    let clock = design.domain("clock", Frequency::from_hertz(1_000_000_000).expect("a frequency"));
    let wire = design.module("wire", "live_wire", clock, NONE);
    design.connect((wire, "sent"), (wire, "received"));
    let (name, device) = ("wire".to_owned(), "any".to_owned());
    let entrance = Entrance { name, device, face: None, source: wire, sink: wire, exit: wire, longest: 1514 };
    let run = Cosimulation::new(None, vec![(entrance, terms(role, path))]).expect("a socket");
    (started(&design), run)
}

/// A PCI function whose window has the table of interrupts and nothing else.
fn function(path: &Path) -> (Simulation, Cosimulation, ModuleId) {
    let mut design = Design::new();
    let clock = design.domain("clock", Frequency::from_hertz(1_000_000_000).expect("a frequency"));
    let host = design.module("host", "guest_host", clock, NONE);
    let number = |name, number: u64| (name, ParameterValue::from(number));
    let parameters = [
        number("vendor", 0x1234),
        number("device", 0x5678),
        number("class_code", 0x02_00_00),
        number("vectors", 2),
        number("vector_table", 0x1000),
        number("vector_pending", 0x2000),
    ];
    let pci = design.module("pci", "pci_device", clock, parameters);
    let table = [number("vectors", 2), number("table", 0x1000), number("pending", 0x2000)];
    let interrupts = design.module("interrupts", "message_interrupts", clock, table);
    for (from, to, port, other) in [
        (host, pci, "configuration", "configuration"),
        (host, pci, "access", "target"),
        (pci, host, "memory", "memory"),
        (pci, interrupts, "local", "access"),
        (interrupts, pci, "message", "dma"),
    ] {
        design.connect((from, &format!("{port}_request")), (to, &format!("{other}_request")));
        design.connect((to, &format!("{other}_response")), (from, &format!("{port}_response")));
    }
    design.connect((pci, "message_control"), (interrupts, "control"));
    design.connect((host, "reset"), (interrupts, "raised"));
    let run = Cosimulation::new(Some((host, terms(Role::Listen, path))), vec![]).expect("a socket");
    (started(&design), run, host)
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Message that a peer took: its arrival, its type, and the frame if it is one.
type Taken = (u64, u8, Vec<u8>);

struct Peer {
    stream: UnixStream,
    memory: Option<(File, Vec<u64>)>,
    taken: u64,
    put: u64,
}

impl Peer {
    /// Connects and says `introduction`.
    fn connect(path: &Path, introduction: &[u8]) -> Self {
        let mut stream = UnixStream::connect(path).expect("it listens");
        stream.write_all(introduction).expect("it is there");
        Self { stream, memory: None, taken: 0, put: 0 }
    }

    fn of(path: &Path, protocol: u64, flags: u64) -> Self {
        Self::connect(path, &[words(&[1, flags, protocol, 32]), vec![0; 4]].concat())
    }

    /// True once the introduction of the listener has come.
    fn is_met(&mut self) -> bool {
        if self.memory.is_some() {
            return true;
        }
        let mut bytes = [0; 512];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::DONTWAIT;
        if recvmsg(&self.stream, &mut [IoSliceMut::new(&mut bytes)], &mut control, flags).is_err() {
            return false;
        }
        let file = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut files) => files.next(),
            _ => None,
        });
        let Some(file) = file else { return false };
        let numbers = bytes[..80].as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        self.memory = Some((file.into(), numbers));
        true
    }

    /// Place of slot `number` of the queue whose description begins at word `at`.
    fn slot(&self, at: usize, number: u64) -> (&File, u64) {
        let (file, numbers) = self.memory.as_ref().expect("it is met");
        (file, numbers[at] + number % numbers[at + 2] * numbers[at + 1])
    }

    /// Next message of the listener, if there is one.
    fn take(&mut self) -> Option<Taken> {
        let (file, at) = self.slot(2, self.taken);
        let mut header = [0; 64];
        file.read_exact_at(&mut header, at).expect("it is inside");
        let owner = header[63];
        if owner & 0x80 == 0 {
            return None;
        }
        let arrival = u64::from_le_bytes(*header[48..].first_chunk().expect("eight bytes"));
        let mut frame = Vec::new();
        if owner == 0x80 | FRAME {
            frame.resize(usize::from(u16::from_le_bytes([header[0], header[1]])), 0);
            file.read_exact_at(&mut frame, at + 64).expect("it is inside");
        }
        file.write_all_at(&[owner & 0x7f], at + 63).expect("it is inside");
        self.taken += 1;
        Some((arrival, owner & 0x7f, frame))
    }

    fn put(&mut self, arrival: u64, kind: u8, fields: &[u8], payload: &[u8]) {
        let (file, at) = self.slot(5, self.put);
        let mut header = fields.to_vec();
        header.resize(48, 0);
        header.extend(arrival.to_le_bytes());
        header.resize(63, 0);
        let write = |bytes: &[u8], offset| file.write_all_at(bytes, at + offset).expect("it is inside");
        write(&header, 0);
        write(payload, 64);
        write(&[kind | 0x80], 63);
        self.put += 1;
    }

    fn put_frame(&mut self, arrival: u64, frame: &[u8]) {
        self.put(arrival, FRAME, &(frame.len() as u16).to_le_bytes(), frame);
    }
}

/// Runs to the end, or until the peer stops it; `act` is what the peer does, again and again, once it is met.
fn run(
    (simulation, run): &mut (Simulation, Cosimulation),
    peer: &mut Peer,
    mut act: impl FnMut(&mut Peer),
) -> Outcome {
    let limit = Limit::time(END);
    let outcome = run.run(simulation, &limit, &mut |_| {
        if peer.is_met() {
            act(peer);
        }
        Control::Continue
    });
    outcome.expect("the conditions name what is there")
}

fn echo() -> Vec<Taken> {
    let path = place("echo");
    let mut wire = wire(Role::Listen, &path);
    let mut peer = Peer::of(&path, ETHERNET, 1);
    let mut said = Vec::new();
    let mut is_begun = false;
    let outcome = run(&mut wire, &mut peer, |peer| {
        if !std::mem::replace(&mut is_begun, true) {
            peer.put_frame(2_000_500, &[7; 100]);
            peer.put_frame(2_000_500, &[8; 101]);
            peer.put(2_000_501, SYNC, &[], &[]);
            peer.put_frame(30_000_000, &[9; 10]);
        }
        said.extend(std::iter::from_fn(|| peer.take()));
    });
    assert_eq!(outcome, Outcome::Reached);
    let summary = wire.1.finish(&mut wire.0).expect("it ends");
    said.extend(std::iter::from_fn(|| peer.take()));
    let passage = &summary.passages["wire"];
    assert_eq!((passage.received, passage.sent, passage.missed), (2, 2, Some(0)));
    said
}

#[test]
fn messages_arrive_at_exact_times_and_each_run_says_the_same() {
    let said = echo();
    assert_eq!(said, echo());
    let frames: Vec<_> = said.iter().filter(|(_, kind, _)| *kind == FRAME).collect();
    // They take effect at the edge at 2,001 ns, are presented in the cycle after it, and leave at its end, one a cycle.
    let at = |nanoseconds: u64| nanoseconds * 1_000 + LATENCY;
    assert_eq!(frames, [&(at(2_002), FRAME, vec![7; 100]), &(at(2_003), FRAME, vec![8; 101])]);
    let (last, others) = said.split_last().expect("it said something");
    assert_eq!(*last, (LATENCY - 1, TERMINATE, vec![]));
    assert_eq!(others[0], (LATENCY, SYNC, vec![]));
    assert_eq!(others.last().expect("it said more").0, END.femtoseconds() / 1_000 + LATENCY);
    assert!(others.array_windows().all(|[before, after]| after.0 - before.0 <= INTERVAL), "{others:?}");
}

#[test]
fn a_run_never_overtakes_what_its_peer_has_promised() {
    let path = place("promise");
    let (mut simulation, mut run) = wire(Role::Listen, &path);
    let mut peer = Peer::of(&path, ETHERNET, 1);
    let mut promised = 0;
    let limit = Limit::time(END);
    let outcome = run.run(&mut simulation, &limit, &mut |progress| {
        assert!(progress.now.femtoseconds() <= promised * 1_000, "{} beyond {promised} ps", progress.now);
        if peer.is_met() && progress.now.femtoseconds() == promised * 1_000 {
            promised += 1_234_567;
            peer.put(promised, SYNC, &[], &[]);
        }
        Control::Continue
    });
    assert_eq!(outcome, Ok(Outcome::Reached));
}

/// Error that ends a run with a peer that says `messages`.
fn refused(protocol: u64, messages: &[(u64, u8, Vec<u8>)]) -> String {
    let path = place("refused");
    let mut system = if protocol == PCIE {
        let (simulation, run, _) = function(&path);
        (simulation, run)
    } else {
        wire(Role::Listen, &path)
    };
    let mut peer = Peer::of(&path, protocol, 1);
    let mut left = messages.iter();
    let outcome = run(&mut system, &mut peer, |peer| {
        if let Some((arrival, kind, fields)) = left.next() {
            peer.put(*arrival, *kind, fields, &[]);
        }
    });
    assert_eq!(system.1.ending(), Some("lost"));
    let Outcome::Stopped(reason) = outcome else { panic!("{outcome:?}") };
    reason
}

#[test]
fn messages_that_the_protocol_does_not_have_end_the_run() {
    let access = |window: u8, offset: u64, length: u16| {
        [&5u64.to_le_bytes()[..], &offset.to_le_bytes(), &length.to_le_bytes(), &[window]].concat()
    };
    let frame = |length: u16| length.to_le_bytes().to_vec();
    for (protocol, messages, reason) in [
        (ETHERNET, vec![(500, SYNC, vec![]), (499, SYNC, vec![])], "timestamp 499 ps after 500 ps"),
        (ETHERNET, vec![(0, 0x02, vec![])], "type 0x02"),
        (ETHERNET, vec![(0, 0x41, vec![])], "type 0x41, which is not of Ethernet"),
        (ETHERNET, vec![(0, FRAME, frame(u16::MAX))], "a frame of 65535 bytes in a smaller slot"),
        (PCIE, vec![(0, 0x40, vec![])], "type 0x40, which is not of a host"),
        (PCIE, vec![(0, 0x60, access(1, 0, 4))], "4 bytes at 0x0 of base address register 1, which does not"),
        (PCIE, vec![(0, 0x60, access(200, 0, 4))], "base address register 200"),
        (PCIE, vec![(0, 0x61, access(0, u64::MAX, 4))], "0xffffffffffffffff"),
        (PCIE, vec![(0, 0x60, access(0, 0, u16::MAX))], "whose answer fits into no slot"),
        (PCIE, vec![(0, 0x61, access(0, 0, u16::MAX))], "in a smaller slot"),
        (PCIE, vec![(0, 0x62, access(0, 0, 0))], "an answer to request 5, which was not made"),
    ] {
        let said = refused(protocol, &messages);
        assert!(said.contains("broke the protocol") && said.contains(reason), "{said}");
    }
}

#[test]
fn garbage_in_slots_ends_a_run_or_is_ignored() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let kinds = [0x00, 0x01, 0x40, 0x60, 0x61, 0x62, 0x63, 0x64, 0x65];
    for round in 0..60 {
        let path = place("garbage");
        let mut system = if round % 2 == 0 {
            let (simulation, run, _) = function(&path);
            (simulation, run)
        } else {
            wire(Role::Listen, &path)
        };
        let mut peer = Peer::of(&path, 1 + (round + 1) % 2, round / 2 % 2);
        let mut arrival = 0;
        let mut left = 300;
        run(&mut system, &mut peer, |peer| {
            for _ in 0..left {
                arrival += random() % 100_000;
                let kind = if round % 3 == 0 { random() as u8 & 0x7f } else { kinds[random() as usize % 9] };
                // Small numbers are plausible more often.
                let fields: Vec<u8> =
                    (0..6).flat_map(|_| (random() >> (random() % 64)).to_le_bytes()).collect();
                peer.put(arrival, kind, &fields, &random().to_le_bytes());
            }
            if std::mem::take(&mut left) == 0 {
                arrival += 1_000_000;
                peer.put(arrival, if arrival > 40_000_000 { TERMINATE } else { SYNC }, &[], &[]);
            }
        });
        system.1.finish(&mut system.0).expect("it ends");
    }
}

#[test]
fn a_peer_that_introduces_itself_wrongly_is_refused() {
    for (introduction, reason) in [
        (words(&[2, 1, ETHERNET, 32]), "it speaks version 2 of the protocol, not 1"),
        (words(&[1, 1, PCIE, 32]), "it speaks PCIe, not Ethernet"),
        (words(&[1, 1, 99, 32]), "it speaks protocol 99, not Ethernet"),
        (words(&[1, 1]), "has not introduced itself within 0.05 s"),
    ] {
        let path = place("introduction");
        let mut wire = wire(Role::Listen, &path);
        let mut peer = Peer::connect(&path, &introduction);
        let outcome = run(&mut wire, &mut peer, |_| {});
        assert!(matches!(&outcome, Outcome::Stopped(said) if said.contains(reason)), "{outcome:?}");
    }
}

/// Outcome of a run that connects to a silent listener with these queues, and with memory of that size if there is any.
fn connected(name: &str, queues: [u64; 6], memory: Option<u64>) -> Outcome {
    let path = place(name);
    let listener = UnixListener::bind(&path).expect("a socket");
    listener.set_nonblocking(true).expect("it can");
    let (mut simulation, mut run) = wire(Role::Connect, &path);
    let introduction = words(&[&[1, 0][..], &queues, &[ETHERNET, 80]].concat());
    let memory = memory.map(|bytes| {
        let file = memfd_create("queues", MemfdFlags::empty()).expect("memory");
        ftruncate(&file, bytes).expect("there is room");
        file
    });
    let descriptors: Vec<_> = memory.iter().map(AsFd::as_fd).collect();
    let mut peer = None;
    let outcome = run.run(&mut simulation, &Limit::time(END), &mut |_| {
        if peer.is_none() {
            peer = listener.accept().ok().map(|(stream, _)| stream);
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            assert!(control.push(SendAncillaryMessage::ScmRights(&descriptors)));
            let message = [IoSlice::new(&introduction)];
            let sent = peer.as_ref().map(|peer| sendmsg(peer, &message, &mut control, SendFlags::empty()));
            sent.transpose().expect("it is there");
        }
        Control::Continue
    });
    std::fs::remove_file(path).expect("it is there");
    outcome.expect("the conditions name what is there")
}

#[test]
fn queues_that_share_memory_are_refused() {
    const QUEUE: u64 = 1664 * 8;
    for (incoming, outgoing) in [(0, 0), (0, QUEUE - 1), (QUEUE - 64, 0)] {
        let outcome = connected("overlap", [incoming, 1664, 8, outgoing, 1664, 8], Some(2 * QUEUE));
        assert!(matches!(&outcome, Outcome::Stopped(said) if said.contains("overlap")), "{outcome:?}");
    }
    assert_eq!(connected("overlap", [QUEUE, 1664, 8, 0, 1664, 8], Some(2 * QUEUE)), Outcome::Reached);
}

#[test]
fn a_listener_without_memory_or_without_a_socket_is_refused() {
    let outcome = connected("listener", [0, 1664, 8, 1664 * 8, 1664, 8], None);
    assert!(
        matches!(&outcome, Outcome::Stopped(said) if said.contains("it sent no shared memory")),
        "{outcome:?}"
    );
    let (mut simulation, mut run) = wire(Role::Connect, &place("nowhere"));
    let outcome = run.run(&mut simulation, &Limit::time(END), &mut |_| Control::Continue);
    assert!(
        matches!(&outcome, Ok(Outcome::Stopped(said)) if said.contains("cannot be reached")),
        "{outcome:?}"
    );
}
