"""The options of ``ucpmon record``, as the command line and ``--help`` know them."""

from __future__ import annotations

from typing import Any

import typer


def _in(panel: str, default: Any, text: str, *names: str, metavar: str | None = None) -> Any:
    """An option in one of the boxes of ``--help``; a default that says nothing is not shown."""
    shown = default not in ("", None, [], False)
    return typer.Option(default, *names, help=text, metavar=metavar, show_default=shown, rich_help_panel=panel or None)


WORKLOAD = typer.Argument(
    None, metavar="[-- WORKLOAD…]", help="A program to run meanwhile; its exit code is passed on.", show_default=False
)
DURATION = _in("", None, "How long: 60, 90s, 5m, 1h30m. Without it, until Ctrl-C.")
COUNT = _in("", None, "End after so many screens.")
DRY_RUN = _in("", False, "Show the command line that would be run, and end.", "--dry-run")

_MONITOR = "The monitor"
INTERVAL = _in(_MONITOR, "1000", "Time between screens: 100..10000 ms; 500ms, 2s.")
FREQ = _in(_MONITOR, 500, "Samples a second of BPU and DSP: 10..1000 Hz.")
ENABLE = _in(_MONITOR, "", "IPs to show, such as bpu,dsp. Default: all.")
BATCH = _in(_MONITOR, False, "Record its batch mode (-b), not its screen.", "--batch")
MONITOR = _in(_MONITOR, "", "Its program. Default: PATH, then /usr/hobot/bin.")
ROWS = _in(_MONITOR, 200, "Rows of its terminal.")
COLS = _in(_MONITOR, 200, "Columns of its terminal.")
RESTART = _in(_MONITOR, False, "Start it anew when it freezes or dies.", "--restart")
SUDO = _in(_MONITOR, False, "Run it by sudo, without a password.", "--sudo")

_HEAPS = "Exact memory"
HEAPS = _in(_HEAPS, False, "Also read the ION debug files, into run.heaps.csv.", "--heaps")
HEAPS_INTERVAL = _in(_HEAPS, "1s", "Time between two readings.")
HEAPS_DIR = _in(_HEAPS, "/sys/kernel/debug/ion/heaps", "Where they are.")

_FILES = "The run's files"
OUTPUT = _in(_FILES, None, "The CSV file. Default: run.csv, then run-2.csv…", "-o", "--output")
FORCE = _in(_FILES, False, "Overwrite an existing run.", "--force")
LABEL = _in(_FILES, [], "Something to keep in run.json; may be repeated.", metavar="KEY=VALUE")
COMPRESS = _in(_FILES, False, "Keep the raw stream as run.cast.gz.", "--compress")
NO_CAPTURE = _in(_FILES, False, "Keep no raw stream.", "--no-capture")

_REMOTE = "Another machine"
HOST = _in(_REMOTE, [], "Record there, over ssh; repeat for several at once.", metavar="USER@BOARD")
PORT = _in(_REMOTE, None, "The ssh server's port.")
IDENTITY = _in(_REMOTE, None, "A private key to log in with.")
SSH_OPTION = _in(_REMOTE, [], "An option of ssh_config; may be repeated.", metavar="KEY=VALUE")
RECONNECT = _in(_REMOTE, None, "Go on after a lost link. Default: when longer than 10 minutes.")

_WORKLOAD = "A workload"
BEFORE = _in(_WORKLOAD, "5s", "Baseline before it.")
AFTER = _in(_WORKLOAD, "5s", "Time after it.")
MARK_REGEX = _in(_WORKLOAD, [], "Mark the lines it prints that match; may be repeated.", metavar="REGEX")

_SIMULATION = "A simulation"
SIMULATE = _in(_SIMULATION, False, "Record a stand-in with invented figures.", "--simulate")
PROFILE = _in(_SIMULATION, "s100", "Its board: s100, s600 or j6p.")
SCENARIO = _in(_SIMULATION, "load", "What happens on it: idle, load, leak or busy.")
SEED = _in(_SIMULATION, 0, "Another seed draws other figures.")

CLOCK = typer.Option("", hidden=True, help="The start that several recordings share.")
