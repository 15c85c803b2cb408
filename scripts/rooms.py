"""The rooms of the package from the source of data to its readers, and which of those before it each may import.

``tests/test_layers.py`` holds the package to it; the table in CONTRIBUTING.md is drawn from it by ``make docs``.
"""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "ucpmon"

ALLOWED = {
    "errors": "",
    "text": "errors",
    "metrics": "errors text",
    "records": "",
    "monitor": "errors text metrics records",
    "captures": "errors text records",
    "screens": "errors text metrics records",
    "runs": "errors text metrics records captures screens",
    "heaps": "errors text metrics monitor",
    "neighbours": "errors text metrics runs",
    "recorder": "errors text metrics records monitor screens runs heaps neighbours",
    "statistics": "errors text metrics runs",
    "memory": "errors text metrics runs heaps statistics",
    "comparison": "errors text metrics runs statistics memory",
    "doctor": "errors text metrics records captures screens runs",
    "plot": "errors text metrics runs neighbours statistics memory",
    "report": "errors text metrics runs neighbours statistics memory plot",
    "export": "errors text metrics runs statistics memory",
}
"""``cli`` may import everything, and is imported by nothing."""


def modules():
    """(room, path) of each module that belongs to a room."""
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room not in ("cli", "__init__", "__main__"):
            yield room, path


def job(room):
    """What a room is for, in the first line of its own docstring."""
    path = PACKAGE / room / "__init__.py"
    text = (path if path.exists() else PACKAGE / f"{room}.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(text)).splitlines()[0].rstrip(".")


def table():
    rows = [(f"`{room}`", job(room), allowed.replace(" ", ", ") or "–") for room, allowed in ALLOWED.items()]
    lines = [("room", "its one job", "may import"), ("---", "---", "---"), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
