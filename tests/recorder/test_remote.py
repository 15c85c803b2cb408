"""Recording over a real ssh server: every failure in its own words, lost links, and nothing left over there."""

import json
import os
import re
import shlex
import socket

import pytest
from support.recording import check_replay, finished, info, record, table, ucpmon
from support.simulation import alive, drawn, program, wait_for

from ucpmon.errors import UsageError
from ucpmon.monitor.ssh import Ssh


def lines(folder):
    return len(drawn(folder / "log")) if (folder / "log").exists() else 0


def with_option(options, name, value):
    """The options with another value for one of them."""
    options = list(options)
    options[options.index(name) + 1] = value
    return options


def test_a_remote_recording_is_like_a_local_one(tmp_path, server):
    code, said = finished(record(tmp_path, *server.options, "--duration", 2, simulator=["--scenario", "busy"]))
    assert (code, "duration reached" in said) == (0, True)
    assert "127.0.0.1 to run.csv" in said
    rows = table(tmp_path / "run.csv")
    assert len(rows) >= 10
    assert [float(r["bpu0_load_pct"]) for r in rows] == [
        d["values"]["bpu0_load_pct"] for d in drawn(tmp_path / "log")[: len(rows)]
    ]
    about = info(tmp_path)
    assert about["host"].endswith("@127.0.0.1")
    assert about["monitor"]["help"].startswith("Usage: hrt_ucp_monitor")
    assert about["monitor"]["exit_status"] == 0
    assert about["board"]["uname"].startswith("Linux")
    assert not alive(drawn(tmp_path / "log")[0]["pid"])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("--port", 1), "refuses the connection: is its ssh server running? --port"),
        (("--host", "no-such-host.invalid"), "no such host is known: check the name"),
        (("--ssh-option", "UserKnownHostsFile=/dev/null"), "is not known here: connect once by hand"),
        (("--ssh-option", "IdentityFile=none"), "does not let us in: install your key there"),
        (("--monitor", "no_such_monitor"), "no_such_monitor is not on"),
        (("--ssh-option", "NoSuchOption=1"), "ssh does not know an option"),
    ],
)
def test_each_failure_of_the_link_has_its_own_message(tmp_path, server, change, says):
    options = ["--monitor", "hrt_ucp_monitor", *server.options]
    if change == ("--ssh-option", "IdentityFile=none"):
        (server.folder / "authorized_keys").write_text("")
    else:
        options = with_option(options, *change)
    code, _, said = ucpmon("record", *options, "--duration", 1, cwd=tmp_path)
    assert code == 3
    assert says in said
    assert said.count("\n") == 1
    assert not (tmp_path / "run.csv").exists()


def test_another_host_key_is_a_warning_of_its_own(tmp_path, server):
    other = (server.folder / "client_key.pub").read_text().split()
    (server.folder / "known_hosts").write_text(f"[127.0.0.1]:{server.port} {other[0]} {other[1]}\n")
    code, _, said = ucpmon("record", *server.options, "--duration", 1, cwd=tmp_path)
    assert code == 3
    assert "shows another host key than before: if the board was set up anew: ssh-keygen -R" in said


def test_a_remote_death_by_signal_is_told_from_a_lost_link(tmp_path, server):
    code, said = finished(
        record(tmp_path, *server.options, "--duration", 20, simulator=["--scenario", "busy", "--fault", "crash@1"])
    )
    assert code == 5
    assert "was killed by SIGSEGV" in info(tmp_path)["ended"]
    assert info(tmp_path)["monitor"]["exit_status"] == -11
    assert "the monitor on" in said
    assert len(table(tmp_path / "run.csv")) >= 5


def test_a_lost_link_ends_the_recording_with_what_it_has(tmp_path, server):
    process = record(tmp_path, *server.options, "--duration", 60, simulator=["--scenario", "busy"])
    assert wait_for(lambda: lines(tmp_path) > 5)
    pid = drawn(tmp_path / "log")[0]["pid"]
    server.stop()
    code, said = finished(process)
    assert code == 5
    assert "closed the connection" in said
    assert len(table(tmp_path / "run.csv")) >= 4
    assert wait_for(lambda: not alive(pid))


def test_nothing_is_left_over_there_after_sigkill(tmp_path, server):
    process = record(tmp_path, *server.options, simulator=["--scenario", "busy", "--ignore", "q,int,hup,term"])
    assert wait_for(lambda: lines(tmp_path) > 9)
    process.kill()
    process.communicate()
    assert wait_for(lambda: not alive(drawn(tmp_path / "log")[0]["pid"]), 20)
    assert len(table(tmp_path / "run.csv")) >= 2


def test_a_frozen_link_is_noticed_and_the_recording_goes_on_when_it_is_back(tmp_path, server):
    # Ours are 3 s, three times: a user's options of ssh come before them.
    keepalive = ["--ssh-option", "ServerAliveInterval=1", "--ssh-option", "ServerAliveCountMax=2"]
    process = record(
        tmp_path, *server.options, *keepalive, "--reconnect", "--duration", 8, simulator=["--scenario", "busy"]
    )  # fmt: skip
    assert wait_for(lambda: lines(tmp_path) > 5)
    first = drawn(tmp_path / "log")[0]["pid"]
    server.freeze()
    assert wait_for(lambda: "trying to reconnect" in json.dumps(info(tmp_path)["warnings"]), 15)
    server.thaw()
    code, said = finished(process, 30)
    assert code == 0, said
    about = info(tmp_path)
    [gap] = about["quality"]["gaps"]
    assert 2 < gap[1] - gap[0] < 8
    rows = [float(r["elapsed_s"]) for r in table(tmp_path / "run.csv")]
    assert [t for t in rows if gap[0] < t < gap[1]] == []
    assert rows[-1] > gap[1]
    pids = {d["pid"] for d in drawn(tmp_path / "log")}
    assert len(pids) == 2
    check_replay(tmp_path)
    assert wait_for(lambda: not any(map(alive, pids)))
    assert first in pids


def test_a_server_that_comes_back_is_used_again(tmp_path, server):
    process = record(tmp_path, *server.options, "--reconnect", "--duration", 6, simulator=["--scenario", "busy"])
    assert wait_for(lambda: lines(tmp_path) > 5)
    server.stop()
    assert wait_for(lambda: any("trying to reconnect" in w for w in info(tmp_path)["warnings"]), 5)
    server.start()
    code, said = finished(process, 30)
    assert code == 0, said
    about = info(tmp_path)
    assert len(about["quality"]["gaps"]) == 1
    assert float(table(tmp_path / "run.csv")[-1]["elapsed_s"]) > about["quality"]["gaps"][0][1] + 1
    check_replay(tmp_path)


def test_a_machine_that_never_answers_is_given_up(tmp_path, server):
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        options = with_option(server.options, "--port", deaf.getsockname()[1])
        code, _, said = ucpmon("record", *options, "--ssh-option", "ConnectTimeout=1", cwd=tmp_path)
    assert code == 3
    assert "does not answer: is it switched on" in said


SUDO = """#!/bin/sh
[ "$1 $2" = "-n --" ] || exit 99
shift 2; echo "$@" >>{folder}/asked; {does}
"""


def fake_sudo(folder, does):
    """A sudo that works without being root, or refuses."""
    folder.mkdir(exist_ok=True)
    path = folder / "sudo"
    path.write_text(SUDO.format(folder=folder, does=does))
    path.chmod(0o755)
    return folder


@pytest.mark.parametrize("remote", [False, True])
def test_the_monitor_runs_by_sudo_where_that_is_asked(tmp_path, server, remote):
    folder = fake_sudo(server.folder / "bin", 'exec "$@"')
    options = server.options if remote else []
    path = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    code, said = finished(
        record(tmp_path, *options, "--sudo", "--count", 3, simulator=["--scenario", "busy"], env=path)
    )
    assert code == 0, said
    assert f"{tmp_path}/stand-in -f 500" in (folder / "asked").read_text().replace("\n", " ")
    assert wait_for(lambda: not alive(drawn(tmp_path / "log")[0]["pid"]))


@pytest.mark.parametrize("remote", [False, True])
def test_a_sudo_that_wants_a_password_is_explained(tmp_path, server, remote):
    folder = fake_sudo(server.folder / "bin", "echo 'sudo: a password is required' >&2; exit 1")
    monitor = program(tmp_path / "hrt_ucp_monitor")
    options = server.options if remote else []
    code, _, said = ucpmon(
        "record", *options, "--monitor", monitor, "--sudo", cwd=tmp_path, env={"PATH": f"{folder}:{os.environ['PATH']}"}
    )
    assert code == 3
    assert "(sudo: a password is required): allow the login NOPASSWD" in said


@pytest.mark.parametrize("host", ["-oProxyCommand=x", "a b", "a;b", "user@-oX", "$(id)", "", "a\nb"])
def test_a_host_is_never_an_option_or_shell_code(host):
    with pytest.raises(UsageError, match="is no host"):
        Ssh(host)


@pytest.mark.parametrize("option", ["-oX=y", "X", "=y", "A B=c", "X=a\nb"])
def test_an_ssh_option_is_never_something_else(option):
    with pytest.raises(UsageError, match="is no option of ssh"):
        Ssh("board", options=(option,))


@pytest.mark.parametrize("host", ["board", "root@192.168.1.10", "a.b-c_d", "root@[fe80::1%eth0]", "fe80::1"])
def test_real_hosts_are_taken(host):
    assert Ssh(host).plain(["true"])[-2] == host


def test_the_link_is_watched_every_three_seconds():
    assert {"-oServerAliveInterval=3", "-oServerAliveCountMax=3", "-oBatchMode=yes"} <= set(Ssh("board").plain(["x"]))


def test_the_remote_command_is_quoted_as_a_whole(server, tmp_path):
    odd = tmp_path / "a monitor; touch here $(touch there)"
    program(odd, "--log", tmp_path / "log")
    code, _, said = ucpmon(
        "record", *server.options, "--monitor", odd, "--interval", 100, "--count", 2, "-o", "r.csv", cwd=tmp_path
    )
    assert code == 0, said
    assert shlex.split(info(tmp_path, "r")["monitor"]["argv"][0].replace(" ", "_"))
    assert not (tmp_path / "here").exists()
    assert not (tmp_path / "there").exists()


def test_a_monitor_that_outlives_the_link_is_found_and_ended(tmp_path, server):
    process = record(tmp_path, *server.options, simulator=["--scenario", "busy", "--ignore", "q,int,hup,term"])
    assert wait_for(lambda: lines(tmp_path) > 3)
    pid = drawn(tmp_path / "log")[0]["pid"]
    process.terminate()
    code, said = finished(process)
    assert code == 143
    assert re.search(rf"what was left on \S+ was ended \(process .*\b{pid}\b", said)
    assert wait_for(lambda: not alive(pid), 3)
