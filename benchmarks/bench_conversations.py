"""Conversations: messages recorded durably a second, and what a search among a million waits for.

    python benchmarks/bench_conversations.py [--smoke] [--messages N]

Made messages of 4 to 30 words, drawn from 50,000 as words are in a language (Zipf), of 2,000 peers.
Searches are words of a message that is there, half of them behind a peer's wall, as the model's
are, half without one, as the operator's; some with a date, a beginning or a phrase. The twin has
one table of FTS5 with the texts in it and asks it in its own way, `ORDER BY rank`, with the same
filters; it records in the same batches. What both find is compared.
"""

from __future__ import annotations

import argparse
import random
import statistics
import string
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import apsw
import numpy as np

from prefrontal.runtime.conversation.models import MessageQuery, NewMessage, Viewer
from prefrontal.runtime.conversation.store import ConversationStore
from prefrontal.runtime.conversation.vectors import Meaning

VOCABULARY, PEERS = 50_000, 2_000
DIMENSIONS = 384
BATCH = 256
"""Messages on their way at once, and in a transaction of the twin."""
START, STEP_S = 1_700_000_000.0, 30.0


@dataclass(frozen=True, slots=True)
class Search:
    """A query, and the peer whose chat it is asked in; None for the operator."""

    query: MessageQuery
    peer: str | None


class Texts:
    """Made messages, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        letters = string.ascii_lowercase
        self._words = [
            "".join(self.random.choices(letters, k=self.random.randint(2, 9)))
            for _ in range(VOCABULARY)
        ]
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(VOCABULARY)))

    def messages(self, count: int) -> list[tuple[str, str]]:
        """Peers and what they wrote."""
        return [self._message() for _ in range(count)]

    def _message(self) -> tuple[str, str]:
        length = self.random.randint(4, 30)
        words = self.random.choices(self._words, cum_weights=self._weights, k=length)
        return f"peer{self.random.randrange(PEERS)}", " ".join(words)

    def searches(
        self, sample: Sequence[tuple[str, str]], count: int, span_s: float
    ) -> list[Search]:
        """Words out of messages that are there."""
        return [self._search(*self.random.choice(sample), span_s) for _ in range(count)]

    def _search(self, peer: str, text: str, span_s: float) -> Search:
        words = text.split()
        chosen = self.random.sample(words, k=min(len(words), self.random.randint(1, 4)))
        kind = self.random.random()
        if kind < 0.1:
            begin = self.random.randrange(len(words) - 1)
            chosen = [f'"{words[begin]} {words[begin + 1]}"']
        elif kind < 0.2:
            chosen = [f"{chosen[0][:4]}*", *chosen[1:]]
        since = START + self.random.random() * span_s if self.random.random() < 0.2 else None
        walled = peer if self.random.random() < 0.5 else None
        return Search(MessageQuery(" ".join(chosen), since=since), walled)


class Twin:
    """One table of FTS5, texts and filters in it."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.pragma("journal_mode", "wal")
        self._connection.pragma("synchronous", "full")
        self._connection.execute(
            "CREATE VIRTUAL TABLE m USING fts5"
            " (content, peer, at UNINDEXED, tokenize = 'unicode61 remove_diacritics 2')"
        )

    def record(self, messages: Sequence[tuple[str, str, float]]) -> None:
        for start in range(0, len(messages), BATCH):
            self._connection.execute("BEGIN IMMEDIATE")
            rows = [(text, peer, at) for peer, text, at in messages[start : start + BATCH]]
            self._connection.executemany("INSERT INTO m VALUES (?, ?, ?)", rows)
            self._connection.execute("COMMIT")

    def search(self, search: Search) -> list[str]:
        terms = [_term(each) for each in _split(search.query.words)]
        match = "content : (" + " OR ".join(terms) + ")"
        if search.peer is not None:
            match += f" AND peer : {search.peer}"
        sql = "SELECT content FROM m WHERE m MATCH ?"
        values: list[str | float | int] = [match]
        if search.query.since is not None:
            sql += " AND at >= ?"
            values.append(search.query.since)
        rows = self._connection.execute(f"{sql} ORDER BY rank LIMIT 10", values)
        return [content for (content,) in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="run once and quickly")
    parser.add_argument("--messages", type=int, default=1_000_000, metavar="N")
    options = parser.parse_args()
    count = 3_000 if options.smoke else options.messages
    number_of_searches = 40 if options.smoke else 500
    texts = Texts(1)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        path = Path(folder) / "conversations.sqlite"
        twin = Twin(Path(folder) / "twin.sqlite")
        with ConversationStore(path) as store:
            sample = recordings(store, twin, texts, count)
            print(f"\nThe file has {path.stat().st_size / 1e6:,.0f} MB.")
            compare(store, twin, texts.searches(sample, number_of_searches, count * STEP_S))
            histories(store, sample)
            with_vectors(store, texts.searches(sample, number_of_searches // 2, count * STEP_S))


def with_vectors(store: ConversationStore, searches: Sequence[Search]) -> None:
    """The same searches with a made vector beside each message; what a model takes is not in it."""
    chance = np.random.default_rng(1)
    last, count = 0, 0
    began = time.perf_counter()
    while rows := store.later(last, 10_000):
        packed = chance.integers(-127, 128, (len(rows), DIMENSIONS), dtype=np.int8)
        pairs = [(number, row.tobytes()) for (number, _), row in zip(rows, packed, strict=True)]
        store.submit_vectors("made", pairs).result()
        last, count = rows[-1][0], count + len(rows)
    took_s = time.perf_counter() - began
    print(f"\n{count:,} vectors of {DIMENSIONS} numbers were kept in {took_s:,.0f} s.")
    print("\n| search with vectors | searches | median | p95 | worst |\n|---|---|---|---|---|")
    for name, walled in (("in a peer's chat", True), ("of everything", False)):
        chosen = [each for each in searches if (each.peer is not None) == walled]
        times = []
        for each in chosen:
            viewer = None if each.peer is None else Viewer(each.peer, "web", each.peer)
            meaning = Meaning("made", chance.normal(size=DIMENSIONS).tolist(), 0.1)
            began = time.perf_counter()
            store.search(each.query, viewer, meaning)
            times.append(time.perf_counter() - began)
        print(f"| {name} | {len(chosen)} | {' | '.join(map(_ms, _spread(times)))} |")


def recordings(
    store: ConversationStore, twin: Twin, texts: Texts, count: int
) -> list[tuple[str, str]]:
    """Record by turns in both; returns some of the messages."""
    sample: list[tuple[str, str]] = []
    ours_s = twin_s = 0.0
    for start in range(0, count, 50_000):
        size = min(50_000, count - start)
        at = (START + (start + number) * STEP_S for number in range(size))
        made = [(*one, moment) for one, moment in zip(texts.messages(size), at, strict=True)]
        sample += [(peer, text) for peer, text, _ in made[:: max(1, size // 1000)]]
        began = time.perf_counter()
        record(store, made)
        ours_s += time.perf_counter() - began
        began = time.perf_counter()
        twin.record(made)
        twin_s += time.perf_counter() - began
    print("| messages | recorded a second | twin |\n|---|---|---|")
    print(f"| {count:,} | {count / ours_s:,.0f} | {count / twin_s:,.0f} |")
    return sample


def record(store: ConversationStore, messages: Sequence[tuple[str, str, float]]) -> None:
    """Each is acknowledged when it is on the disk; so many wait at once."""
    waiting: deque[Future[int]] = deque()
    for peer, text, at in messages:
        waiting.append(store.submit(NewMessage(Viewer(peer, "web", peer), "in", text, at)))
        if len(waiting) > BATCH:
            waiting.popleft().result()
    for each in waiting:
        each.result()


def compare(store: ConversationStore, twin: Twin, searches: Sequence[Search]) -> None:
    print("\n| search | searches | median | p95 | worst | twin's median | p95 | worst |")
    print("|---|---|---|---|---|---|---|---|")
    for name, walled in (("in a peer's chat", True), ("of everything", False)):
        chosen = [each for each in searches if (each.peer is not None) == walled]
        ours, theirs, agree = [], [], 0
        for each in chosen:
            viewer = None if each.peer is None else Viewer(each.peer, "web", each.peer)
            began = time.perf_counter()
            hits = store.search(each.query, viewer)
            ours.append(time.perf_counter() - began)
            began = time.perf_counter()
            also = twin.search(each)
            theirs.append(time.perf_counter() - began)
            assert bool(hits) == bool(also), f"both find something or nothing: {each}"
            for hit in hits:
                assert each.peer in (None, hit.message.peer_id), "nobody looks over a wall"
                assert each.query.since is None or hit.message.created_at >= each.query.since
            agree += any(hit.message.content in also for hit in hits) or not hits
        figures = " | ".join(map(_ms, (*_spread(ours), *_spread(theirs))))
        print(f"| {name} | {len(chosen)} | {figures} |")
        print(f"<!-- {agree} of {len(chosen)} have a message in common with the twin's ten -->")


def histories(store: ConversationStore, sample: Sequence[tuple[str, str]]) -> None:
    """What a turn waits for: the newest messages of a chat."""
    times = []
    for peer, _ in sample[:200]:
        began = time.perf_counter()
        store.history(Viewer(peer, "web", peer), 40)
        times.append(time.perf_counter() - began)
    median, p95, _ = _spread(times)
    print(f"\nThe history of a chat: median {_ms(median)}, p95 {_ms(p95)}.")


def _spread(times: Sequence[float]) -> tuple[float, float, float]:
    """Median, 95th percentile and worst."""
    ordered = sorted(times)
    return statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))], ordered[-1]


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms"


def _split(words: str) -> list[str]:
    return [words] if words.startswith('"') else words.split()


def _term(word: str) -> str:
    if word.startswith('"'):
        return word
    return f'"{word[:-1]}" *' if word.endswith("*") else f'"{word}"'


if __name__ == "__main__":
    main()
