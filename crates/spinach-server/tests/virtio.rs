//! Disk and shared folder at their registers and queues, as a driver uses them, and as none should.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use spinach_server::memory::Memory;
use spinach_server::virtio::Device;
use spinach_server::virtio::disk::{Disk, Image};
use spinach_server::virtio::share::{Folder, Share};
use spinach_server::virtio::transport::{REQUEST_MAXIMUM_BYTES, Transport};

const BASE: u64 = 0x8000_0000;
const MEMORY_BYTES: usize = 1 << 20;
const DESCRIPTORS: u64 = BASE;
const AVAILABLE: u64 = BASE + 0x1000;
const USED: u64 = BASE + 0x2000;
const BUFFERS: u64 = BASE + 0x4000;
const ENTRIES: u32 = 8;
const NEEDS_RESET: u64 = 0x40;
const IO_ERROR: u32 = 5;
const LINK_ERROR: u32 = 40;

/// A driver with one request at a time.
struct Driver<D> {
    transport: Transport<D>,
    memory: Memory,
    requests: u16,
}

impl<D: Device> Driver<D> {
    fn new(device: D) -> Self {
        let mut driver =
            Self { transport: Transport::new(device), memory: Memory::new(BASE, MEMORY_BYTES), requests: 0 };
        let places = [(0x80, DESCRIPTORS), (0x90, AVAILABLE), (0xa0, USED)];
        driver.write(0x70, 3);
        driver.write(0x38, ENTRIES);
        for (register, address) in places {
            driver.write(register, address as u32);
            driver.write(register + 4, (address >> 32) as u32);
        }
        driver.write(0x44, 1);
        driver.write(0x70, 7);
        driver
    }

    fn write(&mut self, register: u64, value: u32) {
        self.transport.write(register, value, &mut self.memory);
    }

    fn put(&mut self, address: u64, bytes: &[u8]) {
        self.memory.store(address, bytes).unwrap();
    }

    fn descriptor(&mut self, number: u64, address: u64, bytes: u32, flags: u16, next: u16) {
        let entry =
            [&address.to_le_bytes()[..], &bytes.to_le_bytes(), &flags.to_le_bytes(), &next.to_le_bytes()]
                .concat();
        self.put(DESCRIPTORS + 16 * number, &entry);
    }

    /// Offers the chain of descriptor 0 and notifies.
    fn offer(&mut self) {
        let place = u64::from(self.requests) % u64::from(ENTRIES);
        self.put(AVAILABLE + 4 + 2 * place, &0u16.to_le_bytes());
        self.requests = self.requests.wrapping_add(1);
        self.put(AVAILABLE + 2, &self.requests.to_le_bytes());
        self.write(0x50, 0);
    }

    /// Answer to a request, with room for some bytes in two buffers.
    fn ask(&mut self, request: &[u8], room: u32) -> Vec<u8> {
        let answers = BUFFERS + 0x20000;
        self.put(BUFFERS, request);
        self.descriptor(0, BUFFERS, request.len() as u32, 1, 1);
        self.descriptor(1, answers, room.min(7), 3, 2);
        self.descriptor(2, answers + 7, room.saturating_sub(7), 2, 0);
        self.offer();
        assert_eq!(self.transport.read(0x60, 4), 1);
        assert!(self.transport.line());
        self.write(0x64, 1);
        let place = u64::from(self.requests.wrapping_sub(1)) % u64::from(ENTRIES);
        let used = self.memory.read::<4>(self.memory.place(USED + 8 + 8 * place, 4).unwrap()).unwrap();
        let start = self.memory.place(answers, used as usize).unwrap();
        self.memory.bytes()[start..start + used as usize].to_vec()
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn shared(folder: &Path) -> Driver<Share> {
    let mut share = Share::default();
    share.open(Folder::open(folder).unwrap());
    Driver::new(share)
}

/// A message of 9P.
fn message(kind: u8, fields: &[&[u8]]) -> Vec<u8> {
    let fields = fields.concat();
    [&(7 + fields.len() as u32).to_le_bytes()[..], &[kind, 1, 0], &fields].concat()
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
}

fn n(number: u32) -> [u8; 4] {
    number.to_le_bytes()
}

/// Content of an answer without error.
fn good(answer: &[u8]) -> &[u8] {
    assert_ne!(answer[4], 7, "error {:?}", &answer[7..]);
    &answer[7..]
}

fn error(answer: &[u8]) -> u32 {
    assert_eq!(answer[4], 7);
    u32::from_le_bytes(answer[7..11].try_into().unwrap())
}

/// Attaches reference 0 to the shared folder and walks to another.
fn walk(driver: &mut Driver<Share>, to: u32, names: &[&str]) -> Vec<u8> {
    good(&driver.ask(&message(104, &[&n(0), &n(u32::MAX), &text(""), &text(""), &n(0)]), 4096));
    let count = names.len() as u16;
    let names: Vec<u8> = names.iter().flat_map(|name| text(name)).collect();
    driver.ask(&message(110, &[&n(0), &n(to), &count.to_le_bytes(), &names]), 4096)
}

#[test]
fn a_disk_reads_its_image_and_keeps_what_is_written() {
    let image = folder("virtio-disk").join("image");
    let content: Vec<u8> = (0..3 * 4096 + 512).map(|place| (place / 512) as u8).collect();
    fs::write(&image, &content).unwrap();
    let mut disk = Disk::default();
    assert!(disk.insert(Image::open(&image).unwrap()));
    let mut driver = Driver::new(disk);
    assert_eq!(driver.transport.read(0x100, 8), 25);
    let request = |kind: u32, sector: u64| [&n(kind)[..], &n(0), &sector.to_le_bytes()].concat();
    // Two sectors on both sides of a page.
    let read = driver.ask(&request(0, 7), 1025);
    assert_eq!([read[0], read[511], read[512], read[1024]], [7, 7, 8, 0]);
    assert_eq!(driver.ask(&[request(1, 7), vec![0xaa; 1024]].concat(), 1), [0]);
    let read = driver.ask(&request(0, 6), 2049);
    assert_eq!([read[0], read[512], read[1535], read[1536], read[2048]], [6, 0xaa, 0xaa, 9, 0]);
    // Beyond the end, part of a sector, and an unassigned kind.
    assert_eq!(driver.ask(&request(0, 25), 513)[512], 1);
    assert_eq!(driver.ask(&request(0, 0), 512)[511], 1);
    assert_eq!(driver.ask(&request(99, 0), 1), [2]);
    assert_eq!(fs::read(&image).unwrap(), content);
}

#[test]
fn a_shared_folder_is_read_and_written() {
    let folder = folder("virtio-share");
    fs::write(folder.join("file"), "content").unwrap();
    let mut driver = shared(&folder);
    let agreed = driver.ask(&message(100, &[&n(1 << 20), &text("9P2000.L")]), 4096);
    assert_eq!(good(&agreed), [&n(512 << 10)[..], &text("9P2000.L")].concat());
    good(&walk(&mut driver, 1, &["file"]));
    good(&driver.ask(&message(12, &[&n(1), &n(0)]), 4096));
    let read = driver.ask(&message(116, &[&n(1), &3u64.to_le_bytes(), &n(100)]), 4096);
    assert_eq!(good(&read), [&n(4)[..], b"tent"].concat());
    // A new file in a new folder.
    good(&driver.ask(&message(72, &[&n(0), &text("new"), &n(0o755), &n(0)]), 4096));
    good(&walk(&mut driver, 2, &["new"]));
    good(&driver.ask(&message(14, &[&n(2), &text("made"), &n(2), &n(0o644), &n(0)]), 4096));
    good(&driver.ask(&message(118, &[&n(2), &0u64.to_le_bytes(), &n(4), b"data"]), 4096));
    assert_eq!(fs::read(folder.join("new/made")).unwrap(), b"data");
    // An open file follows the names of its folders.
    good(&driver.ask(&message(74, &[&n(0), &text("new"), &n(0), &text("other")]), 4096));
    let read = driver.ask(&message(116, &[&n(2), &0u64.to_le_bytes(), &n(100)]), 4096);
    assert_eq!(good(&read), [&n(4)[..], b"data"].concat());
    good(&driver.ask(&message(12, &[&n(0), &n(0)]), 4096));
    let listed = driver.ask(&message(40, &[&n(0), &0u64.to_le_bytes(), &n(4000)]), 4096);
    let listed = String::from_utf8_lossy(&listed).into_owned();
    assert!(listed.contains("file") && listed.contains("other") && !listed.contains("new"));
}

#[test]
fn nothing_outside_of_a_shared_folder_is_reached() {
    let outside = folder("virtio-outside");
    fs::write(outside.join("secret"), "secret").unwrap();
    let folder = outside.join("shared");
    fs::create_dir(&folder).unwrap();
    symlink(&outside, folder.join("up")).unwrap();
    symlink(outside.join("secret"), folder.join("link")).unwrap();
    let mut driver = shared(&folder);
    // The parent of the shared folder is the folder.
    good(&walk(&mut driver, 1, &["..", "up"]));
    assert_eq!(error(&driver.ask(&message(12, &[&n(1), &n(0)]), 4096)), LINK_ERROR);
    let walked = walk(&mut driver, 2, &["up", "secret"]);
    assert_eq!(good(&walked)[0], 1, "the walk ends at the link");
    good(&walk(&mut driver, 3, &["link"]));
    for flags in [0, 1, 2, 0o1002] {
        assert_eq!(error(&driver.ask(&message(12, &[&n(3), &n(flags)]), 4096)), LINK_ERROR);
    }
    for name in ["../secret", "a/b", "", ".", ".."] {
        let made = driver.ask(&message(14, &[&n(0), &text(name), &n(2), &n(0o644), &n(0)]), 4096);
        error(&made);
    }
    assert_eq!(fs::read(outside.join("secret")).unwrap(), b"secret");
}

#[test]
fn without_a_folder_requests_fail() {
    let mut driver = Driver::new(Share::default());
    let attached = driver.ask(&message(104, &[&n(0), &n(u32::MAX), &text(""), &text(""), &n(0)]), 4096);
    assert_eq!(error(&attached), IO_ERROR);
}

#[test]
fn damaged_queues_stop_the_device() {
    type Damage = fn(&mut Driver<Share>);
    let damages: [Damage; 5] = [
        // A loop, an address without memory, a length beyond it, a request that is too long, a wild index.
        |driver| driver.descriptor(0, BUFFERS, 8, 1, 0),
        |driver| driver.descriptor(0, 0x1000, 8, 0, 0),
        |driver| driver.descriptor(0, BUFFERS, u32::MAX, 0, 0),
        |driver| {
            let part = MEMORY_BYTES as u32;
            (0..7).for_each(|number| driver.descriptor(number, BASE, part, 1, number as u16 + 1));
            driver.descriptor(7, BASE, part, 0, 0);
            assert!(8 * part as usize > REQUEST_MAXIMUM_BYTES);
        },
        |driver| driver.requests = 100,
    ];
    for damage in damages {
        let mut driver = shared(&folder("virtio-damaged"));
        damage(&mut driver);
        driver.offer();
        assert_eq!(driver.transport.read(0x70, 4) & NEEDS_RESET, NEEDS_RESET);
        driver.write(0x70, 0);
        assert_eq!(driver.transport.read(0x70, 4), 0);
    }
}

#[test]
fn random_messages_and_registers_do_no_harm() {
    let outside = folder("virtio-random");
    let folder = outside.join("shared");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a"), "a").unwrap();
    let mut driver = shared(&folder);
    let mut state = 1u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    const KINDS: [u8; 27] = [
        8, 12, 14, 16, 18, 20, 22, 24, 26, 30, 32, 40, 50, 52, 54, 70, 72, 74, 76, 100, 104, 108, 110, 116,
        118, 120, 122,
    ];
    for round in 0..20_000 {
        let kind = KINDS[random() as usize % KINDS.len()];
        let mut fields = Vec::new();
        for _ in 0..random() % 6 {
            match random() % 4 {
                0 => fields.extend(n(random() as u32 % 4)),
                1 => fields.extend((random() % 5).to_le_bytes()),
                2 => fields.extend(text(["a", "b", "..", "c/d"][random() as usize % 4])),
                _ => fields.extend(&random().to_le_bytes()[..random() as usize % 8]),
            }
        }
        let room = [0, 5, 11, 200, 4096][random() as usize % 5];
        let answer = driver.transport.device.serve(&message(kind, &[&fields]), room);
        assert!(answer.len() <= room);
        if round % 10 == 0 {
            let register = [0x14, 0x20, 0x24, 0x30, 0x38, 0x44, 0x50, 0x64, 0x70, 0x80, 0x90, 0xa0]
                [random() as usize % 12];
            driver.write(register, (BASE as u32).wrapping_add(random() as u32 % 0x3000));
            driver.write(0x50, 0);
            driver.transport.read(random() % 0x200, 4);
        }
    }
    let entries: Vec<_> = fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(entries, ["shared"]);
}
