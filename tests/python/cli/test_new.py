"""`spinach new` writes a NIC that works at once, and its firmware is found like any other."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.python.test_tutorial import BLOCK, Block, apply

from spinach_nic import SpinachError, Time, cli, ns, run
from spinach_nic.benches import find_nic
from spinach_nic.cards import Card
from spinach_nic.starter import FILES, class_name, renamed, write_nic
from spinach_nic.studies.analysis import access_agents

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture
def nic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    assert cli.carry_out(["new", "first-nic"]) == 0
    path = Path("first-nic/first-nic.py")
    assert capsys.readouterr().out.splitlines()[-1] == f"run it: spinach run {path}"
    return path


def test_it_runs_at_line_rate_as_written(nic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["run", str(nic), "--frames", "300", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["firmware"]["name"] == "first-nic"
    for way in ("tx", "rx"):
        assert document["frames"]["delivered"][way] == document["frames"]["offered"][way] > 300
        assert document[way]["line_rate_fraction"] + document[way]["line_rate_fraction_error"] > 1
    assert document["tasks"]["send_frame"]["instructions"] > 20


@pytest.mark.parametrize(
    ("traffic", "set"),
    [
        ("udp:18", {}),
        ("imix", {"core_clock": "20MHz"}),
        ("udp:0,700,1472", {"host.receive_entries": "4"}),
        ("udp:1472", {"host.mailbox_storm": "3", "host.pauses_us": "100,500"}),
        ("udp:8900", {"largest_frame": "9014"}),
        ("udp:600:rx,bad_crc=2%,runt=2%,oversize=2%", {}),
    ],
)
def test_its_firmware_keeps_every_frame_or_has_it_counted(
    nic: Path, traffic: str, set: dict[str, str]
) -> None:
    # `run` raises where a frame is damaged, lost, doubled or out of order.
    result = run(nic, traffic=traffic, frames=250, set=set)
    assert result.frames.in_flight == {"tx": 0, "rx": 0}
    assert result.frames.delivered["rx"] > 0


def test_its_firmware_may_use_locks(nic: Path) -> None:
    main = nic.parent / "firmware" / "main.c"
    text = main.read_text().replace("#include", '#include "spinach/lock.h"\n#include', 1)
    taken = "static ticket_lock_t lock;\n\nint core_main(uint32_t core)\n{\n    ticket_lock_take(&lock);\n"
    main.write_text(text.replace("int core_main(uint32_t core)\n{\n", taken))
    assert "ticket_lock_take(&lock)" in main.read_text()
    assert run(nic, frames=5).complete


def test_a_policer_in_python_drops_behind_its_link(nic: Path) -> None:
    page = (DOCS / "blocks.md").read_text()
    steps = [Block(*found) for found in BLOCK.findall(page)]
    snippets = [step.text for step in steps if step.language == "python"]
    used = [text for text in snippets if "PythonModule" in text or "import counter" in text]
    (nic.parent / "policer.py").write_text("\n".join(used))
    for step in steps:
        if step.file == "mynic/mynic.py":
            apply(step.text, nic)
    result = run(nic, traffic="udp:18:rx", frames=500)
    # Frames of 64 bytes at 1 Gb/s: one in four passes.
    policed, delivered = (
        result.frames.dropped["rx"]["policer.block"]["policed"],
        result.frames.delivered["rx"],
    )
    assert policed == pytest.approx(3 * delivered, rel=0.02)
    assert result.rx.line_rate_fraction == pytest.approx(0.25, rel=0.01)


def test_accesses_of_its_assists_are_traced(nic: Path, tmp_path: Path) -> None:
    run(nic, frames=20, traces=tmp_path / "traces")
    accesses = tmp_path / "traces" / "accesses.parquet"
    assert access_agents(accesses) == ["dma_read", "dma_write", "mac_transmit", "mac_receive"]
    assert pq.read_metadata(accesses).num_rows > 100


def test_limits_of_its_bus_need_a_custom_one(nic: Path) -> None:
    limits = {"bus.bandwidth": "500Mbps"}
    with pytest.raises(SpinachError, match="bandwidth has no effect with preset = unlimited"):
        run(nic, frames=5, set=limits)
    assert run(nic, frames=5, set={**limits, "bus.preset": "custom"}).complete


def test_frames_can_be_captured(nic: Path, tmp_path: Path) -> None:
    assert run(nic, frames=100, pcap_out=tmp_path / "frames.pcapng").complete
    assert (tmp_path / "frames.pcapng").stat().st_size > 2 * 100 * 1514


def test_its_firmware_is_listed_and_built_from_outside_and_inside(
    nic: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.carry_out(["firmware", "list"]) == 0
    assert "first-nic/firmware/first-nic" in capsys.readouterr().out
    made = []
    for name in ("first-nic", "first-nic/firmware/first-nic"):
        assert cli.carry_out(["firmware", "build", name]) == 0
        made.append(capsys.readouterr().out)
    monkeypatch.chdir(nic.parent / "firmware")
    assert cli.carry_out(["firmware", "build", "first-nic"]) == 0
    made.append(capsys.readouterr().out)
    assert made[0] == made[1] == made[2]


def test_a_mistake_in_ones_own_folder_hides_no_image(nic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (nic.parent / "firmware" / "firmware.toml").write_text("cores = 0\n")
    assert cli.carry_out(["firmware", "build", "crc32"]) == 0
    assert cli.carry_out(["firmware", "list"]) == 2
    shown = capsys.readouterr()
    assert "tests/crc32" in shown.out
    assert "first-nic/firmware/firmware.toml: cores = 0 is below" in shown.err


def test_equal_sources_in_two_places_make_equal_images(tmp_path: Path) -> None:
    results = []
    for place in ("here", "there"):
        path, *_ = write_nic(tmp_path / place / "mine")
        results.append(run(path, frames=20).firmware)
    assert results[0] == results[1]


def test_what_is_written_differs_from_the_tested_files_by_name_only() -> None:
    for file in FILES:
        text = renamed(file, "zebra")
        assert "starter" not in text.lower()
        assert text.replace("Zebra", "Starter").replace("zebra", "starter") == renamed(file, "starter")


def test_a_pci_face_adds_a_linux_driver(tmp_path: Path) -> None:
    path, *others = write_nic(tmp_path / "my-nic", face="pci")
    nic = find_nic(path)
    assert issubclass(nic, Card)
    driver = nic.linux_driver
    assert driver is not None
    assert driver.module == "my_nic"
    sources = {file.relative_to(driver.sources).as_posix() for file in others if "driver" in file.parts}
    assert sources == {"rings_main.c", "rings_content.c", "rings_content.h", "Makefile", "include/stdint.h"}
    assert not any("spinach_rings" in (Path(driver.sources) / name).read_text() for name in sources)
    assert run(path, frames=20).complete


@pytest.mark.parametrize("name", ["link", "nic", "pipe", "memory", "true", "class", "b", "a--b_"])
def test_names_that_are_words_of_the_file_work(tmp_path: Path, name: str) -> None:
    path, *_ = write_nic(tmp_path / name)
    assert find_nic(path).__name__ == class_name(name)
    assert run(path, frames=5).complete


@pytest.mark.parametrize("name", ["9", "a b", "-x", "ü", "a.b", '"', ".."])
def test_names_that_cannot_be_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SpinachError, match="is not a valid name of a NIC"):
        write_nic(tmp_path / name)


def test_nothing_is_overwritten(nic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = nic.read_bytes()
    assert cli.carry_out(["new", "first-nic"]) == 2
    assert "first-nic exists" in capsys.readouterr().err
    assert nic.read_bytes() == before


@pytest.mark.parametrize(
    ("written", "wrong", "message", "help"),
    [
        ("rate=Gbps(1)", "rate=MHz(1)", "Wire.rate = 1 MHz is not a data rate", "give a data rate"),
        ("return Faces(bus, [wire])", "return Faces(bus, wire)", "Faces.wires = Wire(", "give a list"),
        ("return Faces(bus, [wire])", "return Faces(bus, [])", "a card has no wires", "give a list"),
        ("return Faces(bus, [wire])", "pass", "FirstNic.faces() returns None", "return a Faces"),
        ("sent=self.wire_out.output", "sent=self.wire_out", "Wire.sent = <Link", "give an Output"),
        ("memory=self.bus.memory", "memory=self.bus", "RingBus.memory = <Host", "give a Bundle"),
        ("depth = 64", "depth = 0", "Passage.depth: 0 is below the smallest, 1", "give 1 to"),
        ("tx=Passage(depth=depth)", "tx=None", "Probes.tx = None is not a Passage", "give a Passage"),
        ("cores=[self.core],", "cores=self.core,", "Probes.cores = <PipelinedCore", "give a list"),
        ("[self.mac_receive]", '["mac_receive"]', "Passage.drops = ['mac_receive']", "give a list"),
        (
            "drops=[self.mac_receive]",
            'discards={"full": (self, "full")}',
            "Passage.discards['full'][0] = <FirstNic",
            "give a Module",
        ),
        ("cores=1)", 'cores="1")', "FirmwareMap.cores = '1' is not an integer", "give an integer"),
        (
            "library.Interrupt()",
            "library.Interupt()",
            "has no attribute 'Interupt'",
            "did you mean Interrupt?",
        ),
    ],
)
def test_a_wrong_declaration_is_an_error_at_its_line(
    nic: Path, written: str, wrong: str, message: str, help: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source = nic.read_text()
    assert written in source
    nic.write_text(source.replace(written, wrong))
    assert cli.carry_out(["run", str(nic), "--frames", "100"]) == 2
    error, instruction = capsys.readouterr().err.splitlines()
    assert error.startswith(f"error: {nic}:")
    assert message in error
    assert instruction.startswith(f"help: {help}")


def test_frames_at_a_wire_that_a_card_lacks_are_an_error(
    nic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nic.write_text(nic.read_text().replace("tx=Passage(depth=depth)", "tx=Passage(depth=depth, wire_out=2)"))
    assert cli.carry_out(["run", str(nic), "--frames", "100"]) == 2
    assert "FirstNic has no wire 2, which wire_out of tx names\nhelp: give 0" in capsys.readouterr().err


def test_a_missing_firmware_folder_is_named(nic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nic.write_text(nic.read_text().replace('firmware_folder = "firmware"', 'firmware_folder = "firmwares"'))
    assert cli.carry_out(["run", str(nic), "--frames", "100"]) == 2
    error, help = capsys.readouterr().err.splitlines()
    assert error.endswith(f"no firmware.toml is in {nic.resolve().parent / 'firmwares'}")
    assert help.startswith("help: correct firmware_root and firmware_folder")


def test_the_folder_of_a_nic_is_no_file(nic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["run", "first-nic"]) == 2
    assert capsys.readouterr().err == f"error: first-nic is a folder\nhelp: give {nic}\n"


@pytest.mark.parametrize("time", [ns(1), ns(7), ns(9)])
def test_no_memory_moves_more_than_its_peak_in_a_run_shorter_than_a_cycle(nic: Path, time: Time) -> None:
    memory = run(nic, time=time).memories["instruction_memory"]
    assert 0 < memory.gbps <= memory.peak_gbps


def test_a_record_that_is_replaced_wrongly_is_an_error_at_its_line(
    nic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = nic.read_text().replace("from pathlib", "from dataclasses import replace\nfrom pathlib")
    wrong = "Faces(bus, [replace(wire, rate=MHz(1))])"
    nic.write_text(source.replace("return Faces(bus, [wire])", f"return {wrong}"))
    assert cli.carry_out(["run", str(nic), "--frames", "100"]) == 2
    line = 1 + nic.read_text().splitlines().index(f"        return {wrong}")
    assert capsys.readouterr().err.startswith(f"error: {nic}:{line}: Wire.rate = 1 MHz is not a data rate")


def test_a_wire_that_is_faster_than_its_link_is_noted(nic: Path) -> None:
    nic.write_text(nic.read_text().replace("rate=Gbps(1)", "rate=Gbps(10)"))
    assert [note for note in run(nic, frames=100).notes if "wire" in note] == [
        f"wire 0 of FirstNic has a rate of 10 Gbps, but {link} carries 1 Gbps: "
        "shares of line rate are of 10 Gbps"
        for link in ("wire_out", "wire_in")
    ]


@pytest.mark.parametrize("frames", [100, 1000])
@pytest.mark.parametrize(("link", "way"), [("wire_out", "tx"), ("wire_in", "rx")])
def test_a_link_that_is_faster_than_its_wire_has_no_rates(
    nic: Path, link: str, way: str, frames: int
) -> None:
    """A short window is not explained by frames that were inside at its begin."""
    faster = {f"{link}.bytes_per_cycle": "2"}
    result = run(nic, frames=frames, set=faster)
    clause = f"wire 0 of FirstNic has a rate of 1 Gbps, but {link} carries 2 Gbps"
    help = "lower its bytes_per_cycle, or raise the rate of the wire of your own card"
    assert f"{clause}: {help}" in result.notes
    assert result.tx.line_rate_fraction is result.rx.line_rate_fraction is None
    reason = result.measured_window.reason
    assert reason.startswith(f"{way} delivered 1.")
    assert reason.endswith(f" times what a link of 1 Gbps can carry; {clause}")


def test_a_faster_link_with_less_traffic_than_its_wire_has_rates(nic: Path) -> None:
    result = run(nic, traffic="udp:1472@500Mbps", frames=100, set={"wire_out.bytes_per_cycle": "2"})
    assert result.tx.line_rate_fraction == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize(
    ("traffic", "notes"),
    [
        ("udp:18:rx@20Gbps", ["rx: the requested 20 Gbps exceed the rate of the link, 1 Gbps"]),
        (
            "udp:18:tx@2Mpps",
            ["tx: the requested 2,000,000 frames per second exceed the rate of the link, 1 Gbps"],
        ),
        ("udp:18@1Gbps", []),
    ],
)
def test_a_rate_above_that_of_the_link_is_noted(nic: Path, traffic: str, notes: list[str]) -> None:
    assert [note for note in run(nic, traffic=traffic, frames=100).notes if "link" in note] == notes
