"""A real ssh server on the loopback: another machine, as far as ucpmon can see."""

import os
import random
import signal
import socket
import subprocess
from pathlib import Path

from support.require import require
from support.simulation import wait_for


class Server:
    """An sshd of our own, with its keys; ``options`` are what ``ucpmon record`` needs to log in there."""

    def __init__(self, folder):
        self.folder = folder
        self.port = _free_port()
        (folder / "bin").mkdir()
        for name in ("host_key", "client_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
        (folder / "authorized_keys").write_bytes((folder / "client_key.pub").read_bytes())
        host_key = (folder / "host_key.pub").read_text().split()
        (folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {host_key[0]} {host_key[1]}\n")
        (folder / "config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {folder}/host_key\nPidFile none\n"
            f"AuthorizedKeysFile {folder}/authorized_keys\nStrictModes no\nUsePAM no\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n"
            f"MaxStartups 50\nSetEnv PATH={folder}/bin:/usr/local/bin:/usr/bin:/bin\n"
        )
        self.start()

    def start(self):
        program = require("sshd")
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [program, "-D", "-e", "-f", self.folder / "config"], stderr=(self.folder / "log").open("a")
        )
        assert wait_for(self._listens)

    def _listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self):
        """End the server and every session of it, as a board that loses power."""
        for pid in self.sessions():
            os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()

    def freeze(self):
        """The server and its sessions answer no more, but the connections stay."""
        for pid in [self.process.pid, *self.sessions()]:
            os.kill(pid, signal.SIGSTOP)

    def thaw(self):
        for pid in [self.process.pid, *self.sessions()]:
            os.kill(pid, signal.SIGCONT)

    def close(self):
        if self.process.poll() is None:
            self.thaw()
            self.stop()

    def sessions(self):
        """The server's processes that hold connections."""
        return [pid for pid in _descendants(self.process.pid) if _name(pid).startswith("sshd")]

    @property
    def options(self):
        return [
            "--host", f"{_user()}@127.0.0.1", "--port", self.port, "--identity", self.folder / "client_key",
            "--ssh-option", f"UserKnownHostsFile={self.folder}/known_hosts", "--ssh-option", "IdentitiesOnly=yes",
        ]  # fmt: skip


def _free_port():
    """A free port out of a hundred that are this test process's own, and that the kernel gives to nobody unasked."""
    first = 20_000 + 100 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw99")[2:])
    return next(port for port in random.sample(range(first, first + 100), 100) if _is_free(port))


def _is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _user():
    return subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()


def _stat(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _name(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _descendants(pid):
    parents = {int(p.name): int(s[1]) for p in Path("/proc").glob("[0-9]*") if (s := _stat(p.name))}
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found - {pid})
