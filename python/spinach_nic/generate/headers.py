"""Headers of firmware, from the declarations of the models of the NICs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from spinach_nic import _native
from spinach_nic.benches import pci
from spinach_nic.cards.base.datasheet import HardwareRegister, registers_of
from spinach_nic.cards.ricenic import registers as ricenic
from spinach_nic.cards.tengig import map as tengig_map
from spinach_nic.cards.tigon2 import protocol, sram_map
from spinach_nic.cards.tigon2.registers import Register

INCLUDE = Path("firmware/include")


def header_files() -> dict[Path, str]:
    """Return the headers with their contents, by path in the repository."""
    about = "The registers of the Tigon-2, as its processors see them; the host sees the same offsets."
    lines = ['#include "tigon2/register.h"', *register_lines(registers_of(Register))]
    source = "python/spinach_nic/cards/tigon2/registers.py"
    return {
        INCLUDE / "spinach/layouts.h": _layouts(),
        INCLUDE / "spinach/ring_function.h": _ring_function(),
        INCLUDE / "tigon2/registers.h": _header("TIGON2_REGISTERS_H", about, source, lines),
        INCLUDE / "tigon2/protocol.h": _tigon2_protocol(),
        INCLUDE / "tigon2/addresses.h": _tigon2_addresses(),
        INCLUDE / "tengig/addresses.h": _tengig_addresses(),
        INCLUDE / "ricenic/registers.h": _ricenic_registers(),
        INCLUDE / "rosebud/registers.h": _rosebud_registers(),
    }


def _layouts() -> str:
    lines = ["#include <stdint.h>"]
    prefixes = {
        "ring_control": "RING_",
        "ready_word": "",
        "buffer_flag": "BUFFER_",
        "content_flag": "BUFFER_",
    }
    for group, prefix in prefixes.items():
        numbers = dict(_native.numbers())[group]
        lines += ["", *(f"#define {prefix}{name} 0x{value:x}u" for name, value in numbers)]
    for name, about, fields in _native.layouts():
        lines += ["", f"/* {about.strip()} */", f"struct {name} {{"]
        for field, kind, meaning in fields:
            c_type = kind if kind.endswith("uint32_t") else f"struct {kind}"
            lines.append(f"    {c_type} {field.lower()}; /* {_plain(meaning.strip())} */")
        lines += ["};"]
    about = (
        "Structures that firmware shares with assists and with the driver: registers, descriptors and rings."
    )
    return _header("SPINACH_LAYOUTS_H", about, "the layouts that crates/spinach-modules declares", lines)


def _tengig_addresses() -> str:
    lines = ["#include <stdint.h>", ""]
    lines += [f"#define {name} 0x{value:x}u" for name, value in tengig_map.CONSTANTS.items()]
    about = "Tuning of the firmware. The host may change these words before it sets host_rings.ready."
    lines += ["", f"/* {about} */", "struct settings {"]
    lines += [f"    uint32_t {name}; /* {meaning} */" for name, meaning in tengig_map.SETTINGS_WORDS.items()]
    lines += ["};"]
    source = "python/spinach_nic/cards/tengig/map.py"
    return _header(
        "TENGIG_ADDRESSES_H",
        "Addresses and settings of the 10 Gb/s NIC.",
        source,
        lines,
    )


def _tigon2_addresses() -> str:
    image = sram_map.IMAGE
    lines = [
        f"#define MEMORY_END 0x{sram_map.MEMORY_END:x}u",
        f"#define IMAGE_SPACE 0x{image.stop:x}u /* below the descriptors */",
        f"#define DESCRIPTORS_BYTES 0x{sram_map.DESCRIPTORS.bytes:x}u",
    ]
    about = "Division of the SRAM by the firmware of the Tigon-2."
    return _header("TIGON2_ADDRESSES_H", about, "python/spinach_nic/cards/tigon2/sram_map.py", lines)


def _ricenic_registers() -> str:
    places = {
        "SETTINGS_ADDRESS": ricenic.SETTINGS,
        "NAT_SETTINGS_ADDRESS": ricenic.NAT_SETTINGS,
        "NAT_TICK_CYCLES": ricenic.NAT_TICK_CYCLES,
        "NAT_FORWARDS": ricenic.NAT_FORWARDS,
        "NAT_CONNECTIONS": ricenic.NAT_CONNECTIONS,
        "NAT_MOST_CONNECTIONS": ricenic.NAT_MOST_CONNECTIONS,
        "CDNA_SETTINGS_ADDRESS": ricenic.CDNA_SETTINGS,
        "CDNA_CONTEXTS": ricenic.CDNA_CONTEXTS,
        "CDNA_SEND_BUFFERS": ricenic.CDNA_SEND_BUFFERS,
        "CDNA_RECEIVE_BUFFERS": ricenic.CDNA_RECEIVE_BUFFERS,
        "CDNA_MOST_BUFFERS": ricenic.CDNA_MOST_BUFFERS,
        "CDNA_MOST_SLOTS": ricenic.CDNA_MOST_SLOTS,
        "CDNA_MOST_ENTRIES": ricenic.CDNA_MOST_ENTRIES,
        "CDNA_HYPERVISOR_OFFSET": ricenic.CDNA_HYPERVISOR,
        "CDNA_COMMANDS_OFFSET": ricenic.CDNA_COMMANDS,
        "CDNA_COMMAND_ENTRIES": ricenic.CDNA_COMMAND_ENTRIES,
        "CDNA_START": ricenic.CDNA_START,
        "CDNA_STOP": ricenic.CDNA_STOP,
        "CDNA_LISTEN": ricenic.CDNA_LISTEN,
        "CDNA_SETUPS_OFFSET": ricenic.CDNA_SETUPS,
        "CDNA_SETUP_BYTES": ricenic.CDNA_SETUP_BYTES,
        "SEND_BUFFERS": ricenic.SEND_BUFFERS,
        "RECEIVE_BUFFERS": ricenic.RECEIVE_BUFFERS,
        "BUFFER_BYTES": ricenic.BUFFER_BYTES,
        "CONTENT": ricenic.CONTENT,
        "CONTENT_BYTES": ricenic.CONTENT_BYTES.bytes,
        "SRAM": ricenic.SRAM,
        "CONTEXT_BYTES": ricenic.CONTEXT_BYTES,
        "HOST_RINGS_OFFSET": ricenic.HOST_RINGS,
        "BRAM": ricenic.BRAM,
        "BRAM_UNCACHED": ricenic.BRAM_UNCACHED,
        "QUEUE_ENTRIES": ricenic.QUEUE_ENTRIES,
        "CODE": ricenic.CODE,
        "FUNCTION_TABLE": ricenic.FUNCTION_TABLE,
        "FUNCTION_NAME_BYTES": ricenic.FUNCTION_NAME_BYTES,
        "PROFILE_COUNTS": ricenic.PROFILE_COUNTS,
        "PROFILE_TOTALS": ricenic.PROFILE_TOTALS,
    }
    lines = ["#include <stdint.h>", ""]
    lines += [f"#define {name} 0x{value:x}u" for name, value in places.items()]
    lines += ["", "/* What a person set. */", "struct settings {"]
    lines += [f"    uint32_t {name}; /* {meaning} */" for name, meaning in ricenic.SETTINGS_WORDS.items()]
    lines += [
        "};",
        "",
        *_translation_settings(),
        "",
        *_contexts(),
        "",
        "/* Numbers of the mailboxes of a context. */",
    ]
    lines += [f"#define MAILBOX_{name.upper()} {number}" for number, name in enumerate(ricenic.MAILBOXES)]
    lines += ["", "/* Bits of the sources of interrupts. */"]
    lines += [
        f"#define INTERRUPT_{name.upper()} {1 << bit}u" for bit, name in enumerate(ricenic.INTERRUPT_SOURCES)
    ]
    described = set()
    for block in ricenic.BLOCKS:
        if block.module not in described:
            lines += ["", *_register_struct(block)]
            described.add(block.module)
    lines += ["", "/* The devices on the local bus. */"]
    lines += [
        f"#define {block.name} ((struct {block.module}_registers *)0x{ricenic.block_address(block.name):x}u)"
        for block in ricenic.BLOCKS
    ]
    source = "python/spinach_nic/cards/ricenic/registers.py"
    about = "Address map of RiceNIC, and the registers of its devices."
    return _header("RICENIC_REGISTERS_H", about, source, lines)


def _ring_function() -> str:
    places = {
        "RING_FUNCTION_VENDOR": pci.VENDOR,
        "RING_FUNCTION_DEVICE": pci.RING_DEVICE,
        "RING_DESCRIPTION_OFFSET": pci.DESCRIPTION_OFFSET,
        "RING_DESCRIPTION_MAGIC": pci.DESCRIPTION_MAGIC,
    }
    lines = ["#include <stdint.h>", ""]
    lines += [f"#define {name} 0x{value:x}u" for name, value in places.items()]
    lines += ["", "/* Registers of the host, at the start of the upper half of the window. */"]
    lines += ["struct interrupt_latch_registers {", *_words(pci.LATCH_WORDS), "};"]
    lines += ["", "/* Description of the card, RING_DESCRIPTION_OFFSET behind them. */"]
    lines += ["struct ring_description {", *_words(pci.DESCRIPTION_WORDS), "};", "", "/* Its flags. */"]
    lines += [f"#define RING_{name} {bit}u /* {meaning} */" for name, (bit, meaning) in pci.FLAGS.items()]
    source = "python/spinach_nic/benches/pci.py"
    about = "PCI function of a card that works on rings, in the upper half of base address register 0."
    return _header("SPINACH_RING_FUNCTION_H", about, source, lines)


def _rosebud_registers() -> str:
    lines: list[str] = []
    for group, described in _native.packet_mover_registers():
        lines += ["", f"/* {PACKET_MOVER_GROUPS[group]} */"]
        lines += [
            f"#define {group.upper()}_{name} 0x{value:x}u /* {_plain(meaning)} */"
            for name, value, meaning in described
        ]
    source = "crates/spinach-modules/src/dma/packet_mover/register_map.rs"
    return _header("ROSEBUD_REGISTERS_H", "Registers of a core of Rosebud.", source, lines[1:])


PACKET_MOVER_GROUPS = {
    "region": "Regions of the address space.",
    "write": "Registers that are written.",
    "read": "Registers that are read.",
    "flag": "Bits of READ_FLAGS.",
    "type": "Types of descriptors.",
    "status": "Registers that the host reads, by number.",
    "command": "Registers that the host writes, by number.",
}


def _words(described: Mapping[str, str]) -> list[str]:
    """Members of a structure."""
    comments = {name: f" /* {meaning} */" if meaning else "" for name, meaning in described.items()}
    return [f"    uint32_t {name};{comment}" for name, comment in comments.items()]


def _numbered(name: str, values: Iterable[str], prefix: str, *, is_counted: bool = False) -> list[str]:
    """Return an enumeration from 0 on."""
    last = [f"    {prefix}S"] if is_counted else []
    return [f"enum {name} {{", *(f"    {prefix}_{value.upper()}," for value in values), *last, "};"]


def _contexts() -> list[str]:
    """Return the structures that the hypervisor and the firmware of virtualization contexts share."""
    mailboxes = enumerate(ricenic.HYPERVISOR_MAILBOXES)
    return [
        "/* What a person set of virtualization contexts. */",
        "struct cdna_settings {",
        *_words(ricenic.CDNA_SETTINGS_WORDS),
        "};",
        "",
        "/* Where the hypervisor takes bit vectors: of contexts with news, and of those stopped. */",
        "struct cdna_hypervisor {",
        *_words(ricenic.CDNA_HYPERVISOR_WORDS),
        "};",
        "",
        "/* What the hypervisor says of a context. */",
        "struct cdna_setup {",
        *_words(ricenic.CDNA_SETUP_WORDS),
        "};",
        "",
        *_numbered("cdna_state", ricenic.CDNA_STATES, "CDNA_STATE"),
        "",
        "/* Why the card stops a context. */",
        *_numbered("cdna_fault", ricenic.CDNA_FAULTS, "CDNA_FAULT"),
        "",
        "/* Why the image `cdna` drops a frame: counts of TALLY. */",
        *_numbered("cdna_drop", ricenic.CDNA_DROPS, "CDNA_DROP"),
        "",
        "/* Numbers of the mailboxes of the hypervisor. */",
        *(f"#define MAILBOX_{name.upper()} {number}" for number, name in mailboxes),
    ]


def _translation_settings() -> list[str]:
    """Return the settings of address translation, and the firmware's counters of it."""
    return [
        "/* A port of the card that is forwarded to a server. */",
        "struct nat_forward {",
        *_words(ricenic.NAT_FORWARD_WORDS),
        "};",
        "",
        "/* What a person set of address translation. */",
        "struct nat_settings {",
        *_words(ricenic.NAT_SETTINGS_WORDS),
        "    struct nat_forward forwards[NAT_FORWARDS];",
        "};",
        "",
        "/* Why `nat` drops a frame: counts of TALLY, of frames to send and then of those received. */",
        *_numbered("nat_drop", ricenic.NAT_DROPS, "NAT_DROP", is_counted=True),
    ]


def _register_struct(block: ricenic.Block) -> list[str]:
    """Return a structure with the registers of a device; unused words fill it up."""
    lines = [f"struct {block.module}_registers {{"]
    end = 0
    for register in block.registers:
        if register.offset > end:
            lines.append(f"    uint32_t reserved_{end:02x}[{(register.offset - end) // 4}];")
        many = f"[{register.words}]" if register.words > 1 else ""
        lines.append(f"    volatile uint32_t {register.name.lower()}{many}; /* {_plain(register.meaning)} */")
        end = register.offset + 4 * register.words
    return [*lines, "};"]


def _tigon2_protocol() -> str:
    lines = ["#include <stdint.h>", "", "/* Numbers of the mailboxes. */"]
    lines += [f"#define MAILBOX_{name.upper()} {number}" for number, name in enumerate(protocol.MAILBOXES)]
    lines += ["", "/* Words of host and firmware that either may read at any time. */"]
    lines += ["struct general_communication {"]
    lines += [f"    volatile uint32_t {name};" for name in protocol.COMMUNICATION]
    lines += ["};"]
    for values, prefix in (
        (protocol.Mode, "MODE"),
        (protocol.Link, "LINK"),
        (protocol.RingFlag, "RING"),
        (protocol.Flag, "FLAG"),
    ):
        lines += ["", f"/* {_summary(values)} */"]
        lines += [f"#define {prefix}_{name} 0x{value:08x}u" for name, value in values.__members__.items()]
    lines += ["", f"/* {_summary(protocol.Command)} */", "enum command {"]
    lines += [f"    COMMAND_{command.name} = 0x{command:02x}," for command in protocol.Command]
    lines += ["};", f"#define COMMAND_ENTRIES {protocol.COMMAND_ENTRIES}"]
    lines += ["", f"/* {_summary(protocol.Event)} */"]
    lines += [
        f"#define EVENT_{name} 0x{event << 24 | code << 12:08x}u"
        for name, (event, code) in protocol.EVENT_WORDS.items()
    ]
    lines += [f"#define EVENT_RING_ENTRIES {protocol.EVENT_ENTRIES}"]
    lines += [
        "",
        f"/* {_summary(protocol.Statistic)} 64 bits: the upper half; the lower follows. */",
        "enum statistic {",
    ]
    lines += [f"    STATISTIC_{statistic.name} = {statistic}," for statistic in protocol.Statistic]
    lines += ["};", f"#define STATISTICS_WORDS {protocol.STATISTICS_WORDS}"]
    lines += [*_struct("A ring in host memory.", "ring_control", protocol.RING_CONTROL)]
    lines += [*_struct("A place in host memory.", "host_pointer", ("high", "low"))]
    lines += [
        "",
        "/* Addresses of the driver's rings and indices in host memory. */",
        "struct general_information {",
    ]
    lines += ["    uint32_t statistics[STATISTICS_WORDS];"]
    lines += [f"    struct ring_control {name};" for name in protocol.RING_CONTROLS]
    lines += [f"    struct host_pointer {name};" for name in protocol.INDEX_POINTERS]
    lines += ["};"]
    lines += [*_struct("A buffer to send.", "send_descriptor", protocol.SEND_DESCRIPTOR)]
    lines += [*_struct("A buffer to receive into.", "receive_descriptor", protocol.RECEIVE_DESCRIPTOR)]
    about = "Protocol of a host and the firmware of a Tigon-2: words, flags, commands and events."
    return _header("TIGON2_PROTOCOL_H", about, "python/spinach_nic/cards/tigon2/protocol.py", lines)


def _struct(about: str, name: str, words: Iterable[str]) -> list[str]:
    return ["", f"/* {about} */", f"struct {name} {{", *(f"    uint32_t {word};" for word in words), "};"]


def _summary(declared: type) -> str:
    return (declared.__doc__ or "").partition("\n")[0]


def _header(guard: str, about: str, source: str, lines: Iterable[str]) -> str:
    banner = f"/* {about}\n * Generated by `make generate` from {source}. */"
    return "\n".join([banner, f"#ifndef {guard}", f"#define {guard}", "", *lines, "", "#endif"]) + "\n"


def register_lines(registers: Iterable[HardwareRegister]) -> list[str]:
    """Return each register, followed by the masks of its fields; shared masks follow the first register."""
    lines: list[str] = []
    masks: dict[str, int] = {}
    for register in registers:
        name, place = register.name, f"0x{int(register):03x}"
        if register.count > 1:
            name, place = f"{name}(word)", f"{place} + 4 * (word)"
        lines += ["", f"/* {_plain(register.meaning)} */", f"#define {name} REGISTER({place})"]
        for field in register.fields:
            mask = f"{register.prefix}_{field.name}"
            if masks.get(mask, field.bits) != field.bits:
                raise ValueError(f"{mask} has two values: give one of its registers another prefix")
            if mask not in masks:
                lines.append(f"#define {mask} 0x{field.bits:08x}u /* {_plain(field.meaning)} */")
            masks[mask] = field.bits
    return lines


def _plain(text: str) -> str:
    return text.replace("`", "")
