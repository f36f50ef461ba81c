"""A backtest of trust, with the real ledger in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cortex.backtest.result import BacktestResult, run_backtest
from ..cortex.backtest.sweep import SweepRow, sweep
from ..errors import InputError
from ..ledger import SCORE_GUIDE, Ledger

if TYPE_CHECKING:
    from ..cortex.backtest.asking import Questions
    from ..cortex.backtest.asking_cost import AskingCost
    from ..cortex.backtest.ratings import Rating
    from ..cortex.backtest.replay import BacktestOptions, Progress, StreamClock
    from ..plugin import LLMProvider
    from ..settings.cortex import CortexSettings


def backtest_trust(
    ratings: Sequence[Rating],
    labels: Mapping[str, int],
    options: BacktestOptions,
    progress: Progress | None = None,
    questions: Questions | None = None,
) -> BacktestResult:
    """Replay ratings as `cortex.backtest` says; nothing is written to a disk."""
    return run_backtest(ratings, labels, options, _ledger, progress, questions=questions)


def sweep_trust(
    ratings: Sequence[Rating],
    labels: Mapping[str, int],
    options: BacktestOptions,
    progress: Progress | None = None,
) -> list[SweepRow]:
    """Replay ratings under several clamps and policies."""
    return sweep(ratings, labels, options, _ledger, progress)


def trust_cost(
    ratings: Sequence[Rating],
    labels: Mapping[str, int],
    options: BacktestOptions,
    questions: Questions,
    progress: Progress | None = None,
) -> AskingCost:
    """What `backtest_trust` would ask the model, told without asking it."""
    from ..cortex.backtest.asking_cost import asking_cost

    return asking_cost(ratings, labels, options, _ledger, questions, progress)


def questions_to_model(
    config: Mapping[str, Any], *, cassette: Path | None = None, record: Path | None = None
) -> Questions:
    """Questions to the model that the configuration names for the cortex, else for the agent.

    cassette: a folder of recorded replies, which answer instead. record: a folder where replies
    are kept; what it holds already is not asked again. Raises InputError or PrefrontalError for
    what cannot be used.
    """
    from ..clock import SystemClock
    from ..cortex.backtest.asking import Questions
    from ..cortex.reply.parsing import OUTPUT_SCHEMA
    from ..runtime.model_call import close
    from ..runtime.model_reflector import ModelReflector
    from ..settings.cortex import parse_cortex

    settings, _ = parse_cortex(config.get("cortex"))
    model = _model(config, settings, cassette, record)
    return Questions(
        ModelReflector(lambda: model, SystemClock(), schema=OUTPUT_SCHEMA),
        settings,
        agent_name=str((config.get("identity") or {}).get("name") or "agent"),
        score_guide=SCORE_GUIDE,
        end=lambda: close(model),
    )


def _model(
    config: Mapping[str, Any],
    cortex: CortexSettings,
    cassette: Path | None,
    record: Path | None,
) -> LLMProvider:
    """A request is the same whoever answers, so that a recorded reply is found again."""
    from ..runtime.models.choice import MAIN, choose
    from ..runtime.models.settings import model_settings
    from ..settings.agent_file import workspace_folder

    llm = model_settings(config.get("llm"))
    if cassette is not None:
        if not cassette.is_dir():
            raise InputError(f"{cassette} must be a folder of recorded replies")
        return choose("replay", replace(llm, cassette=str(cassette.absolute()), record=""))
    named = (cortex.llm_provider, config.get("provider"))
    name = next((each for each in named if each and each not in (*MAIN, "rules")), None)
    if name is None:
        raise InputError("the settings must name a model (provider or cortex.llm_provider)")
    llm = replace(llm, model=cortex.model or llm.model)
    if record is not None:
        llm = replace(llm, cassette=str(record.absolute()), record=name)
        name = "replay"
    return choose(name, llm, folder=workspace_folder(None, config))


def _ledger(clock: StreamClock) -> Ledger:
    return Ledger(clock=clock)
