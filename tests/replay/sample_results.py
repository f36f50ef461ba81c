"""Seeded replay results that look like real ones, for the tests of what is shown to people."""

from __future__ import annotations

import functools
import math
import random
from dataclasses import replace

from prefrontal.replay.result import Outcome, PolicyResult, ReplayResult

HOSTILE = "</script><img src=x onerror=alert(1)>\u202egnp.exe\x1b[31m <b>&amp; \u2028 $x_1$ [red]"
AREAS = ("fixtures", "collection", "capture", "assertion", "config", "terminal", "junitxml", "mark")
WORK = (
    "Fix {} crash when a test id holds a slash",
    "{}: keep the traceback when the hook raises",
    "Deprecate the old {} option",
    "Speed up {} on large suites by caching the node id, and drop a list nobody read since 5.0",
)
CHORES = (
    "Bump actions/checkout from 3 to 4",
    "docs: typo in {}",
    "[pre-commit.ci] autoupdate",
    "tests: split {} in two files",
)
FEATURES = ("dir src/_pytest", "dir doc/en", "ext .py", "ext .rst", "token fix", "token bump",
            "actor a1b2", "burst size", "hour 14", "file tox.ini", "rule src/**/*.py")  # fmt: skip


def outcome(index: int, time: float, score: float, relevant: bool, seed: int) -> Outcome:
    rng = random.Random(seed * 100_003 + index)
    area = rng.choice(AREAS)
    text = rng.choice(WORK if relevant else CHORES).format(area)
    folder = "src/_pytest" if score > 0.4 else rng.choice(("doc/en", "testing", ".github"))
    paths = tuple(f"{folder}/{name}.py" for name in rng.sample(AREAS, rng.randint(1, 3)))
    lean = math.log(score / (1 - score))
    why = sorted(
        ((name, round(rng.gauss(lean / 3, 0.7), 3)) for name in rng.sample(FEATURES, 5)),
        key=lambda pair: -abs(pair[1]),
    )
    return Outcome(
        key=f"{rng.getrandbits(160):040x}",
        time=time,
        score=score,
        threshold=0.0,
        woke=False,
        relevant=relevant,
        text=text,
        paths=paths,
        more_paths=rng.choice((0, 0, 4)),
        why=tuple(why),
    )


def history(seed: int, windows: int, skill: float, base: float) -> list[Outcome]:
    """Windows with scores, the threshold each met set from the relevant ones before it."""
    rng = random.Random(seed)
    time, seen, found = 1_560_000_000.0, [0.2], []
    for index in range(windows):
        time += rng.expovariate(1 / 70_000)
        relevant = rng.random() < base
        logit = rng.gauss(skill if relevant else -skill, 1.4)
        score = 1 / (1 + math.exp(-logit))
        row = outcome(index, time, score, relevant, seed)
        recent = sorted(seen[-200:])
        threshold = recent[int(0.1 * len(recent))]
        found.append(replace(row, threshold=threshold, woke=score >= threshold))
        if relevant:
            seen.append(score)
    return found


def curve_of(rows: list[Outcome], points: int = 400) -> tuple[tuple[float, float], ...]:
    ranked = sorted(rows, key=lambda row: -row.score)
    total, caught, full = sum(row.relevant for row in rows), 0, [(0.0, 0.0)]
    for index, row in enumerate(ranked, start=1):
        caught += row.relevant
        full.append((index / len(rows), caught / total))
    step = max(1, math.ceil(len(full) / (points - 1)))
    return (*full[:-1:step], (1.0, 1.0))


@functools.cache  # it is frozen, and takes half a second
def sample_result(
    seed: int = 7,
    windows: int = 3183,
    skill: float = 1.25,
    base: float = 0.25,
    source: str = "/home/someone/src/pytest",
) -> ReplayResult:
    rows = history(seed, windows, skill, base)
    days = (rows[-1].time - rows[0].time) / 86_400
    relevant = sum(row.relevant for row in rows)
    woken = [row for row in rows if row.woke]
    caught = sum(row.relevant for row in woken)
    misses = sorted((row for row in rows if row.kind == "missed"), key=lambda row: -row.score)
    wasted = sorted((row for row in rows if row.kind == "wasted"), key=lambda row: -row.score)

    def policy(
        name: str,
        share: float,
        recall: float,
        per_day: float,
        detail: str,
        delay: float = 0.0,
        late: float = 0.0,
        usd: float | None = None,
    ) -> PolicyResult:
        precision = recall * relevant / (per_day * days)
        return PolicyResult(
            name, recall, per_day, share, precision, 100_675 / precision, detail, delay, late, usd
        )

    hours = "every 55 minutes, 08:00 to 24:00 UTC, by a small model that misses nothing"

    every = windows / days
    share = len(woken) / windows
    recall = caught / relevant
    return ReplayResult(
        source=source,
        preset="path:changelog/*.rst",
        windows=windows,
        relevant=relevant,
        warmup=windows // 4,
        days=days,
        auc=0.9123,
        asked_recall=0.9,
        got_recall=recall,
        recall_interval=(recall - 0.021, recall + 0.019),
        promise="With 796 relevant windows seen, the next 200 should hold it within 4 points.",
        wakes_per_day=len(woken) / days,
        share_woken=share,
        precision=caught / len(woken),
        tokens_per_useful_wake=100_675 * len(woken) / caught,
        tokens_per_wake=100_675,
        policies=(
            policy("heartbeat", 1.0, 1.0, 48.0, "every 30 minutes", 15.2, 27.4),
            policy("cheap_heartbeat", 1.0, 1.0, 18.0, hours, 38.1, 362.0, 0.025768),
            policy("on_change", 1.0, 1.0, every * 0.87, "every window wakes"),
            policy("rule", 0.44, 0.861, 0.44 * every, "path src/**/*.py or text ^(Fix|Deprecate)"),
            policy("random", 0.9, 0.9, 0.9 * every, "wakes for 90% of the windows by chance"),
            policy("prefrontal", share, recall, len(woken) / days, "threshold from the past alone"),
        ),
        curve=curve_of(rows),
        missed=len(misses),
        misses=tuple(misses[:100]),
        wasted_count=len(wasted),
        wasted=tuple(wasted[:100]),
        strip=tuple(rows[-120:]),
        seconds=0.161,
        notes=("3 windows had no files and were left out.",),
    )


def hostile_result() -> ReplayResult:
    """Every text a stranger can write tries to get out of its place."""
    base = sample_result()
    bad = [
        replace(row, text=HOSTILE, paths=(HOSTILE, "ok\ud800.py"), why=((HOSTILE, 1.5),))
        for row in base.strip
    ]
    missed = [row for row in bad if row.kind == "missed"]
    return replace(
        base,
        source=f"/tmp/{HOSTILE}",
        preset=f"message:{HOSTILE}",
        promise=HOSTILE,
        policies=tuple(replace(each, detail=HOSTILE) for each in base.policies),
        misses=tuple(missed),
        missed=len(missed),
        wasted=tuple(row for row in bad if row.kind == "wasted"),
        strip=tuple(bad),
        notes=(HOSTILE,),
    )


def nothing_relevant() -> ReplayResult:
    """A history in which nothing mattered, so there is no recall, no curve and no AUC."""
    base = sample_result(windows=90)
    strip = tuple(replace(row, relevant=False) for row in base.strip)
    policies = tuple(
        replace(
            each,
            recall=None,
            precision=0.0,
            tokens_per_useful_wake=None,
            delay_minutes=None,
            delay_p90_minutes=None,
        )
        for each in base.policies
    )
    return replace(
        base, relevant=0, auc=None, got_recall=None, recall_interval=None, precision=0.0,
        tokens_per_useful_wake=None, policies=policies, curve=(), missed=0, misses=(), strip=strip,
        promise="No relevant window was seen, so no recall can be promised.",
    )  # fmt: skip


def tiny_result() -> ReplayResult:
    """Five windows and a straight curve of two points."""
    base = sample_result(windows=40)
    policies = tuple(
        replace(each, wakes_per_day=5 / 3, recall=1.0) if each.name == "prefrontal" else each
        for each in base.policies
    )
    return replace(
        base, windows=5, relevant=2, curve=((0.0, 0.0), (1.0, 1.0)), strip=base.strip[-5:],
        missed=0, misses=(), wasted_count=0, wasted=(), auc=None, warmup=1, got_recall=1.0,
        recall_interval=None, days=3.0, wakes_per_day=5 / 3, policies=policies,
    )  # fmt: skip


def straight_result() -> ReplayResult:
    """A curve of two points."""
    return replace(sample_result(), curve=((0.0, 0.0), (1.0, 1.0)))


def perfect_result() -> ReplayResult:
    """Everything was caught and no wake-up was wasted."""
    return replace(
        sample_result(windows=400), missed=0, misses=(), wasted_count=0, wasted=(), auc=0.99,
        got_recall=1.0, recall_interval=(0.97, 1.0),
    )  # fmt: skip


def empty_result() -> ReplayResult:
    """Nothing was left after the warm-up."""
    base = nothing_relevant()
    return replace(
        base, windows=0, days=0.0, policies=(), strip=(), wasted=(), wasted_count=0, precision=None,
        wakes_per_day=0.0, share_woken=0.0, promise="Too few windows to promise anything.",
    )  # fmt: skip
