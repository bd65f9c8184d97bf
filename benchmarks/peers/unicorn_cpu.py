"""The kernel under Unicorn: prints how often it went through, and the processor time.

Runs where Unicorn is installed.
"""

import json
import sys
import time
from pathlib import Path

from unicorn import UC_ARCH_RISCV, UC_MODE_RISCV32, Uc

BASE = 0x1_0000


def main() -> None:
    """Run the image, for a number of microseconds; the last argument is the address of the pass count."""
    path, microseconds, passes = sys.argv[1:]
    machine = Uc(UC_ARCH_RISCV, UC_MODE_RISCV32)
    machine.mem_map(BASE, 1 << 20)
    machine.mem_write(BASE, Path(path).read_bytes())
    began = time.process_time()
    machine.emu_start(BASE, BASE + (1 << 20) - 4, timeout=int(microseconds))
    seconds = time.process_time() - began
    word = int.from_bytes(machine.mem_read(BASE + int(passes), 4), "little")
    print(json.dumps({"word": word, "seconds": seconds}))


main()
