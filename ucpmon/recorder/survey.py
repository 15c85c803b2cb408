"""What a machine and its monitor say of themselves, asked once before a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ucpmon.errors import StartError
from ucpmon.monitor.commands import capture
from ucpmon.monitor.link import Link
from ucpmon.monitor.options import PROGRAM, VENDOR_DIR, is_simulator, separator_of

HELP_TIMEOUT_S = 3.0
_TIMEOUT_S = 20.0
# One short shell script, so that another host is asked in one go. Each answer begins with a line `@@name`.
_SCRIPT = """\
say() { echo "@@$1"; shift; "$@" 2>/dev/null </dev/null; }
say host uname -n
say uname uname -srvm
say os cat /etc/os-release
for f in /proc/device-tree/model /etc/version /sys/class/socinfo/*_name /sys/class/socinfo/board_id; do
  [ -r "$f" ] && say "$f" head -c 400 "$f"
done
PATH=$PATH:$3
program=$(command -v -- "$2") && [ -f "$program" ] && [ -x "$program" ] && say program echo "$program"
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
    """The answers. ``program`` is the monitor's command with its full path.

    ``board`` maps a question to its answer; ``help_text`` is the monitor's, empty where it has none;
    ``running`` are the process ids of monitors that run there already.
    """

    program: tuple[str, ...]
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
    """Ask a machine about itself and ``program`` for its help; what it does not say is left out.

    Raises StartError where the machine cannot be reached, or has no such program.
    """
    answers = _ask(link, program[0])
    path = answers.pop("program", "")
    if not path:
        where = f"on {link.name}'s PATH, nor in {VENDOR_DIR} there" if link.name else "to be found"
        raise StartError(f"{program[0]} is not {where}", "name it with --monitor PATH; it must be executable")
    command = (path, *program[1:])
    host = answers.pop("host", "")
    running = tuple(int(pid) for pid in answers.pop("running", "").split() if pid.isdecimal())
    return Survey(command, host, answers, _help(link, command), running)


def _ask(link: Link, program: str) -> dict[str, str]:
    try:
        asked = capture(link, ["sh", "-c", _SCRIPT, "ucpmon", PROGRAM, program, VENDOR_DIR], _TIMEOUT_S)
    except OSError as error:
        raise StartError(f"{error.filename} cannot be started: {error.strerror}", "install it") from error
    text = asked.output.decode("utf-8", "replace")
    failure = link.failure(asked.status, text)
    if asked.status is None:
        failure = f"{link.name or 'this machine'} does not answer", "is it busy, or the link slow?"
    if failure:
        raise StartError(*failure)
    return _answers(text)


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
