"""Real traffic: a capture replayed over and over from the wire into a NIC, and captured again at the host.

The starter NIC, which `spinach new` writes, receives them; what reaches the host is compared byte for byte
by the run itself. Run it with `python examples/replay_capture.py`.

Prints:
    265 frames, 0.101 Gb/s on the wire
    note: web-ping-udp.pcap: 5 of 88 frames padded to 60 bytes
    half of them within 10.5 us
    the capture at the host begins with 0a0d0d0a, as pcapng does
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from spinach_nic import run
from spinach_nic.starter.starter import Starter

CAPTURE = Path(__file__).parents[1] / "captures" / "web-ping-udp.pcap"

with TemporaryDirectory() as folder:
    at_host = Path(folder) / "at-host.pcapng"
    result = run(Starter, traffic=f"pcap:{CAPTURE}:loop:rx@100Mbps", frames=200, pcap_out=at_host)
    print(f"{result.frames.delivered['rx']} frames, {result.rx.rate('wire_gbps'):.3f} Gb/s on the wire")
    for note in result.notes:
        print("note:", note.replace(str(CAPTURE), CAPTURE.name))
    if result.rx.latency_ns is not None:
        print(f"half of them within {result.rx.latency_ns.p50 / 1000:.1f} us")
    print(f"the capture at the host begins with {at_host.read_bytes()[:4].hex()}, as pcapng does")
