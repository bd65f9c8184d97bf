"""The Tigon-2."""
