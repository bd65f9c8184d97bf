"""`python -m spinach_nic` is `spinach`."""

from spinach_nic.cli import main

main()
