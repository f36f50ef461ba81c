from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefrontal.errors import InputError
from prefrontal.routing.catalog.discovery import discover_all
from prefrontal.routing.prompt import verbs
from prefrontal.routing.prompt.parser import clause_actions, parse, read_prompt
from prefrontal.routing.prompt.taxonomy import Taxonomy
from prefrontal.routing.types import ParsedIntent

from ..project import layout_of, write
from ..tool_files import analysis_and_ingest, tool

THRESHOLD = 0.55


@pytest.fixture(scope="module")
def taxonomy(tmp_path_factory: pytest.TempPathFactory) -> Taxonomy:
    layout = analysis_and_ingest(tmp_path_factory.mktemp("project"))
    return Taxonomy.of(layout, discover_all(layout).tools)


@pytest.mark.parametrize(
    ("prompt", "domain", "action"),
    [
        ("summarize this matrix for me", "analysis", "summarise"),
        ("Summarise the matrix", "analysis", "summarise"),
        ("give me a recap of these numbers", "analysis", "summarise"),
        ("plot it", "analysis", "visualise"),
        ("Draw a chart of the sales", "analysis", "visualise"),
        ("Please make a plot of this", "analysis", "visualise"),
        ("Summarize a matrix then plot it", "analysis", "visualise"),
        ("plot the matrix after you summarise it", "analysis", "visualise"),
        ("load the csv", "ingest", "load"),
        ("load the file in ingest", "ingest", "load"),
        ("in analysis, load the file", "analysis", "load"),
        ("read the data frame from disk", "analysis", "load"),
        ("tidy up the table", "ingest", "clean"),
        ("VISUALISE!!!", "analysis", "visualise"),
    ],
)
def test_a_clear_prompt_needs_no_question(
    taxonomy: Taxonomy, prompt: str, domain: str, action: str
) -> None:
    parsed = parse(prompt, taxonomy)
    assert (parsed.domain, parsed.action, parsed.intent) == (domain, action, prompt)
    assert THRESHOLD <= parsed.confidence <= 1.0


@pytest.mark.parametrize(
    "prompt",
    [
        "load the numbers",  # two domains do
        "matrix",
        "do something with a matrix",
        "what is the weather?",
        "hello world",
        "delete the plot",
        "book a flight to Rome",
        "analysis",
        "🎉",
        "日本語",
        "the of and",
    ],
)
def test_an_unclear_prompt_stays_below_the_threshold(taxonomy: Taxonomy, prompt: str) -> None:
    assert parse(prompt, taxonomy).confidence < THRESHOLD


def test_two_equally_likely_domains_stay_below_a_half(taxonomy: Taxonomy) -> None:
    reading = read_prompt("load the numbers", taxonomy)
    assert reading.actions[0][0] == "load" and reading.actions[0][1] > 0.8
    assert sorted(name for name, _ in reading.domains) == ["analysis", "ingest"]
    assert reading.confidence < 0.5


def test_what_nothing_points_to_is_none(taxonomy: Taxonomy) -> None:
    prompt = "what is the weather?"
    assert parse(prompt, taxonomy) == ParsedIntent(None, None, prompt, 0.0)
    half = parse("in analysis", taxonomy)
    assert (half.domain, half.action) == ("analysis", None)
    assert 0.0 < half.confidence <= 0.5


@pytest.mark.parametrize("prompt", ["", " \t\n", "?!", "...", "\u200b", "\0"])
def test_a_prompt_without_a_word_is_refused(taxonomy: Taxonomy, prompt: str) -> None:
    with pytest.raises(InputError, match="prompt must say what to do, got "):
        parse(prompt, taxonomy)


def test_half_a_surrogate_is_refused(taxonomy: Taxonomy) -> None:
    with pytest.raises(InputError, match="prompt must be text that UTF-8 can hold"):
        parse("plot \ud800", taxonomy)


@pytest.mark.parametrize(
    "prompt",
    ["plot\0it", "plot \u202eti", "plot it 🎉", "plot it\n" * 10_000, "plot " + "x" * 100_000],
)
def test_odd_prompts_are_read_and_kept_as_they_were_typed(taxonomy: Taxonomy, prompt: str) -> None:
    parsed = parse(prompt, taxonomy)
    assert (parsed.action, parsed.intent) == ("visualise", prompt)


def test_without_tools_nothing_is_found_and_nothing_fails(tmp_path: Path) -> None:
    for each in (Taxonomy.of(layout_of(tmp_path)), Taxonomy([])):
        assert parse("plot it", each) == ParsedIntent(None, None, "plot it", 0.0)
        assert clause_actions("plot it", each) == ()


def test_folders_alone_are_enough_for_a_clear_prompt(tmp_path: Path) -> None:
    parsed = parse("plot it", Taxonomy.of(analysis_and_ingest(tmp_path)))
    assert (parsed.domain, parsed.action) == ("analysis", "visualise")
    assert parsed.confidence >= THRESHOLD


def test_a_shared_tool_belongs_to_no_domain_unless_there_is_only_one(tmp_path: Path) -> None:
    shared = Taxonomy([("books", "load"), ("films", "load"), (None, "export")])
    parsed = parse("export it", shared)
    assert (parsed.domain, parsed.action) == (None, "export")
    assert parsed.confidence < THRESHOLD
    assert parse("export it, in books", shared).confidence >= THRESHOLD
    only = parse("export it", Taxonomy([("books", "load"), (None, "export")]))
    assert (only.domain, only.action) == ("books", "export")
    assert only.confidence >= THRESHOLD


def test_a_manifest_points_to_its_folder(tmp_path: Path) -> None:
    layout = analysis_and_ingest(tmp_path)
    write(
        layout.domains / "analysis/summarise/tool.yaml",
        "name: summarize_matrix\nintents: [boil down]\nhints: {action: crunch, domain: figures}\n",
    )
    taxonomy = Taxonomy.of(layout, discover_all(layout).tools)
    for prompt in ("boil down the sales", "crunch the sales", "crunch it, in figures"):
        parsed = parse(prompt, taxonomy)
        assert (parsed.domain, parsed.action) == ("analysis", "summarise")
    assert parse("crunch the sales", taxonomy).confidence >= THRESHOLD


def test_clauses_name_their_actions_in_the_order_they_are_done(taxonomy: Taxonomy) -> None:
    assert clause_actions("Summarize a matrix then plot it", taxonomy) == (
        "summarise",
        "visualise",
    )
    assert clause_actions("plot the matrix after you summarise it", taxonomy) == (
        "summarise",
        "visualise",
    )
    assert clause_actions("load the csv, clean it and export it", taxonomy) == (
        "load",
        "clean",
        "export",
    )
    assert clause_actions("what is the weather?", taxonomy) == ()


def test_more_words_for_a_choice_raise_the_confidence(taxonomy: Taxonomy) -> None:
    prompts = ["load it", "load the csv", "load the csv table", "load the csv table into ingest"]
    sure = [parse(prompt, taxonomy).confidence for prompt in prompts]
    assert sure == sorted(sure) and len(set(sure)) == len(sure)


def test_a_verb_that_no_action_has_lowers_the_confidence(taxonomy: Taxonomy) -> None:
    plain, other, foreign = (
        parse(prompt, taxonomy).confidence
        for prompt in ("plot the matrix", "translate it and then plot the matrix", "email the plot")
    )
    assert plain > other > foreign and foreign < THRESHOLD


def test_a_light_verb_does_not(taxonomy: Taxonomy) -> None:
    plain = parse("a plot of the matrix", taxonomy).confidence
    assert parse("make a plot of the matrix", taxonomy).confidence == plain


def test_verbs_of_equal_meaning_share_a_group() -> None:
    groups = verbs.groups()
    for one, other in [("summar", "recap"), ("plot", "chart")]:
        assert groups[one] & groups[other]
    assert not groups["plot"] & groups["load"]
    assert verbs.content(["plot", "the", "matrix"]) == ["plot", "matrix"]


WORDS = st.lists(
    st.sampled_from(
        ["load", "csv", "plot", "matrix", "summarise", "analysis", "ingest", "then", "and", "clean",
         "delete", "the", "frame", "export", "table", "file", "for", "draw"]
    ),
    min_size=1,
    max_size=8,
).map(" ".join)  # fmt: skip


@settings(deadline=None)
@given(WORDS | st.text(min_size=1))
def test_any_prompt_gives_known_names_and_a_confidence_from_0_to_1(
    taxonomy: Taxonomy, prompt: str
) -> None:
    try:
        parsed = parse(prompt, taxonomy)
    except InputError:
        return
    assert parsed.domain is None or parsed.domain in taxonomy.domains
    assert parsed.action is None or parsed.action in taxonomy.actions
    assert 0.0 <= parsed.confidence <= 1.0
    if parsed.confidence >= THRESHOLD:
        assert parsed.domain and parsed.action
    assert parse(prompt, taxonomy) == parsed
    shares = read_prompt(prompt, taxonomy)
    assert sum(share for _, share in shares.actions) <= 1.00001
    assert sum(share for _, share in shares.domains) <= 1.00001


@pytest.mark.exhaustive
def test_the_same_prompt_gives_the_same_answer_in_every_process(tmp_path: Path) -> None:
    layout = analysis_and_ingest(tmp_path)
    write(layout.domains / "other/load/load_text.py", tool("Read a text."))
    program = (
        "import sys, pathlib\n"
        "from prefrontal.routing.layout import Layout\n"
        "from prefrontal.routing.catalog.discovery import discover_all\n"
        "from prefrontal.routing.prompt.parser import read_prompt, parse\n"
        "from prefrontal.routing.prompt.taxonomy import Taxonomy\n"
        "layout = Layout.of(pathlib.Path(sys.argv[1]))\n"
        "taxonomy = Taxonomy.of(layout, discover_all(layout).tools)\n"
        "for prompt in ('load it', 'summarise a matrix then plot it', 'read the matrix'):\n"
        "    print(parse(prompt, taxonomy), read_prompt(prompt, taxonomy))\n"
    )
    answers = set()
    for seed, place in [("0", "C"), ("1", "C.UTF-8"), ("2", "tr_TR.UTF-8")]:
        done = subprocess.run(
            [sys.executable, "-c", program, str(layout.root)],
            env={"PYTHONHASHSEED": seed, "LC_ALL": place, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
            timeout=60,
        )
        answers.add(done.stdout)
    assert len(answers) == 1
