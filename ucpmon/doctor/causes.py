"""The likely causes of a capture that gives little, each with what to do. Told by the words at its beginning."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ucpmon.screens.pipeline import Counts
from ucpmon.text import without_escapes

_BATCH = "redirect the monitor with -b (hrt_ucp_monitor -b > log), or record its screen with ucpmon record"


@dataclass(frozen=True)
class Cause:
    """``what`` the capture most probably is or lacks, and the ``remedy``."""

    what: str
    remedy: str


# In order: the first that matches is told. Words of other tools come before what any log can hold.
_BY_WORDS = (
    (
        r"timestamp,\s*read_\w+/s|^\s*(?:ddr )?read\s*:.*\n.*^\s*(?:ddr )?write\s*:.*MB/s|hrut_ddr",
        "a log of hrut_ddr, the DDR bandwidth tool",
        "set it beside a run: ucpmon plot RUN --ddr FILE",
    ),
    (
        r"temperature\s*-+>|bpu status information|cpu frequency\s*-+>|hrut_somstatus",
        "a log of hrut_somstatus, which shows temperatures and clocks",
        "capture hrt_ucp_monitor instead: somstatus has no memory in it",
    ),
    (
        r"^top - \d\d:\d\d|%Cpu\(s\):|load average:.*\n.*tasks:|^\s*PID\s+USER\s+PR\s+NI\b",
        "a log of top, which knows no BPU and no reserved memory",
        "capture hrt_ucp_monitor instead",
    ),
    (
        r"the heap id is \d|heap total size|allocations \(info is from last known client\)",
        "a dump of an ION debug file: exact memory, and no screen of the monitor",
        "read it with ucpmon heaps FILE",
    ),
    (
        r"usage: hrt_ucp_monitor|\[option\]\s+\[(?:instruction|parameter)\]",
        "the help text of the monitor: it did not start, most likely for an option that it does not know",
        "look at the options it was given",
    ),
    (
        r"\w+ is invalid",
        "a message of the monitor that refuses an option (-e names an IP that it does not know)",
        "leave -e out, or name one of those in hrt_ucp_monitor -h",
    ),
    (
        r"open failed!|open .*ddr_perf",
        "the monitor could not open the DDR counters, which hrut_ddr or a second monitor was using",
        "stop the other program and record again",
    ),
    (
        r"command not found|no such file or directory|not found\s*$|exec format error",
        "the message of a shell: the monitor was not found or is not for this machine",
        "give its path, most often /usr/hobot/bin/hrt_ucp_monitor",
    ),
    (
        r"permission denied|operation not permitted|must be run as root",
        "a refusal: the monitor needs root",
        "run it as root, or with sudo",
    ),
    (
        r"error opening terminal|TERM environment variable not set|unknown terminal",
        "the message of a program that found no terminal",
        _BATCH,
    ),
    (r"^screen,time,elapsed_s,", "a run's table", "it is a run already: ucpmon plot FILE"),
    (
        r"frame totally count|running condition|perf result",
        "a log of hrt_model_exec, which runs models",
        "capture hrt_ucp_monitor while it runs",
    ),
)  # fmt: skip
_PATTERNS = [(re.compile(words, re.IGNORECASE | re.MULTILINE), Cause(what, do)) for words, what, do in _BY_WORDS]


def likely_causes(head: str, counts: Counts, rows: int | None) -> list[Cause]:
    """What explains that little was understood; nothing where all is well.

    ``head`` is the first text of the stream, escapes and all; ``rows`` the height of its terminal.
    """
    found = []
    if not counts.screens or counts.understood < counts.unknown:
        found.append(_by_words(head) or _by_look(head, counts.screens))
    if counts.clipped:
        found.append(
            Cause(
                f"the terminal was too small ({rows} rows): screens reach its last row, what was below never existed",
                "record in a higher terminal; ucpmon record uses 200 rows",
            )
        )
    return found


def _by_words(head: str) -> Cause | None:
    text = without_escapes(head)
    return next((cause for pattern, cause in _PATTERNS if pattern.search(text)), None)


def _by_look(head: str, screens: int) -> Cause:
    text = without_escapes(head)
    if not any(c.isalnum() for c in text):
        return Cause("the monitor printed nothing: its interactive screen was redirected without -b", _BATCH)
    if "\x1b" in head and not screens and "|" not in text and "│" not in text:
        return Cause("an interactive session of something else; no table is in it", _BATCH)
    if screens:
        return Cause(
            "a layout that is only partly known", "send us a sample of it: ucpmon doctor CAPTURE --anonymize OUT"
        )
    return Cause(
        "nothing in it looks like the monitor's table",
        "if it is the monitor's, send us a sample: ucpmon doctor CAPTURE --anonymize OUT",
    )
