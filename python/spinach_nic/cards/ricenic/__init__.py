"""RiceNIC, a gigabit NIC for experiments (ExpCS 2007).

Its registers can be read while classes of the library are missing: nothing is imported here.
"""
