"""What a prompt says is not to be done is looked for by no stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from prefrontal.routing.layout import Layout
from prefrontal.routing.run.request import Mode
from prefrontal.routing.run.transcript import Transcript

from ..project import layout_of, write
from ..routes import Script, Writer, event, routed
from ..tool_files import tool

TEXTS = {
    "archives/pack/zip_folder": "Zip a folder.",
    "archives/unpack/unzip": "Unpack a zip file.",
    "files/clean/delete_old": "Delete files that are old.",
    "text/count/count_words": "Count the words of a text.",
    "mail/send/send_reminder": "Mail a payment reminder to a customer.",
    "web/fetch/fetch_page": "Fetch a web page.",
}
PLAN = Mode(plan_only=True)


@pytest.fixture
def project(tmp_path: Path) -> Layout:
    layout = layout_of(tmp_path)
    for place, doc in TEXTS.items():
        write(layout.domains / f"{place}.py", tool(doc, "text: str = 'x'"))
    return layout


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("zip the folder but do not delete the old files", "zip_folder"),
        ("do not unzip it, just zip the folder", "zip_folder"),
        ("fetch the web page, and never count the words", "fetch_page"),
        ("don't delete files. Count the words of the text.", "count_words"),
    ],
)
def test_only_what_is_to_be_done_is_selected(project: Layout, prompt: str, name: str) -> None:
    route = routed(project, prompt, PLAN)
    assert [spec.path.stem for spec in route.decision.selected] == [name]
    assert route.exit_code == 0
    assert (
        Transcript()
        .take(event(route, "parse"))[1]
        .startswith("[PREFRONTAL] left out, since it is not to be done: ")
    )


@pytest.mark.parametrize(
    "prompt",
    [
        "don't delete the old files",
        "never send a payment reminder",
        "please do not use zip_folder",
        "count neither the words nor the files",
        "don't zip it, unzip it or delete it",
    ],
)
def test_who_asks_for_nothing_is_given_nothing(project: Layout, prompt: str) -> None:
    planned = routed(project, prompt, PLAN)
    assert planned.exit_code == 3 and "says only what not to do" in planned.sentence
    model, person = Writer(), Script()
    route = routed(project, prompt, operator=person, model=model)
    assert route.exit_code == 3 and "says only what not to do" in route.sentence
    assert model.asked == person.offered == person.asked == []


def test_what_was_denied_is_not_learned(project: Layout) -> None:
    prompt = "fetch the web page but do not count the words"
    assert routed(project, prompt, operator=Script()).exit_code == 0
    assert routed(project, prompt, PLAN).decision.selected[0].path.stem == "fetch_page"
    [chosen] = routed(project, "count the words", PLAN).decision.selected
    assert chosen.path.stem == "count_words"


def test_the_tool_is_for_what_the_pronoun_stands_for(project: Layout) -> None:
    route = routed(project, "don't count the words of the web page, fetch it instead", PLAN)
    assert [spec.path.stem for spec in route.decision.selected] == ["fetch_page"]
    assert event(route, "parse")["detail"]["clauses"] == ["fetch the web page instead"]
