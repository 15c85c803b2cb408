"""The help of every command says all that the code says."""

import inspect
from importlib import import_module

import pytest
from rich.text import Text
from write_docs import parameters

from ucpmon.cli import VERBS
from ucpmon.cli.app import run
from ucpmon.errors import Exit


def descriptions(verb):
    """Typer's description of each argument and option of a verb, and the verb's own."""
    function = getattr(import_module(f"ucpmon.cli.{verb}"), verb)
    yield inspect.getdoc(function)
    yield from (about.help for _, _, about, _ in parameters(function))


@pytest.mark.parametrize("verb", VERBS)
def test_nothing_of_a_help_text_is_taken_for_markup(verb):
    """Square brackets are typer's way to name a style: what stands in them is not shown."""
    texts = list(descriptions(verb))
    assert all(texts)
    assert [text for text in texts if Text.from_markup(text).plain != text] == []


def test_without_a_command_there_is_the_help_and_nothing_else(capsys):
    assert run([]) == Exit.USAGE
    out, err = capsys.readouterr()
    assert "Usage: ucpmon [OPTIONS] COMMAND" in out
    assert err == ""


def test_every_exit_code_has_a_meaning():
    assert len({code.meaning for code in Exit}) == len(Exit)
