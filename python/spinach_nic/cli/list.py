"""`spinach list`: the shipped NICs, images and experiments."""

import click


@click.command
def command() -> None:
    """List shipped NICs, firmware images and experiments.

    `spinach firmware list` shows all images, those that test cores among them.

    Example: spinach list
    """
    from spinach_nic.cards import shipped_cards
    from spinach_nic.experiments.runner import shipped_experiments

    nics = shipped_cards()
    _echo_section("NICs", {name: nic.summary for name, nic in nics.items()})
    images = {
        f"{nic.firmware_folder}/{name}": image.summary + (", default" * (name == nic.default_firmware))
        for nic in nics.values()
        for name, image in nic.images().items()
    }
    _echo_section("firmware images", images)
    experiments = {name: experiment.summary for name, experiment in shipped_experiments().items()}
    _echo_section("experiments", experiments)


def _echo_section(title: str, entries: dict[str, str]) -> None:
    if not entries:
        return
    click.echo(f"{title}:")
    width = max(map(len, entries))
    for name, summary in entries.items():
        click.echo(f"  {name:<{width}}  {summary}")
