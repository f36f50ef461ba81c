"""X5 asks by the cue alone, decodes what was stored and not what it was told, and judges both."""

from __future__ import annotations

import pytest
import torch

from prefrontal.control import profiles
from prefrontal.control.experiments import writing, writing_task
from prefrontal.control.experiments.figure import render_png
from prefrontal.control.experiments.record import ExperimentRecord
from prefrontal.control.memory.context_memory import ContextMemory
from prefrontal.control.memory.context_memory_config import ContextMemoryConfig

SMALL = writing.WritingSizes(contexts=4, showings=5, probes=5, stream=20, writes=60)


def drawn(seed: int = 2) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def associating() -> ContextMemory:
    """A bank with keys as its slots, cosine attention and the query's own content."""
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(0)
        config = ContextMemoryConfig(attention="cosine", slot_init="orthogonal")
        memory = ContextMemory(config).requires_grad_(False)
    memory.key_proj.weight.copy_(torch.eye(128))
    return memory


def test_a_question_shows_the_cue_and_nothing_of_the_outcome() -> None:
    known = writing_task.contexts(4, 0.3, drawn())
    which = torch.arange(4)
    assert not bool(known.ask(which, drawn())[:, :32].any())
    seen = known.present(which, drawn())
    assert float((seen[:, 32:] - known.cues).std()) == pytest.approx(0.3, abs=0.1)
    still = writing_task.Contexts(known.cues, known.outcomes, known.appearance, 0.0)
    back = still.present(which, drawn())[:, :32] @ known.appearance.T / 4
    torch.testing.assert_close(back, known.outcomes, rtol=0, atol=1e-5)


def test_what_was_written_once_is_recalled_by_its_cue_and_its_outcome_decoded() -> None:
    found = writing.recall(associating(), 0, SMALL, showings=1)
    assert found.purity == 1.0
    assert found.explained > 0.8
    assert int((found.table.sum(0) == 1).sum()) == SMALL.contexts


def test_a_bank_that_was_not_written_decodes_nothing() -> None:
    memory, known = associating(), writing_task.contexts(8, 0.3, drawn())
    asked = torch.arange(8)
    code = writing_task.decoder(memory, known, drawn())
    answers = writing_task.decoded(memory, known.ask(asked, drawn()), code)
    assert writing.explained(known.outcomes, answers) < 0.3


def test_a_slot_belongs_to_the_context_that_wrote_more_than_half_of_it() -> None:
    table = torch.tensor([[3, 1], [2, 2], [0, 0]])
    asked = torch.tensor([0, 1, 0, 0])
    slots = torch.tensor([0, 0, 1, 2])
    assert writing.owned(table, slots, asked).tolist() == [True, False, False, False]


def test_r2_is_one_for_the_outcomes_and_zero_for_their_mean() -> None:
    outcomes = torch.randn(6, 4, generator=drawn())
    assert writing.explained(outcomes, outcomes) == 1.0
    assert writing.explained(outcomes, outcomes.mean(0).expand(6, 4)) == pytest.approx(0, abs=1e-6)


def test_the_bank_is_that_of_the_profile_and_the_reference_has_its_rule() -> None:
    for profile in profiles.PROFILE_NAMES:
        wanted = ContextMemoryConfig(**profiles.profile_values(profile, "memory"))
        assert writing_task.bank(0, profile).config == wanted
    reference = writing_task.bank(0, None)
    assert (reference.config.write_rule, reference.config.write_content) == ("argmin", "gate")
    key = reference.key_proj.weight
    assert torch.equal(key, torch.eye(128))
    assert not torch.equal(writing_task.bank(0, None, keys_as_drawn=True).key_proj.weight, key)


def test_the_references_rule_makes_its_slots_alike() -> None:
    curve = writing.written_bank(writing_task.bank(0, None), 0, writing.WritingSizes(writes=400))
    assert curve[0][1] < 0.2
    assert curve[-1][0] == 400
    assert curve[-1][1] > 0.95
    ours = writing.written_bank(associating(), 0, writing.WritingSizes(writes=400))
    assert ours[-1][1] < 0.3


def test_the_verdict_follows_the_bank(monkeypatch: pytest.MonkeyPatch) -> None:
    for content, recalled in (("query", True), ("gate", False)):
        row = (content,) * len(profiles.PROFILE_NAMES)
        monkeypatch.setitem(profiles.PROFILES, ("memory", "write_content"), row)
        result = writing.run([0], sizes=SMALL).seeds[0]
        passed = {it.name: it.passed for it in result.measurements}
        assert [passed[name] for name in writing.SHARES] == [recalled] * 3
        assert result.verdict == ("pass" if all(passed.values()) else "fail")


@pytest.mark.exhaustive
def test_a_small_run_is_the_same_again_and_its_figure_comes_from_the_json() -> None:
    state = torch.random.get_rng_state()
    first, second = (writing.run([1], sizes=SMALL).to_json() for _ in range(2))
    assert first == second
    assert torch.equal(torch.random.get_rng_state(), state)
    record = ExperimentRecord.from_json(first)
    assert render_png(record, writing.draw).startswith(b"\x89PNG")
