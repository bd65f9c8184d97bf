"""Servers as modules: a card made of modules is in their slot, under the driver of their kernel."""

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scapy.all import ICMP, IP, rdpcap  # type: ignore[attr-defined]
from tests.python.conftest import Started
from tests.python.servers.test_networks import checksum_of_stream
from tests.python.servers.test_programs import SOURCE, compiled

from spinach_nic import SpinachError
from spinach_nic.benches.pair import Link
from spinach_nic.benches.pair import joined as pair
from spinach_nic.benches.server import ServerBench, with_firmware
from spinach_nic.cards import Counter, Probes
from spinach_nic.cards.fixed_function import Dp83820
from spinach_nic.cards.tigon2 import Tigon2
from spinach_nic.firmware import Executable, build, write_container
from spinach_nic.library import Server
from spinach_nic.model.simulation import Simulation, simulate
from spinach_nic.runs.server_modules import module_servers
from spinach_nic.servers import configuration_of, linux
from spinach_nic.starter import write_nic
from spinach_nic.support.units import GHz, MHz, Time, ms, ns, ps, us

ANSWERED = 3
STREAM_BYTES = 50_000


@pytest.fixture(scope="module")
def kernel(kernel: linux.Linux, tmp_path_factory: pytest.TempPathFactory) -> linux.Linux:
    """Return the kernel with firmware for the card in its initramfs."""
    container = tmp_path_factory.mktemp("firmware") / "tg2.bin"
    write_container(Executable.load(build("tigon2/parallel").path), container)
    return with_firmware(kernel, "acenic/tg2.bin", container.read_bytes())


def text_of(simulation: Simulation, server: Server) -> str:
    return simulation.export(server).decode()


def test_two_servers_reach_each_other_through_their_simulated_cards(kernel: linux.Linux) -> None:
    commands = f"sleep,2;ping,10.0.0.2,{ANSWERED};send,10.0.0.2,5000,{STREAM_BYTES};poweroff"
    joined = pair(
        *(
            ServerBench(
                kernel=kernel.kernel,
                files=kernel.files,
                arguments=f"console=hvc0 earlycon=sbi address=10.0.0.{number}/24 run={run}",
                latency=ns(400),
            ).insert(Tigon2(mac_address=bytes([0, 0x60, 0xCF, 0x20, 0, number])))
            for number, run in enumerate((commands, "serve,5000"), start=1)
        )
    )
    simulation = simulate(joined)
    outcome = simulation.run(ms(200))
    printed = [text_of(simulation, node.server) for node in joined.node]
    assert outcome.reason == "paused", printed
    for text in printed:
        assert "Tigon II (Rev. 6)" in text
        assert "Firmware up and running" in text
        assert "Optical link UP" in text
    assert f"{ANSWERED} of {ANSWERED} answered" in printed[0]
    sums = [
        re.search(rf"{word} {STREAM_BYTES} bytes, checksum (\w+)", text)
        for word, text in zip(("sent", "received"), printed, strict=True)
    ]
    assert [found and found[1] for found in sums] == [checksum_of_stream(STREAM_BYTES)] * 2
    counted = simulation.statistics()
    assert counted["node[0].server.interrupts"] > 0
    assert counted["node[0].server.memory_faults"] == 0


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("kernel")
def test_two_servers_reach_each_other_through_cards_of_different_kinds(
    started: Started, tmp_path: Path
) -> None:
    nic, *_ = write_nic(tmp_path / "my-nic", face="pci")
    cards = ("--nodes", "2", "--card", f"ricenic,{nic}", "--set", "node[0].core=functional")
    timed = ("--core", "timed", "--attachment", "memory")
    if linux.for_modules() is None:
        pytest.skip("the server's kernel has no headers for modules: `make linux` builds them")
    process = started.spinach("boot", "rv64", *cards, *timed, "--cold", stdin=-1)
    # The second server loads a driver before it is ready.
    typed = f"sleep 20\nping 10.0.0.2 {ANSWERED}\npoweroff\n@2 sleep 60\n@2 poweroff\n"
    printed, messages = process.communicate(typed, timeout=800)
    assert process.returncode == 0, messages
    assert f"{ANSWERED} of {ANSWERED} answered" in printed
    for driver in ("spinach_rings", "my_nic"):
        assert re.search(rf"{driver} \S+ eth0: card with rings, 1000 Mb/s", printed), printed


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("cards", "core"),
    [
        ("sinic,tengig", "functional"),
        ("ricenic,v-sinic", "functional"),
        ("dp83820,hundredgig", "functional"),
        ("sinic,tengig", "timed"),
    ],
)
def test_cards_without_firmware_meet_others(started: Started, cards: str, core: str) -> None:
    process = started.spinach("boot", "rv64", "--nodes", "2", "--card", cards, "--core", core, stdin=-1)
    conversation = f"sleep 20\nping 10.0.0.2 {ANSWERED}\nsend 10.0.0.2 5000 {STREAM_BYTES}\npoweroff\n"
    conversation += "@2 serve 5000\n@2 sleep 60\n@2 poweroff\n"
    printed, messages = process.communicate(conversation, timeout=250)
    assert process.returncode == 0, messages
    assert f"{ANSWERED} of {ANSWERED} answered" in printed
    for word in ("sent", "received"):
        assert f"{word} {STREAM_BYTES} bytes, checksum {checksum_of_stream(STREAM_BYTES)}" in printed


def send_to_ports(started: Started, ports: int, wait_ms: int, *options: str) -> list[str]:
    """Send a stream to each port of a server with `hundredgig` from another; return what each prints.

    Both show their interrupts at the end. The sender waits until the other is ready: a request for its
    address that is lost is repeated after a second.
    """
    process = started.spinach("boot", "rv64", "--nodes", "2", "--card", "hundredgig", *options, stdin=-1)
    numbers = range(5000, 5000 + ports)
    sends = "".join(f"send 10.0.0.2 {port} {STREAM_BYTES}\n" for port in numbers)
    serves = "".join(f"@2 serve {port}\n" for port in numbers)
    ends = "cat /proc/interrupts\n{0}poweroff\n"
    typed = f"sleep {wait_ms}\n{sends}{ends.format('')}{serves}@2 sleep 60\n@2 {ends.format('@2 ')}"
    printed, messages = process.communicate(typed, timeout=250)
    assert process.returncode == 0, messages
    checksum = checksum_of_stream(STREAM_BYTES)
    for word in ("sent", "received"):
        assert printed.count(f"{word} {STREAM_BYTES} bytes, checksum {checksum}") == ports, printed
    return ["\n".join(re.findall(rf"^{node}\| (.*)", printed, re.MULTILINE)) for node in (1, 2)]


def interrupts_of(printed: str, name: str) -> list[tuple[str, list[int]]]:
    """Return the controller and the counts by hart of interrupts with such a name."""
    lines = re.findall(rf"\d+:((?:\s+\d+)+)\s+(\S.*?)\s+\d+\s+Edge\s+{name}", printed)
    return [(controller, [int(count) for count in counts.split()]) for counts, controller in lines]


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(("core", "harts", "wait_ms"), [("functional", 3, 2), ("timed", 2, 20)])
def test_each_queue_of_virtio_in_firmware_interrupts_its_hart_by_messages(
    started: Started, core: str, harts: int, wait_ms: int
) -> None:
    """A timed server is ready before the other one. The seed chooses ports whose streams use each queue.

    One of the cards has two network ports.
    """
    cores = ["--set=node[0].network_ports=2"]
    cores += [f"--set=node[{node}].cores={harts}" for node in (0, 1)]
    options = (f"--harts={harts}", f"--core={core}", "--seed=2", "--set=node[1].is_64_bit=true", *cores)
    for printed in send_to_ports(started, 2 * harts, wait_ms, *options):
        for way in ("input", "output"):
            queues = interrupts_of(printed, rf"virtio\d+-{way}\.\d")
            assert [controller for controller, _ in queues] == ["X-Gene1 MSI"] * harts
            for hart, (_, counts) in enumerate(queues):
                assert counts[hart] == sum(counts) > 0, printed


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_without_messages_linux_drives_virtio_in_firmware_by_the_line(started: Started) -> None:
    cores = ("--set", "node[0].cores=2", "--set", "node[1].cores=1")
    printed = send_to_ports(started, 2, 2, "--arguments", f"{linux.ARGUMENTS} pci=nomsi", *cores)[1]
    assert "X-Gene1 MSI " not in printed
    lines = interrupts_of(printed, r"virtio\d+")
    assert [controller for controller, _ in lines] == ["SiFive PLIC"] * 3
    assert max(sum(counts) for _, counts in lines) > 0


def booted(started: Started, folder: Path, *options: str, typed: str = "") -> tuple[str, dict[str, Any]]:
    """Return what two servers with cards made of modules print, and their result document."""
    file = folder / "result.json"
    process = started.spinach("boot", "rv64", "--nodes=2", f"--json={file}", *options, stdin=-1)
    printed, messages = process.communicate(typed, timeout=250)
    document = json.loads(file.read_text())
    assert process.returncode == (document["exit_status"] or 0), messages
    return printed, document


def counted(document: dict[str, Any]) -> list[dict[str, int]]:
    return [server["counters"] for server in document["servers"]]


PING = f"ping 10.0.0.2 {ANSWERED}\npoweroff\n@2 sleep 30\n@2 poweroff\n"


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_servers_continue_from_the_cached_checkpoint_as_if_they_had_booted(
    started: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A parameter that no other test has: nothing is cached for it.
    card = ("--card=dp83820,tengig", "--set=node[1].card.cores=3", "--set=node[0].card.bus_clock=133MHz")
    runs = [booted(started, tmp_path, *card, typed=PING) for _ in range(2)]
    (first, one), (second, other) = runs
    assert f"{ANSWERED} of {ANSWERED} answered" in second
    assert first.endswith(second.removeprefix("\n"))
    assert {name for name in one if one[name] != other[name]} == {"wall_s"}
    # It boots again, from time 0.
    cold = booted(started, tmp_path, *card, "--cold", typed=PING)[1]
    assert (cold["begins_ns"], one["begins_ns"] > 0) == (0, True)


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_a_program_runs_on_a_server_with_a_card_made_of_modules(started: Started, tmp_path: Path) -> None:
    made = compiled(tmp_path, SOURCE)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "given").write_text("shared\n")
    options = (
        "--card=sinic,tengig",
        f"--share={tmp_path / 'shared'}",
        f"--pcap-out={tmp_path / 'link.pcapng'}",
    )
    timing = ("--core=timed", "--set=core.width=2", "--set=core.second_level.bytes=1MiB")
    typed = "a\nb\n@2 ping 10.0.0.1 1\n"
    printed, document = booted(
        started, tmp_path, *options, *timing, "--exec", str(made), "two words", "7", typed=typed
    )
    assert "1| [two words][7]line a\n1| line b\n" in printed
    assert (document["ending"], document["exit_status"]) == ("exited", 7)
    inner, outer = document["regions"]
    assert (inner["name"], outer["name"]) == ("inner", "outer")
    assert 0 < inner["instructions"] < outer["instructions"]
    assert outer["begins_ns"] < inner["begins_ns"]
    for region in (inner, outer):
        assert region["timing"]["instructions"] == region["instructions"]
        assert region["simulated_ns"] == region["cycles"] == region["timing"]["cycles"]
    timing_of_first = json.loads(document["config"]["node[0].timing"])
    assert (timing_of_first["width"], timing_of_first["second_level"]["bytes"]) == (2, 1 << 20)


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_saved_servers_continue_in_another_process(started: Started, tmp_path: Path) -> None:
    card, link = "--card=ricenic,dp83820", tmp_path / "link.pcapng"
    saving = booted(
        started, tmp_path, card, f"--save={tmp_path / 'saved'}", typed=f"ping 10.0.0.2 {ANSWERED}\n"
    )[1]
    assert (saving["ending"], saving["servers"][0]["sent_frames"] > ANSWERED) == ("left", True)
    restored = (f"--restore={tmp_path / 'saved'}", f"--pcap-out={link}", "--core=timed")
    printed, document = booted(started, tmp_path, card, *restored, typed=PING)
    assert f"{ANSWERED} of {ANSWERED} answered" in printed
    assert document["begins_ns"] == saving["simulated_ns"]
    frames = rdpcap(str(link))
    assert len(frames) == sum(server["sent_frames"] for server in document["servers"])
    requests = [frame for frame in frames if ICMP in frame and frame[ICMP].type == 8]
    assert [frame[IP].dst for frame in requests] == ["10.0.0.2"] * ANSWERED
    other = started.spinach("boot", "rv64", "--nodes=2", "--card=tengig", *restored[:1], stdin=-1)
    assert "another" in other.communicate("", timeout=100)[1]


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_each_server_has_a_clock_and_timed_cores(started: Started, tmp_path: Path) -> None:
    second = ("--set=node[1].hart_core=timed", "--set=node[1].timing.width=2")
    options = ("--card=ricenic,dp83820", "--clock=1GHz,2GHz", *second)
    printed, document = booted(started, tmp_path, *options, typed=PING)
    assert f"{ANSWERED} of {ANSWERED} answered" in printed
    one, other = document["servers"]
    assert (one["clock_hz"], other["clock_hz"]) == (10**9, 2 * 10**9)
    # The second is switched off last, and has twice the clock.
    elapsed_ns = document["simulated_ns"] - document["begins_ns"]
    assert (one["cycles"] < elapsed_ns, other["cycles"] // 2) == (True, elapsed_ns)
    assert one["timing"] is None
    assert 0 < other["timing"]["instructions"] < 2 * other["timing"]["cycles"]
    assert json.loads(document["config"]["node[1].timing"]) == {"width": 2}


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_cores_of_servers_with_such_cards_are_timed_in_windows(started: Started, tmp_path: Path) -> None:
    options = ("--card=ricenic,dp83820", "--core=timed", "--sample=200us,40us,20us")
    size = 4 * STREAM_BYTES
    typed = f"fork 2\nsend 10.0.0.2 5000 {size}\npoweroff\n@2 serve 5000\n@2 sleep 30\n@2 poweroff\n"
    printed, document = booted(started, tmp_path, *options, typed=typed)
    assert printed.count(f"{size} bytes, checksum {checksum_of_stream(size)}") == 2
    assert size < document["servers"][0]["sent_bytes"] < 2 * size
    sampling = document["sampling"]
    periods = (document["simulated_ns"] - document["begins_ns"]) / 200_000
    # Periods are times at the pace, at which the run takes nearly as long.
    assert sampling["windows"] == pytest.approx(periods, rel=0.05)
    assert 0 < sampling["instructions_per_cycle"]["value"] < 4
    assert sampling["stall"] == ""
    assert 0 < sampling["sent_gbps"]["value"] < 1


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_threads_and_outputs_change_no_result(started: Started, tmp_path: Path) -> None:
    saved, traffic = tmp_path / "saved", tmp_path / "link.pcapng"
    documents, checkpoints = [], []
    for options in (["--threads=1"], ["--threads=2"], ["--threads=2", f"--pcap-out={traffic}"]):
        link = ("--card=sinic", "--link-latency=5us", f"--save={saved}")
        printed, document = booted(started, tmp_path, *link, *options, typed=f"ping 10.0.0.2 {ANSWERED}\n")
        assert f"{ANSWERED} of {ANSWERED} answered" in printed
        document.pop("wall_s")
        documents.append(document)
        checkpoints.append(saved.read_bytes())
    assert documents[0] == documents[1] == documents[2]
    assert checkpoints[0] == checkpoints[1] == checkpoints[2]
    times = [float(frame.time) for frame in rdpcap(str(traffic)) if ICMP in frame]
    assert len(times) == 2 * ANSWERED
    restored = ("--card=sinic", "--link-latency=5us", f"--restore={saved}")
    ends = []
    for options in (["--threads=1"], ["--threads=2"], [f"--pcap-out={traffic}"]):
        printed, document = booted(started, tmp_path, *restored, *options, typed=PING)
        document.pop("wall_s")
        ends.append((printed, document))
    assert ends[0] == ends[1] == ends[2]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("core", "latency"), [("pipelined", ns(0)), ("pipelined", us(1)), ("functional", us(1))], ids=str
)
def test_suspending_the_clock_of_a_card_that_polls_changes_no_result(
    kernel: linux.Linux, core: str, latency: Time
) -> None:
    ends, skipped = [], []
    for skips in (True, False):
        settings = ["node[0].card.cores=2", "node[1].card.cores=1"]
        settings += [f"node[{number}].card.core={core}" for number in range(2)]
        link, configuration = Link(latency=latency), configuration_of("rv64")
        machine = module_servers(("tengig", "tengig"), kernel, configuration, settings=settings, link=link)
        simulation, first = machine.simulation, "node[0].server"
        simulation.set_threads(2 if skips else 1)
        simulation.set_idle_skip(skips)
        simulation.inject(first, f"ping 10.0.0.2 {ANSWERED}\npoweroff\n".encode())
        simulation.run(ms(120))
        ends.append((simulation.export(first).decode(), dict(simulation.statistics())))
        skipped.append(simulation.repeated_cycles())
        cycles = sum(simulation.cycles(f"node[{number}].core") for number in range(2))
    assert ends[0] == ends[1]
    assert f"{ANSWERED} of {ANSWERED} answered" in ends[0][0]
    assert skipped[0] > 0.97 * cycles
    assert skipped[1] == 0


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_the_link_has_a_rate_and_a_latency(started: Started, tmp_path: Path) -> None:
    link = ("--link-rate=1Gbps", "--link-latency=100us", f"--pcap-out={tmp_path / 'link.pcapng'}")
    printed, document = booted(started, tmp_path, "--card=ricenic,dp83820", *link, typed=PING)
    assert f"{ANSWERED} of {ANSWERED} answered" in printed
    assert document["config"]["link_latency"] == "100 us"
    assert document["config"]["node[1].link_rate"] == "1 Gbps"
    times = [float(frame.time) for frame in rdpcap(str(tmp_path / "link.pcapng")) if ICMP in frame]
    assert min(later - earlier for earlier, later in pairwise(times)) > 100e-6
    refused = started.spinach("boot", "--nodes=2", "--card=ricenic", "--link-rate=10Gbps", stdin=-1)
    assert "cannot have 10 Gbps: Ricenic has a wire of 1 Gbps" in refused.communicate("", timeout=100)[1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": b"\x1f\x8b"}, "kernel is compressed by gzip"),
        ({"kernel": b"", "hart_clock": MHz(33.3)}, "is not a multiple of 10 MHz"),
        ({"kernel": b"", "hart_clock": GHz(1), "latency": ps(1500)}, "is less than 2000 ps, two cycles"),
    ],
)
def test_what_cannot_be_a_server_is_said_in_one_line(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SpinachError) as refused:
        simulate(pair(*(ServerBench(**settings).insert(Tigon2()) for _ in range(2))))
    assert message in refused.value.message


def test_times_follow_the_clock_that_a_parameter_of_a_server_sets(kernel: linux.Linux) -> None:
    configuration, settings = (
        configuration_of("rv64"),
        ["node[0].hart_clock=250MHz", "node[1].hart_clock=2GHz"],
    )
    made = module_servers(("dp83820", "sinic"), kernel, configuration, settings=settings)
    assert [made.hertz(node) for node in range(2)] == [250 * 10**6, 2 * 10**9]
    assert made.run(100_000) == "time"
    assert made.time() == (100_000, 250 * 10**6)
    for node, cycles in enumerate((100_000, 800_000)):
        # Harts are ahead of their card by less than a microsecond.
        assert cycles <= made.cycles(node) < cycles + made.hertz(node) // 10**6


class Counting(Dp83820):
    """A card with names of its server's counters."""

    def probes(self) -> Probes:
        """Return counters of the chip under these names."""
        names = ("card_interrupts", "interrupts")
        return replace(
            super().probes(), counters={name: Counter(self.chip, "sent", "frames") for name in names}
        )


def test_counters_of_a_card_replace_none_of_its_server(kernel: linux.Linux) -> None:
    cards = [Counting(), Counting()]
    made = module_servers(cards, kernel, configuration_of("rv64"))
    names = [name for name, _ in made.card_counters()]
    assert names == [*Server.counters, "card_interrupts", "card_card_interrupts"]


OWN = """
from spinach_nic.cards.fixed_function import Dp83820

class Own(Dp83820):
    summary = "one"
"""


def test_a_cached_checkpoint_belongs_to_the_code_of_the_card(kernel: linux.Linux, tmp_path: Path) -> None:
    file = tmp_path / "own.py"

    def key(code: str) -> str:
        file.write_text(code)
        return module_servers([str(file), "dp83820"], kernel, configuration_of("rv64")).made_from(())

    first = key(OWN)
    assert key(OWN.replace("one", "two")) != first
    assert key(OWN) == first


def test_ends_of_a_link_with_different_rates_are_noted(kernel: linux.Linux) -> None:
    configuration = configuration_of("rv64")
    others = ("dp83820", "ricenic")
    made = (module_servers(("ricenic", other), kernel, configuration) for other in others)
    assert [list(servers.link_notes) for servers in made] == [
        [
            "the ends of the cable have different rates, 1 Gbps at ricenic of server 1, "
            "10 Gbps at dp83820 of server 2: frames pass as by a lossless switch"
        ],
        [],
    ]
