"""What a machine and its monitor say of themselves, asked once before a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ucpmon.monitor import PROGRAM, is_simulator, separator_of
from ucpmon.transport import Link, capture

HELP_TIMEOUT_S = 3.0
_TIMEOUT_S = 10.0
# One short shell script, so that another host is asked in one go. Each answer begins with a line `@@name`.
_SCRIPT = """\
say() { echo "@@$1"; shift; "$@" 2>/dev/null </dev/null; }
say host uname -n
say uname uname -srvm
say os cat /etc/os-release
for f in /proc/device-tree/model /etc/version /sys/class/socinfo/*_name /sys/class/socinfo/board_id; do
  [ -r "$f" ] && say "$f" head -c 400 "$f"
done
say cpus nproc
say memory head -n 1 /proc/meminfo
say running true
for d in /proc/[0-9]*; do
  read -r name 2>/dev/null <"$d/comm" && [ "$name" = "$1" ] && echo "${d#/proc/}"
done
exit 0
"""


@dataclass(frozen=True)
class Survey:
    """The answers. ``board`` maps a question to its answer; ``help_text`` is the monitor's, empty where it has none.

    ``running`` are the process ids of monitors that run there already.
    """

    host: str = ""
    board: dict[str, str] = field(default_factory=dict)
    help_text: str = ""
    running: tuple[int, ...] = ()

    @property
    def separator(self) -> str | None:
        return separator_of(self.help_text)

    @property
    def simulated(self) -> bool:
        return is_simulator(self.help_text)


def survey(link: Link, program: Sequence[str]) -> Survey:
    """Ask a machine about itself and ``program`` for its help. What it does not say is left out; nothing is raised."""
    asked = capture(link, ["sh", "-c", _SCRIPT, "ucpmon", PROGRAM], _TIMEOUT_S)
    answers = _answers(asked.output.decode("utf-8", "replace"))
    host = answers.pop("host", "")
    running = tuple(int(pid) for pid in answers.pop("running", "").split() if pid.isdecimal())
    return Survey(host, answers, _help(link, program), running)


def _help(link: Link, program: Sequence[str]) -> str:
    shown = capture(link, [*program, "-h"], HELP_TIMEOUT_S).output
    return shown.decode("utf-8", "replace").replace("\r\n", "\n").strip()


def _answers(text: str) -> dict[str, str]:
    answers: dict[str, str] = {}
    for part in text.split("@@")[1:]:
        name, _, answer = part.partition("\n")
        if cleaned := answer.replace("\0", "").strip():
            answers[name] = cleaned
    return answers
