"""Two configurations of a NIC compared: what differs in the request and in the results.

A result holds the whole configuration that made it, so that two of them can be compared without knowing how
they were run. Run it with `python examples/compare_runs.py`.

Prints:
    core_clock: 125 MHz, then 60 MHz
                               before    after
    instructions per cycle      0.481    0.482
    fetch_send_bd                84.4     49.9
    send_frame                  157.4     89.9
    send_dispatch_ordering      148.2     28.2
    fetch_receive_bd             84.4     49.2
    receive_frame               167.2     95.9
    receive_dispatch_ordering     55.8     32.7
    elsewhere                    20.8      3.7
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
