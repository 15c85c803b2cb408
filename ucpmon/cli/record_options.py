"""The options of ``ucpmon record``: each once, with its type, its default and its help."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

import typer

from ucpmon.monitor.options import ION_HEAPS


def _told(about: Any) -> dict[str, Any]:
    return {"typer": about}


def _in(panel: str, default: Any, text: str, *names: str, metavar: str | None = None) -> Any:
    """An option in one of the boxes of ``--help``; a default that says nothing is not shown."""
    shown = default not in ("", None, [], False)
    about = typer.Option(default, *names, help=text, metavar=metavar, show_default=shown, rich_help_panel=panel or None)
    if isinstance(default, list):
        return field(default_factory=list, metadata=_told(about))
    return field(default=default, metadata=_told(about))


@dataclass(frozen=True)
class RecordOptions:
    """The options as the user wrote them."""

    workload: list[str] | None = field(
        default=None,
        metadata=_told(
            typer.Argument(
                None,
                metavar="[-- WORKLOAD…]",
                help="A program to run meanwhile; its exit code is passed on.",
                show_default=False,
            )
        ),
    )
    duration: str | None = _in("", None, "How long: 60, 90s, 5m, 1h30m. Without it, until Ctrl-C.")
    count: int | None = _in("", None, "End after so many screens.")
    dry_run: bool = _in("", False, "Show the command line that would be run, and end.", "--dry-run")

    interval: str = _in("The monitor", "1000", "Time between screens: 100..10000 ms; 500ms, 2s.")
    freq: int = _in("The monitor", 500, "Samples a second of BPU and DSP: 10..1000 Hz.")
    enable: str = _in("The monitor", "", "IPs to show, such as bpu,dsp. Default: all.")
    batch: bool = _in("The monitor", False, "Record its batch mode (-b), not its screen.", "--batch")
    monitor: str = _in("The monitor", "", "Its program. Default: PATH, then /usr/hobot/bin.")
    rows: int = _in("The monitor", 200, "Rows of its terminal.")
    cols: int = _in("The monitor", 200, "Columns of its terminal.")
    restart: bool = _in("The monitor", False, "Start it anew when it freezes or dies.", "--restart")
    sudo: bool = _in("The monitor", False, "Run it by sudo, without a password.", "--sudo")

    heaps: bool = _in("Exact memory", False, "Also read the ION debug files, into run.heaps.csv.", "--heaps")
    heaps_interval: str = _in("Exact memory", "1s", "Time between two readings.")
    heaps_dir: str = _in("Exact memory", ION_HEAPS, "Where they are.")

    output: Path | None = _in(
        "The run's files", None, "The CSV file. Default: run.csv, then run-2.csv…", "-o", "--output"
    )
    force: bool = _in("The run's files", False, "Overwrite an existing run.", "--force")
    label: list[str] = _in(
        "The run's files", [], "Something to keep in run.json; may be repeated.", metavar="KEY=VALUE"
    )
    compress: bool = _in("The run's files", False, "Keep the raw stream as run.cast.gz.", "--compress")
    no_capture: bool = _in("The run's files", False, "Keep no raw stream.", "--no-capture")

    host: list[str] = _in(
        "Another machine", [], "Record there, over ssh; repeat for several at once.", metavar="USER@BOARD"
    )
    port: int | None = _in("Another machine", None, "The ssh server's port.")
    identity: Path | None = _in("Another machine", None, "A private key to log in with.")
    ssh_option: list[str] = _in("Another machine", [], "An option of ssh_config; may be repeated.", metavar="KEY=VALUE")
    reconnect: bool | None = _in(
        "Another machine", None, "Go on after a lost link. Default: when longer than 10 minutes."
    )

    before: str = _in("A workload", "5s", "Baseline before it.")
    after: str = _in("A workload", "5s", "Time after it.")
    mark_regex: list[str] = _in(
        "A workload", [], "Mark the lines it prints that match; may be repeated.", metavar="REGEX"
    )

    simulate: bool = _in("A simulation", False, "Record a stand-in with invented figures.", "--simulate")
    profile: str = _in("A simulation", "s100", "Its board: s100, s600 or j6p.")
    scenario: str = _in("A simulation", "load", "What happens on it: idle, load, leak or busy.")
    seed: int = _in("A simulation", 0, "Another seed draws other figures.")

    clock: str = field(
        default="", metadata=_told(typer.Option("", hidden=True, help="The start that several recordings share."))
    )


def option(name: str) -> Any:
    """How typer knows an option, for another command that has the same one."""
    return next(f.metadata["typer"] for f in fields(RecordOptions) if f.name == name)


def with_options(command: Callable[[RecordOptions], int]) -> Callable[..., int]:
    """The command as typer takes it: a parameter for each option."""

    def called(**words: Any) -> int:
        return command(RecordOptions(**words))

    hints = get_type_hints(RecordOptions)
    by_name = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(f.name, by_name, default=f.metadata["typer"], annotation=hints[f.name])
        for f in fields(RecordOptions)
    ]
    called.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
    called.__annotations__ = {**hints, "return": int}
    called.__doc__, called.__name__ = command.__doc__, command.__name__
    return called
