"""Captures whose lines carry a time each, as ``ts`` and ``journalctl`` write them."""

from ucpmon.captures.stamped.reader import read

__all__ = ["read"]
