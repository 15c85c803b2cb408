"""Data flows one way: no module imports one that stands below it in the table of CONTRIBUTING.md."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "ucpmon"

ALLOWED = {
    "errors": "",
    "durations": "errors",
    "model": "grammar",
    "metrics": "errors",
    "schema": "",
    "grammar": "errors model metrics",
    "monitor": "errors model durations",
    "transport": "errors model monitor",
    "driver": "errors model monitor transport",
    "captures": "errors model durations",
    "layout": "model metrics grammar",
    "screen": "errors model grammar layout",
    "parser": "errors model grammar",
    "pipeline": "errors model layout screen parser",
    "replay": "errors model captures pipeline recording",
    "doctor": "errors model metrics grammar captures screen pipeline recording",
    "recording": "errors model parser pipeline schema",
    "recorder": "errors model metrics monitor transport driver pipeline recording durations heaps workload schema",
    "workload": "errors model transport driver",
    "frame": "errors model metrics schema",
    "heaps": "errors model metrics transport",
    "estimate": "errors metrics",
    "analysis": "errors metrics frame durations",
    "runs": "errors captures recording replay frame analysis schema",
    "against": "errors metrics estimate analysis",
    "ddr": "errors metrics frame durations",
    "plot": "errors metrics frame analysis durations runs ddr",
    "report": "errors metrics frame analysis durations runs ddr",
    "export": "errors metrics frame analysis durations runs",
    "simulator": "errors model metrics monitor durations",
}


def imports_of(path):
    """The ucpmon modules that a file imports when it runs (those for type checkers only do not count)."""
    tree = ast.parse(path.read_bytes())
    guarded = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and getattr(block.test, "id", "") == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("ucpmon."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.ImportFrom) and node.module == "ucpmon":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (a.name.split(".")[1] for a in node.names if a.name.startswith("ucpmon."))


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if name not in ("cli", "__init__", "__main__"):
            yield name, path


def test_every_module_stands_in_the_table():
    assert {name for name, _ in modules()} == set(ALLOWED)


def test_no_module_imports_one_below_it():
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {target}"
        for name, path in modules()
        for target in imports_of(path)
        if target not in (name, "__version__") and target not in ALLOWED[name].split()
    ]
    assert wrong == []


def test_driver_and_captures_do_not_know_each_other():
    assert "captures" not in ALLOWED["driver"].split()
    assert "driver" not in ALLOWED["captures"].split()
