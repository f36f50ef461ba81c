r"""A "\n" in the line of an example is code, and costs the docstring none of its sections."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.routing.catalog.tool_facts import read_facts
from prefrontal.routing.catalog.written_docstring import written_docstring
from prefrontal.routing.trials.entry_point import entry_point

TOOL = '''\
"""Counts."""


def run(text: str, mark: str = ",") -> int:
    {prefix}"""Count the lines of a text.

    Args:
        text: The text.
        mark: What ends a line.

    {example}

    Returns:
        count: How many.
    """
    return len(text.split(mark))
'''
EXAMPLES = [
    ('Example:\n        >>> run("a\\nb")', {"text": "a\nb"}),
    ('Example:\n        >>> run(\n        ...     "a\\r\\nb",\n        ... )', {"text": "a\r\nb"}),
    ('Example:\n        run("a\\nb", "\\n")', {"text": "a\nb", "mark": "\n"}),
    ('>>> run("a\\\\nb")', {"text": "a\nb"}),
    ('>>> run("a", "\\t")', {"text": "a", "mark": "\t"}),
    ('Matches \\d.\n\n    >>> run("a\\nb")', {"text": "a\nb"}),
]


@pytest.mark.parametrize(("example", "arguments"), EXAMPLES)
def test_a_line_end_in_an_example_costs_no_section(example: str, arguments: dict[str, str]) -> None:
    facts = read_facts(TOOL.format(prefix="", example=example).encode(), "count")
    assert facts["example"] == arguments
    assert facts["told"] == ["count"]
    assert list(facts["arg_docs"]) == ["text", "mark"]


def test_a_raw_docstring_is_as_it_was_written() -> None:
    source = TOOL.format(prefix="r", example='>>> run("a\\nb")')
    assert read_facts(source.encode(), "count")["example"] == {"text": "a\nb"}


def test_a_line_end_in_prose_stays_one() -> None:
    source = '"""Count.\\n\\nReturns:\\n    count: How many.\\n"""\n'
    assert written_docstring(ast.parse(source), source, ["run"]) == ast.get_docstring(
        ast.parse(source)
    )


def test_a_trial_reads_it_so_too() -> None:
    found = entry_point(TOOL.format(prefix="", example='>>> run("a\\nb")'))
    assert found is not None
    assert '>>> run("a\\nb")\n\nReturns:\n    count: How many.' in found.doc


@given(st.text() | st.text("\"\\n'>. run(\r\n"))
def test_any_docstring_is_read(text: str) -> None:
    source = f'"""{text}"""\n\n\ndef run():\n    return 1\n'
    read_facts(source.encode("utf-8", "replace"), "tool")
