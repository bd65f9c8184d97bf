"""Captures out of pipes: they end with what they give, and waiting for them can be interrupted."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes are others elsewhere")

CAPTURE = Path(__file__).parents[3] / "captures" / "web-ping-udp.pcap"
# A script that starts the tests in the background ignores interrupts, and children inherit that.
PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import spinach_nic.cli, spinach_nic.runs
print("ready", flush=True)
spinach_nic.cli.main()
"""


def command(wires: str, *words: str) -> list[str]:
    return [sys.executable, "-c", PROGRAM, "run", wires, "--quiet", "--frames", "5", *words]


@pytest.mark.parametrize("written", [b"", CAPTURE.read_bytes()[:100]], ids=["nothing", "a beginning"])
def test_waiting_for_a_pipe_can_be_interrupted(wires: str, tmp_path: Path, written: bytes) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        command(wires, "--traffic", f"pcap:{pipe}"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        # Opening waits until the process has opened its end, which is closed only at the end of the test.
        with pipe.open("wb", buffering=0) if written else open(os.devnull, "wb") as writer:
            writer.write(written)
            time.sleep(1.0)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (process.returncode, err.strip()) == (130, "interrupted")


def test_standard_input_is_a_capture(wires: str) -> None:
    done = subprocess.run(
        command(wires, "--traffic", "pcap:-", "--json", "-"), input=CAPTURE.read_bytes(), capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"-: 5 of 88 frames padded to 60 bytes" in done.stdout
