"""The READMEs and the pages of docs/ say what is so: commands print what is shown, tables are the code's.

Both languages agree.
"""

import doctest
import re
import sys
from importlib import import_module

import draw_pictures
import pytest
import readme
import write_docs
from support.cli import ucpmon

from ucpmon.cli import VERBS
from ucpmon.errors import Exit

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = readme.ROOT
ENGLISH = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE = (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")
TASKS = {path: path.read_text(encoding="utf-8") for path in write_docs.task_pages()}
ALL = "\n".join([ENGLISH, *TASKS.values()])
BOTH = pytest.mark.parametrize("text", [ALL, "\n".join([CHINESE, *TASKS.values()])], ids=["en", "zh"])
CONSOLE = [block for text in (ENGLISH, *TASKS.values()) for block in readme.blocks(text)]


def fenced(text, kind=r"\w+"):
    return re.findall(rf"^```({kind})\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def first_cells(text, *words):
    """The first cell of each row of the one table whose first column has one of these heads, without back-ticks."""
    tables = re.findall(r"^\| ([^|]*) \|.*\|\n\|[ -|]*\|\n((?:\|.*\|\n)+)", prose(text), re.MULTILINE)
    (rows,) = [rows for head, rows in tables if head in words]
    return [re.split(r"(?<!\\)\|", row)[1].strip().strip("`") for row in rows.splitlines()]


def uncommented(text):
    """The fenced blocks; what the comments of a shell say is in the README's language."""
    return [(kind, re.sub(r" +# .*", "", body) if kind == "sh" else body) for kind, body in fenced(text)]


def prose(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("block", CONSOLE, ids=[block.commands[0][:50] for block in CONSOLE])
def test_a_command_prints_what_is_shown_under_it(block, tmp_path):
    """When this fails, look whether the new output is good, and put it there with ``make docs``."""
    printed = readme.run(block, tmp_path)
    if block.varies:
        assert block.same(printed), printed
    else:
        assert printed == block.shown


def test_the_python_lines_give_what_is_shown(monkeypatch):
    monkeypatch.chdir(ROOT)
    ((_, lines),) = fenced(ALL, "pycon")
    example = doctest.DocTestParser().get_doctest(lines, {}, "README.md", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 0


def test_the_budget_is_one(tmp_path):
    ((_, text),) = fenced(ALL, "toml")
    (tmp_path / "budget.toml").write_text(text)
    done = ucpmon("check", ROOT / "docs" / "examples" / "load.cast", "--budget", tmp_path / "budget.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    for line in ("bpu0_load_pct.p95         <=    95.0 %", "carveout_used_bytes.peak  <= 400.0 MiB", "screens"):
        assert " ".join(line.split()) in " ".join(done.stdout.split())


@BOTH
def test_every_option_that_is_shown_exists(text):
    lines = [line for _, body in fenced(text, "sh|console") for line in body.splitlines()]
    calls = [call for line in lines for call in re.findall(r"\bucpmon ([a-z]+)\b([^|#]*)", line)]
    calls += re.findall(r"`ucpmon ([a-z]+)\b([^`]*)`", prose(text))
    assert len(calls) > 40
    for verb, words in calls:
        options = set(re.findall(r"(?<!\S)--?[a-z][a-z-]*", words.split(" -- ")[0]))
        assert options <= options_of(verb) | {"--help"}, (verb, words)


def options_of(verb):
    function = getattr(import_module(f"ucpmon.cli.{verb}"), verb)
    rows = [write_docs.option(*parameter) for parameter in write_docs.parameters(function)]
    return {name for row in rows if row for name in re.findall(r"-[\w-]+", row[0])}


@BOTH
def test_the_tables_hold_what_the_code_has(text):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert first_cells(text, "extra", "可选组件") == [name for name in extras if name != "dev"]
    assert first_cells(text, "command", "命令") == list(VERBS)
    assert first_cells(text, "code") == [str(int(code)) for code in Exit]


def test_the_exit_codes_mean_what_the_code_says():
    for code in Exit:
        assert f"| {int(code)} | {code.meaning} |\n" in ALL


@BOTH
def test_every_message_that_is_explained_exists(text):
    code = " ".join(path.read_text(encoding="utf-8") for path in (ROOT / "ucpmon").rglob("*.py"))
    messages = first_cells(text, "ucpmon says")
    assert len(messages) > 10
    assert [m for m in messages if any(piece.strip() not in code for piece in m.split("…"))] == []


@pytest.mark.parametrize("text", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_links_and_pictures_are_there(text):
    pages = {ROOT / "README.md": text, **TASKS}
    linked = [(page.parent, t) for page, said in pages.items() for t in re.findall(r"\]\(([^)#]+)\)", said)]
    targets = [(folder / t).resolve() for folder, t in linked if "://" not in t]
    assert [t for t in targets if not t.is_file()] == []
    shown = {t.stem for t in targets if t.suffix == ".png"}
    assert shown == draw_pictures.DRAWN.keys() | draw_pictures.REPORTED.keys()
    assert shown == {path.stem for path in (ROOT / "docs" / "pictures").iterdir()}


def test_pictures_are_small():
    assert [p.name for p in (ROOT / "docs" / "pictures").iterdir() if p.stat().st_size > 100_000] == []


def test_nothing_of_the_machine_that_recorded_is_in_an_example():
    for name in draw_pictures.RECORDED:
        header = (ROOT / "docs" / "examples" / f"{name}.cast").read_text(encoding="utf-8").splitlines()[0]
        assert re.search(r"python|/root|/home|/tmp|Linux|Debian", header) is None


@pytest.mark.parametrize("text", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_a_readme_is_short_enough_to_be_read(text):
    assert len(text.splitlines()) <= 200


def test_every_page_is_in_the_index_and_the_index_in_the_readme():
    index = set(re.findall(r"\]\(([^)#]+)\)", TASKS[ROOT / "docs" / "README.md"]))
    assert index == {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert "](docs/README.md)" in ENGLISH


def test_both_languages_have_the_same_parts():
    assert uncommented(CHINESE) == uncommented(ENGLISH)
    levels = [re.findall(r"^(#+) ", prose(text), re.MULTILINE) for text in (ENGLISH, CHINESE)]
    assert levels[0] == levels[1]
    targets = [re.findall(r"\]\(([^)]+)\)", text) for text in (ENGLISH, CHINESE)]
    assert targets[0][1:] == targets[1][1:]
    assert (targets[0][0], targets[1][0]) == ("README.zh-CN.md", "README.md")
    spans = [sorted(set(re.findall(r"`([^`\n]+)`", prose(text)))) for text in (ENGLISH, CHINESE)]
    assert spans[0] == spans[1]
