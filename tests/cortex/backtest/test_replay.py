"""A replay drives the real ledger, triggers and clamp by the times of the ratings."""

from __future__ import annotations

from prefrontal.cortex.backtest.ratings import Rating
from prefrontal.cortex.backtest.replay import BacktestOptions, Replay, StreamClock
from prefrontal.ledger import Ledger
from prefrontal.settings.cortex import CortexSettings

from .streams import DAY, PLAIN, merged, stream


def replayed(ratings: list[Rating], **options: object) -> Replay:
    replay = Replay(
        BacktestOptions(**{**PLAIN, **options}),
        lambda clock: Ledger(clock=clock),
    )
    replay.run(ratings)
    return replay


def trusts(replay: Replay, peer: str) -> list[int]:
    return [step.trust for step in replay.trajectories[peer].steps]


def test_each_rating_is_a_cycle_when_one_makes_it() -> None:
    replay = replayed(stream("a", [9, 9, -10, -10]), batch=1)
    assert trusts(replay, "a") == [3, 6, 3, 0]
    assert [step.ratings for step in replay.trajectories["a"].steps] == [1, 2, 3, 4]
    assert replay.cycles == 4


def test_five_ratings_make_a_cycle_on_their_mean_and_the_rest_makes_the_last() -> None:
    replay = replayed(stream("a", [1, 1, 2, 2, 2, -10, -9]), batch=5)
    steps = replay.trajectories["a"].steps
    assert [(step.ratings, step.proposed, step.trust) for step in steps] == [
        (5, 2, 2),
        (7, -10, -1),
    ]
    assert [step.triggers for step in steps] == [("interaction_count",), ("manual",)]


def test_half_way_means_go_away_from_zero() -> None:
    assert replayed(stream("a", [1, 2]), batch=2).trajectories["a"].steps[0].proposed == 2
    assert replayed(stream("a", [-1, -2]), batch=2).trajectories["a"].steps[0].proposed == -2


def test_peers_do_not_share_a_count() -> None:
    replay = replayed(merged(stream("a", [1, 1, 1]), stream("b", [2, 2], start=10.0)), batch=3)
    assert trusts(replay, "a") == [1]
    assert trusts(replay, "b") == [2]
    assert replay.trajectories["b"].steps[0].triggers == ("manual",)


def test_the_timer_starts_a_cycle_between_two_ratings() -> None:
    replay = replayed(stream("a", [1, -10, -10], every_s=DAY), batch=5, timer=True)
    steps = replay.trajectories["a"].steps
    assert [step.triggers[0] for step in steps] == ["timer", "timer", "timer"]
    assert steps[0].time == 1800.0
    assert trusts(replay, "a") == [1, -2, -5]


def test_a_run_of_hasty_ratings_starts_a_cycle_of_its_own() -> None:
    ratings = stream("a", [1] * 8, every_s=600.0)
    replay = replayed(ratings, batch=7, farming=True)
    trajectory = replay.trajectories["a"]
    assert trajectory.farming_at == ratings[4].time
    assert trajectory.steps[0].triggers == ("farming",)
    assert replayed(ratings, batch=7).trajectories["a"].farming_at is None
    assert (
        replayed(stream("a", [1] * 8), batch=7, farming=True).trajectories["a"].farming_at is None
    )


def test_a_rating_far_larger_than_usual_starts_a_cycle_each_time() -> None:
    replay = replayed(stream("a", [1] * 6 + [-10, -10]), batch=20, farming=True)
    farming = [
        step.ratings for step in replay.trajectories["a"].steps if "farming" in step.triggers
    ]
    assert farming == [7, 8]


def test_all_that_was_replayed_is_in_the_ledger() -> None:
    ledgers: list[Ledger] = []

    def opened(clock: StreamClock) -> Ledger:
        ledgers.append(Ledger(clock=clock))
        return ledgers[0]

    ratings = merged(stream("a", [4, 4, -10]), stream("b", [1]))
    Replay(BacktestOptions(batch=1, **PLAIN), opened).run(ratings)
    summary = ledgers[0].get_peer_assessment_summary("a", interactions=2)
    assert summary["interaction_count"] == 3
    assert summary["trajectory"] == [3, 4, 1]
    assert summary["latest"]["created_at"] == ratings[-1].time
    assert summary["recent"][-1]["preview"] == "rated -10 by r2"
    assert {peer.peer_id for peer in ledgers[0].list_peers()} == {"a", "b"}


def test_the_rules_reflector_remembers_what_the_mean_forgets() -> None:
    good_then_one_lie = stream("a", [3] * 20 + [-10])
    assert replayed(good_then_one_lie, batch=1).trajectories["a"].trust == 0
    assert replayed(good_then_one_lie, batch=1, reflector="rules").trajectories["a"].trust > 3


def test_progress_ends_with_everything_done() -> None:
    told: list[tuple[str, int, int]] = []
    Replay(
        BacktestOptions(), lambda clock: Ledger(clock=clock), lambda *step: told.append(step)
    ).run(stream("a", [1] * 3))
    assert told == [("replaying", 0, 3), ("replaying", 3, 3)]


def test_a_caution_is_held_for_two_hours_after_distrust() -> None:
    soon = replayed(stream("a", [-10, -10], every_s=7200.0), batch=1).cautions
    late = replayed(stream("a", [-10, -10], every_s=7201.0), batch=1).cautions
    assert (soon.asked, soon.warned, soon.written) == (2, 1, 2)
    assert (late.asked, late.warned, late.written) == (2, 0, 2)
    assert len(soon) == 1


def test_no_more_cautions_are_held_than_an_agent_holds_beliefs() -> None:
    streams = [stream(f"p{n}", [-10], start=float(n)) for n in range(30)]
    assert len(replayed(merged(*streams), batch=1).cautions) == 20


def test_a_replay_has_the_defaults_of_a_running_agent() -> None:
    options, settings = BacktestOptions(), CortexSettings()
    assert (options.clamp, options.per_hour, options.policy, options.batch) == (
        settings.max_trust_delta,
        settings.max_trust_delta_per_hour,
        settings.trust_policy,
        settings.interaction_threshold,
    )
    assert (options.timer, options.farming) == ("timer" in settings.triggers, False)
    assert options.schedule_minutes == settings.schedule_minutes
    assert options.reflector == "rules"
