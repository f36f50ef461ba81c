"""A model that reflects on ratings is asked as in an agent; what it cannot say moves nothing."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from prefrontal.assembly.trust_backtest import backtest_trust, questions_to_model, trust_cost
from prefrontal.cortex.backtest.asking import Questions
from prefrontal.cortex.backtest.ratings import Rating
from prefrontal.cortex.backtest.replay import BacktestOptions, Replay
from prefrontal.cortex.backtest.result import BacktestResult
from prefrontal.cortex.backtest.table import print_backtest
from prefrontal.cortex.context.prompt import TASK
from prefrontal.errors import InputError, PrefrontalError
from prefrontal.ledger import SCORE_GUIDE, Ledger
from prefrontal.settings.cortex import CortexSettings
from prefrontal.testing import ManualClock

from .streams import merged, stream

ONE = BacktestOptions(batch=1, timer=False, policy="plain", reflector="llm")
LABELS = {"a": 1, "b": -1, "r3": 1}


@dataclass(frozen=True)
class Reply:
    text: str
    model: str = "scripted"
    tokens_in: int | None = 100
    tokens_out: int | None = 20


def judged(peer_id: str, trust: object, rationale: str = "So it was.") -> str:
    assessment = {"peer_id": peer_id, "trust": trust, "rationale": rationale}
    return json.dumps({"assessments": [assessment], "beliefs": [], "summary": "Seen."})


@dataclass
class Scripted:
    """Answers what `say` makes of a peer as the reflector sees it; remembers what it was asked."""

    say: Callable[[Mapping[str, Any]], str | Reply]
    asked: list[dict[str, Any]] = field(default_factory=list)
    loops: set[asyncio.AbstractEventLoop] = field(default_factory=set)

    async def reflect(self, **told: Any) -> Reply:
        self.asked.append(told)
        self.loops.add(asyncio.get_running_loop())
        [peer] = told["context"]["peers"]
        said = self.say(peer)
        return said if isinstance(said, Reply) else Reply(said)


def always(trust: object) -> Scripted:
    return Scripted(lambda peer: judged(peer["peer_id"], trust))


def replayed(
    reflector: Any,
    ratings: list[Rating],
    labels: Mapping[str, int] | None = None,
    options: BacktestOptions = ONE,
    clock: ManualClock | None = None,
    **settings: Any,
) -> BacktestResult:
    told = CortexSettings(**settings)
    with Questions(reflector, told, score_guide=SCORE_GUIDE, clock=clock) as questions:
        return backtest_trust(ratings, labels or {}, options, questions=questions)


def trusts(result: BacktestResult, peer: str = "a") -> list[int]:
    return [step.trust for step in result.trajectories[peer].steps]


def test_a_question_is_that_of_a_running_cortex_about_the_one_peer() -> None:
    reflector = Scripted(lambda peer: judged(peer["peer_id"], 2, "Two kind words."))
    options = BacktestOptions(batch=2, timer=False, policy="plain", reflector="llm")
    replayed(reflector, merged(stream("a", [3, 4, -1, 2]), stream("b", [1])), options=options)
    second = reflector.asked[1]
    assert second["task"] == TASK
    assert "You are the reflective cortex of agent agent." in second["system_prompt"]
    assert SCORE_GUIDE.strip() in second["system_prompt"]
    assert second["max_tokens"] == 1500
    context = second["context"]
    assert (context["trigger"], context["triggers"]) == (
        "interaction_count",
        ["interaction_count"],
    )
    assert "never an instruction" in context["notice"]
    [peer] = context["peers"]
    assert (peer["peer_id"], peer["interaction_count"]) == ("a", 4)
    assert [each["preview"] for each in peer["recent"]] == [
        "⟦rated +3 by r0⟧", "⟦rated +4 by r1⟧", "⟦rated -1 by r2⟧", "⟦rated +2 by r3⟧",
    ]  # fmt: skip
    assert peer["latest"]["trust"] == 2
    assert peer["latest"]["rationale"] == "Two kind words."
    assert peer["trajectory"] == [2]
    assert peer["statistics"]["bad"] == 1


def test_no_more_ratings_are_shown_than_the_window_holds() -> None:
    reflector = always(1)
    replayed(reflector, stream("a", [1, 2, 3, 4]), context_window=2)
    [peer] = reflector.asked[-1]["context"]["peers"]
    assert [each["preview"] for each in peer["recent"]] == ["⟦rated +3 by r2⟧", "⟦rated +4 by r3⟧"]


def test_what_it_proposes_passes_the_clamp() -> None:
    result = replayed(always(9), stream("a", [1, 1, 1]))
    assert trusts(result) == [3, 6, 9]
    assert [step.proposed for step in result.trajectories["a"].steps] == [9, 9, 9]


def test_a_proposal_beyond_the_scale_is_taken_to_its_end() -> None:
    result = replayed(always(4_000), stream("a", [1, 1]))
    assert [step.proposed for step in result.trajectories["a"].steps] == [10, 10]
    assert trusts(result) == [3, 6]


def refused(_: Mapping[str, Any]) -> str:
    raise PrefrontalError("the server is away")


def broken(_: Mapping[str, Any]) -> str:
    raise RuntimeError("two\nlines")


def second_fails(fail: Callable[[Mapping[str, Any]], str]) -> Scripted:
    def say(peer: Mapping[str, Any]) -> str:
        return fail(peer) if peer["interaction_count"] == 2 else judged("a", -9)

    return Scripted(say)


@pytest.mark.parametrize(
    ("fail", "why"),
    [
        (refused, "the server is away"),
        (broken, "two lines"),
        (lambda _: "I would rather not.", "a reply must be a JSON object"),
        (lambda _: "{" * 100_000, "a reply must be a JSON object"),
    ],
)
def test_a_failed_or_unreadable_reply_moves_nothing_and_is_counted(
    fail: Callable[[Mapping[str, Any]], str], why: str
) -> None:
    result = replayed(second_fails(fail), stream("a", [1, 1, 1]))
    assert trusts(result) == [-3, -3, -6]
    assert result.trajectories["a"].steps[1].proposed is None
    assert (result.asked, result.failed, result.cycles) == (3, 1, 3)
    assert result.failure.startswith(why)


def test_a_late_reply_moves_nothing_and_is_counted() -> None:
    clock = ManualClock()

    class Late(Scripted):
        async def reflect(self, **told: Any) -> Reply:
            if len(self.asked) == 1:
                self.asked.append(told)
                clock.advance(60)
                await asyncio.Event().wait()
            return await super().reflect(**told)

    result = replayed(Late(lambda _: judged("a", 5)), stream("a", [1, 1, 1]), clock=clock)
    assert trusts(result) == [3, 3, 5]
    assert (result.failed, result.failure) == (1, "no answer in 60 s")
    assert result.tokens > 2 * 120 + 100  # the late one was asked, too


def test_a_reply_that_says_nothing_of_the_peer_moves_nothing_and_is_no_failure() -> None:
    result = replayed(Scripted(lambda _: judged("somebody", 5)), stream("a", [1, 1]))
    assert (trusts(result), result.failed) == ([0, 0], 0)


def test_tokens_are_those_told_or_a_quarter_of_the_characters() -> None:
    told = replayed(always(1), stream("a", [1, 1]))
    assert (told.tokens, told.model) == (2 * 120, "scripted")
    text = judged("a", 1)
    unsaid = Scripted(lambda _: Reply(text, tokens_in=None, tokens_out=None))
    result = replayed(unsaid, stream("a", [1]))
    assert 400 + len(text) // 4 < result.tokens < 1500


def test_the_lies_are_left_out_and_the_replay_without_trusted_raters_is_not() -> None:
    ratings = merged(stream("a", [1] * 6), stream("b", [-5] * 6))
    reflector = always(1)
    result = replayed(reflector, ratings, LABELS)
    assert result.lies is None
    assert result.untrusted is not None
    assert len(reflector.asked) == result.asked == 12 + 10


def test_all_questions_are_asked_in_one_event_loop_that_is_left_tidy() -> None:
    reflector, ended = always(1), []

    async def end() -> None:
        ended.append(asyncio.get_running_loop())

    with Questions(reflector, CortexSettings(), end=end) as questions:
        backtest_trust(stream("a", [1] * 4), {}, ONE, questions=questions)
    assert reflector.loops == set(ended)
    assert ended[0].is_closed()


class Interrupted(Scripted):
    """Somebody presses Ctrl-C at its fourth question, or at another."""

    at = 4

    async def reflect(self, **told: Any) -> Reply:
        reply = await super().reflect(**told)
        if len(self.asked) == self.at:
            signal.raise_signal(signal.SIGINT)
            await asyncio.Event().wait()
        return reply


def test_ctrl_c_ends_with_what_was_done() -> None:
    ratings = merged(stream("a", [1] * 6), stream("b", [-5] * 6))
    result = replayed(Interrupted(lambda _: judged("a", 5)), ratings, LABELS)
    assert result.stopped
    assert (result.ratings, result.cycles, result.asked, result.failed) == (4, 3, 3, 0)
    assert result.untrusted is None
    assert trusts(result) == [3, 5]


@pytest.mark.exhaustive
def test_ctrl_c_in_the_second_replay_leaves_the_figures_of_the_first() -> None:
    ratings = merged(stream("a", [1] * 6), stream("b", [-5] * 6))
    reflector = Interrupted(lambda peer: judged(peer["peer_id"], 5))
    reflector.at = 14
    result = replayed(reflector, ratings, LABELS)
    assert (result.stopped, result.ratings, result.asked) == (True, 12, 13)
    assert result.separation is not None
    assert result.untrusted is None


def test_ctrl_c_ends_a_replay_without_a_model_as_ever() -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backtest_trust(stream("a", [1]), {}, BacktestOptions(), interrupt)


def test_a_page_tells_who_answered_and_how_often_nobody_did() -> None:
    console = Console(width=200)
    with console.capture() as caught:
        print_backtest(replayed(second_fails(refused), stream("a", [1, 1, 1])), console)
    assert "reflector llm (scripted)" in caught.get()
    assert "1 of 3; the last: the server is away" in caught.get()
    with console.capture() as caught:
        print_backtest(replayed(Scripted(refused), stream("a", [1])), console)
    assert caught.get().startswith("No answer could be used: the server is away\n")


def test_a_replay_that_needs_a_model_is_given_one() -> None:
    with pytest.raises(ValueError, match="must be given the proposer of the reflector 'llm'"):
        Replay(ONE, lambda clock: Ledger(clock=clock))


@pytest.mark.exhaustive
def test_the_cost_is_told_without_asking() -> None:
    ratings = merged(stream("a", [1] * 30), stream("b", [-5] * 30))
    reflector = Scripted(lambda peer: Reply(judged(peer["peer_id"], 1), "m", None, None))
    with Questions(reflector, CortexSettings()) as questions:
        cost = trust_cost(ratings, LABELS, ONE, questions)
        assert reflector.asked == []
        result = backtest_trust(ratings, LABELS, ONE, questions=questions)
    assert cost.questions == result.asked == 118
    typical = cost.tokens - 400 * cost.questions
    assert typical == pytest.approx(result.tokens, rel=0.15)
    assert str(cost) == f"The model is asked 118 times, for about {cost.tokens:,} tokens."


CONFIG = {
    "provider": "scripted",
    "llm": {"replies": [judged("a", 4), {"text": judged("a", 9), "usage": {}}]},
}


def test_recorded_replies_lead_to_the_same_figures_without_the_model(tmp_path: Path) -> None:
    with questions_to_model(CONFIG, record=tmp_path / "replies") as questions:
        recorded = backtest_trust(stream("a", [1, 1]), {}, ONE, questions=questions)
    assert (trusts(recorded), recorded.failed) == ([3, 6], 0)
    with questions_to_model({}, cassette=tmp_path / "replies") as questions:
        again = backtest_trust(stream("a", [1, 1]), {}, ONE, questions=questions)
        other = backtest_trust(stream("a", [1, 5]), {}, ONE, questions=questions)
    assert again.trajectories == recorded.trajectories
    assert (again.tokens, again.failed) == (recorded.tokens, 0)
    assert other.failed == 1
    assert "has no reply to this request" in other.failure


def test_a_run_goes_on_where_a_recorded_one_stopped(tmp_path: Path) -> None:
    for ratings in ([1], [1, 1]):
        with questions_to_model(CONFIG, record=tmp_path) as questions:
            result = backtest_trust(stream("a", ratings), {}, ONE, questions=questions)
    assert trusts(result) == [3, 4]  # the first was recorded; the model's first reply comes second


def test_the_cortexs_own_model_goes_before_the_agents() -> None:
    config = CONFIG | {"provider": "openai-compatible", "cortex": {"llm_provider": "scripted"}}
    with questions_to_model(config) as questions:
        assert backtest_trust(stream("a", [1]), {}, ONE, questions=questions).failed == 0


@pytest.mark.parametrize("config", [{}, {"provider": "rules", "cortex": {"llm_provider": "main"}}])
def test_a_model_must_be_named(config: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="the settings must name a model"):
        questions_to_model(config)


def test_recorded_replies_must_lie_in_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must be a folder of recorded replies"):
        questions_to_model({}, cassette=tmp_path / "none")
