from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from prefrontal.errors import InputError
from prefrontal.routing.catalog.cache import FactCache
from prefrontal.routing.catalog.discovery import action_folders, discover, discover_all, narrowed
from prefrontal.routing.layout import Layout
from prefrontal.routing.types import ArgSpec, Discovery, ToolSpec

from ..project import layout_of, write
from ..tool_files import SUMMARIZE, analysis_and_ingest, intent, tool


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return layout_of(tmp_path)


def names(discovery: Discovery) -> list[str]:
    return [each.relative for each in discovery.tools]


def slips(discovery: Discovery, layout: Layout) -> list[str]:
    """Each finding, its path below the root."""
    return [str(each).replace(f"{layout.root}/", "") for each in discovery.findings]


def put(layout: Layout, text: str | bytes, name: str = "a.py") -> Path:
    """A file in the folder of the domain d and the action a."""
    path = write(layout.domains / "d/a" / name, "")
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def only_slip(layout: Layout) -> str:
    found = discover_all(layout)
    assert found.tools == ()
    [slip] = slips(found, layout)
    return slip


def test_a_tool_is_read_with_all_it_says_of_itself(tmp_path: Path) -> None:
    layout = analysis_and_ingest(tmp_path)
    [found] = discover(layout, intent("analysis", "summarise")).tools
    path = layout.root / "domains/analysis/summarise/summarize_matrix.py"
    doc = found.spec.doc
    assert found.spec == ToolSpec(
        path,
        "run",
        [ArgSpec("df", "list[float]", True, None), ArgSpec("digits", "int", False, "3")],
        doc,
        0.0,
    )
    assert path.is_absolute()
    assert (
        doc.startswith("Summary statistics of a matrix.\n\nArgs:") and "\n\nMean and size." in doc
    )
    assert (found.name, found.domain, found.action) == ("summarize_matrix", "analysis", "summarise")
    assert (found.shared, found.runnable, found.manifest) == (False, True, None)
    assert found.relative == "domains/analysis/summarise/summarize_matrix.py"
    assert (found.returns, found.return_hint) == (("mean", "size"), "dict[str, float]")
    assert found.arg_docs == {"df": "The table."}
    assert found.example == {"df": [1.0, 2.0]}
    import hashlib

    assert found.sha256 == hashlib.sha256(SUMMARIZE.encode()).hexdigest()


def test_the_domains_folder_comes_first_and_the_shared_one_is_always_searched_too(
    tmp_path: Path,
) -> None:
    layout = analysis_and_ingest(tmp_path)
    write(layout.shared_tools / "load/load_any.py", tool("Read anything."))
    found = discover(layout, intent("analysis", "load"))
    assert names(found) == ["domains/analysis/load/load_frame.py", "shared_tools/load/load_any.py"]
    assert [each.shared for each in found.tools] == [False, True]
    assert found.tools[1].domain is None
    assert found.search == "exact"


def test_a_shared_tool_alone_is_found_exactly(tmp_path: Path) -> None:
    found = discover(analysis_and_ingest(tmp_path), intent("analysis", "export"))
    assert (names(found), found.search) == (["shared_tools/export/save_csv.py"], "exact")


def test_the_actions_of_other_clauses_are_searched_too(tmp_path: Path) -> None:
    layout = analysis_and_ingest(tmp_path)
    also = ["summarise", "visualise", "export", "nowhere"]
    found = discover(layout, intent("analysis", "visualise"), also_actions=also)
    assert [each.name for each in found.tools] == ["plot_matrix", "summarize_matrix", "save_csv"]
    assert found.search == "exact"


@pytest.mark.parametrize(
    ("domain", "action", "expected"),
    [
        (None, "load", ["load_frame", "load_csv"]),
        ("ingest", None, ["drop_duplicates", "load_csv", "save_csv"]),
        ("ingest", "summarise", ["summarize_matrix"]),
        ("ingest", "nothing", ["drop_duplicates", "load_csv", "save_csv"]),
        ("nowhere", "load", ["load_frame", "load_csv"]),
        (None, "export", ["save_csv"]),
        (
            None,
            None,
            [
                "load_frame",
                "summarize_matrix",
                "plot_matrix",
                "drop_duplicates",
                "load_csv",
                "save_csv",
            ],
        ),
    ],
)
def test_the_search_widens_where_a_folder_is_unknown(
    tmp_path: Path, domain: str | None, action: str | None, expected: list[str]
) -> None:
    found = discover(analysis_and_ingest(tmp_path), intent(domain, action))
    assert ([each.name for each in found.tools], found.search) == (expected, "widened")


@pytest.mark.parametrize(
    ("domain", "action"), [("..", "load"), ("analysis", "../.."), ("A b", "c")]
)
def test_a_name_that_is_no_slug_is_the_callers_slip(
    tmp_path: Path, domain: str, action: str
) -> None:
    with pytest.raises(InputError, match="must be lower-case letters"):
        discover(analysis_and_ingest(tmp_path), intent(domain, action))


def test_an_empty_or_missing_root_has_no_tools(tmp_path: Path, layout: Layout) -> None:
    for each in (layout, Layout.of(tmp_path / "nowhere")):
        assert discover(each, intent("a", "b")) == Discovery((), (), "widened")
        assert discover_all(each) == Discovery((), (), "widened")
        assert action_folders(each) == ()


def test_nothing_of_a_tool_is_run(layout: Layout, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    put(layout, f'open({str(witness)!r}, "w")\n{SUMMARIZE}')
    before = set(sys.modules)
    assert len(discover_all(layout).tools) == 1
    assert not witness.exists()
    assert set(sys.modules) == before


def test_helpers_hidden_files_and_temporary_modules_are_no_tools(layout: Layout) -> None:
    for name in ("_a.py", ".b.py", "__init__.py", "c.txt", "d.pyc"):
        put(layout, SUMMARIZE, name)
    put(layout, "x = 1\n", "constants.py")
    put(layout, "", "empty.py")
    write(layout.domains / "d/a/deeper/e.py", SUMMARIZE)
    write(layout.domains / "d/_private/f.py", SUMMARIZE)
    write(layout.domains / "d/__pycache__/f.py", SUMMARIZE)
    write(layout.tmp / "route-001/g.py", SUMMARIZE)
    assert discover_all(layout) == Discovery((), (), "widened")


@pytest.mark.parametrize(
    ("text", "slip"),
    [
        (b"def run(:\n", "d/a/a.py:1: file must be Python, got: invalid syntax"),
        (b'"""\xff"""\n', "a.py:1: file must be text in UTF-8, got byte 0xff"),
        (b"# one\n# two\n# \xe9\n", "a.py:3: file must be text in UTF-8, got byte 0xe9"),
        (b"x = '\0'", "file must be Python"),
        (b"x = " + b"(" * 1000, "file must be Python"),
        (b"x = " + b"-" * 100_000 + b"1", "file must be Python"),
        (b"def run(x=" + b"-" * 3000 + b"1):\n '''Do.'''\n", "must be"),
        (b"def run(): ...\n", "a.py:1: run() must have a docstring, its own or the module's"),
        (b"import x\nasync def run():\n 'Do.'\n", "a.py:2: run() must be a plain function"),
        (b"from .x import run\n", "a.py:1: run must be defined in the file, got it imported"),
        (b"#" * ((1 << 20) + 1), "a.py: file cannot be read: it must have at most 1048576 bytes"),
    ],
)
def test_a_bad_file_is_one_finding_and_the_others_still_work(
    layout: Layout, text: bytes, slip: str
) -> None:
    put(layout, text)
    assert slip in only_slip(layout)
    put(layout, SUMMARIZE, "b.py")
    found = discover_all(layout)
    assert [each.name for each in found.tools] == ["b"] and len(found.findings) == 1


def test_the_docstring_may_be_the_modules_or_the_functions(layout: Layout) -> None:
    put(layout, '"""Of the module."""\ndef main(**more): ...\n', "a.py")
    put(layout, 'def run():\n    """Of the function."""\n', "b.py")
    put(layout, '"""The same."""\ndef run():\n    """The same."""\n', "c.py")
    docs = [each.spec.doc for each in discover_all(layout).tools]
    assert docs == ["Of the module.", "Of the function.", "The same."]


def test_half_a_surrogate_in_a_docstring_is_replaced(layout: Layout) -> None:
    put(layout, '"""Do \\ud800 it."""\ndef run(): ...\n')
    assert discover_all(layout).tools[0].spec.doc == "Do ? it."


def test_a_byte_order_mark_and_windows_line_ends_are_fine(layout: Layout) -> None:
    put(layout, b"\xef\xbb\xbf" + SUMMARIZE.replace("\n", "\r\n").encode())
    assert [each.name for each in discover_all(layout).tools] == ["a"]


@pytest.mark.parametrize(
    "name",
    ["a b.py", "a.b.py", "1st.py", "a\n.py", "a\u202e.py", "a::run.py", os.fsdecode(b"a\xff.py")],
)
def test_a_name_that_no_plan_could_hold_is_a_finding(layout: Layout, name: str) -> None:
    put(layout, SUMMARIZE, name)
    slip = only_slip(layout)
    assert slip.endswith(f"name of a tool must be letters, digits, - and _, a letter first, "
                         f"got {name!a}")  # fmt: skip
    slip.encode()


@pytest.mark.parametrize("name", ["größe.py", "my-tool.py", "Tool2.py"])
def test_other_names_are_fine(layout: Layout, name: str) -> None:
    put(layout, SUMMARIZE, name)
    assert [each.name for each in discover_all(layout).tools] == [name[:-3]]


def test_the_order_does_not_depend_on_the_disk(tmp_path: Path) -> None:
    """Two projects whose files were made in opposite order."""
    orders = []
    for number, backwards in enumerate((False, True)):
        layout = layout_of_number(tmp_path, number)
        stems = [f"t{letter}" for letter in "cabzyx"]
        for stem in sorted(stems, reverse=backwards):
            write(layout.domains / f"d{stem}/a/{stem}.py", SUMMARIZE)
            write(layout.shared_tools / f"a/{stem}.py", SUMMARIZE)
        orders.append(names(discover_all(layout)))
    assert orders[0] == orders[1] and orders[0] != sorted(orders[0], reverse=True)


def layout_of_number(tmp_path: Path, number: int) -> Layout:
    folder = tmp_path / str(number)
    folder.mkdir()
    return layout_of(folder)


def test_a_cache_changes_nothing_but_the_time(tmp_path: Path) -> None:
    layout = analysis_and_ingest(tmp_path)
    put(layout, b"def run(:\n", "bad.py")
    put(layout, "name: x\nintents: 3\n", "tool.yaml")
    plain = discover_all(layout)
    cache = FactCache(tmp_path / "cache")
    assert discover_all(layout, cache=cache) == plain
    assert discover_all(layout, cache=cache) == plain
    assert discover_all(layout, cache=FactCache(tmp_path / "cache")) == plain


def test_narrowing_what_was_found_gives_what_a_search_gives(tmp_path: Path) -> None:
    layout = analysis_and_ingest(tmp_path)
    write(layout.shared_tools / "load/load_any.py", tool("Read anything."))
    every = discover_all(layout)
    for domain in (None, "analysis", "ingest", "nowhere"):
        for action in (None, "load", "clean", "export", "summarise", "nothing"):
            for also in ((), ("visualise", "nothing"), ("export", "load")):
                searched = discover(layout, intent(domain, action), also_actions=also)
                assert narrowed(every, intent(domain, action), also) == searched
