"""The registry of what a run's files hold, against files that were really written."""

import csv
import json
from itertools import chain

import pytest
from support.cli import ucpmon
from support.paths import ROOT

from ucpmon.runs import schema

FIXTURES = ROOT / "fixtures"
TYPES = {"int": (int,), "float": (int, float), "str": (str,), "bool": (bool,), "list": (list,), "object": (dict,)}
GROUPS = {name[: name.rindex(".")] for name in schema.names(schema.RUN_JSON) if "." in name} | {"quality"}


def leaves(value, prefix=""):
    """The keys of run.json as paths, and their values."""
    for key, inner in value.items():
        if f"{prefix}{key}" in GROUPS:
            yield from leaves(inner, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", inner


def wrong_types(info):
    kinds = {field.name: field.kind.split(" | ") for field in schema.RUN_JSON}
    for name, value in leaves(info):
        allowed = chain.from_iterable(TYPES.get(kind, (type(None),)) for kind in kinds[name])
        if type(value) not in allowed:
            yield f"{name} is {value!r}"


def header(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return tuple(next(csv.reader(stream)))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    heaps = folder / "heaps"
    heaps.mkdir()
    (heaps / "all_heap_info").write_bytes((FIXTURES / "heaps" / "dump--all-s100.txt").read_bytes())
    words = ("--simulate", "--interval", "100", "--duration", "1s", "--heaps", "--heaps-dir", heaps)
    done = ucpmon("record", *words, "-o", "run.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "run.csv"


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("replayed")
    done = ucpmon("replay", FIXTURES / "batch" / "batch--noise-j6p.log", "-o", "run.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "run.csv"


@pytest.mark.parametrize("run", ["recorded", "replayed"])
def test_run_json_has_the_keys_of_the_registry_and_no_others(run, request):
    info = json.loads(request.getfixturevalue(run).with_suffix(".json").read_text())
    assert sorted(name for name, _ in leaves(info)) == sorted(schema.names(schema.RUN_JSON))
    assert list(wrong_types(info)) == []


def test_the_tables_have_the_columns_of_the_registry(recorded):
    assert header(recorded)[: len(schema.SCREENS)] == schema.names(schema.SCREENS)
    for ending, fields in (("procs", schema.PROCESSES), ("marks", schema.MARKS), ("heaps", schema.HEAPS)):
        assert header(recorded.with_suffix(f".{ending}.csv")) == schema.names(fields)


def test_the_raw_stream_has_events_of_the_registry_alone(recorded):
    events = [json.loads(line) for line in recorded.with_suffix(".cast").read_text().splitlines()[1:]]
    codes = {code for _, code, _ in events}
    assert {"o", "m"} <= codes <= set(schema.names(schema.CAST))
