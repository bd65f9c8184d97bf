"""The publications whose tables and figures are run again."""

from __future__ import annotations

from spinach_nic.experiments.runner import Source


def thesis(place: str) -> Source:
    """Return a place in the thesis on Spinach."""
    return Source(
        "P. Willmann, Simulation-driven design of high-performance programmable NICs (thesis)", place
    )


def hpca(place: str) -> Source:
    """Return a place in the paper on the 10 Gb/s NIC."""
    return Source("P. Willmann et al., An efficient programmable 10 Gigabit Ethernet NIC (HPCA 2005)", place)


def vliw_firmware(place: str) -> Source:
    """Return a place in the paper on instruction and thread parallelism."""
    return Source(
        "M. Brogioli, P. Willmann, S. Rixner, Parallelization strategies for network interface firmware",
        place,
    )


def ricenic(place: str) -> Source:
    """Return a place in the paper on RiceNIC."""
    return Source(
        "J. Shafer, S. Rixner, RiceNIC: a reconfigurable network interface for experimental research and "
        "education (ExpCS 2007)",
        place,
    )


def sinic(place: str) -> Source:
    """Return a place in the paper on SINIC."""
    return Source(
        "N. L. Binkert, A. G. Saidi, S. K. Reinhardt, A simple integrated network interface for "
        "high-bandwidth servers",
        place,
    )


def rosebud(place: str) -> Source:
    """Return a place in the paper on Rosebud, or its published RTL."""
    return Source(
        "M. Khazraee et al., Rosebud: making FPGA-accelerated middlebox development more "
        "pleasant (ASPLOS 2023)",
        place,
    )


def virtio(place: str) -> Source:
    """Return a part of the standard that hundredgig implements; the figures are not published elsewhere."""
    return Source("OASIS, Virtual I/O Device (VIRTIO), version 1.2 (2022)", place)


def pcie_bench(place: str) -> Source:
    """Return a part of the paper on PCI Express, or its public model."""
    return Source(
        "R. Neugebauer et al., Understanding PCIe performance for end host networking (SIGCOMM 2018)", place
    )
