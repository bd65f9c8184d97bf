"""The native part of Spinach. Private: use `spinach_nic`."""

__all__ = ["version"]

def version() -> str:
    """The version that the Rust crates and the Python distribution share."""
