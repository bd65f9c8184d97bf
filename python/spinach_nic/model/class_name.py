"""Class names of kinds of modules."""


def class_name(kind: str) -> str:
    """Return the class of a kind of modules: `round_robin_arbiter` as `RoundRobinArbiter`."""
    return "".join(word[:1].upper() + word[1:] for word in kind.split("_"))
