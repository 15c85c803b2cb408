"""Captures made with ``script``: the typescript and the timing file beside it."""

from ucpmon.captures.typescript.reader import read

__all__ = ["read"]
