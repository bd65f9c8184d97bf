"""Two configurations of a NIC compared: what differs in the request and in the results.

A result holds the whole configuration that made it, so that two of them can be compared without knowing how
they were run. Run it with `python examples/compare_runs.py`.

Prints:
    core_clock: 125 MHz, then 60 MHz
                               before    after
    instructions per cycle      0.481    0.482
    fetch_send_bd                78.5     48.1
    send_frame                  164.4     94.7
    send_dispatch_ordering      158.4     40.8
    fetch_receive_bd            106.3     70.4
    receive_frame               176.8    105.9
    receive_dispatch_ordering     58.3     35.4
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
