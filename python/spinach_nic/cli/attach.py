"""`spinach attach`: a simulated card in a guest of QEMU."""

from __future__ import annotations

from pathlib import Path

import click

DEFAULT_SCRIPT = "setsid cttyhack sh"


@click.command
@click.argument("nic")
@click.option(
    "--wire", metavar="DEVICE", help="What is at the wire, as tap:NAME, interface:NAME or stream:SOCKET."
)
@click.option(
    "--firmware", metavar="NAME|FILE", help="An image of the NIC, or the file that the driver loads."
)
@click.option("--address", default="10.0.0.2/24", show_default=True, help="Of the card in the guest.")
@click.option(
    "--script", default=DEFAULT_SCRIPT, show_default="a shell", help="What the guest does; then it ends."
)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path("/"),
    help="Where boot and lib of the distribution's kernel are.",
)
def command(nic: str, wire: str | None, firmware: str | None, address: str, script: str, root: Path) -> None:
    """Give a guest of QEMU the card NIC: the distribution's kernel drives it with its own driver.

    Example: spinach attach tigon2 --wire tap:card
    """
    import tempfile

    from spinach_nic.attaching import attach, linux_guest
    from spinach_nic.nics.attached import attached_card, container_of

    card = attached_card(nic)
    with tempfile.TemporaryDirectory(prefix="spinach-") as folder:
        guest = linux_guest(
            Path(folder),
            driver=card.driver,
            firmware=container_of(card, firmware, Path(folder)),
            firmware_name=card.firmware_name,
            address=address,
            script=script,
            root=root,
        )
        result = attach(card, guest, wire=wire)
    behind = result.live.behind_ns / 1e9
    click.echo(
        f"{result.accesses:,} accesses of the guest, {result.interrupts:,} interrupts; the card read "
        f"{result.read_bytes:,} bytes of its memory and wrote {result.written_bytes:,}"
    )
    click.echo(f"wire: {result.frames_sent:,} frames out, {result.frames_received:,} in")
    seconds = float(result.simulated.seconds)
    click.echo(f"{seconds:.3f} s simulated in {result.wall_s:.3f} s, {behind:.3f} s behind at the end")
    if result.is_interrupted:
        raise KeyboardInterrupt
