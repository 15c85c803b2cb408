"""Data flows one way: no module imports one that stands below it in the table of rooms, and none in a circle."""

import ast
from graphlib import TopologicalSorter
from importlib import import_module

import pytest
import readme
from rooms import ALLOWED, PACKAGE, modules, table


def name_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path) for _, path in modules()}


def imports_of(path):
    """The ucpmon modules that a file imports, when it runs or for its types."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ucpmon":
            assert node.level == 0
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & NAMES
            yield from inner or {node.module}
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.split(".")[0] == "ucpmon")


def test_every_module_stands_in_the_table():
    assert {name for name, _ in modules()} == set(ALLOWED)


def test_no_room_may_import_one_that_comes_after_it():
    order = list(ALLOWED)
    late = {
        room: [r for r in allowed.split() if r not in order[: order.index(room)]] for room, allowed in ALLOWED.items()
    }
    assert {room: rooms for room, rooms in late.items() if rooms} == {}


def test_no_module_imports_what_its_room_may_not():
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {target}"
        for room, path in modules()
        for target in imports_of(path)
        if target != "ucpmon" and target.split(".")[1] not in (room, *ALLOWED[room].split())
    ]
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle():
    graph = {name_of(path): {t for t in imports_of(path) if t != name_of(path)} for _, path in modules()}
    assert len(list(TopologicalSorter(graph).static_order())) >= len(NAMES)


def test_sources_of_chunks_do_not_know_each_other():
    assert "captures" not in ALLOWED["monitor"].split()
    assert "monitor" not in ALLOWED["captures"].split()


def test_few_modules_stand_at_the_top_and_no_package_is_crowded():
    top = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    assert len(top) <= 4
    crowded = {
        folder.name: count
        for folder in {path.parent for _, path in modules()} - {PACKAGE}
        if (count := len([p for p in folder.glob("*.py") if p.stem != "__init__"])) > 12
    }
    assert crowded == {}


def test_the_table_of_contributing_is_this_one():
    assert table() in (readme.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted((PACKAGE.parent / "benchmarks").glob("*.py")), ids=lambda path: path.name)
def test_what_a_benchmark_imports_of_the_package_is_there(path):
    nodes = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.ImportFrom)]
    wanted = [(node.module, alias.name) for node in nodes if node.module.startswith("ucpmon") for alias in node.names]
    assert [
        name for name in wanted if not hasattr(import_module(name[0]), name[1]) and ".".join(name) not in NAMES
    ] == []
