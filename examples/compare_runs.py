"""Two configurations of a NIC compared: what differs in the request and in the results.

A result holds the whole configuration that made it, so that two of them can be compared without knowing how
they were run. Run it with `python examples/compare_runs.py`.

Prints:
    core_clock: 125 MHz, then 60 MHz
                               before    after
    instructions per cycle      0.482    0.482
    fetch_send_bd                83.8     46.6
    send_frame                  152.3    109.9
    send_dispatch_ordering      155.0     47.7
    fetch_receive_bd            140.0     77.9
    receive_frame               171.5     99.0
    receive_dispatch_ordering     58.3     35.5
"""

from spinach_nic import run
from spinach_nic.starter.starter import Starter

before = run(Starter, traffic="udp:1472", frames=150)
after = run(Starter, traffic="udp:1472", frames=150, set={"core_clock": "60MHz"})

for path, value in before.config.items():
    if value != after.config[path]:
        print(f"{path}: {value}, then {after.config[path]}")
print(f"{'':24} {'before':>8} {'after':>8}")
print(f"{'instructions per cycle':24} {before.cores[0].ipc:8.3f} {after.cores[0].ipc:8.3f}")
for name, task in before.tasks.items():
    other = after.tasks[name]
    if task.instructions:
        print(f"{name:24} {task.instructions:8.1f} {other.instructions:8.1f}")
