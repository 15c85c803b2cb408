"""Another machine, over the system's ssh: its configuration, jump hosts and agents work as in the user's own."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ucpmon.errors import UsageError
from ucpmon.monitor.link import EXPORT, GUARD, exported, sudo_failure

LINK_FAILED = 255
"""The exit status of ssh itself."""
KEEPALIVE_S, KEEPALIVES = 3, 3

# A name that ssh could take for an option, or that a ProxyCommand of the user's could hand to a shell, is refused.
_HOST = re.compile(r"(?:[A-Za-z0-9_][\w.+-]*@)?(?:[A-Za-z0-9_][A-Za-z0-9_.:%-]*|\[[0-9A-Fa-f:.%\w]+\])")
_OPTION = re.compile(r"[A-Za-z]+=[^\x00-\x1f\x7f]*")
# The program stays a child of the shell here: a death by signal N then is the exit status 128+N, and not the 255 that
# ssh makes of it, which also says that the link failed.
_PROGRAM = f"{GUARD}{EXPORT}export UCPMON_MARK={{mark}}\ntrap : INT\n" + '"$@"'
_ELEVATED = 'script=$1; shift; exec sudo -n -- sh -c "$script" ucpmon "$PPID" "$@"'

# What we started carries our mark in its environment, whatever became of the link it was started over. The guard was
# there before the mark.
_SWEEP = """\
for s in TERM TERM KILL; do
  found=$(grep -ls UCPMON_MARK={mark} /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3)
  [ -n "$found" ] || break
  echo $found; kill -s $s $found 2>/dev/null; sleep 1
done"""


@dataclass(frozen=True)
class Ssh:
    """A login on another machine. ``options`` are ssh's own, as K=V. ``mark`` names what we start there.

    Raises UsageError for a host or an option that is none, and for a key file that is not there.
    """

    name: str
    port: int | None = None
    identity: Path | None = None
    options: tuple[str, ...] = ()
    sudo: bool = False
    mark: str = ""

    def __post_init__(self) -> None:
        if not _HOST.fullmatch(self.name):
            raise UsageError(f"--host {self.name!r} is no host", "write HOST or USER@HOST, or a name of ~/.ssh/config")
        if self.port is not None and not 1 <= self.port <= 65535:
            raise UsageError(f"--port {self.port} is out of range", "a port is 1 to 65535")
        if self.identity is not None and not self.identity.is_file():
            raise UsageError(f"--identity {self.identity}: there is no such file", "name a private key")
        for option in self.options:
            if not _OPTION.fullmatch(option):
                raise UsageError(
                    f"--ssh-option {option!r} is no option of ssh", "write KEY=VALUE, as ProxyJump=gateway"
                )

    def on_terminal(self, argv: Sequence[str], sweep: bool = False) -> list[str]:
        script = (f"{_SWEEP} >/dev/null\n" if sweep else "") + _PROGRAM
        return self._client("-tt", self._remote(script.replace("{mark}", shlex.quote(self.mark)), list(argv)))

    def sweep(self) -> list[str]:
        """The argv that ends over there whatever carries our mark, and prints the ids of what it found."""
        return ["sh", "-c", _SWEEP.replace("{mark}", shlex.quote(self.mark))]

    def plain(self, argv: Sequence[str]) -> list[str]:
        return self._client("-T", [*(["sudo", "-n", "--"] if self.sudo else []), *exported(argv)])

    def failure(self, status: int | None, output: str) -> tuple[str, str] | None:
        if self.sudo and (found := sudo_failure(output, self.name)):
            return found
        return _explain(self.name, output) if status == LINK_FAILED else None

    def _remote(self, script: str, words: list[str]) -> list[str]:
        if self.sudo:
            return ["sh", "-c", _ELEVATED, "ucpmon", script, *words]
        return ["sh", "-c", script, "ucpmon", "", *words]

    def _client(self, terminal: str, remote: list[str]) -> list[str]:
        port = ["-p", str(self.port)] if self.port else []
        identity = ["-i", str(self.identity)] if self.identity else []
        # ssh takes the first value it is given: these must hold, what the user says comes next, then our wishes.
        fixed = ["BatchMode=yes", "EscapeChar=none", "RemoteCommand=none"]
        wishes = [f"ServerAliveInterval={KEEPALIVE_S}", f"ServerAliveCountMax={KEEPALIVES}"]
        wishes += ["ConnectTimeout=5", "LogLevel=ERROR"]
        options = [f"-o{option}" for option in (*fixed, *self.options, *wishes)]
        # ssh joins its words for a shell over there: it gets one, quoted as a whole.
        return ["ssh", terminal, *options, *port, *identity, "--", self.name, "exec " + shlex.join(remote)]


_FAILURES = (
    ("REMOTE HOST IDENTIFICATION HAS CHANGED", "{host} shows another host key than before",
     "if the board was set up anew: ssh-keygen -R its name, then connect once by hand"),
    ("Host key verification failed", "the host key of {host} is not known here",
     "connect once by hand (ssh {host}) and accept it"),
    ("Permission denied", "{host} does not let us in",
     "install your key there (ssh-copy-id {host}), or name it with --identity"),
    ("Could not resolve hostname", "{host}: no such host is known", "check the name, or add it to ~/.ssh/config"),
    ("Connection refused", "{host} refuses the connection", "is its ssh server running? --port names another port"),
    ("timed out", "{host} does not answer", "is it switched on, and on this network?"),
    ("No route to host", "there is no way to {host}", "is it switched on, and on this network?"),
    ("Network is unreachable", "there is no way to {host}", "is this machine on a network?"),
    ("Bad configuration option", "ssh does not know an option ({said})", "see man ssh_config"),
    ("not responding", "the link to {host} was lost", "is it still switched on, and on this network?"),
    ("closed by remote host", "{host} closed the connection", "was its ssh server restarted?"),
    ("Connection closed", "{host} closed the connection", "is that its ssh server? --port names another port"),
    ("Connection reset", "{host} closed the connection", "was it restarted?"),
    ("Broken pipe", "the link to {host} was lost", "is it still switched on, and on this network?"),
)  # fmt: skip


def _explain(host: str, output: str) -> tuple[str, str]:
    """ssh's own message → what is wrong and what to do."""
    said = [line.strip() for line in output.splitlines() if line.strip()]
    for sign, message, remedy in _FAILURES:
        if sign in output:
            line = next(text for text in said if sign in text)
            return message.format(host=host, said=line), remedy.format(host=host)
    if not said:
        return f"the link to {host} was lost", "is it still switched on, and on this network?"
    return f"ssh to {host} failed ({said[-1]})", f"try ssh {host}"
