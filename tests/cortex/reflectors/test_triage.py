"""A cheap question first: it saves the expensive look only where nothing speaks for one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from prefrontal.cortex.reflectors.subagent import RawReply
from prefrontal.cortex.reflectors.triage import Level, decide
from prefrontal.errors import PrefrontalError
from prefrontal.settings.cortex_growth import Evidence, Sharing, Triage

from ..contexts import DAY, START, context, exchange, farmer, peer, steady


@dataclass
class Settings:
    triage: Triage
    llm_provider: str | None = "cheap"
    model: str | None = "large"
    rules: Evidence = field(default_factory=Evidence)
    sharing: Sharing = field(default_factory=Sharing)


class Cheap:
    """Answers the question as it is told to."""

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer
        self.asked: list[dict[str, Any]] = []

    async def reflect(self, **call: Any) -> RawReply:
        self.asked.append(call)
        if isinstance(self.answer, Exception):
            raise self.answer
        return RawReply(self.answer, "tiny", 90, 12)


async def level(
    depth: str, *peers: dict[str, Any], cheap: Cheap | None = None, **more: Any
) -> Level:
    settings = Settings(Triage(depth=depth))  # type: ignore[arg-type]
    settings.llm_provider = "rules" if cheap is None else "cheap"
    told = context(*peers, now=START + 30 * DAY, **more)
    made: dict[str, Any] = {"cheap": lambda _: cheap}
    return await decide(
        settings,
        told,
        registry=None,
        factories=made,
        timeout_s=9.0,
    )


def quiet() -> dict[str, Any]:
    """A peer of whom nothing is new but one ordinary request."""
    return peer("q", exchange(START + 20 * DAY), info=1, trust=1, judged_at=START + 19 * DAY)


def moving() -> dict[str, Any]:
    """A peer whose trust would move though nothing stands out."""
    return {**steady(), "latest": None}


async def test_deep_is_deep_and_rules_are_rules() -> None:
    assert (await level("deep", quiet())).level == "deep"
    assert (await level("rules", farmer())).level == "rules"
    assert (await level("rules", triggers=["manual"])).level == "rules"


@pytest.mark.parametrize("trigger", ["manual", "consult", "promise_timeout", "farming"])
async def test_some_triggers_skip_the_question(trigger: str) -> None:
    found = await level("triage", quiet(), triggers=["timer", trigger])
    assert (found.level, found.why) == ("deep", f"always deep for {trigger}")


async def test_a_no_completes_the_cycle_and_its_tokens_are_told() -> None:
    cheap = Cheap('{"reason": "routine", "deep": false}')
    assert await level("triage", quiet(), cheap=cheap) == Level("triage", "routine", "tiny", 90, 12)
    [call] = cheap.asked
    assert call["max_tokens"] == 150
    assert call["timeout_s"] == 9.0
    assert len(str(call["context"])) < 500


@pytest.mark.parametrize(
    "answer",
    ['{"deep": true}', "I cannot say", '{"deep": 0}', "", "{" * 50, PrefrontalError("gone")],
)
async def test_a_yes_an_unclear_answer_and_none_are_deep(answer: str | Exception) -> None:
    assert (await level("triage", quiet(), cheap=Cheap(answer))).level == "deep"


async def test_a_question_that_takes_too_long_is_the_callers_matter() -> None:
    with pytest.raises(TimeoutError):
        await level("triage", quiet(), cheap=Cheap(TimeoutError()))


async def test_without_a_model_the_rules_answer_it() -> None:
    assert (await level("triage", quiet())).level == "triage"
    assert (await level("triage", farmer())).level == "deep"
    assert (await level("triage", moving())).level == "deep"


async def test_auto_lets_the_facts_choose() -> None:
    no = Cheap('{"deep": false, "reason": "r"}')
    assert (await level("auto", quiet(), cheap=no)).level == "rules"
    assert (await level("auto", farmer(), cheap=no)).level == "deep"
    assert no.asked == []
    assert (await level("auto", moving(), cheap=no)).level == "triage"
    assert len(no.asked) == 1


async def test_the_cheap_question_can_go_to_a_model_of_its_own() -> None:
    settings = Settings(Triage(depth="triage", model="tiny"))
    models: list[Any] = []

    def made(chosen: Any) -> Any:
        models.append(chosen.model)
        return Cheap('{"deep": false}')

    told = context(quiet(), now=START + 30 * DAY)
    await decide(settings, told, registry=None, factories={"cheap": made}, timeout_s=1.0)
    assert models == ["tiny"]


async def test_nothing_a_peer_wrote_is_in_the_question() -> None:
    cheap = Cheap('{"deep": false}')
    raw = peer("q", exchange(START, 50, "zebra"), trust=1, judged_at=START - 1)
    await level("triage", raw, cheap=cheap)
    assert "zebra" not in str(cheap.asked)
