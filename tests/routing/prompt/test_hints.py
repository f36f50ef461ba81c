from __future__ import annotations

import math
from pathlib import Path

import pytest

from prefrontal.routing.catalog.discovery import discover_all
from prefrontal.routing.layout import Layout
from prefrontal.routing.prompt.hints import HintIndex
from prefrontal.routing.prompt.parser import parse
from prefrontal.routing.prompt.passages import Passage, passages
from prefrontal.routing.prompt.taxonomy import Taxonomy

from ..project import write
from ..tool_files import analysis_and_ingest


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A project with texts of every kind that counts, and of some that do not."""
    layout = analysis_and_ingest(tmp_path)
    write(tmp_path / "docs/guide.md", "# Invoices\n\nInvoices arrive by mail; load each one.\n")
    write(tmp_path / "ADRs/0001-penguins.md", "Penguins are counted in the ingest domain.\n")
    write(layout.root / "docs/more.rst", "Volcanoes erupt.\n")
    write(layout.domains / "analysis/README.md", "Everything about turnips.\n")
    write(layout.domains / "ingest/clean/README.md", "Scrubbing of beetroots.\n")
    write(tmp_path / "docs/.hidden/a.md", "Secret aardvarks.\n")
    write(tmp_path / "docs/picture.svg", "aardvarks")
    write(tmp_path / "elsewhere/a.md", "Outer aardvarks.\n")
    (tmp_path / "docs/link.md").symlink_to(tmp_path / "elsewhere/a.md")
    (tmp_path / "docs/folder").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    return layout


def index(layout: Layout) -> HintIndex:
    tools = discover_all(layout).tools
    return HintIndex(passages(layout, tools)[0], Taxonomy.of(layout, tools))


@pytest.mark.parametrize(
    ("prompt", "file", "domain", "action"),
    [
        ("draw a picture", "plot_matrix.py", "analysis", "visualise"),
        ("handle an invoice", "guide.md", None, "load"),
        ("count the penguins", "0001-penguins.md", "ingest", None),
        ("when will the volcano erupt", "more.rst", None, None),
        ("turnips", "README.md", "analysis", None),
        ("beetroot", "README.md", "ingest", "clean"),
    ],
)
def test_every_kind_of_text_is_found(
    layout: Layout, prompt: str, file: str, domain: str | None, action: str | None
) -> None:
    best = index(layout).search(prompt)[0]
    assert (best.passage.path.name, best.domain, best.action) == (file, domain, action)
    assert 0.1 <= best.score <= 1.0


def test_hidden_files_links_and_other_kinds_of_files_are_left_out(layout: Layout) -> None:
    assert index(layout).search("aardvarks") == ()


def test_a_prompt_that_resembles_nothing_has_no_hints(layout: Layout) -> None:
    assert index(layout).search("quantum chromodynamics") == ()
    assert index(layout).search("the") == ()
    assert HintIndex([], Taxonomy([])).search("plot") == ()


def test_hints_point_the_parser_without_passing_the_threshold(layout: Layout) -> None:
    tools = discover_all(layout).tools
    taxonomy = Taxonomy.of(layout, tools)
    hints = index(layout).search("beetroot")
    parsed = parse("beetroot", taxonomy, hints=hints)
    assert (parsed.domain, parsed.action) == ("ingest", "clean")
    assert 0.0 < parsed.confidence <= 0.05


def test_a_passage_says_where_it_begins(tmp_path: Path) -> None:
    layout = analysis_and_ingest(tmp_path)
    paragraphs = "one\ntwo\nthree\nfour\nfive\n\nsix\n## Next\nseven\n"
    path = write(tmp_path / "docs/a.md", f"\n\n# First\n{paragraphs}")
    found, findings = passages(layout, [])
    assert findings == []
    assert [(each.line, each.text.split("\n")[0]) for each in found] == [
        (1, "# First"),
        (9, "six"),
        (11, "## Next"),
    ]
    assert {each.path for each in found} == {path}


def test_texts_that_cannot_be_read_are_findings(tmp_path: Path) -> None:
    layout = analysis_and_ingest(tmp_path)
    write(tmp_path / "docs/a.md", "").write_bytes(b"\xff")
    write(tmp_path / "docs/b.md", "x" * ((1 << 20) + 1))
    found, findings = passages(layout, [])
    assert found == []
    assert [each.path.name for each in findings] == ["a.md", "b.md"]
    assert findings[1].text == "file cannot be read: it must have at most 1048576 bytes, got more"


def test_equal_passages_come_in_their_order() -> None:
    texts = [Passage(Path(name), 1, "plot the matrix") for name in ("b.md", "a.md", "c.md")]
    found = HintIndex(texts, Taxonomy([])).search("plot the matrix", most=2)
    assert [(each.passage.path.name, each.score) for each in found] == [
        ("b.md", 1.0),
        ("a.md", 1.0),
    ]


def test_a_score_is_the_cosine_of_tf_idf_vectors() -> None:
    """Worked out by hand: "plot" twice is worth 1 + ln 2; idf is 1 + ln((1 + N)/(1 + df))."""
    texts = ["plot plot matrix", "matrix table"]
    rare, shared, unknown = 1 + math.log(3 / 2), 1.0, 1 + math.log(3)
    index = HintIndex([Passage(Path("a.md"), 1, text) for text in texts], Taxonomy([]))
    [first, second] = index.search("matrix plot zebra")
    prompt = math.sqrt(shared**2 + rare**2 + unknown**2)
    plots = (1 + math.log(2)) * rare
    one = (shared * shared + plots * rare) / (math.sqrt(shared**2 + plots**2) * prompt)
    two = shared * shared / (math.sqrt(shared**2 + rare**2) * prompt)
    assert [first.score, second.score] == [round(one, 6), round(two, 6)]
    assert len(index) == 2


def test_a_hint_needs_a_score_of_a_tenth() -> None:
    long = " ".join(["matrix", *(f"word{number}" for number in range(200))])
    index = HintIndex([Passage(Path("a.md"), 1, long)], Taxonomy([]))
    assert index.search("matrix") == ()
    assert index.search(long)[0].score == 1.0
