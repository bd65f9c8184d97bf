"""A sweep: the 10 Gb/s NIC with one, two and four cores, and the data of a plot as CSV.

Each run is a function call with parameters by path, as on the command line. Run it with
`python examples/sweep_cores.py`.

Prints:
    cores,line_rate_fraction_tx,instructions_per_frame
    1,0.500,312
    2,0.962,321
    4,1.000,569
"""

import csv
import sys

from spinach_nic import run

writer = csv.writer(sys.stdout, lineterminator="\n")
writer.writerow(["cores", "line_rate_fraction_tx", "instructions_per_frame"])
for cores in (1, 2, 4):
    result = run(
        "tengig",
        traffic="udp:1472:tx",
        frames=300,
        set={"cores": cores},
    )
    instructions = sum(task.instructions for task in result.tasks.values())
    writer.writerow([cores, f"{result.tx.line_rate_fraction:.3f}", f"{instructions:.0f}"])
