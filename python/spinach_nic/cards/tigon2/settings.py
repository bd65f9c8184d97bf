"""Settings of the driver of the Tigon-2, and its requests to the card."""

from __future__ import annotations

from dataclasses import dataclass

from spinach_nic.support.units import Time, s

STANDARD_BUFFER = 1518
"""Size of the receive buffers of ordinary size."""


@dataclass(frozen=True)
class Coalescing:
    """Interrupt coalescing of a driver: microseconds, and descriptors or frames, between two interrupts."""

    send_ticks: int
    receive_ticks: int
    send_coalescing: int
    receive_coalescing: int


COALESCING = {
    "linux": Coalescing(send_ticks=400, receive_ticks=120, send_coalescing=60, receive_coalescing=25),
    "freebsd": Coalescing(send_ticks=2000, receive_ticks=170, send_coalescing=32, receive_coalescing=64),
}
"""Defaults of the public drivers: `acenic` of Linux, `ti` of FreeBSD."""
LINUX = COALESCING["linux"]


@dataclass(frozen=True)
class DriverSettings:
    """Adjustable settings of the driver. Ticks are microseconds."""

    send_entries: int = 512
    """Descriptors of the send ring: 128, 256 or 512."""
    send_ring_in_host: bool = True
    """True if the send ring lies in host memory, rather than in the memory of the card."""
    standard_buffers: int = 256
    """Receive buffers for frames up to `standard_bytes`."""
    jumbo_buffers: int = 0
    """Receive buffers for longer frames."""
    mini_buffers: int = 0
    """Receive buffers for frames up to `mini_bytes`."""
    standard_bytes: int = STANDARD_BUFFER
    jumbo_bytes: int = 9018
    mini_bytes: int = 128
    longest_frame: int = 1518
    """Longest frame, with check sequence; longer received frames are dropped."""
    keeps_bad_frames: bool = False
    """True if the card delivers damaged frames too; the driver drops them."""
    header_bytes: int = 42
    """Bytes of each frame to send in a separate buffer; 0 for whole frames in one."""
    header_offset: int = 2
    """Misalignment of header buffers, in bytes."""
    payload_offset: int = 6
    """Misalignment of payload buffers, in bytes."""
    receive_offset: int = 2
    """Misalignment of receive buffers, in bytes."""
    send_coalescing: int = LINUX.send_coalescing
    """Send descriptors completed between two interrupts."""
    receive_coalescing: int = LINUX.receive_coalescing
    """Frames received between two interrupts."""
    send_ticks: int = LINUX.send_ticks
    """Microseconds until the host is notified of sent frames."""
    receive_ticks: int = LINUX.receive_ticks
    """Microseconds until the host is notified of received frames."""
    statistics_ticks: int = 1_000_000
    wait_for_firmware: Time = s(3)  # noqa: RUF009, quantities do not change
    """Maximum time until the firmware reports after its start, as in Linux."""
    transmit_buffer_ratio: int = 21
    """Fraction of the packet buffers for frames to send, in 64ths."""
    send_checksums: bool = False
    """True if the card inserts the checksums of frames to send."""
    receive_checksums: bool = False
    """True if the card sums up received frames, and the driver verifies its sums."""
    vlan: bool = False
    """True if the card inserts and removes tags."""
    flow_control: bool = False
    """True if the card obeys pause frames."""
    clears_memory: bool = False
    """True if the memory of the card is filled with zeros before the firmware is loaded: 129,000 writes."""
    hardware_assist: bool = False
    """True if the firmware leaves the DMA rings to the hardware, if it has a choice."""
    promiscuous: bool = True
    """True if frames to all addresses are received."""
    multicast: tuple[bytes, ...] = ()
    """Multicast groups to receive."""

    @property
    def largest_buffer(self) -> int:
        """Bytes of the largest buffers for received frames."""
        return max(self.standard_bytes, self.jumbo_bytes if self.jumbo_buffers else 0)
