//! The guest's side of a device, against a scripted peer that speaks as `x-pci-proxy-dev` of QEMU does.

use std::fs::File;
use std::io::{BufRead, BufReader, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use spinach_live::guest::{Guest, InterruptPin, ProxyGuest};
use spinach_modules::bus::guest_messages::{ACCESS, Access, MEMORY, Said};

fn pin(socket: PathBuf) -> InterruptPin {
    InterruptPin { socket, controller: "/machine/i440fx/ioapic".to_owned(), pin: 10 }
}

fn connected() -> (ProxyGuest, UnixStream) {
    let (own, peer) = UnixStream::pair().expect("sockets are there");
    (ProxyGuest::new(own, pin(PathBuf::from("/nowhere"))), peer)
}

fn message(command: i32, payload: &[u8]) -> Vec<u8> {
    let size = (payload.len() as u64).to_le_bytes();
    [&command.to_le_bytes()[..], &[0xaa; 4], &size, payload].concat()
}

fn configuration(address: u32, value: u32, size: i32) -> Vec<u8> {
    [address.to_le_bytes(), value.to_le_bytes(), size.to_le_bytes()].concat()
}

fn memory(address: u64, value: u64, size: u32) -> Vec<u8> {
    [&address.to_le_bytes()[..], &value.to_le_bytes(), &size.to_le_bytes(), &[1, 0, 0, 0]].concat()
}

#[test]
fn accesses_come_as_they_were_made_and_are_answered() {
    let (mut guest, mut peer) = connected();
    assert!(guest.take().expect("the peer is there").is_none());
    let cases = [
        (3, configuration(0x10, 0, 4), Access::ReadConfiguration { address: 0x10, size: 4 }),
        (2, configuration(4, 6, 2), Access::WriteConfiguration { address: 4, size: 2, value: 6 }),
        (5, memory(0xfebf_0040, 0, 4), Access::Read { address: 0xfebf_0040, size: 4 }),
        (4, memory(0xfebf_0068, 0x2000, 4), Access::Write { address: 0xfebf_0068, size: 4, value: 0x2000 }),
        (7, vec![], Access::Reset),
    ];
    for (number, (command, payload, access)) in cases.into_iter().enumerate() {
        peer.write_all(&message(command, &payload)).expect("the guest is there");
        let (lane, said) = guest.take().expect("it is a message").expect("it is whole");
        assert_eq!((lane, Access::from_bytes(&said)), (ACCESS, Some(access)));
        assert!(guest.is_waiting());
        let told = guest.tell(&Said::Done(number as u32 + 7).to_bytes()).expect("the peer is there");
        assert!(told.is_none() && !guest.is_waiting());
        let mut answer = [0; 24];
        peer.read_exact(&mut answer).expect("an answer");
        assert_eq!(answer[..4], 1i32.to_le_bytes());
        assert_eq!(answer[8..], [8u64.to_le_bytes(), (number as u64 + 7).to_le_bytes()].concat());
    }
}

#[test]
fn an_impossible_access_is_answered_with_all_ones() {
    let (mut guest, mut peer) = connected();
    for payload in [memory(0xfebf_0041, 0, 4), memory(0xfebf_0040, 0, 8), memory(0, 0, 0)] {
        peer.write_all(&message(5, &payload)).expect("the guest is there");
        assert!(guest.take().expect("it is a message").is_none());
        let mut answer = [0; 24];
        peer.read_exact(&mut answer).expect("an answer");
        assert_eq!(answer[16..], [0xff; 8]);
    }
}

#[test]
fn the_device_reaches_memory_that_the_guest_shares() {
    let (mut guest, peer) = connected();
    let path = std::env::temp_dir().join(format!("spinach-guest-{}", std::process::id()));
    let file = File::options().read(true).write(true).create_new(true).open(&path).expect("a file");
    std::fs::remove_file(&path).expect("it is there");
    file.set_len(0x3000).expect("there is room");
    // Two pieces: 0x1000 bytes from 0x8000 on at 0x2000 of the file, 0x2000 bytes from 1 << 32 on at its start.
    let mut payload = vec![0; 192];
    for (at, value) in [(0, 0x8000u64), (8, 1 << 32), (64, 0x1000), (72, 0x2000), (128, 0x2000), (136, 0)] {
        payload[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptors = [file.as_fd(), file.as_fd()];
    assert!(control.push(SendAncillaryMessage::ScmRights(&descriptors)));
    let whole = message(0, &payload);
    sendmsg(&peer, &[IoSlice::new(&whole)], &mut control, SendFlags::empty()).expect("the guest is there");
    assert!(guest.take().expect("it is a message").is_none());

    let write = Said::Write { address: 0x8ffe, bytes: vec![1, 2] };
    assert_eq!(guest.tell(&write.to_bytes()).expect("memory"), Some((MEMORY, vec![1])));
    let mut found = [0; 2];
    file.read_exact_at(&mut found, 0x2ffe).expect("it is inside");
    assert_eq!(found, [1, 2]);
    file.write_all_at(&[9, 8, 7], 0x10).expect("it is inside");
    let read = Said::Read { address: (1 << 32) + 0x10, length: 3 };
    assert_eq!(guest.tell(&read.to_bytes()).expect("memory"), Some((MEMORY, vec![1, 9, 8, 7])));
    for address in [0x8fff, 0x7fff, 0x9000, u64::MAX] {
        let outside = Said::Read { address, length: 2 };
        assert_eq!(
            guest.tell(&outside.to_bytes()).expect("an answer"),
            Some((MEMORY, vec![0])),
            "{address:#x}"
        );
    }
}

#[test]
fn a_peer_that_talks_nonsense_or_leaves_is_noticed() {
    let (mut guest, mut peer) = connected();
    peer.write_all(&message(99, &[])).expect("the guest is there");
    assert!(guest.take().expect_err("there is no such command").to_string().contains("command 99"));
    let (mut guest, mut peer) = connected();
    peer.write_all(&message(5, &[0; 3])).expect("the guest is there");
    assert!(guest.take().expect_err("it is too short").to_string().contains("3 bytes"));
    let (mut guest, peer) = connected();
    drop(peer);
    assert!(guest.take().is_err());
}

#[test]
fn interrupts_go_through_the_test_socket_and_each_is_answered() {
    let path = std::env::temp_dir().join(format!("spinach-interrupts-{}", std::process::id()));
    let listener = UnixListener::bind(&path).expect("a socket");
    let (own, _peer) = UnixStream::pair().expect("sockets are there");
    let mut guest = ProxyGuest::new(own, pin(path.clone()));
    let emulator = std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a connection");
        let mut reader = BufReader::new(stream);
        let mut heard = Vec::new();
        for _ in 0..2 {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a line");
            reader.get_mut().write_all(b"OK\n").expect("it listens");
            heard.push(line);
        }
        heard
    });
    for level in [true, true, false] {
        assert!(guest.tell(&Said::Interrupt(level).to_bytes()).expect("it answers").is_none());
    }
    let heard = emulator.join().expect("it heard");
    let line = |level: u32| format!("set_irq_in /machine/i440fx/ioapic unnamed-gpio-in 10 {level}\n");
    assert_eq!(heard, [line(1), line(0)]);
    std::fs::remove_file(path).expect("it is there");
}
