"""Writes docs/*.md from the code's own registries, options and docstrings, and the outputs in READMEs and task pages.

write_docs.py             docs/*.md
write_docs.py --readme    also what is printed under the commands in the READMEs and in the pages of docs/ by task
"""

import inspect
import re
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import get_args, get_type_hints

import judged
import readme
import rooms
import typer

from ucpmon.cli import VERBS
from ucpmon.comparison.budget import DEFAULTS
from ucpmon.errors import Exit
from ucpmon.metrics import KINDS, RATE_UNITS, metric
from ucpmon.runs import schema
from ucpmon.statistics.quality import Quality
from ucpmon.statistics.summary import STATISTICS

DOCS = readme.ROOT / "docs"
NOTE = "<!-- Written by scripts/write_docs.py (make docs): change the code instead. -->\n\n"

API = {
    "ucpmon.runs.reader": "Run read_run",
    "ucpmon.runs.frames": "",
    "ucpmon.metrics": "Metric metric format_bytes format_value",
    "ucpmon.errors": None,
    "ucpmon.captures": "Capture open_capture",
    "ucpmon.runs.replay": "replay",
    "ucpmon.statistics.summary": "Summary summary",
    "ucpmon.statistics.weights": "row_seconds",
    "ucpmon.statistics.quality": "Quality quality",
    "ucpmon.statistics.resolution": "Figure",
    "ucpmon.memory.measurement": "memory MemoryReport ModelMemory HeapUse ProcessUse",
    "ucpmon.memory.phases": "Phase Life",
    "ucpmon.memory.footprint": "Use",
    "ucpmon.memory.ranges": "HeapRange ProcessRange",
    "ucpmon.memory.leaks": "Growth",
    "ucpmon.memory.fit": "Place Fit fit",
    "ucpmon.memory.estimate": "Estimate Layer Part estimate_onnx estimate_compiled dense activation tensor together",
    "ucpmon.memory.against": "Comparison Step Measured against",
    "ucpmon.comparison.check": "Finding check verdict",
    "ucpmon.comparison.budget": "Rule bound requirement read_budget",
    "ucpmon.comparison.compare": "Difference compare",
    "ucpmon.heaps": "Allocation Client Heap HeapDump Share parse_heaps shares",
    "ucpmon.neighbours.hrut_ddr": "Ddr read_ddr align",
    "ucpmon.plot": "PlotOptions Extra build_figure save_figure",
    "ucpmon.report": "Subject subject markdown row",
    "ucpmon.export": "export",
}
"""What a notebook calls, from the simple to the special, by its module; ``None`` stands for all of it."""


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(_cell(cell) for cell in line) + " |\n" for line in lines) + "\n"


def _cell(text):
    return " ".join(str(text).split()).replace("|", "\\|")


def code(text):
    return f"`{text}`"


def prose(text):
    """A docstring as Markdown: its double back-ticks become single ones, its tables are kept as they are."""
    text = inspect.cleandoc(text)
    if re.search(r"^=+ =+$", text, re.MULTILINE) or ">>>" in text:
        return f"```text\n{text}\n```\n\n"
    return text.replace("``", "`") + "\n\n"


def files():
    def listed(registry):
        return table(("name", "kind", "meaning"), [(code(f.name), f.kind, f.meaning) for f in registry])

    return f"""# The files of a run

A run is a stem, `run` in these names. CSV files are UTF-8 with a header line; an empty cell is a value that is not
known, never 0. Names of processes and heaps stand as they were printed. A `time` is always of the form
`2026-12-01T04:10:40.123456Z`.

## run.csv

A row per screen: these columns, then one per metric (see [metrics](metrics.md)).

{listed(schema.SCREENS)}## run.procs.csv

A row per process and screen.

{listed(schema.PROCESSES)}## run.heaps.csv

Written with `--heaps`; the text that it was read from is in `run.heaps.txt.gz`.

{listed(schema.HEAPS)}## run.marks.csv

{listed(schema.MARKS)}## run.cast

An asciicast v2: a header line, then an event per line, `[seconds since the start, code, data]`. The header's `ucpmon`
object holds what run.json says before the recording begins.

{listed(schema.CAST)}## run.json

Dots are levels. A key is always there; one that does not apply is null.

{listed(schema.RUN_JSON)}"""


def metrics():
    examples = {
        "load": "bpu0_load_pct", "load_avg": "bpu0_load_avg_pct", "load_max": "bpu0_load_max_pct",
        "freq": "bpu0_freq_mhz", "temp": "bpu0_temp_c", "rate": "ddr_read_mibps", "total": "carveout_total_bytes",
        "used": "carveout_used_bytes", "free": "carveout_free_bytes", "peak": "carveout_peak_bytes",
    }  # fmt: skip
    columns = [
        (code("…" + suffix), kind, unit, code(examples[kind]), metric(examples[kind]).label)
        for suffix, kind, unit, _ in KINDS
        if kind in examples
    ]
    of_processes = [(code(suffix[1:]), unit) for suffix, kind, unit, _ in KINDS if kind not in examples]
    rates = [(code(unit), f"{value:.10g}") for unit, value in RATE_UNITS.items()]
    return f"""# Metrics

A metric is a column of run.csv: the printed name in lower case, and its unit.

{table(("column ends in", "kind", "unit", "for example", "shown as"), columns)}Of processes, in run.procs.csv:

{table(("column", "unit"), of_processes)}Sizes are whole bytes of the printed figure, with `K`, `M`, `G` and `T` as
powers of 1024. Rates are brought to MiB/s; one of each unit is:

{table(("printed", "MiB/s"), rates)}"""


def statistics():
    named = [(code(name), inspect.getdoc(function).replace("``", "`")) for name, function in STATISTICS.items()]
    named.append((f"{code('p0')} … {code('p100')}", "Any percentile, such as `p95` or `p99.9`."))
    figures = [(code(name), kind) for name, kind in Quality.__annotations__.items()]
    return f"""# Statistics

Every statistic is over time: a value weighs as many seconds as it held, that is until the next row, and never across a
gap or a stall. `METRIC.STATISTIC` is how `check` and `compare --fail-on` name one.

{table(("statistic", "is"), named)}## Figures of quality

`check` takes these without a statistic, as in `--require 'screens>=50'`.

{prose(Quality.__doc__)}{table(("figure", "type"), figures)}Unless a rule of your own says otherwise, `check` wants:

{table(("rule",), [(code(f"{rule.pattern} {rule.op} {rule.limit}"),) for rule in DEFAULTS])}{how_judged()}"""


def how_judged():
    rows = [
        (question, series, f"{told.ours:g}", told.name, f"{told.judge:g}", told.why)
        for (question, series), told in judged.JUDGED.items()
    ]
    header = ("what is asked", "series", "ours", "judge", "its share", "why they differ")
    return f"""## How it is judged

What tells a leak, a phase or a difference is our own, for a monitor's rows depend on one another and are printed
coarsely. The tests hold it against [scipy](https://scipy.org), [ruptures](https://centre-borelli.github.io/ruptures-docs)
and [pymannkendall](https://github.com/mmhs013/pyMannKendall), none of which is needed to use it, on random series whose
truth is known: 100 rows with one to three jumps (*step*), the same in tenths of GiB (*quantised*), steady growth
(*ramp*), teeth of 12 to 40 rows (*sawtooth*) and the sum of independent kicks (*walk*). Runs that are compared have 60
rows, those whose mean is judged 120.

Change points are told by straight pieces, not level ones: memory that fills up is one piece and not a flight of stairs.
Level pieces are held against ours where the truth is level, straight ones where it is not. Both sides pay the same for
a cut: the square of six times the noise of a row, halved.

Figures are percent of 200 series each; the tests measure them anew and hold them to one point. Quantiles of Student's t
equal scipy's to every printed digit, probabilities corrected for the number of metrics equal its
`false_discovery_control`, and means, deviations and percentiles over time equal numpy's of every second.

{table(header, rows)}The increments of a random walk's blocks are not independent: of a thousand walks up to two
pass for steady growth, where independent increments would pass once in two thousand times.
"""


def exit_codes():
    return "# Exit codes\n\n" + table(("code", "meaning"), [(int(code_), code_.meaning) for code_ in Exit])


def commands():
    text = "# Commands\n\nThe arguments and options of every command, as `ucpmon COMMAND --help` shows them.\n\n"
    for verb in VERBS:
        function = getattr(import_module(f"ucpmon.cli.{verb}"), verb)
        rows = [row for parameter in parameters(function) if (row := option(*parameter))]
        text += f"## {verb}\n\n{prose(function.__doc__)}" + (table(("", "value", "meaning"), rows) if rows else "")
    return text


def parameters(function):
    """Names, types, typer's descriptions and defaults of a command's parameters, as the code has them."""
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        about, hint, default = parameter.default, hints[name], getattr(parameter.default, "default", None)
        # Before 3.11 a default of None makes an Optional of what is annotated.
        annotated = next((h for h in (hint, *get_args(hint)) if hasattr(h, "__metadata__")), None)
        if annotated:
            (about,), hint, default = annotated.__metadata__, annotated.__origin__, parameter.default
        if hasattr(about, "param_decls"):
            yield name, str(hint), about, default


def option(name, hint, about, default):
    if about.hidden:
        return None
    if isinstance(about, typer.models.ArgumentInfo):
        return code(about.metavar), "", about.help
    # Within Annotated, what stands where a default would is a name.
    first = [about.default] if isinstance(about.default, str) and about.default.startswith("-") else []
    names = [*first, *(about.param_decls or ())] or [f"--{name.replace('_', '-')}"]
    flag = "bool" in hint
    kind = (
        ""
        if flag
        else about.metavar or ("NUMBER" if re.search("int|float", hint) else "FILE" if "Path" in hint else "TEXT")
    )
    known = not flag and default not in (None, "", [], ...) and "efault" not in about.help
    return ", ".join(map(code, names)), kind, about.help + (f" Default: {default}." if known else "")


def python():
    text = """# Python API

`import ucpmon` gives `read_run`, `Run`, `UcpmonError` and `__version__`. Below is what the commands
compute with. Errors are children of `UcpmonError`.

"""
    for name, wanted in API.items():
        module = import_module(name)
        things = dict(_public(module))
        chosen = list(things) if wanted is None else wanted.split()
        text += f"## {name}\n\n{prose(module.__doc__)}" + "".join(_described(n, things[n]) for n in chosen)
    return text


def _public(module):
    """The module's functions and classes, in the order in which it names or defines them."""
    listed = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    own = listed if hasattr(module, "__all__") else [n for n in listed if _home(vars(module)[n]) == module.__name__]
    for name in own:
        thing = inspect.unwrap(getattr(module, name))
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and inspect.getdoc(thing):
            yield name, thing


def _home(thing):
    return getattr(thing, "__module__", None)


def _described(name, thing):
    if inspect.isfunction(thing):
        return f"### {name}{_signature(thing)}\n\n{prose(thing.__doc__)}"
    text = f"### class {name}\n\n"
    if vars(thing).get("__doc__") and not vars(thing)["__doc__"].startswith(f"{name}("):
        text += prose(thing.__doc__)
    fields = {n: kind for n, kind in vars(thing).get("__annotations__", {}).items() if not n.startswith("_")}
    if fields:
        text += "Fields: " + ", ".join(code(f"{n}: {kind}") for n, kind in fields.items()) + ".\n\n"
    for method, function in vars(thing).items():
        if inspect.isfunction(function) and not method.startswith("_") and function.__doc__:
            text += f"`{name}.{method}{_signature(function)}`\n\n{prose(function.__doc__)}"
    return text


def _signature(function):
    shown = str(inspect.signature(function)).replace("'", "")
    return re.sub(r" at 0x[0-9a-f]+", "", shown)


PAGES = {
    "files.md": files, "metrics.md": metrics, "statistics.md": statistics, "exit-codes.md": exit_codes,
    "commands.md": commands, "python.md": python,
}  # fmt: skip


def pages():
    """Every generated page by its name."""
    return {name: NOTE + write().rstrip("\n") + "\n" for name, write in PAGES.items()}


def task_pages():
    """The pages of docs/ that are written by hand."""
    return [path for path in sorted(DOCS.glob("*.md")) if path.name not in PAGES]


def refresh(page):
    """The page's text, with what its commands print now."""
    with tempfile.TemporaryDirectory() as folder:
        text = readme.refreshed(page.read_text(encoding="utf-8"), Path(folder))
    page.write_text(text, encoding="utf-8")
    return text


def write_readmes():
    english, chinese = (readme.ROOT / name for name in ("README.md", "README.zh-CN.md"))
    text = refresh(english)
    chinese.write_text(readme.with_blocks_of(text, chinese.read_text(encoding="utf-8")), encoding="utf-8")


def write_rooms():
    path = readme.ROOT / "CONTRIBUTING.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        re.sub(r"^\| room \|(?:.*\n)(?:\|.*\n)+", lambda _: rooms.table(), text, flags=re.MULTILINE), encoding="utf-8"
    )


if __name__ == "__main__":
    write_rooms()
    for page, content in pages().items():
        (DOCS / page).write_text(content, encoding="utf-8")
    if "--readme" in sys.argv[1:]:
        write_readmes()
        for task_page in task_pages():
            refresh(task_page)
