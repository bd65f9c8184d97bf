"""Ports of Wishbone and OBI carry references."""

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

import spinach_nic
from spinach_nic import Clock, Component, KiB, MHz, Simulation, SpinachError, parameter, simulate
from spinach_nic.blocks import Verilated, verilate
from spinach_nic.blocks.binding import Roles, bind
from spinach_nic.blocks.checking import Accesses, requested
from spinach_nic.blocks.rtl_signals import read_signals
from spinach_nic.library import MultiportedMemory

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples/rtl_core/rtl_core.py"
needs_verilator = pytest.mark.skipif(
    not (shutil.which("verilator") and shutil.which("c++")), reason="verilator and g++ are not installed"
)
HEADER = """
    VL_IN8(&clk,0,0);
    VL_OUT8(&bus_CYC,0,0);
    VL_OUT8(&bus_STB,0,0);
    VL_OUT(&bus_ADR,29,0);
    VL_IN(&bus_DAT_MISO,31,0);
    VL_OUT(&bus_DAT_MOSI,31,0);
    VL_IN8(&bus_ACK,0,0);
    VL_IN8(&data_req_i,0,0);
    VL_OUT8(&data_gnt_o,0,0);
    VL_IN16(&data_addr_i,9,0);
    VL_OUT(&data_rdata_o,31,0);
    VL_OUT8(&data_rvalid_o,0,0);
"""


def test_names_and_widths_decide_the_buses() -> None:
    wishbone, obi = bind("top", read_signals(HEADER), Roles())["memories"]
    assert (wishbone["name"], wishbone["is_initiator"], wishbone["address_unit"]) == ("bus", True, 4)
    assert (obi["name"], obi["is_initiator"], obi["address_unit"]) == ("data", False, 1)
    _, obi = bind("top", read_signals(HEADER), Roles(word_addresses=["data"]))["memories"]
    assert obi["address_unit"] == 4


@pytest.mark.parametrize(
    ("change", "roles", "reason"),
    [
        (("bus_ACK", "bus_AKC"), Roles(), "bus has no signal bus_ack"),
        (("bus_DAT_MISO,31", "bus_DAT_MISO,23"), Roles(), "bus_DAT_MISO has 24 bits"),
        (("bus_ACK", "bus_ACK"), Roles(word_addresses=["dat"]), "no port of Wishbone or OBI called 'dat'"),
    ],
)
def test_incomplete_buses_are_refused(change: tuple[str, str], roles: Roles, reason: str) -> None:
    with pytest.raises(SpinachError, match=reason):
        bind("top", read_signals(HEADER.replace(*change)), roles)


class Buses(Component):
    """Random accesses through both pairs of ports."""

    library: str = parameter(doc="Library of the block.")
    constants: str = parameter(default="", doc="Its constants.")
    base: int = parameter(default=0, doc="First address of the memories; the accesses are below 64.")

    def build(self) -> None:
        self.clock = Clock("core", MHz(100))
        self.block = Verilated(library=self.library, constants=self.constants)
        self.accesses = [Accesses(), Accesses()]
        self.memories = [MultiportedMemory(size=KiB(1), base=self.base) for _ in range(2)]
        self.other_memory = MultiportedMemory(size=KiB(1))
        self.accesses[0].port >> self.block.s
        self.block.m >> self.memories[0].port
        self.accesses[1].port >> self.block.p
        self.block.wb >> self.memories[1].port
        self.block.c >> self.other_memory.port


@pytest.fixture(scope="module")
def buses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("blocks") / "buses.spinach"
    verilate([Path(__file__).parent / "buses.sv"], "buses", library)
    return library


def responses(simulation: Simulation) -> list[list[tuple[int, int, bool]]]:
    simulation.run(cycles=600)
    return [behaviour.state.responses for behaviour in simulation.behaviours]


@needs_verilator
@pytest.mark.timeout(240)
def test_accesses_pass_through_both_buses(buses: Path) -> None:
    for answered in responses(simulate(Buses(library=str(buses)))):
        assert len(answered) > 40
        words: dict[int, int] = {}
        for (_, data, is_fault), reference in zip(
            answered, map(requested, range(len(answered))), strict=True
        ):
            assert not is_fault
            assert data == (0 if reference.writes else words.get(reference.address, 0))
            if reference.writes:
                words[reference.address] = reference.data


@needs_verilator
@pytest.mark.timeout(240)
def test_a_fault_is_an_error_of_the_bus(buses: Path) -> None:
    for answered in responses(simulate(Buses(library=str(buses), base=0x1000))):
        assert len(answered) > 40
        assert all(is_fault for _, _, is_fault in answered)


@needs_verilator
@pytest.mark.timeout(240)
def test_a_withdrawn_request_stops_the_simulation(buses: Path) -> None:
    outcome = simulate(Buses(library=str(buses), constants="withdraws=0x1")).run(cycles=100)
    assert outcome.reason == "stopped"
    assert "block.block: c ends its cycle before the response" in outcome.details


@needs_verilator
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("constants", "reason"),
    [("withdraws=2", "2 does not fit into the 1 bits"), ("withdraws=0y1", "not an integer")],
)
def test_invalid_constants_are_refused(buses: Path, constants: str, reason: str) -> None:
    with pytest.raises(SpinachError, match=reason):
        simulate(Buses(library=str(buses), constants=constants))


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rtl_core", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needs_verilator
@pytest.mark.timeout(240)
def test_a_core_in_rtl_forwards_the_same_bytes_as_ours(example: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("pythondata_cpu_vexriscv", reason="pythondata-cpu-vexriscv is not installed")
    utils = pytest.importorskip("scapy.utils")
    example.compile_vexriscv(tmp_path / "core.spinach")
    results, sent = [], []
    for number, library in enumerate(("", str(tmp_path / "core.spinach"))):
        file = tmp_path / f"{number}.pcapng"
        traffic = f"pcap:{ROOT / 'captures/web-ping-udp.pcap'}"
        settings = {"rtl_core": library}
        results.append(spinach_nic.run(example.Bridge, traffic=traffic, set=settings, pcap_out=file))
        with utils.PcapNgReader(str(file)) as reader:
            frames = [(frame.sniffed_on, bytes(frame)) for frame in reader]
        sent.append([[data for port, data in frames if port == name] for name in ("wire", "host")])
    assert [len(ways) for ways in sent[0]] == [88, 88]
    assert sent[0] == sent[1]
    assert results[0].firmware == results[1].firmware
    assert results[0].frames == results[1].frames
