"""Two cards of different kinds at one cable, each with its own host and driver.

RiceNIC sends to a Tigon-2 and receives from it. The host of RiceNIC has the ring driver, that of the Tigon-2
one in Python, which loads the firmware and starts the link. Run it with `python examples/back_to_back.py` or
`spinach run` and that file; `--set far.PARAMETER=VALUE` is for the Tigon-2.

Prints:
    RiceNIC to Tigon-2: 100% of line rate
    Tigon-2 to RiceNIC: 100% of line rate
    on their way at the end: {'tx': 0, 'rx': 0}
"""

from spinach_nic import run
from spinach_nic.benches import BackToBack
from spinach_nic.cards import shipped_card


class TwoKinds(BackToBack):
    """RiceNIC, and a Tigon-2 at the other end of the cable."""

    card_class = shipped_card("ricenic")
    far_class = shipped_card("tigon2")


if __name__ == "__main__":
    result = run(TwoKinds, traffic="udp:1472", frames=200)
    for name, way in (("RiceNIC to Tigon-2", result.tx), ("Tigon-2 to RiceNIC", result.rx)):
        print(f"{name}: {way.line_rate_fraction:.0%} of line rate")
    print(f"on their way at the end: {result.frames.in_flight}")
