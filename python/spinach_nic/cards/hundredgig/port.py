"""A port of hundredgig: the MAC and the link that queues of several cores share."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from spinach_nic.cards.base.card import cross
from spinach_nic.cards.base.faces import Wire
from spinach_nic.library import Arbiter, FlowControl, Link, Pipe
from spinach_nic.model import Clock, Component, Output, parameter
from spinach_nic.support.units import Frequency, Gbps, Rate, Time, ns
from spinach_nic.traffic import FRAME_OVERHEAD_BYTES, SHORTEST_FRAME_BYTES

MAC_BYTES_PER_CYCLE = 40
_FEMTOSECONDS = 10**15
"""Femtoseconds per second."""


_PAUSE_MAC_CYCLES, _PAUSE_CORE_CYCLES = 10, 8
"""Cycles of registers and of buffers between clocks from a congested MAC to the other end and back.

Fitted to the frames that arrive until a pause in one measured case, not counted by stage.
"""


def frames_before_pause(largest_frame: int, rate: Rate, fec_latency: Time, core_clock: Frequency) -> int:
    """Return the most frames that a MAC receives from the moment in which it is congested to the pause.

    The pause frame waits for a frame that has begun; until it has arrived the other end sends the shortest
    frames, and further ones are in the decoder.
    """
    shortest = SHORTEST_FRAME_BYTES + FRAME_OVERHEAD_BYTES
    bytes_before = largest_frame + FRAME_OVERHEAD_BYTES + shortest + _PAUSE_MAC_CYCLES * MAC_BYTES_PER_CYCLE
    delay = Fraction(fec_latency.femtoseconds, _FEMTOSECONDS) + _PAUSE_CORE_CYCLES / core_clock.hertz
    return ceil((bytes_before + delay * rate.bits_per_second / 8) / shortest)


def mac_clock(rate: Rate) -> Clock:
    """Return the clock of the MACs of links with a rate."""
    return Clock("mac", Frequency(rate.bits_per_second / (8 * MAC_BYTES_PER_CYCLE)))


class NetworkPort(Component):
    """A MAC and its link.

    Frames to send come in by `merge`, with one lane for each core that sends here; received ones leave by
    `arriving`, in the clock domain of the cores.
    """

    domain: Clock = parameter(default=mac_clock(Gbps(100)), kind="object", doc="Clock of the MAC.")
    rate: Rate = parameter(default=Gbps(100), doc="Rate of the link in each direction.")
    fec_latency: Time = parameter(default=ns(0), doc="Latency of forward error correction.")
    pause_frames: bool = parameter(default=False, doc="True to send pause frames, and to obey them.")
    mac_address: bytes = parameter(default=bytes(6), kind="bytes", doc="Source address of pause frames.")

    def build(self) -> None:
        """Connect both directions of the link."""
        self.transmit_link, self.receive_link = self._link(), self._link()
        self.merge = Arbiter()
        self.leaving = cross(self, self.merge.target_request)
        received = self.receive_link.output
        if self._decoder_cycles:
            # The link gives the decoder frames at its rate: a full pipe would delay them for longer.
            self.decoder = Pipe(clock=self.domain, depth=self._decoder_cycles)
            received >> self.decoder.input
            received = self.decoder.output
        if self.pause_frames:
            self.flow_control = FlowControl(
                clock=self.domain,
                bytes_per_cycle=MAC_BYTES_PER_CYCLE,
                address=int.from_bytes(self.mac_address, "big"),
            )
            self.leaving >> self.flow_control.send
            self.flow_control.sent >> self.transmit_link.input
            received >> self.flow_control.arriving
            self.arriving = cross(self, self.flow_control.received)
        else:
            self.leaving >> self.transmit_link.input
            self.arriving = cross(self, received)

    @property
    def _decoder_cycles(self) -> int:
        """Cycles of the MAC that forward error correction takes."""
        return ceil(Fraction(self.fec_latency.femtoseconds, _FEMTOSECONDS) * self.domain.frequency.hertz)

    def _link(self) -> Link:
        return Link(clock=self.domain, bytes_per_cycle=MAC_BYTES_PER_CYCLE, lanes=8)

    def wire(self, link_up: Output) -> Wire:
        """Return the end of the link, which this signal brings up and down."""
        return Wire(
            clock=self.domain,
            rate=self.rate,
            sent=self.transmit_link.output,
            received=self.receive_link.input,
            link_up=link_up,
            leaving=self.leaving,
            pause_bytes_per_cycle=MAC_BYTES_PER_CYCLE if self.pause_frames else 0,
        )
