"""Where a run comes from, in words: what its run.json says of the board, the host, the labels and the captures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MODEL = "/proc/device-tree/model"


def model(info: Mapping[str, Any]) -> str:
    """What the board calls itself; empty where it did not say."""
    return _said(info).get(_MODEL, "")


def board(info: Mapping[str, Any]) -> list[str]:
    """What the board says of itself, in a few words: its model, its system and version, its machine."""
    said = _said(info)
    names = [text for key, text in said.items() if key == _MODEL or key.endswith("_name")]
    system = [line.partition("=")[2].strip("\"'") for line in said.get("os", "").splitlines()[:20]
              if line.startswith("PRETTY_NAME=")]  # fmt: skip
    machine = said.get("uname", "").split()[-1:]
    return [part.splitlines()[0] for part in (*names, *system, *machine) if part]


def host(info: Mapping[str, Any]) -> str:
    """The machine that the monitor ran on; empty where it is not known."""
    return str(info.get("host") or "")


def labels(info: Mapping[str, Any]) -> list[str]:
    """What ``--label`` gave, ``KEY=VALUE`` each."""
    return [f"{key}={value}" for key, value in (info.get("labels") or {}).items()]


def captures(info: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The captures that were replayed, with ``name``, ``format`` and ``sha256``: several where they were joined."""
    source = info.get("source") or []
    return list(source) if isinstance(source, list) else [source]


def _said(info: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(value).strip("\0 \n") for key, value in (info.get("board") or {}).items()}
