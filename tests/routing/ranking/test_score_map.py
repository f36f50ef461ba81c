"""What makes the best tool less sure, and what does not."""

from __future__ import annotations

from prefrontal.routing.ranking.index import ToolIndex

TAU = 0.6


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
    tools = [
        {"name": "count_lines", "doc": "Count the lines of code of each file in a folder."},
        {"name": "send_mail", "doc": "Write to somebody about a topic."},
        {"name": "book_flight", "doc": "Reserve a seat in a plane."},
        {"name": "play_song", "doc": "Play music by title or artist."},
        {"name": "plot_prices", "doc": "Draw prices over time as a chart."},
    ]
    four, five = (
        ToolIndex.build(some).rank("how long is each file of code", 1)[0]
        for some in (tools[:4], tools)
    )
    assert four.name == five.name == "count_lines"
    assert four.score < five.score - 0.05
