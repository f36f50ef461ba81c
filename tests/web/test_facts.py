"""What peers stated is seen, corrected, approved and forgotten on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from prefrontal.errors import InputError
from prefrontal.http_door import Door
from prefrontal.runtime.conversation.facts import DECAY_S, LONGEST_VALUE, PeerFact, Statement
from prefrontal.runtime.conversation.models import NewMessage, Viewer
from prefrontal.runtime.conversation.store import ConversationStore, conversations_path
from prefrontal.testing import ManualClock
from prefrontal.web.app import build_dash
from prefrontal.web.changes import change_fact
from prefrontal.web.dash_context import DashContext
from prefrontal.web.markup import Html, exact
from prefrontal.web.part_facts import FACTS, MOST, FactRegion, fact_pieces

from .dash_on_screen import Screen
from .dash_samples import HOSTILE, NOON, Served, served, shown_in

DAY_S = 86_400.0


def say(store: ConversationStore, peer_id: str, text: str, at: float = NOON) -> int:
    viewer = Viewer(peer_id, "web", peer_id)
    return store.submit(NewMessage(viewer, "in", text, at)).result()


def converse(folder: Path) -> ConversationStore:
    (folder / "workspace").mkdir(parents=True, exist_ok=True)
    return ConversationStore(conversations_path(folder / "workspace"))


@pytest.fixture
def context(tmp_path: Path) -> Iterator[DashContext]:
    with converse(tmp_path) as store:
        say(store, "ann", "I live in Lisbon.", NOON - 30 * DAY_S)
        say(store, "ann", "I moved to Porto.", NOON - DAY_S)
        say(store, "bob", "The deadline of Apollo is June 3.")
    with shown_in(tmp_path) as found:
        yield found


def kept(context: DashContext) -> dict[str, PeerFact]:
    with context.records.conversations() as store:
        return {each.value: each for each in store.facts(ended=True)}


def said_of(fact: PeerFact, **words: str) -> dict[str, str]:
    """What the form of a fact sends."""
    return {"fact": str(fact.id), "was": exact(fact.value), **words}


def cards(context: DashContext) -> list[str]:
    return [words(each) for each in fact_pieces(context.records).values()]


def words(piece: Html) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", piece).split())


def test_a_fact_stands_with_its_source_and_since_when_it_holds(context: DashContext) -> None:
    deadline, home, former = cards(context)
    assert "June 3 deadline of apollo , says bob" in deadline
    assert "Holds since 2023-11-15 12:00 UTC ; message 3 Open message 3" in deadline
    assert "Porto home of ann" in home
    assert "Told in chats with ann (web)" in home
    assert former.startswith("1 no longer so Lisbon home of ann")
    assert "Held from 2023-10-16 12:00 UTC until 2023-11-14 12:00 UTC ; message 1" in former
    assert "Approve" not in former
    assert former.endswith("Forget")


def test_who_approved_it_or_whose_words_may_be_in_it_is_said(tmp_path: Path) -> None:
    with converse(tmp_path) as store:
        say(store, "ann", "My dog is called Rex.", NOON - DECAY_S - 1)
        number = say(store, "ann", "Frau Schmidt ist jetzt meine Chefin")
        [message] = store.around(number, 0, 0)
        others = replace(message, origins=("peer:ann", "peer:bob"))
        store.submit_facts([(number, Statement("", "boss", "Frau Schmidt"))], [others]).result()
    with shown_in(tmp_path) as context:
        boss, dog = cards(context)
        assert "boss of ann quoted" in boss
        assert "Quoted until it is approved: words of bob may be in it Approve" in boss
        assert "not told: not said again for a year" in dog
        for each in kept(context).values():
            change_fact(context, said_of(each, do="approve"))
        for card in cards(context):
            assert re.search(r"approved .* Approved by \S+ on the page Edit", card)
            assert "quoted" not in card
            assert "not told" not in card


def test_a_fact_is_corrected_and_by_whom_is_kept(context: DashContext) -> None:
    porto = kept(context)["Porto"]
    said = change_fact(context, said_of(porto, do="correct", value=" Braga\n"))
    assert said == "Corrected and approved: home of ann is Braga."
    braga = kept(context)["Braga"]
    assert (braga.id, braga.approved, braga.source) == (porto.id, True, porto.source)
    assert braga.approved_by.endswith(" on the page")


def test_a_forgotten_fact_is_in_no_file_and_what_it_ended_holds_again(
    context: DashContext,
) -> None:
    facts = kept(context)
    said = change_fact(context, said_of(facts["Porto"], do="forget"))
    assert said == "Forgotten: home of ann is Porto. Message 2 stays as it was said."
    assert kept(context)["Lisbon"].valid_until is None
    change_fact(context, said_of(facts["Lisbon"], do="forget"))
    assert list(kept(context)) == ["June 3"]


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"fact": "99", "do": "approve"}, "fact must be one that is kept, got 99"),
        ({"fact": "\u0662", "do": "forget"}, "fact must be one that is kept, got 0"),
        (
            {"fact": "1", "do": "approve", "was": "Lisbon"},
            "fact must be one that still holds, got 1",
        ),
        (
            {"fact": "2", "do": "approve", "was": "Faro"},
            "fact must be as the page showed it, 'Faro', got 'Porto' meanwhile",
        ),
        ({"fact": "2", "do": "burn"}, "do must be one of approve, correct, forget, got 'burn'"),
        ({"fact": "2", "do": "correct"}, "value must be a text of 1 to 80 characters, got ''"),
        (
            {"fact": "2", "do": "correct", "value": "x" * (LONGEST_VALUE + 1)},
            "value must be a text of 1 to 80 characters, got 'xxx",
        ),
    ],
)
def test_a_slip_is_a_sentence_and_changes_nothing(
    context: DashContext, form: dict[str, str], sentence: str
) -> None:
    before = kept(context)
    with pytest.raises(InputError, match=sentence):
        change_fact(context, form)
    assert kept(context) == before


def test_without_conversations_there_is_no_fact_and_no_file_is_made(tmp_path: Path) -> None:
    with shown_in(tmp_path) as context:
        assert fact_pieces(context.records) == {}
        with pytest.raises(InputError, match="fact must be one that is kept"):
            change_fact(context, {"fact": "1", "do": "approve"})
        assert not conversations_path(context.records.folder).exists()


def test_of_many_the_newest_are_there_and_the_rest_has_its_command(tmp_path: Path) -> None:
    with converse(tmp_path) as store:
        for number in range(MOST + 2):
            say(store, f"peer{number}", "My dog is called Rex.")
    with shown_in(tmp_path) as context:
        pieces = fact_pieces(context.records)
        assert len(pieces) == FACTS + 2
        assert f"{MOST - FACTS} more" in pieces["f-more"]
        assert pieces["f-more"].count('class="belief fact"') == MOST - FACTS
        assert "prefrontal memory facts --peer PEER" in pieces["f-rest"]


def test_the_region_is_rendered_when_the_conversations_changed(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with shown_in(tmp_path, clock=clock) as context:
        region = FactRegion()
        assert region.pieces(context.records) == {}
        with converse(tmp_path) as store:
            say(store, "ann", "I live in Lisbon.")
            first = region.pieces(context.records)
            assert list(first) == ["f-1"]
            assert region.pieces(context.records) is first
            say(store, "ann", "I moved to Porto.")
            assert list(region.pieces(context.records)) == ["f-2", "f-ended"]
            clock.advance(DECAY_S + 1)
            assert "not said again" in region.pieces(context.records)["f-2"]


def test_what_strangers_wrote_stays_text(tmp_path: Path) -> None:
    with converse(tmp_path) as store:
        say(store, HOSTILE, f"My dog is {HOSTILE[:60]}")
    with (
        shown_in(tmp_path) as context,
        TestClient(build_dash(context, Door()).app, base_url="http://127.0.0.1:8768") as client,
    ):
        page = client.get("/").text
        assert "&lt;img src=x" in page
        assert "<img" not in page
        assert "\u202e" not in page


def test_damaged_conversations_are_told_in_the_place_of_facts(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    conversations_path(tmp_path / "workspace").write_bytes(b"no database at all" * 99)
    with (
        shown_in(tmp_path) as context,
        TestClient(build_dash(context, Door()).app, base_url="http://127.0.0.1:8768") as client,
    ):
        [piece] = client.get("/state").json()["regions"]["facts"]["pieces"].values()
        assert "conversations.sqlite is not a database" in piece


@pytest.fixture
def page(context: DashContext) -> Iterator[Served]:
    with served(context) as found:
        yield found


def test_a_person_edits_a_fact_on_the_screen(screen: Screen, page: Served) -> None:
    from selenium.webdriver.common.keys import Keys

    screen.open(page.url)
    home = f"#f-{kept(page.context)['Porto'].id}"
    screen.click(f"{home} [data-edit]")
    screen.press(Keys.ESCAPE)
    assert screen.focused() == f"{home[1:]}-edit"
    screen.press(Keys.ENTER)
    assert screen.focused() == f"{home[1:]}-edited"
    screen.hand().key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
    screen.press("Braga")
    screen.click(f"{home}-save")
    screen.until(lambda: screen.find(f"{home} .text").text == "Braga")
    assert "Corrected and approved: home of ann is Braga." in screen.said()
    assert "Braga" in kept(page.context)
    assert screen.complaints() == []


@pytest.mark.exhaustive
def test_what_came_while_a_person_wrote_is_shown_when_the_editor_is_closed(
    screen: Screen, page: Served
) -> None:
    screen.open(page.url)
    porto = kept(page.context)["Porto"]
    home = f"#f-{porto.id}"
    screen.click(f"{home} [data-edit]")
    change_fact(page.context, said_of(porto, do="correct", value="Braga"))
    screen.until(lambda: screen.script("return waiting.size") == 1)
    assert screen.find(f"{home} .text").text == "Porto"
    screen.click(f"{home} [data-cancel]")
    assert screen.find(f"{home} .text").text == "Braga"
    assert screen.focused() == f"{home[1:]}-edit"
    assert screen.complaints() == []


@pytest.mark.exhaustive
def test_a_person_approves_forgets_and_opens_where_it_was_said(
    screen: Screen, page: Served
) -> None:
    screen.open(page.url)
    home = f"#f-{kept(page.context)['Porto'].id}"
    screen.click(f"{home} button[value=approve]")
    screen.until(lambda: screen.all(f"{home} .tag.pinned"))
    screen.click(f"{home} .open")
    screen.until(lambda: screen.all("#messages .message.whole"))
    assert screen.find("#messages .message.whole .text").text == "I moved to Porto."
    assert screen.find("#messages").is_displayed()
    assert screen.focused() == "conversations-title"
    screen.click(f"{home} button[value=forget]")
    screen.until(lambda: not screen.all(home))
    assert screen.find("#facts > li:last-child .text").text == "Lisbon"
    assert screen.complaints() == []
