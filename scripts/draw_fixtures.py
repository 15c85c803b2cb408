"""Draws the captures in fixtures/ again, with the real recorders: ``python scripts/draw_fixtures.py [NAME…]``.

Needs asciinema 2.4, script, ts, tmux and screen. The screens are the same every time; the clocks are not.
"""

import gzip
import json
import lzma
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pexpect

ROOT = Path(__file__).parent.parent / "fixtures"
DRAWER = Path(__file__).with_name("drawer.py")
ROWS, COLS = 60, 120
ENV = {**os.environ, "TERM": "linux", "LC_ALL": "C.UTF-8", "TZ": "UTC", "ASCIINEMA_CONFIG_HOME": tempfile.mkdtemp()}


def drawer(mode, layout, board, scenario, frames, seed, out):
    """The shell command that draws; its truth goes beside the capture."""
    return shlex.join([sys.executable, str(DRAWER), mode, layout, board, scenario, str(frames), str(seed), str(out)])


def on_terminal(argv, cwd):
    """Run a recorder on a terminal of a known size."""
    child = pexpect.spawn(argv[0], argv[1:], cwd=str(cwd), env=ENV, dimensions=(ROWS, COLS), timeout=120)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0, (argv, child.before[-500:])


def asciinema(out, command, work):
    on_terminal(["asciinema", "rec", "-q", "--overwrite", "-c", command, str(out)], work)


def script(*options, sessions=1):
    def record(out, command, work):
        for i in range(sessions):
            more = ["-a"] if i else []
            timing = ["-T", f"{work}/t{i}"] if "-T" in options else []
            extra = [o for o in options if o != "-T"]
            on_terminal(["script", "-q", *more, *extra, *timing, "-c", command, str(out)], work)
            if sessions > 1:
                join_truth(out, i)
        if "-T" in options:
            timings = (Path(work, f"t{i}").read_bytes() for i in range(sessions))
            out.with_suffix(".timing").write_bytes(b"".join(timings))

    return record


def join_truth(out, session):
    """Appended sessions draw into one truth."""
    path, kept = out.with_suffix(".json"), out.with_suffix(".kept")
    if session:
        spec, before = json.loads(path.read_text()), json.loads(kept.read_text())
        # The header tells when the next session began by the second only: its draw times prove nothing.
        spec["frames"] = before["frames"] + [{k: v for k, v in f.items() if k != "t"} for f in spec["frames"]]
        path.write_text(json.dumps(spec, ensure_ascii=False, indent=0) + "\n")
        kept.unlink()
    else:
        shutil.copy(path, kept)


def ts(*options):
    def record(out, command, work):
        with out.open("wb") as file:
            left = subprocess.Popen(command, shell=True, stdout=subprocess.PIPE, env=ENV, cwd=work)
            subprocess.run(["ts", *options], stdin=left.stdout, stdout=file, env=ENV, check=True)
            assert left.wait() == 0

    return record


def tmux(out, command, work):
    name = f"fixtures{os.getpid()}"
    argv = ["tmux", "-f", "/dev/null", "-L", name]
    waiting = f"sleep 1; exec {command}"
    subprocess.run(
        [*argv, "new-session", "-d", "-s", name, "-x", str(COLS), "-y", str(ROWS), waiting], env=ENV, check=True
    )
    subprocess.run([*argv, "pipe-pane", "-t", name, f"cat > {shlex.quote(str(out))}"], env=ENV, check=True)
    while subprocess.run([*argv, "has-session", "-t", name], env=ENV, stderr=subprocess.DEVNULL).returncode == 0:
        time.sleep(0.2)


def screen(out, command, work):
    name = f"fixtures{os.getpid()}"
    argv = ["screen", "-c", "/dev/null", "-S", name, "-d", "-m", "-L", "-Logfile", str(out), "sh", "-c", command]
    subprocess.run(argv, env=ENV, check=True, cwd=work)
    while name in subprocess.run(["screen", "-ls"], env=ENV, capture_output=True, text=True).stdout:
        time.sleep(0.2)


def edit(out, change):
    path = out.with_name(out.name.partition(".")[0] + ".json")
    spec = json.loads(path.read_text())
    change(spec)
    path.write_text(json.dumps(spec, ensure_ascii=False, indent=0) + "\n")


RECORDED = {
    # folder/name: (recorder, mode, layout, board, scenario, frames, has a clock)
    "asciinema/home--j6p-load.cast": (asciinema, "home", "boxed", "j6p", "load", 12, True),
    "asciinema/fields--s100-odd-names.cast": (asciinema, "fields", "boxed", "s100", "odd", 12, True),
    "asciinema/batch--s600-load.cast": (asciinema, "batch", "fifty", "s600", "load", 6, True),
    "asciinema/curses--j6p-load.cast": (asciinema, "curses", "fifty", "j6p", "load", 12, True),
    "script/curses--s100-classic.typescript": (script("-T"), "curses", "fifty", "s100", "load", 12, True),
    "script/alt--s600-advanced.typescript": (script("-m", "advanced", "-T"), "alt", "boxed", "s600", "odd", 9, True),
    "script/clear--s100-appended.typescript": (script(sessions=2), "clear", "fifty", "s100", "load", 6, False),
    "script/home--s100-appended-timed.typescript": (script("-T", sessions=2), "home", "boxed", "s100", "load", 6, True),
    "ts/batch--s100-syslog.log": (ts(), "batch", "fifty", "s100", "load", 6, False),
    "ts/batch--s100-iso-zone.log": (ts("[%Y-%m-%d %H:%M:%.S%z]"), "batch", "boxed", "s100", "odd", 5, True),
    "ts/batch--j6p-epoch.log": (ts("%s"), "batch", "fifty", "j6p", "load", 6, False),
    "ts/batch--j6p-epoch-fraction.log": (ts("%.s"), "batch", "boxed", "j6p", "load", 6, True),
    "ts/batch--s100-since-start.log": (ts("-s", "%H:%M:%.S"), "batch", "fifty", "s100", "load", 6, True),
    "ts/batch--s100-since-start-seconds.log": (ts("-s", "%.s"), "batch", "fifty", "s100", "load", 6, True),
    "ts/batch--s100-steps.log": (ts("-i", "%.s"), "batch", "boxed", "s100", "load", 6, True),
    "ts/batch--s100-steps-clock.log": (ts("-i", "-m", "%H:%M:%.S"), "batch", "fifty", "s100", "load", 6, True),
    "ts/clear--s100-time-of-day.log": (ts("%.T"), "clear", "fifty", "s100", "load", 6, True),
    "ts/fields--s100-one-stamp.log": (ts("%FT%.T"), "fields", "fifty", "s100", "load", 6, False),
    "tmux/home--s600-odd.log": (tmux, "home", "boxed", "s600", "odd", 8, False),
    "tmux/fields--j6p-load.log": (tmux, "fields", "fifty", "j6p", "load", 8, False),
    "screen/clear--j6p-load.log": (screen, "clear", "boxed", "j6p", "load", 8, False),
}


def record(name, recorder, mode, layout, board, scenario, frames, clock):
    out = ROOT / name
    out.parent.mkdir(exist_ok=True)
    out.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as work:
        seed = sum(name.encode())
        recorder(out, drawer(mode, layout, board, scenario, frames, seed, out.with_suffix(".json")), work)
    if not clock:
        edit(out, lambda spec: spec.update(clock=False, **({"last_unproven": True} if mode == "fields" else {})))
    # The header names the command: let it be the monitor's, not this machine's path of a stand-in.
    hide_command(out)


def hide_command(out):
    data = out.read_bytes()
    if out.parent.name == "script":
        first = data.partition(b'COMMAND="')[2].partition(b'" TERM=')[0]
        out.write_bytes(data.replace(first, b"hrt_ucp_monitor -d 120"))
        timing = out.with_suffix(".timing")
        if timing.exists():
            lines = timing.read_bytes().splitlines(keepends=True)
            keep = (b"COMMAND", b"_LOG", b"SHELL")
            timing.write_bytes(b"".join(x for x in lines if not any(k in x for k in keep) or not x.startswith(b"H")))


def converted():
    """Formats of other versions, and packed ones, from what was recorded."""
    origin = ROOT / "asciinema/clear--s100-load.cast"
    header, *events = map(json.loads, origin.read_text().splitlines())
    deltas = [(round(b[0] - a[0], 6), b) for a, b in zip([[0.0], *events], events, strict=False)]
    v1 = {**header, "version": 1, "stdout": [[d, e[2]] for d, e in deltas]}
    v3 = {"version": 3, "term": {"cols": header["width"], "rows": header["height"]}, "timestamp": header["timestamp"]}
    v3_lines = [v3, *([d, *e[1:]] for d, e in deltas), [0.25, "x", "0"]]
    return {
        "converted/clear--s100-v1.cast": (json.dumps(v1, indent=2).encode(), origin),
        "converted/clear--s100-v3.cast": ("".join(json.dumps(x) + "\n" for x in v3_lines).encode(), origin),
        "converted/clear--s100-gz.cast.gz": (gzip.compress(origin.read_bytes(), mtime=0), origin),
        "converted/batch--cut-xz.log.xz": packed(lzma.compress, "batch/batch--cut-s100.log"),
        "converted/batch--s100-utf16.log": packed(utf16, "batch/batch--box50-s100-load.log"),
        "converted/home--s600-zst.typescript.zst": packed(zstd, "script/home--s600-load.typescript"),
    }


def packed(how, name):
    return how((ROOT / name).read_bytes()), ROOT / name


def utf16(data):
    """What a redirection in Windows PowerShell 5 makes of text."""
    return data.decode().replace("\n", "\r\n").encode("utf-16")


def zstd(data):
    return subprocess.run(["zstd", "-q", "-19"], input=data, capture_output=True, check=True).stdout


def convert(name, data, origin):
    out = ROOT / name
    out.parent.mkdir(exist_ok=True)
    out.write_bytes(data)
    stem = out.with_name(out.name.partition(".")[0])
    shutil.copy(origin.with_suffix(".json"), f"{stem}.json")
    if origin.with_suffix(".timing").exists():
        shutil.copy(origin.with_suffix(".timing"), f"{stem}.timing")


def main(wanted):
    for name, row in RECORDED.items():
        if not wanted or name in wanted:
            print(name)
            record(name, *row)
    for name, (data, origin) in converted().items():
        if not wanted or name in wanted:
            print(name)
            convert(name, data, origin)


if __name__ == "__main__":
    main(sys.argv[1:])
