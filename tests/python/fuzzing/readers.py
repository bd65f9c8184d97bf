"""Every reader of a file that people hand us, with files to begin from."""

import gzip
import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.python.runs.systems import Wires

from spinach_nic import Simulation, _native, run, simulate, us
from spinach_nic.cli.request_files import read_request
from spinach_nic.firmware import MemoryRange, build, loadable_image, read_firmware
from spinach_nic.firmware.description import read_description_file, shipped_root
from spinach_nic.firmware.vliw import VliwMachine
from spinach_nic.runs import SaveRequest
from spinach_nic.runs.checkpoints import MAGIC, SavedRun
from spinach_nic.runs.differences import ComparedModel
from spinach_nic.runs.recordings import read_recording
from spinach_nic.runs.saved_servers import SavedServers
from spinach_nic.runs.timelines import journeys
from spinach_nic.servers import MODULES_MAGIC
from spinach_nic.studies.analysis import (
    CacheSystem,
    TracedRun,
    access_agents,
    describe_trace,
    issue_limit_table,
    issue_limits,
    simulate_caches,
    vliw_code,
)
from spinach_nic.studies.sweeping import Description, Sweep
from spinach_nic.studies.sweeping.journal import Journal
from spinach_nic.studies.sweeping.plots import check_plots
from spinach_nic.traffic import plan_traffic

CAPTURE = Path(__file__).parents[3] / "captures" / "web-ping-udp.pcap"
MEMORY = [MemoryRange("memory", 0x1000, 0xFF000)]


@dataclass(frozen=True)
class Reader:
    """A reader, and what it is fed."""

    seeds: Callable[[], list[bytes]]
    read: Callable[[Path], object]
    """Reads a file in a separate folder; raises `SpinachError` for a refusal."""
    file: str = "input"
    """The name of the file in its folder."""


def _captures() -> list[bytes]:
    whole = CAPTURE.read_bytes()
    short = whole[:2000]
    with TemporaryDirectory() as folder:
        written = Path(folder) / "written.pcapng"
        run(Wires, frames=10, traffic="imix", pcap_out=written)
        pcapng = written.read_bytes()
    return [whole, short, pcapng, gzip.compress(short), gzip.compress(pcapng)]


@cache
def _traced() -> dict[str, bytes]:
    """The files of a traced run."""
    with TemporaryDirectory() as folder:
        run("tengig", frames=3, set={"cores": 1}, traces=folder)
        return {file.name: file.read_bytes() for file in Path(folder).iterdir()}


def _read_image(path: Path) -> None:
    executable = read_firmware(path)
    for segment in executable.segments:
        for address in range(segment.address, segment.address + min(len(segment.data), 64), 4):
            executable.source_line_at(address)
            executable.inlined_at(address)
            executable.function_at(address)
    assert executable.note is not None
    assert executable.damages is not None
    executable.check("mips", MEMORY)


def _study_image(path: Path) -> None:
    vliw_code(path, VliwMachine.of(1, 1, 1))


def _read_container(path: Path) -> None:
    loadable_image(read_firmware(path)).pack()


def _read_instructions(path: Path) -> None:
    describe_trace(path)
    issue_limits(path, issue_limit_table()[:2])


def _read_accesses(path: Path) -> None:
    system = CacheSystem(capacity_bytes=1024)
    simulate_caches([system], [[agent] for agent in access_agents(path)][:64], access_traces=[path])


def _read_result(path: Path) -> None:
    recorded = TracedRun(path.parent)
    assert recorded.frames is not None
    assert recorded.cores is not None


def _read_metadata(path: Path) -> None:
    assert TracedRun(path.parent).metadata is not None


def _simulation() -> Simulation:
    plans = plan_traffic(["imix"], frames=20, seed=1, largest_frame=1514)
    return simulate(Wires(tx=plans.tx, rx=plans.rx))


@cache
def _checkpoint() -> bytes:
    simulation = _simulation()
    simulation.run(us(5))
    return simulation.checkpoint()


def _checkpoint_bodies() -> list[bytes]:
    return [_checkpoint().partition(b"\n")[2]]


def _with_right_digest(checkpoint: bytes) -> bytes:
    """Set the digest in the header of a checkpoint right, so that more than the digest is tested."""
    header, newline, body = checkpoint.partition(b"\n")
    digest = hashlib.sha256(body).hexdigest()[:32].encode()
    return header.rpartition(b" ")[0] + b" " + digest + newline + body


def _has_right_digest(content: bytes) -> bool:
    """Return true for half of all inputs: the digest hides damage from what comes after it."""
    return zlib.crc32(content) % 2 == 0


def _restore(path: Path) -> None:
    header = _checkpoint().partition(b"\n")[0]
    simulation = _simulation()
    simulation.restore(_with_right_digest(header + b"\n" + path.read_bytes()))
    simulation.run(us(1))


@cache
def _saved_run() -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "saved"
        run(Wires, frames=10, save_at=SaveRequest(us(5), file))
        return file.read_bytes()


def _saved_run_bodies() -> list[bytes]:
    return [zlib.decompress(_saved_run()[len(MAGIC) + 32 :])]


def _read_saved_run_file(path: Path) -> None:
    content = path.read_bytes()
    if _has_right_digest(content):
        packed = content[len(MAGIC) + 32 :]
        path.write_bytes(content[: len(MAGIC)] + hashlib.sha256(packed).digest() + packed)
    SavedRun.read(path)


def _read_saved_run(path: Path) -> None:
    """With the right digests, of the run and of the state within, so that more than these is tested."""
    before, begin, state = path.read_bytes().partition(b"spinach-checkpoint ")
    packed = zlib.compress(before + _with_right_digest(begin + state) if begin else before, 1)
    path.write_bytes(MAGIC + hashlib.sha256(packed).digest() + packed)
    run(Wires, restore=path)


@cache
def _saved_servers() -> bytes:
    start = (b"files", "console=hvc0")
    saved = SavedServers(
        version=_native.version(),
        kernel=b"kernel",
        starts=(start, start),
        state=b"state" * 9,
        model=ComparedModel({"node[0].cpu": "server"}, {"node[0].cores": 1}),
        cards=(),
    )
    return saved.packed()


def _read_saved_servers(path: Path) -> None:
    """With the right digest, so that more than it is tested."""
    begin = len(MODULES_MAGIC)
    content = path.read_bytes()
    path.write_bytes(content[:begin] + hashlib.sha256(content[begin + 32 :]).digest() + content[begin + 32 :])
    SavedServers.of(str(path), path.read_bytes())


_refusing: list[Simulation] = []
"""The simulation that refused all earlier checkpoints: a new one takes most of the time."""


def _restore_raw(path: Path) -> None:
    if not _refusing:
        _refusing.append(_simulation())
    content = path.read_bytes()
    _refusing[-1].restore(_with_right_digest(content) if _has_right_digest(content) else content)
    _refusing.pop().run(us(1))


def _descriptions() -> list[bytes]:
    return [(shipped_root() / folder / "firmware.toml").read_bytes() for folder in ("tengig", "tigon2")]


def _read_description(path: Path) -> None:
    """Among links to the sources that it names."""
    for folder, names in (
        (path.parent.parent, "*"),
        (path.parent, "tengig/*.*"),
        (path.parent, "tigon2/*.*"),
    ):
        for source in shipped_root().glob(names):
            link = folder / source.name
            if not link.exists():
                link.symlink_to(source)
    read_description_file(path, "it", shipped_root())


def _images() -> list[bytes]:
    return [
        build(name).path.read_bytes() for name in ("tests/crc32", "tengig/base", "faults/misaligned_store")
    ]


def _kernel() -> bytes:
    """A kernel for the server: what its head must have, around an instruction that waits."""
    head = (0x10500073).to_bytes(8, "little") + bytes(8) + (64).to_bytes(8, "little")
    return head.ljust(0x38, b"\0") + b"RSC\x05" + bytes(64)


def _server(kernel: bytes | None = None) -> _native.Server:
    return _native.Server.boot("kernel", kernel or _kernel(), b"files", ["arguments"], (1, 1 << 20))


def _start_server(path: Path) -> None:
    _server(path.read_bytes()).run(1000)


def _restore_server(path: Path) -> None:
    _native.Server.restore(str(path), path.read_bytes(), (1, 1 << 20)).run(1000)


def _timelines() -> list[bytes]:
    with TemporaryDirectory() as folder:
        written = Path(folder) / "written"
        run(Wires, frames=10, timeline=written)
        return [written.read_bytes()]


def _recordings() -> list[bytes]:
    """Return recordings of both formats with one entrance and two frames, made of pcapng blocks."""

    def block(kind: int, body: bytes) -> bytes:
        length = (12 + len(body)).to_bytes(4, "little")
        return kind.to_bytes(4, "little") + length + body + length

    def option(code: int, value: bytes) -> bytes:
        padding = bytes(-len(value) % 4)
        return code.to_bytes(2, "little") + len(value).to_bytes(2, "little") + value + padding

    def recording(version: bytes, resolution: bytes, rest: bytes) -> bytes:
        made = option(1, b'{"request": {}, "devices": {"wire": "tap:x"}}')
        made += option(4, b"spinach-recording/" + version)
        section = (0x1A2B3C4D).to_bytes(4, "little") + b"\1\0\0\0" + b"\xff" * 8 + made + bytes(4)
        interface = b"\1\0\0\0" + bytes(4) + option(2, b"wire") + option(9, resolution) + bytes(4)
        frames = [
            bytes(8) + time.to_bytes(4, "little") + 2 * (60).to_bytes(4, "little") + bytes(60) + rest
            for time in (1000, 2000)
        ]
        ended = b'{"complete": true, "live": {"behind_ns": 1, "most_behind_ns": 2}}'
        ending = bytes(8) + (3000).to_bytes(4, "little") + option(1, ended) + (rest or bytes(4))
        blocks = [(0x0A0D0D0A, section), (1, interface), *((6, frame) for frame in frames), (5, ending)]
        return b"".join(block(*one) for one in blocks)

    rest = option(1, b"+7 fs") + bytes(4)
    return [recording(b"1", b"\x0f", b""), recording(b"2", b"\x09", rest)]


def _read_recording(path: Path) -> None:
    assert read_recording(path, has_times=True).end_fs is not None


_REQUEST = b"""nic = "tengig"
[options]
frames = 3
traffic = ["imix:tx", "udp:18:rx@500kpps"]
time = "20us"
[parameters]
cores = 2
"""
_SWEEP = b"""nic = "tengig"
method = "latin_hypercube"
samples = 3
seed = 2
[options]
frames = [1, 2]
time = "20us"
[parameters]
cores = { from = 1, to = 4, count = 2 }
core_clock = { from = "100MHz", to = "200MHz", scale = "logarithmic", count = 2 }
[[plots]]
file = "p.svg"
x = "cores"
y = "tx.frames"
[search]
minimise = "core_mhz * 2"
where = { "tx.frames" = ">= 1" }
"""


def _read_sweep(path: Path) -> None:
    description = Description.read(path)
    check_plots(description)
    for _, point in zip(range(100), description.points(), strict=False):
        assert str(point)


@cache
def _swept() -> bytes:
    with TemporaryDirectory() as folder:
        table = Path(folder) / "t.parquet"
        sweep = Sweep(Description(nic="tengig", options={"frames": [1, 2], "time": "5us"}), table)
        sweep.run()
        return Path(f"{table}.journal.jsonl").read_bytes()


READERS = {
    "timeline": Reader(_timelines, journeys),
    "recording": Reader(_recordings, _read_recording),
    "request": Reader(lambda: [_REQUEST, _traced()["result.json"]], read_request),
    "sweep": Reader(lambda: [_SWEEP], _read_sweep),
    "journal": Reader(
        lambda: [_swept()], lambda path: Journal(path.with_name("t.parquet")), "t.parquet.journal.jsonl"
    ),
    "capture": Reader(_captures, _native.read_capture),
    "image": Reader(_images, _read_image),
    "studied-image": Reader(_images, _study_image),
    "container": Reader(
        lambda: [loadable_image(read_firmware(build("tigon2/uni").path)).pack()], _read_container
    ),
    "firmware.toml": Reader(_descriptions, _read_description, "it/firmware.toml"),
    "instruction-trace": Reader(lambda: [_traced()["instructions.parquet"]], _read_instructions),
    "access-trace": Reader(lambda: [_traced()["accesses.parquet"]], _read_accesses),
    "checkpoint": Reader(_checkpoint_bodies, _restore),
    "checkpoint-file": Reader(lambda: [_checkpoint()], _restore_raw),
    "saved-run": Reader(_saved_run_bodies, _read_saved_run),
    "saved-run-file": Reader(lambda: [_saved_run()], _read_saved_run_file),
    "saved-servers-file": Reader(lambda: [_saved_servers()], _read_saved_servers),
    "server-checkpoint": Reader(lambda: [_server().save()], _restore_server),
    "server-kernel": Reader(lambda: [_kernel(), build("tests/crc32").path.read_bytes()], _start_server),
    "result-document": Reader(lambda: [_traced()["result.json"]], _read_result, "result.json"),
    "metadata": Reader(lambda: [_traced()["metadata.json"]], _read_metadata, "metadata.json"),
}
"""Readers by their input."""
