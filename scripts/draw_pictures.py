"""Draws the pictures of the READMEs with ucpmon itself, from the recordings in docs/examples.

    draw_pictures.py            docs/examples/*.cast → docs/pictures/*.png
    draw_pictures.py --record   the examples first: a minute each, of the simulated boards, all at once

The report's picture needs chromium. Nothing of the machine that records stays in an example.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).parent.parent / "docs"
EXAMPLES, PICTURES = DOCS / "examples", DOCS / "pictures"
UCPMON = [sys.executable, "-m", "ucpmon"]
RECORDED = {
    "load": ("--profile", "s100", "--scenario", "load", "--seed", "1"),
    "leak": ("--profile", "s100", "--scenario", "leak", "--seed", "3"),
    "busy-monday": ("--profile", "s100", "--scenario", "busy", "--seed", "5"),
    "busy-friday": ("--profile", "s100", "--scenario", "busy", "--seed", "6"),
    "s600": ("--profile", "s600", "--scenario", "load", "--seed", "4"),
}
"""The examples by name: what is simulated."""

DRAWN = {
    "load": ("load.cast",),
    "s600": ("s600.cast", "--style", "dark"),
    "overlay": ("load.cast", "leak.cast", "--series", "bpu*_load_pct,carveout_used_bytes"),
}
"""The pictures by name: the words after ``ucpmon plot``."""
REPORTED = {"report": "load.cast"}
PAGE = "1100,1322"


def record(name, options, folder):
    """Start recording one example; the process."""
    length = ("--interval", "500", "--duration", "60")
    return subprocess.Popen([*UCPMON, "record", "--simulate", *options, *length, "-o", f"{name}.csv"], cwd=folder)


def keep(source, target, name, options):
    """Copy a recording without what its header says of this machine."""
    header, *events = source.read_text(encoding="utf-8").splitlines(keepends=True)
    about = json.loads(header)
    own = about["ucpmon"]
    shown = ["ucpmon", "simulate", *options]
    own["argv"] = ["ucpmon", "record", "--simulate", *options, "-o", f"{name}.csv"]
    own["monitor"] |= {"path": "ucpmon simulate", "argv": shown, "help": ""}
    own |= {"host": "", "board": {}}
    about["command"] = " ".join(shown)
    target.write_text("".join([json.dumps(about, ensure_ascii=False) + "\n", *events]), encoding="utf-8")


def record_all():
    with tempfile.TemporaryDirectory() as folder:
        running = {name: record(name, options, folder) for name, options in RECORDED.items()}
        for name, process in running.items():
            if process.wait():
                sys.exit(f"{name} could not be recorded")
            keep(Path(folder) / f"{name}.cast", EXAMPLES / f"{name}.cast", name, RECORDED[name])


def draw(name, words):
    picture = PICTURES / f"{name}.png"
    subprocess.run([*UCPMON, "plot", *words, "--force", "-o", picture], cwd=EXAMPLES, check=True)
    shrink(picture)


def photograph(name, recording):
    """The top of an HTML report as a browser shows it."""
    picture = PICTURES / f"{name}.png"
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        subprocess.run([*UCPMON, "report", recording, "-o", page], cwd=EXAMPLES, check=True)
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        flags += [f"--user-data-dir={folder}/profile", "--virtual-time-budget=5000", f"--window-size={PAGE}"]
        shot = [f"--screenshot={picture}", page.as_uri()]
        subprocess.run(["chromium", *flags, *shot], check=True, stderr=subprocess.DEVNULL)
    shrink(picture)


def shrink(picture):
    """Charts have few colours: a palette of them is a third of the size."""
    with Image.open(picture) as image:
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(picture, optimize=True)


if __name__ == "__main__":
    EXAMPLES.mkdir(exist_ok=True)
    PICTURES.mkdir(exist_ok=True)
    if "--record" in sys.argv[1:]:
        record_all()
    for name, words in DRAWN.items():
        draw(name, words)
    for name, recording in REPORTED.items():
        photograph(name, recording)
