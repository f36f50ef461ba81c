"""What makes the best tool less sure, and what does not."""

from __future__ import annotations

import pytest

from prefrontal.routing.ranking.index import ToolIndex

from ..twin import EVEN, log_odds, nearer
from ..twin_numbers import logistic

TAU = 0.6
FIVE = [
    {"name": "count_lines", "doc": "Count the lines of code of each file in a folder."},
    {"name": "send_mail", "doc": "Write to somebody about a topic."},
    {"name": "book_flight", "doc": "Reserve a seat in a plane."},
    {"name": "play_song", "doc": "Play music by title or artist."},
    {"name": "plot_prices", "doc": "Draw prices over time as a chart."},
]


def test_a_near_rival_makes_a_score_unsure() -> None:
    names = ("translate_text", "book_flight", "pay_bill", "find_recipe", "play_song")
    prompt = "please cancel my reservation for dinner"
    alone = ToolIndex.build({"name": name} for name in (*names, "cancel_reservation"))
    rivals = (*names, "cancel_reservation", "accept_reservation", "confirm_reservation", "cancel")
    beside = ToolIndex.build({"name": name} for name in rivals)
    first, second = alone.rank(prompt, 1)[0], beside.rank(prompt, 1)[0]
    assert first.name == second.name == "cancel_reservation"
    assert second.score < first.score - 0.05


def test_tools_that_are_alike_are_all_unsure() -> None:
    names = ("cancel_meeting", "update_meeting", "delete_meeting", "create_meeting")
    index = ToolIndex.build({"name": name} for name in names)
    assert all(one.score < TAU for one in index.rank("change the meeting"))


def test_two_tools_accepted_for_a_prompt_both_reach_tau() -> None:
    index = ToolIndex.build({"name": name} for name in ("plot", "draw", "sum", "mail", "sort"))
    for _ in range(2):
        index.accept("show the table as a picture", "plot")
        index.accept("show the table as a picture", "draw")
    both = index.rank("show this table as a picture", 2)
    assert {one.name for one in both} == {"plot", "draw"}
    assert min(one.score for one in both) >= TAU


def test_a_tool_called_by_its_name_is_as_sure_as_before() -> None:
    index = ToolIndex.build({"name": name} for name in ("get_it", "get_all", "get_one"))
    assert index.rank("get_one", 1)[0].score > 0.9


def test_scores_are_raised_from_five_tools_on() -> None:
    four, five = (
        ToolIndex.build(some).rank("how long is each file of code", 1)[0]
        for some in (FIVE[:4], FIVE)
    )
    assert four.name == five.name == "count_lines"
    assert four.score < five.score - 0.05


@pytest.mark.parametrize("prompt", ["how long is each file of code", "a chart", "play it again"])
def test_among_few_tools_a_score_is_the_odds_of_the_map(prompt: str) -> None:
    best = ToolIndex.build(FIVE).rank(prompt, 1, explain=True)[0]
    assert best.explanation is not None
    odds = log_odds(best.explanation["evidence"])
    assert best.score == pytest.approx(logistic(odds), abs=1e-5)


@pytest.mark.parametrize(
    ("prompt", "held"),
    [("fill up the tank of my car", False), ("fill up the tank of the car at noon", True)],
)
def test_a_prompt_like_a_known_one_reaches_tau_and_no_more_than_the_odds(
    prompt: str, held: bool
) -> None:
    known = "fill up the tank of the car"
    index = ToolIndex.build({"name": f"{letter}_gas", "intents": [known]} for letter in "abcde")
    best = index.rank(prompt, 1, explain=True)[0]
    assert best.explanation is not None and 0.6 < best.explanation["accepted"] < 0.8
    odds = logistic(log_odds(best.explanation["evidence"]))
    assert (odds < TAU) == held
    assert best.score == pytest.approx(max(TAU, odds), abs=1e-5)


@pytest.mark.parametrize(("many", "held"), [(3, False), (20, True)])
def test_a_tool_whose_whole_name_is_said_reaches_tau_and_no_more_than_the_odds(
    many: int, held: bool
) -> None:
    names = ["gas", *(f"gas_{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"[:many])]
    index = ToolIndex.build({"name": name} for name in (*names, "play_song", "book_flight"))
    best = index.rank("gas", 1, explain=True)[0]
    assert best.name == "gas" and best.explanation is not None
    odds = logistic(log_odds(best.explanation["evidence"]))
    assert (odds < TAU) == held
    assert best.score == pytest.approx(max(TAU, odds), abs=1e-5)
    part = index.rank("find me some gas", 1, explain=True)[0]
    assert part.explanation is not None
    assert part.score == pytest.approx(logistic(log_odds(part.explanation["evidence"])), abs=1e-5)


def test_with_much_learned_of_many_tools_a_low_score_is_nearer_to_tau() -> None:
    names = [f"{verb}{noun}" for verb in "abcdefghij" for noun in "klmnopqrstuv"]
    index = ToolIndex.build(
        {"name": name, "intents": [f"{name} {word}{turn}" for turn in range(20)]}
        for name, word in zip(names, reversed(names), strict=True)
    )
    best = index.rank("ak bl cm", 1, explain=True)[0]
    assert best.explanation is not None
    evidence = best.explanation["evidence"]
    odds = log_odds(evidence) - EVEN
    assert odds < -0.5
    assert best.score == pytest.approx(logistic(odds + min(0.6, -0.6 * odds) + EVEN), abs=1e-5)
    assert nearer(odds, evidence) == pytest.approx(odds + min(0.6, -0.6 * odds))


def test_the_phrasings_of_a_manifest_make_no_tool_less_sure() -> None:
    phrasings = [
        ["count lines of code", "how many lines"],
        ["send a mail", "mail somebody"],
        ["book a flight", "reserve a seat"],
        ["play music", "play a song"],
        ["plot the prices", "draw a chart"],
    ]
    hinted = [{**tool, "intents": own} for tool, own in zip(FIVE, phrasings, strict=True)]
    without, best = (
        ToolIndex.build(tools).rank("please mail my team about tomorrow", 1)[0]
        for tools in (FIVE, hinted)
    )
    assert without.name == best.name == "send_mail"
    assert best.score > without.score >= TAU
