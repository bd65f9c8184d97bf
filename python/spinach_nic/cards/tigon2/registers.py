"""The data sheet of the Tigon-2's registers.

The names are those of the public drivers, written out. Cores see the registers from 0xc0000000 on, the host
from the beginning of its window on. `make generate` makes firmware's header and the page of the book of this.
"""

from __future__ import annotations

from spinach_nic.cards.base.datasheet import (
    AnySet,
    Behind,
    Changes,
    Counter,
    Differs,
    Field,
    HardwareRegister,
    Pointer,
    Reached,
    Room,
    SemaphoreSide,
)

RING_INDEX = 0x7E0
"""Index bits of pointers into the DMA rings: 64 entries of 32 bytes."""
RECEIVE_RING_INDEX = 0xFF8
"""512 entries of 8 bytes."""
SEND_RING_INDEX = 0x7F8
"""256 entries of 8 bytes."""
_RECEIVE_BASE = 0xFFFF_F000
_SEND_BASE = 0xFFFF_F800


def _ring(offset: int, distance: int) -> tuple[HardwareRegister, HardwareRegister, HardwareRegister]:
    """Return producer, reference and consumer of a DMA ring, at a distance behind that of received frames."""
    pointer = Pointer("RECEIVE_RING_PRODUCER", _RECEIVE_BASE, distance, RING_INDEX)
    return (
        HardwareRegister(offset, "firmware has filled the descriptors before it", reading=pointer),
        HardwareRegister(offset + 4, "the hardware has done the descriptors before it", reading=pointer),
        HardwareRegister(offset + 8, "firmware has taken note of the descriptors before it", reading=pointer),
    )


def _receive_pointer(offset: int, meaning: str) -> HardwareRegister:
    pointer = Pointer("RECEIVE_RING_PRODUCER", _RECEIVE_BASE, 0, RECEIVE_RING_INDEX)
    return HardwareRegister(offset, meaning, reading=pointer)


def _send_pointer(offset: int, meaning: str) -> HardwareRegister:
    return HardwareRegister(
        offset, meaning, reading=Pointer("SEND_RING_FETCHED", _SEND_BASE, 0, SEND_RING_INDEX)
    )


def _events(offset: int, core: str) -> HardwareRegister:
    def bit(name: str, number: int, meaning: str, source: AnySet | Behind | Differs | Reached) -> Field:
        return Field(name, 1 << number, meaning, "read-only", source=source)

    received = Differs("RECEIVE_RING_PRODUCER", "RECEIVE_RING_REFERENCE", RECEIVE_RING_INDEX)
    writes = Behind("DMA_WRITE_CONSUMER", "DMA_WRITE_REFERENCE", "DMA_WRITE_PRODUCER", RING_INDEX)
    reads = Behind("DMA_READ_CONSUMER", "DMA_READ_REFERENCE", "DMA_READ_PRODUCER", RING_INDEX)
    return HardwareRegister(
        offset,
        f"events for core {core}; the bits without a name belong to the firmware",
        bit("RECEIVED", 6, "the MAC has received frames", received),
        bit("WRITES_DONE", 14, "writes to the host are done", writes),
        bit("READS_DONE", 15, "reads from the host are done", reads),
        bit("WRITE_ATTENTION", 19, "a write to the host failed", AnySet("DMA_WRITE_STATE.ERRORS")),
        bit("READ_ATTENTION", 20, "a read from the host failed", AnySet("DMA_READ_STATE.ERRORS")),
        bit("MAILBOX", 22, "a mailbox was written", AnySet(f"MAILBOX_EVENTS_{core}")),
        bit(
            "MAC_RECEIVE", 25, "the receiver needs attention", AnySet("MAC_RECEIVE_STATE.RECEIVE_ATTENTIONS")
        ),
        bit("MAC_SEND", 26, "the sender needs attention", AnySet("MAC_SEND_STATE.SEND_ATTENTIONS")),
        bit("TIMER", 28, "the timer has reached the reference", Reached("TIMER", f"TIMER_REFERENCE_{core}")),
        prefix="EVENTS",
    )


def _mailbox_events(offset: int, core: str) -> HardwareRegister:
    meaning = f"a bit for each mailbox that was written, for core {core}"
    return HardwareRegister(offset, meaning, access="write-1-to-clear")


def _cpu_state(offset: int, core: str) -> HardwareRegister:
    name = f"CPU_STATE_{core}"
    return HardwareRegister(
        offset,
        f"the state of core {core}",
        Field("RESET", 0x1, "halts the core", "write-only", effect=Changes("sets", f"{name}.HALTED")),
        Field("SINGLE_STEP", 0x2, "without `HALTED`: one instruction, then the core is halted"),
        Field("HALTED", 0x1_0000, "the core is halted", reset=0x1_0000),
        Field("STOPPED", 0x4_0000, "a halt instruction stopped it", strap="starts_stopped"),
        Field("ANY_HALT", 0xFFFF_0000, "any of these bits halts the core", reset=0x1_0000),
        effect=Changes("clears", f"{name}.STOPPED"),
        prefix="CPU_STATE",
    )


def _cpu_pc(offset: int, core: str) -> HardwareRegister:
    return HardwareRegister(
        offset, f"the program counter of core {core}", writable_while=f"CPU_STATE_{core}.HALTED"
    )


def _stack_overflow(offset: int, core: str) -> HardwareRegister:
    return HardwareRegister(
        offset, f"what core {core} takes from addresses above its stack, 0x800000 to 0xbfffff"
    )


def _cpu_general(offset: int, core: str) -> HardwareRegister:
    return HardwareRegister(offset, f"the general registers of core {core}", access="read-only", count=32)


def _dma_state(offset: int, *more: Field) -> HardwareRegister:
    return HardwareRegister(
        offset,
        "control and state of the transfer",
        Field("SWAP", 0x2, "words are swapped in transfers, for a little-endian host"),
        Field("START", 0x4, "begins the transfer; set until it is done"),
        Field("CHECKSUM", 0x200, "the data is added to the checksum"),
        Field("CHECKSUM_RESTART", 0x400, "the checksum begins anew"),
        Field("CHECKSUM_STORE", 0x800, "the checksum goes where the descriptor says"),
        Field("ERRORS", 0x7F00_0000, "causes of a failed transfer"),
        *more,
        prefix="DMA",
    )


def _mac_state(offset: int, meaning: str, *fields: Field) -> HardwareRegister:
    return HardwareRegister(
        offset,
        meaning,
        Field("RESET", 0x1, "drops the frames that this side has begun; set until it has"),
        fields[0],
        Field("STOP", 0x4, "no further frame begins: what comes is dropped, what is to be sent waits"),
        *fields[1:],
        prefix="MAC",
    )


class Register:
    """Offsets in bytes, with all that the data sheet says."""

    PCI_CONFIGURATION = HardwareRegister(
        0x000, "shadows of the configuration space", access="read-only", count=16
    )
    HOST_CONTROL = HardwareRegister(
        0x040,
        "the host's control: interrupt, reset and order of bytes",
        Field("INTERRUPT", 0x01, "the interrupt is asserted", "read-only"),
        Field(
            "CLEAR_INTERRUPT",
            0x02,
            "takes the interrupt back",
            "write-only",
            effect=Changes("clears", "HOST_CONTROL.INTERRUPT"),
        ),
        Field("HARD_RESET", 0x08, "resets the card", "write-only", effect=Changes("resets all")),
        Field("BYTE_SWAP", 0x10, "bytes within words are swapped"),
        Field("WORD_SWAP", 0x20, "words are swapped: alone, a little-endian host sees numbers"),
        Field("INTERRUPT_MASKED", 0x40, "the interrupt does not reach the bus"),
        Field(
            "REVISION",
            0xF000_0000,
            "the revision: 6 for the Tigon-2",
            "read-only",
            reset=0x6000_0000,
        ),
        access="read-only",
    )
    LOCAL_CONTROL = HardwareRegister(
        0x044,
        "the card's control: interrupt and wires",
        Field(
            "INTERRUPT",
            0x4,
            "asserts the interrupt of the host",
            "write-only",
            effect=Changes("sets", "HOST_CONTROL.INTERRUPT"),
        ),
        Field("SRAM_BANK", 0x300, "how large the banks of the memory are"),
        Field("MII_DATA_IN", 0x8_0000, "a wire of the transceiver", "read-only"),
        Field("EEPROM_CLOCK", 0x10_0000, "a wire of the serial EEPROM"),
        Field("EEPROM_WRITE_ENABLE", 0x20_0000, "whether the card drives the data wire"),
        Field("EEPROM_DATA_OUT", 0x40_0000, "the level that the card drives the data wire to"),
        Field("EEPROM_DATA_IN", 0x80_0000, "what the data wire carries", "read-only"),
    )
    SEMAPHORE_A = HardwareRegister(
        0x048,
        "the one semaphore, as core A sees it: a write takes or gives back",
        reading=SemaphoreSide("SEMAPHORE_B"),
    )
    SEMAPHORE_B = HardwareRegister(0x04C, "the same as core B sees it", reading=SemaphoreSide("SEMAPHORE_A"))
    CONFIGURATION = HardwareRegister(
        0x050,
        "settings of the timer and the memory",
        Field("PRESCALE", 0x7F, "core cycles of a tick of the timer, less one"),
        Field("SYNCHRONOUS_SRAM", 0x10_0000, "the memory is synchronous"),
    )
    TIMER = HardwareRegister(0x054, "the time in ticks", reading=Counter("CONFIGURATION.PRESCALE"))
    TIMER_REFERENCE_A = HardwareRegister(0x058, "time of `EVENTS_A.TIMER` for core A")
    PCI_STATE = HardwareRegister(
        0x05C,
        "the host's bus, and how the card uses it",
        Field("IS_66_MHZ", 0x8_0000, "the bus runs at 66 MHz", "read-only", strap="sees_66_mhz"),
        Field("IS_32_BIT", 0x10_0000, "the bus is 32 bits wide", "read-only", strap="sees_32_bits"),
    )
    EVENTS_A = _events(0x060, "A")
    MAILBOX_EVENTS_A = _mailbox_events(0x064, "A")
    WINDOW_BASE = HardwareRegister(0x068, "which part of the memory the host's window shows")
    WINDOW_DATA = HardwareRegister(0x06C, "the word of the memory at the base of the window")
    EVENTS_B = _events(0x070, "B")
    MAILBOX_EVENTS_B = _mailbox_events(0x074, "B")
    TIMER_REFERENCE_B = HardwareRegister(0x078, "time of `EVENTS_B.TIMER` for core B")
    DMA_WRITE_HOST_HIGH = HardwareRegister(0x080, "the address in the host, upper half")
    DMA_WRITE_HOST_LOW = HardwareRegister(0x084, "the address in the host, lower half")
    DMA_READ_HOST_HIGH = HardwareRegister(0x090, "the address in the host, upper half")
    DMA_READ_HOST_LOW = HardwareRegister(0x094, "the address in the host, lower half")
    DMA_READ_LENGTH = HardwareRegister(0x09C, "bytes; 0 when they are transferred")
    DMA_WRITE_STATE = _dma_state(
        0x0A0,
        Field("RECEIVE_CONSUMER", 0x8_0000, "at the end, the end address goes to `RECEIVE_BUFFER_CONSUMER`"),
    )
    DMA_WRITE_LOCAL = HardwareRegister(0x0A4, "the address on the card; advances")
    DMA_WRITE_CHECKSUM = HardwareRegister(0x0A8, "the sum, in ones' complement")
    DMA_WRITE_LENGTH = HardwareRegister(0x0AC, "bytes; 0 when they are transferred")
    DMA_READ_STATE = _dma_state(
        0x0B0,
        Field("TRANSMIT_PRODUCER", 0x2_0000, "at the end, the end address goes to `SEND_BUFFER_PRODUCER`"),
    )
    DMA_READ_LOCAL = HardwareRegister(0x0B4, "the address on the card; advances")
    DMA_READ_CHECKSUM = HardwareRegister(0x0B8, "the sum, in ones' complement")
    RECEIVE_BUFFER_BASE = HardwareRegister(0x0C0, "where the buffer of received frames begins")
    RECEIVE_BUFFER_PRODUCER = HardwareRegister(0x0C4, "the MAC has filled the buffer up to here")
    RECEIVE_BUFFER_CONSUMER = HardwareRegister(0x0C8, "firmware has emptied it up to here")
    SEND_BUFFER_BASE = HardwareRegister(0x0D0, "where the buffer of frames to send begins")
    SEND_BUFFER_PRODUCER = HardwareRegister(0x0D4, "the buffer is filled up to here")
    SEND_BUFFER_CONSUMER = HardwareRegister(0x0D8, "the MAC has emptied it up to here")
    RECEIVE_RING_PRODUCER = HardwareRegister(0x0E0, "the MAC has filled the descriptors before it")
    RECEIVE_RING_REFERENCE = _receive_pointer(0x0E4, "firmware has seen the descriptors before it")
    RECEIVE_RING_CONSUMER = _receive_pointer(0x0E8, "firmware has freed the descriptors before it")
    SEND_RING_PRODUCER = _send_pointer(0x0F0, "firmware has filled the descriptors before it")
    SEND_RING_FETCHED = HardwareRegister(0x0F4, "the MAC has fetched the descriptors before it")
    SEND_RING_SENT = _send_pointer(0x0F8, "the frames before it have left")
    SEND_RING_ROOM = HardwareRegister(
        0x0FC,
        "where the next descriptor goes",
        reading=Room("SEND_RING_PRODUCER", "SEND_RING_SENT", 8, SEND_RING_INDEX),
    )
    DMA_READ_PRODUCER, DMA_READ_REFERENCE, DMA_READ_CONSUMER = _ring(0x100, 0x1000)
    DMA_READ_ROOM = HardwareRegister(
        0x10C,
        "where the next descriptor goes",
        reading=Room("DMA_READ_PRODUCER", "DMA_READ_CONSUMER", 32, RING_INDEX),
    )
    DMA_READ_LOW_PRODUCER, DMA_READ_LOW_REFERENCE, DMA_READ_LOW_CONSUMER = _ring(0x110, 0x2000)
    DMA_ASSIST = HardwareRegister(
        0x11C,
        "reads and executes descriptors of the DMA rings",
        Field("ENABLE", 0x1, "it works"),
        Field("INITIALISE", 0x20, "set by firmware before it enables the assist; has no effect"),
        Field(
            "WRITE_BUSY", 0x100, "a write is under way", "read-only", source=AnySet("DMA_WRITE_STATE.START")
        ),
        Field(
            "WRITE_WAITING",
            0x800,
            "the ring of writes is not empty",
            "read-only",
            source=Differs("DMA_WRITE_PRODUCER", "DMA_WRITE_REFERENCE", RING_INDEX),
        ),
        Field("READ_BUSY", 0x1000, "a read is under way", "read-only", source=AnySet("DMA_READ_STATE.START")),
        Field(
            "READ_WAITING",
            0x8000,
            "the ring of reads is not empty",
            "read-only",
            source=Differs("DMA_READ_PRODUCER", "DMA_READ_REFERENCE", RING_INDEX),
        ),
    )
    DMA_WRITE_PRODUCER, DMA_WRITE_REFERENCE, DMA_WRITE_CONSUMER = _ring(0x120, 0x1800)
    DMA_WRITE_ROOM = HardwareRegister(
        0x12C,
        "where the next descriptor goes",
        reading=Room("DMA_WRITE_PRODUCER", "DMA_WRITE_CONSUMER", 32, RING_INDEX),
    )
    DMA_WRITE_LOW_PRODUCER, DMA_WRITE_LOW_REFERENCE, DMA_WRITE_LOW_CONSUMER = _ring(0x130, 0x2800)
    CPU_STATE_A = _cpu_state(0x140, "A")
    CPU_PC_A = _cpu_pc(0x144, "A")
    STACK_OVERFLOW_A = _stack_overflow(0x150, "A")
    CPU_GENERAL_A = _cpu_general(0x180, "A")
    MAC_SEND_STATE = _mac_state(
        0x200,
        "the sending side of the MAC",
        Field("ENABLE", 0x2, "this side works"),
        Field("SEND_ATTENTIONS", 0x3F00_0000, "units that need attention", "write-1-to-clear"),
    )
    LINK_SENT_WORD = HardwareRegister(
        0x204, "what the link says in its negotiation", effect=Changes("copies to", "LINK_RECEIVED_WORD")
    )
    MAC_ADDRESS = HardwareRegister(0x208, "the MAC address, upper part")
    MAC_ADDRESS_LOW = HardwareRegister(0x20C, "the MAC address, lower part")
    MAC_BACKOFF_SEED = HardwareRegister(0x210, "a copy of the lower part")
    MAC_TAG_TYPE = HardwareRegister(0x214, "the type of tagged frames above; gap and slot below")
    MAC_THRESHOLDS = HardwareRegister(
        0x21C, "thresholds at which the MAC begins to send, and requests a pause"
    )
    MAC_RECEIVE_STATE = _mac_state(
        0x220,
        "the receiving side of the MAC",
        Field(
            "ENABLE",
            0x2,
            "this side works",
            effect=Changes("sets", "MAC_RECEIVE_STATE.SYNCHRONISED|SYNC_ATTENTION", on="fall"),
        ),
        Field("PROMISCUOUS", 0x8, "frames for other addresses are received"),
        Field("RECEIVE_MODE", 0x800, "set by firmware for this revision"),
        Field("OBEY_PAUSE", 0x1_0000, "pause frames stop the sending side"),
        Field("SYNCHRONISED", 0x4_0000, "there is synchronisation", "read-only"),
        Field("CONFIGURING", 0x8_0000, "the other end negotiates", "read-only"),
        Field("SYNC_ATTENTION", 0x0200_0000, "synchronisation came or went", "write-1-to-clear"),
        Field("LINK_ATTENTIONS", 0x0300_0000, "the link, and its synchronisation", "write-1-to-clear"),
        Field("RECEIVE_OVERFLOW", 0x4000_0000, "the buffer was full", "write-1-to-clear"),
        Field("RECEIVE_ATTENTIONS", 0xF700_0000, "all units that need attention", "write-1-to-clear"),
    )
    LINK_RECEIVED_WORD = HardwareRegister(0x224, "what the other end says in its negotiation")
    MAC_HASH = HardwareRegister(0x228, "which groups are received", count=4)
    CPU_STATE_B = _cpu_state(0x240, "B")
    CPU_PC_B = _cpu_pc(0x244, "B")
    STACK_OVERFLOW_B = _stack_overflow(0x250, "B")
    CPU_GENERAL_B = _cpu_general(0x280, "B")


INTERRUPT = Register.HOST_CONTROL["INTERRUPT"]
INTERRUPT_MASKED = Register.HOST_CONTROL["INTERRUPT_MASKED"]
HARD_RESET = Register.HOST_CONTROL["HARD_RESET"]
BYTES_STRAIGHT = Register.HOST_CONTROL["WORD_SWAP"]
"""Words are swapped and bytes are not, so a little-endian host sees numbers."""
SWAPS = BYTES_STRAIGHT | Register.HOST_CONTROL["BYTE_SWAP"]
OBEY_PAUSE = Register.MAC_RECEIVE_STATE["OBEY_PAUSE"]
SINGLE_STEP = Register.CPU_STATE_A["SINGLE_STEP"]
HALTED = Register.CPU_STATE_A["HALTED"]
STOPPED = Register.CPU_STATE_A["STOPPED"]
