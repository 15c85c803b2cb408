"""The pages of docs/ are what the code says now; when a test fails here, ``make docs`` writes them anew."""

import re

import pytest
import readme
import write_docs

GENERATED = write_docs.pages()


@pytest.mark.parametrize("name", GENERATED)
def test_a_page_is_as_the_code_would_write_it(name):
    assert (readme.ROOT / "docs" / name).read_text(encoding="utf-8") == GENERATED[name]


@pytest.mark.parametrize("name", GENERATED)
def test_a_page_has_no_empty_cell_where_something_should_be_explained(name):
    rows = [line for line in GENERATED[name].splitlines() if re.fullmatch(r"\| .* \|", line)]
    assert [row for row in rows if row.endswith("|  |")] == []


def test_every_function_of_the_api_says_what_it_does():
    page = GENERATED["python.md"]
    for name in ("read_run", "memory", "compare", "check", "build_figure", "parse_heaps", "estimate_onnx", "read_ddr"):
        assert re.search(rf"^### {name}\(.*\n\n\S", page, re.MULTILINE), name
