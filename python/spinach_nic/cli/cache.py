"""`spinach cache`: files kept between runs."""

import click


@click.command
@click.option("--clear", is_flag=True, help="Empty the cache; its contents are made again when needed.")
def command(clear: bool) -> None:
    """Show or clear the cache: firmware, kernels, checkpoints.

    Example: spinach cache
    """
    from spinach_nic.support.cache import Cache
    from spinach_nic.support.representations import amount

    cache = Cache()
    if clear:
        click.echo(f"{cache.folder}: {_size(cache.clear())} cleared")
        return
    usage = cache.usage()
    click.echo(f"{cache.folder}: {_size(sum(kind.bytes for kind in usage))}")
    for kind in usage:
        if kind.files:
            one, several = kind.what
            shown = amount(kind.files, one, several) if several else one
            click.echo(f"  {_size(kind.bytes):>10}  {shown}")


def _size(count: int) -> str:
    size, unit = float(count), "bytes"
    for larger in ("KiB", "MiB", "GiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"
