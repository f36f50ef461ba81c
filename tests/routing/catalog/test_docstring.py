from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.routing.catalog import docstring
from prefrontal.routing.catalog.example_call import example_arguments

GOOGLE = """Summarise a matrix.

    In two lines.

    Args:
        df (list[float], optional): The table,
            row by row.
        n: How many.
        **more: Passed on.

    Returns:
        summary: The figures.
        figure_path (str): Where it is.

    Raises:
        ValueError: never.
    """
NUMPY = """Summarise a matrix.

    Parameters
    ----------
    df : DataFrame
        The table,
        row by row.
    n, m : int, optional
        How many.

    Returns
    -------
    summary : dict
        The figures.

    Examples
    --------
    >>> run([1, 2], n=3)
    """
SPHINX = """Summarise a matrix.

    :param df: The table,
        row by row.
    :param int n: How many.
    :type n: int
    :return summary: The figures.
    """


@pytest.mark.parametrize(
    ("doc", "arguments", "returns"),
    [
        (
            GOOGLE,
            {"df": "The table, row by row.", "n": "How many.", "more": "Passed on."},
            ("summary", "figure_path"),
        ),
        (
            NUMPY,
            {"df": "The table, row by row.", "n": "How many.", "m": "How many."},
            ("summary",),
        ),
        (SPHINX, {"df": "The table, row by row.", "n": "How many."}, ("summary",)),
        ("Plain prose: with a colon.\n\nAnd more.", {}, ()),
        ("", {}, ()),
        ("Args:", {}, ()),
        ("Args:\n\nReturns:", {}, ()),
    ],
)
def test_the_three_styles_are_read(
    doc: str, arguments: dict[str, str], returns: tuple[str, ...]
) -> None:
    assert docstring.argument_docs(doc) == arguments
    assert docstring.returned_names(doc) == returns


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Returns:\n    dict: the figures", ()),
        ("Returns:\n    DataFrame: the figures", ()),
        ("Returns:\n    The figures, as text.", ()),
        ("Returns:\n    Path: the file", ()),
        ("Returns:\n    path: Where it is.", ("path",)),
        ("Returns: a dict with the keys `mean` and 'count'.", ("mean", "count")),
        ("Returns:\n    A mapping of `mean` to\n    a `float`.", ("mean",)),
        ("Returns: the `mean` of it.", ()),
        (":returns: a dictionary with `mean`", ("mean",)),
        ("Returns: a dict of each `class`.", ()),
    ],
)
def test_outputs_are_names_and_neither_types_nor_prose(text: str, names: tuple[str, ...]) -> None:
    assert docstring.returned_names(f"Do it.\n\n{text}\n") == names


def test_the_summary_is_the_first_paragraph_on_one_line() -> None:
    assert docstring.summary("  Do it\n  now.\n\n  More.") == "Do it now."
    assert docstring.summary("") == ""


@pytest.mark.parametrize(
    ("doc", "expected"),
    [
        (NUMPY, {"df": [1, 2], "n": 3}),
        ("Do.\n\n>>> result = tool.run(\n...     df=(1.5, None),\n... )\n", {"df": [1.5, None]}),
        ("Do.\n\nExample:\n    run({'a': [True]}, 4)\n", {"df": {"a": [True]}, "n": 4}),
        ("Do.\n\nExample: run(n=-2)\n", {"n": -2}),
        ("Do.\n\nExample:\n    ```\n    import tool\n    tool.run(n=1)\n    ```\n", {"n": 1}),
        ("Do.\n\nUsage:\n    Call it so:\n    run()\n", {}),
        ("Do.\n\n>>> other(3)\n>>> my_tool(3)\n", {"df": 3}),
    ],
)
def test_the_example_call_gives_arguments_by_name(doc: str, expected: dict[str, object]) -> None:
    assert example_arguments(doc, ("run", "my_tool"), ("df", "n")) == expected


@pytest.mark.parametrize(
    "call",
    [
        "run(1, 2, 3)",
        "run(df=load('x'))",
        "run(**settings)",
        "run(*rows)",
        "run(df=b'x')",
        "run(df={1: 2})",
        "run(df=1j)",
        "run(df='\\ud800')",
        "run(df=1e999)",
        "run(df=" + "9" * 5000 + ")",
        "run(df=" + "[" * 150 + "]" * 150 + ")",
        "walk(df=1)",
        "run(",
    ],
)
def test_a_call_without_plain_values_is_no_example(call: str) -> None:
    assert example_arguments(f"Do.\n\n>>> {call}\n", ("run",), ("df", "n")) is None


def test_the_first_plain_call_counts() -> None:
    doc = "Do.\n\n>>> run(load())\n>>> run(1)\n>>> run(2)\n"
    assert example_arguments(doc, ("run",), ("df",)) == {"df": 1}


PIECES = st.lists(
    st.sampled_from(
        ["Args:", "Returns:", "Parameters", "-----", "Example:", ">>> run(1)", "... )", "é🎉", "\t",
         ":return", "  a: b", "    c", "a : int", "", "run(2)", "text", "*a, b: c", ":param x: y"]
    )
)  # fmt: skip


@settings(deadline=None)
@given(PIECES.map("\n".join) | st.text())
def test_any_text_can_be_read(doc: str) -> None:
    docstring.summary(doc)
    assert all(docstring.argument_docs(doc).values())
    assert all(name.isidentifier() for name in docstring.returned_names(doc))
    example_arguments(doc, ("run",), ("x",))
