from __future__ import annotations

from dataclasses import replace

import pytest

from prefrontal.routing.ranking.other_objects import does_it_to_others
from prefrontal.routing.ranking.tool_ranker import ToolRanker
from prefrontal.routing.types import Tool
from prefrontal.settings.routing import Ranker

from ..sample_tools import tool


def told(name: str, doc: str, folder: str = "d/x") -> Tool:
    one = tool(f"domains/{folder}/{name}.py")
    domain, action = folder.split("/")
    return replace(one, domain=domain, action=action, spec=replace(one.spec, doc=doc))


STOP = told("stop_containers", "Stop all running containers.")
REFUND = told("refund_order", "Refund an order.")
LIGHTS = told("turn_off_lights", "Turn the lights off in a room.")


@pytest.mark.parametrize(
    ("prompt", "one", "meant"),
    [
        ("stop the music", STOP, False),
        ("please stop my noisy neighbours", STOP, False),
        ("refund taxes", REFUND, False),
        ("turn off the alarm", LIGHTS, False),
        ("stop the containers", STOP, True),
        ("stop it", STOP, True),
        ("stop everything", STOP, True),
        ("stop nginx", STOP, True),  # may be the name of one
        ("refund bob", REFUND, True),
        ("refund 20 euro", REFUND, True),
        ("refund a.txt", REFUND, True),
        ("turn the lights off", LIGHTS, True),
        ("stop the result", STOP, True),
        ("restart the music", STOP, True),
        ("encrypt my diary", told("encrypt_file", "Encrypt a file."), True),
        ("migrate the users", told("migrate", "Apply the migrations."), True),
        ("stop the music", told("stop_player", "Stop what plays.", "music/stop"), True),
        ("play the album", told("play_song", "Play a song."), True),
        ("merge the invoices", told("merge_pdfs", "Merge pages into one."), True),
        ("merge the families", told("merge_pdfs", "Merge pages into one."), False),
        ("", STOP, True),
    ],
)
def test_a_tool_named_after_what_it_does_its_verb_to_is_for_no_other_thing(
    prompt: str, one: Tool, meant: bool
) -> None:
    assert (does_it_to_others(prompt, one) == "") == meant


def test_words_that_mean_the_same_are_no_other_thing() -> None:
    tickets = told("close_tickets", "Mark tickets as done.")
    assert does_it_to_others("close the issues", tickets)
    assert not does_it_to_others("close the issues", tickets, [("issues", "ticket")])


def test_without_word_vectors_an_album_is_no_song() -> None:
    song = told("play_song", "Play a song.")
    assert does_it_to_others("play the album", song, vectors=False)
    for vectors in (True, False):
        ranker = ToolRanker([song], {}, Ranker(word_vectors=vectors), 0.0)
        flags = ranker.candidates("play the album")[0].flags
        assert any("other things" in one for one in flags) != vectors


def test_a_verb_alone_selects_no_tool() -> None:
    others = [told(f"tool_{number}", "Does something else.") for number in range(8)]
    ranker = ToolRanker([STOP, REFUND, LIGHTS, *others], {}, Ranker(), 0.0)
    for prompt in ("stop the music", "refund my taxes", "turn off the alarm"):
        assert ranker.candidates(prompt)[0].score < 0.55, prompt
    assert ranker.candidates("refund the order")[0].score > 0.6
