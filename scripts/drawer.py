"""A stand-in that draws known screens and writes down their values: what fixtures/ is recorded from.

It shares no code with ucpmon: a mistake in the one must not hide in the other. Run by draw_fixtures.py:
``drawer.py MODE LAYOUT BOARD SCENARIO FRAMES SEED TRUTH.json``.
"""

import curses
import json
import random
import sys
import time
from pathlib import Path

SCALE = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
DELAY_S = 0.12
BOARDS = {
    "s100": (["BPU0", "DSP0"], {"cma_reserved": 1 << 30, "ion_cma": 512 << 20, "carveout": 512 << 20}),
    "j6p": (
        [f"BPU{i}" for i in range(4)] + ["DSP0", "GDC0", "STITCH", "PYM0", "VPU0"],
        {"cma_reserved": 3 << 29, "carveout": 3 << 30, "ion_cma": 0},
    ),
    "s600": (
        [f"BPU{i}" for i in range(4)] + ["DSP0", "DSP1", "JPU0"],
        {"cma_reserved": 2 << 30, "ion_cma": 1 << 30, "carveout": 2 << 30, "ion_uncache": 2 << 30, "custom": 24 << 20},
    ),
}
NAMES = {
    "load": ["hrt_model_exec"],
    "odd": ["kworker/0:1", "4805", "my app: v2", "Script started", "[0.1, 'o']", "相机服务", "2026-12-01", "BPU0"],
}


def size(count):
    """As printed, and the bytes that this says."""
    for letter in "GMK":
        if count >= SCALE[letter]:
            text = f"{count / SCALE[letter]:.1f}"
            return text + letter, round(float(text) * SCALE[letter])
    return "0.0", 0


def frames(board, scenario, count, seed):
    """Figures as text; every fourth frame shows what the one before did."""
    rng = random.Random(seed)
    ips, heaps = BOARDS[board]
    frame = None
    for i in range(count):
        if frame is None or i % 4 != 3:
            busy = i >= count // 3
            used = {
                h: min(t, rng.randrange(1 << 16, 96 << 20) if h == "carveout" else 8 << 20) for h, t in heaps.items()
            }
            frame = {
                "loads": [(n, f"{min(100.0, rng.uniform(60, 110)) if busy else rng.uniform(0, 9):.1f}") for n in ips],
                "ddr": [("Read", str(rng.randrange(150, 16000))), ("Write", str(rng.randrange(90, 9000)))],
                "heaps": [(h, size(t), size(used[h]), size(t - used[h])) for h, t in heaps.items()],
                "procs": [
                    (1200 + 7 * k, name, size(rng.randrange(1 << 20, 80 << 20)), size(rng.randrange(0, 60 << 20)))
                    for k, name in enumerate(NAMES[scenario] if busy else [])
                ],
            }
        yield frame


def truth(frame):
    row = {f"{n.lower()}_load_pct": float(v) for n, v in frame["loads"]}
    row |= {f"ddr_{n.lower()}_mibps": int(v) for n, v in frame["ddr"]}
    for heap, *figures in frame["heaps"]:
        row |= {f"{heap}_{k}_bytes": f[1] for k, f in zip(("total", "used", "free"), figures, strict=True)}
    return {"row": row, "procs": [[pid, name, rss[1], hbmem[1]] for pid, name, rss, hbmem in frame["procs"]]}


def fifty(frame):
    """Fifty columns and no headers; a process row is one column wider."""
    yield from (f"|          {n:<10}{v:>12}{'':16}|" for n, v in frame["loads"])
    yield f"| {'DDR Bandwidth':<47}|"
    yield from (f"|          {n:<10}{v:>12}{'':16}|" for n, v in frame["ddr"])
    yield f"| {'ION Info':<47}|"
    yield from (f"| {h:<14}{t[0]:>10}{u[0]:>10}{f[0]:>10}   |" for h, t, u, f in frame["heaps"])
    yield f"| {'Process Mem Info':<47}|"
    yield from (f"| {p:<8}{n:<18}{r[0]:>10}{b[0]:>9}   |" for p, n, r, b in frame["procs"])


def boxed(frame):
    """Drawn boxes, headers, units, a sum of the heaps."""
    rule = "─" * 60
    yield f"┌{rule}┐"
    yield f"│{'hrt_ucp_monitor':^60}│"
    yield from (f"│ {n:<20}{v + ' %':>20}{'':19}│" for n, v in frame["loads"])
    yield f"├{rule}┤"
    yield f"│ {'DDR Bandwidth (MiB/s)':<59}│"
    yield from (f"│ {n + ':':<20}{v:>20}{'':19}│" for n, v in frame["ddr"])
    yield f"├{rule}┤"
    yield f"│ {'ION INFO':<59}│"
    yield f"│ {'heap':<20}{'total':>12}{'used':>12}{'free':>12}   │"
    yield from (f"│ {h:<20}{t[0]:>12}{u[0]:>12}{f[0]:>12}   │" for h, t, u, f in frame["heaps"])
    yield f"├{rule}┤"
    yield f"│ {'Process Mem Info':<59}│"
    yield f"│ {'pid':<9}{'name':<20}{'rss':>12}{'hbmem':>12}      │"
    yield from (f"│ {p:<9}{n:<20}{r[0]:>12}{b[0]:>12}      │" for p, n, r, b in frame["procs"])
    yield f"└{rule}┘"


def write(text):
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


def draw_batch(lines, _before):
    write("".join(f"{line}\n" for line in lines))


def draw_clear(lines, _before):
    write("\x1b[2J\x1b[H" + "".join(f"{line}\r\n" for line in lines))


def draw_home(lines, _before):
    write("\x1b[H" + "".join(f"{line}\x1b[K\r\n" for line in lines) + "\x1b[J")


def draw_fields(lines, before):
    """Only the lines that changed, each addressed; then the cursor goes to rest below."""
    lines, old = list(lines), list(before)
    changed = [(y, t) for y, t in enumerate(lines) if y >= len(old) or old[y] != t]
    gone = "".join(f"\x1b[{y + 1};1H\x1b[K" for y in range(len(lines), len(old)))
    write("".join(f"\x1b[{y + 1};1H{t}\x1b[K" for y, t in changed) + gone + f"\x1b[{len(lines) + 1};1H")


def draw_curses(window, lines):
    window.erase()
    for y, line in enumerate(lines):
        window.addnstr(y, 0, line, window.getmaxyx()[1] - 1)
    window.refresh()


def main(mode, layout, board, scenario, count, seed, out):
    window = curses.initscr() if mode == "curses" else None
    if mode == "alt":
        write("\x1b[?1049h\x1b[?25l")
    draw = {"batch": draw_batch, "clear": draw_clear, "fields": draw_fields}.get(mode, draw_home)
    drawn, before = [], None
    for frame in frames(board, scenario, int(count), int(seed)):
        lines = list({"fifty": fifty, "boxed": boxed}[layout](frame))
        if window:
            draw_curses(window, lines)
        else:
            draw(lines, before or [])
        if mode == "batch" or lines != before:
            drawn.append(truth(frame) | {"t": round(time.time(), 3)})
        before = lines
        time.sleep(DELAY_S)
    if window:
        curses.endwin()
    if mode == "alt":
        write("\x1b[?25h\x1b[?1049l")
    spec = {
        "layout": layout,
        "board": board,
        "scenario": scenario,
        "mode": mode,
        "interval_s": DELAY_S,
        "frames": drawn,
    }
    Path(out).write_text(json.dumps(spec, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
