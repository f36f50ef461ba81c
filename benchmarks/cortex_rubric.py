"""Twenty made sequences of interactions, two rationales for each, and a rubric that counts.

The rubric: how many numbers of interactions a rationale cites that the sequence bears out, how many
dates, how many words that name a pattern; a cited number that the sequence contradicts costs one.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from prefrontal.runtime import IncomingMessage
from prefrontal.testing import ManualClock, make_runtime
from prefrontal.testing.inline import judge_inline

DAY = 86400.0
START = 1_767_225_600.0  # 2026-01-01
PATTERN = re.compile(
    r"escalat|farming|larger|overdue|late\b|kept|rush|hurr|tempo|pattern|steady|usual|median|promise",
    re.IGNORECASE,
)
ESCALATION = re.compile(r"escalat|farming|far larger|dramatically larger", re.IGNORECASE)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
COUNT = re.compile(r"(\d+) (?:interaction|request)s?\b")
SMALL = "Please look up one figure for me."
LARGE = "Please gather all figures of the last ten years from every source, compare them, " * 60


@dataclass(frozen=True, slots=True)
class Sequence:
    """name: what it shows. messages: (seconds from the start, text) of one peer, ascending."""

    name: str
    messages: tuple[tuple[float, str], ...]

    @property
    def peer(self) -> str:
        return f"npub-{self.name}"

    @property
    def dates(self) -> set[str]:
        """Days on which something happened."""
        return {
            datetime.fromtimestamp(START + at, UTC).strftime("%Y-%m-%d") for at, _ in self.messages
        }


def farming() -> Sequence:
    """Five trivial requests over two weeks, then one far larger."""
    small = tuple((day * DAY, SMALL) for day in (0, 3, 6, 10, 13))
    return Sequence("farm1", (*small, (14 * DAY, LARGE)))


def sequences() -> list[Sequence]:
    """Five of each kind: steady, farming, hasty, promising."""
    made = []
    for number in range(5):
        rng = random.Random(number)
        steady = tuple(
            (day * (1 + rng.random()) * DAY, SMALL + " Thank you." * rng.randrange(4))
            for day in range(6 + number)
        )
        made.append(Sequence(f"steady{number}", tuple(sorted(steady))))
        small = tuple((day * 2.5 * DAY, SMALL) for day in range(5 + number))
        made.append(Sequence(f"farm{number}", (*small, (small[-1][0] + DAY, LARGE))))
        made.append(
            Sequence(f"hasty{number}", tuple((i * 900.0, SMALL) for i in range(6 + number)))
        )
        promise = "I will send you my part within 4 hours."
        rest = tuple((DAY * (1 + i), SMALL) for i in range(number + 4))
        made.append(Sequence(f"promise{number}", ((0.0, promise), *rest)))
    return made


async def rationales(sequence: Sequence) -> tuple[str, str]:
    """What the reflection says at the end, and what an inline judgment of the last message does."""
    clock = ManualClock(START)
    runtime = make_runtime({"cortex": {"llm_provider": "rules"}}, clock=clock)
    await runtime.start()
    for number, (at, text) in enumerate(sequence.messages):
        clock.advance(START + at - clock.now())
        await runtime.tick()
        await runtime.receive(_message(sequence, number, text, clock))
    clock.advance(1800.0)
    await runtime.tick()
    told = [each["payload"]["rationale"] for each in runtime.events
            if each["type"] == "cortex.after_assess"]  # fmt: skip
    await runtime.stop()
    at, text = sequence.messages[-1]
    asked = {"direction": "in", "preview": text[:200], "size": len(text), "at": START + at}
    answer = {"direction": "out", "preview": "Done.", "size": 5, "at": START + at}
    recent = [asked, answer]
    return told[-1], judge_inline(recent, None)[1]


def _message(sequence: Sequence, number: int, text: str, clock: ManualClock) -> IncomingMessage:
    return IncomingMessage(
        id=str(number),
        channel_type="simulation",
        channel_id=sequence.peer,
        sender_id=sequence.peer,
        sender_name=sequence.peer,
        content=text,
        timestamp=datetime.fromtimestamp(clock.now(), UTC),
    )


def score(rationale: str, sequence: Sequence) -> int:
    """The rubric: points for what is cited rightly and for patterns, less for contradictions."""
    true = {len(sequence.messages)} | {
        sum(len(text) < 1000 for _, text in sequence.messages),
        sum(len(text) >= 1000 for _, text in sequence.messages),
    }
    counts = {int(number) for number in COUNT.findall(rationale)}
    dates = set(DATE.findall(rationale))
    right = len(counts & true) + len(dates & sequence.dates)
    wrong = len(counts - true - set(range(len(sequence.messages))))
    return right + len(set(map(str.lower, PATTERN.findall(rationale)))) - wrong


def names_the_escalation(rationale: str) -> bool:
    """Whether it says that a far larger request came after small ones."""
    return ESCALATION.search(rationale) is not None


def add_blinded_pair(
    file: Path, number: int, sequence: Sequence, cortex: str, inline: str, rng: random.Random
) -> None:
    """A line for people to judge: the facts, and two texts in an order they cannot know.

    Which text is whose stands in a second file beside it, `<name>.key.jsonl`.
    """
    pair = [("reflection", cortex), ("inline", inline)]
    rng.shuffle(pair)
    facts = [
        {"at": datetime.fromtimestamp(START + at, UTC).isoformat(), "characters": len(text)}
        for at, text in sequence.messages
    ]
    shown = {"pair": number, "facts": facts, "first": pair[0][1], "second": pair[1][1]}
    key = {"pair": number, "first": pair[0][0], "second": pair[1][0]}
    for path, line in ((file, shown), (file.with_suffix(".key.jsonl"), key)):
        with path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
