"""Memory over long conversations: does what is asked for stand among five things that come back?

    python benchmarks/bench_memory.py [--smoke] [--model NAME_OR_FOLDER] [--locomo FILE]

200 made dialogues of 300 messages each, one a peer, recorded as an agent records them. In each, six
facts are said (half of the wordings are none that the rules for facts know), three of them change,
one of these twice, and others are spoken of without being stated: questions, plans, the homes of
friends. Then each is asked for in other words; what counts is the message that holds. Beside what
`conversation_search` gives (facts first, then messages) stand messages alone, FTS5's own ranking
with the same words, and the newest 40 messages, all of them instead of five. The rules were not
changed after a look at these figures. --model: a model of sentence-transformers, or wordllama,
which must be installed; then both stand there once more, with its vectors beside the words, and
vectors alone.
--locomo: locomo10.json of LoCoMo (Maharana et al., ACL 2024), which its authors give under CC BY-NC
4.0 and of which nothing is kept here: ten conversations of two people, of several hundred messages
each, with questions that name the messages their answer is in.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from prefrontal.runtime.conversation import facts
from prefrontal.runtime.conversation.models import MessageQuery, NewMessage, Viewer
from prefrontal.runtime.conversation.semantics import Semantics
from prefrontal.runtime.conversation.store import ConversationStore
from prefrontal.runtime.models.embedding import (
    WORDLLAMA,
    SentenceTransformersEmbedder,
    WordLlamaEmbedder,
)

if TYPE_CHECKING:
    from prefrontal.protocols import Embedder

AT, LAST = 5, 40
MESSAGES = 300
DAY_S = 86_400.0
CITIES = ("Lisbon", "Porto", "Ghent", "Turin", "Graz", "Bergen", "Tartu", "Split", "Cork", "Basel")
FIRMS = ("Acme", "Globex", "Initech", "Umbra", "Vandelay", "Hooli", "Stark", "Wonka", "Tyrell")
PETS = ("Rex", "Luna", "Milo", "Nala", "Otto", "Pixel", "Kiki", "Bruno", "Tofu", "Waffle")
COLOURS = ("green", "teal", "amber", "violet", "crimson", "olive", "navy", "ochre", "silver")
DATES = ("June 3", "July 14", "May 21", "March 9", "August 30", "April 2", "October 11")
SUMS = ("40 thousand", "12 thousand", "75 thousand", "9 thousand", "110 thousand", "23 thousand")
PROJECTS = ("Apollo", "Borealis", "Cobalt", "Dynamo", "Ember")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fact: how it is said, first and when it changes, how it is asked for."""

    said: Sequence[str]
    changed: Sequence[str]
    asked: Sequence[str]
    values: Sequence[str]


KINDS = (
    Kind(
        ("I live in {v}.", "home for me is {v}, has been for years", "we settled down in {v}"),
        ("I just moved to {v}.", "we packed up everything, and now it is {v}"),
        ("where do I live?", "which city is my home?"),
        CITIES,
    ),
    Kind(
        ("I work for {v}.", "my employer is {v}", "{v} pays my bills, I sit in their office"),
        ("I now work at {v}.", "new job since Monday: {v} hired me"),
        ("who is my employer?", "for which company do I work?"),
        FIRMS,
    ),
    Kind(
        ("my dog is called {v}", "we have a dog, {v}", "{v} is the dog that we adopted"),
        ("my dog is called {v} now", "the dog answers to {v} these days"),
        ("what is my dog called?", "the name of my dog?"),
        PETS,
    ),
    Kind(
        ("my favourite colour is {v}", "I like {v} better than any other colour"),
        ("my favourite colour is now {v}", "these days {v} is the colour I like best"),
        ("what is my favourite colour?", "which colour do I like most?"),
        COLOURS,
    ),
    Kind(
        ("The deadline of {p} is {v}.", "we must deliver {p} by {v}, that is the deadline"),
        ("The deadline of {p} moved to {v}.", "they gave us a new deadline for {p}, it is {v}"),
        ("when is the deadline of {p}?", "until when must {p} be delivered?"),
        DATES,
    ),
    Kind(
        ("{p}'s budget is {v}.", "we got {v} as the budget for {p}"),
        ("The budget of {p} is {v} now.", "finance cut us: {v} is the new budget for {p}"),
        ("what is the budget of {p}?", "how much money has {p}?"),
        SUMS,
    ),
)
CHATTER = (
    "good morning",
    "could you look at the report again?",
    "thanks, that helps",
    "it rained all day",
    "the meeting took an hour",
    "I am tired of this printer",
    "what do you think of the second page?",
    "the train was late again",
    "let us talk about that tomorrow",
    "no idea, ask the others",
    "the dog next door barks all night",
    "who set the deadline, and why so early?",
    "a colleague moved to {c} last year",
    "my sister wants to see {c}",
    "should I work from {c}?",
    "the colour of the new chairs is awful",
    "is the budget public?",
    "a friend lives in {c}",
    "they say {f} is hiring",
    "I read about {f} in the paper",
    "{p} is a lot of work",
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the places of the messages that said it, the last of which holds."""

    text: str
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Messages of a peer. first: how many messages of other dialogues stand before them.

    answers: places of those that the agent wrote.
    """

    peer: str
    first: int
    messages: Sequence[str]
    questions: Sequence[Question]
    answers: frozenset[int] = frozenset()


Way = Callable[[Dialogue, str], list[int]]
"""Places of the messages of a dialogue that come back for a question."""


def dialogue(number: int, chance: random.Random) -> Dialogue:
    """Chatter with facts in it: three kinds said once, two twice, one three times."""
    project = chance.choice(PROJECTS)
    lines = [_chatter(chance, project) for _ in range(MESSAGES)]
    times = [1, 1, 1, 2, 2, 3]
    chance.shuffle(times)
    free = chance.sample(range(MESSAGES), sum(times))
    questions = []
    for kind, count in zip(KINDS, times, strict=True):
        places = sorted(free.pop() for _ in range(count))
        values = chance.sample(kind.values, count)
        for nth, (place, value) in enumerate(zip(places, values, strict=True)):
            wording = chance.choice(kind.changed if nth else kind.said)
            lines[place] = wording.format(v=value, p=project)
        question = chance.choice(kind.asked).format(p=project)
        questions.append(Question(question, tuple(places)))
    return Dialogue(f"peer{number}", number * MESSAGES, lines, questions)


def _chatter(chance: random.Random, project: str) -> str:
    line = chance.choice(CHATTER)
    return line.format(c=chance.choice(CITIES), f=chance.choice(FIRMS), p=project)


class OnceEach:
    """An embedding model that is asked once for a text: the chatter repeats itself."""

    def __init__(self, model: Embedder) -> None:
        self._model = model
        self._known: dict[str, Sequence[float]] = {}

    def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known |= zip(new, self._model.embed(new), strict=True)
        return [self._known[text] for text in texts]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="run once and quickly")
    parser.add_argument(
        "--model", metavar="NAME_OR_FOLDER", help="of sentence-transformers, or wordllama"
    )
    parser.add_argument("--locomo", type=Path, metavar="FILE", help="locomo10.json: that instead")
    options = parser.parse_args()
    if options.locomo is not None:
        dialogues = locomo(options.locomo)
    else:
        chance = random.Random(7)
        dialogues = [dialogue(number, chance) for number in range(5 if options.smoke else 200)]
    with (
        tempfile.TemporaryDirectory() as folder,
        ConversationStore(Path(folder) / "conversations.sqlite") as store,
    ):
        twin = Twin()
        for each in dialogues:
            record(store, each)
            twin.record(each)
        semantics = None
        if options.model:
            is_small = options.model == WORDLLAMA
            model = WordLlamaEmbedder() if is_small else SentenceTransformersEmbedder(options.model)
            semantics = Semantics(OnceEach(model), "model")
            last = semantics.embed_old(store)
            while last is not None:
                last = semantics.embed_old(store, last)
        show = compare if options.locomo is None else evidence
        show(dialogues, store, twin, semantics)


def locomo(path: Path) -> list[Dialogue]:
    """The conversations as chats: one of the two is the peer, the other one the agent."""
    dialogues: list[Dialogue] = []
    first = 0
    for raw in json.loads(path.read_text()):
        talk = raw["conversation"]
        turns = [turn for n in range(1, 100) for turn in talk.get(f"session_{n}") or ()]
        places = {turn["dia_id"]: place for place, turn in enumerate(turns)}
        texts = [" ".join((turn["text"], turn.get("blip_caption", ""))).strip() for turn in turns]
        answers = frozenset(
            place for place, turn in enumerate(turns) if turn["speaker"] != talk["speaker_a"]
        )
        questions = [
            Question(each["question"], tuple(places[one] for one in each["evidence"]))
            for each in raw["qa"]
            if each.get("evidence") and all(one in places for one in each["evidence"])
        ]
        dialogues.append(Dialogue(f"peer{first}", first, texts, questions, answers))
        first += len(texts)
    return dialogues


def evidence(
    dialogues: Sequence[Dialogue],
    store: ConversationStore,
    twin: Twin,
    semantics: Semantics | None,
) -> None:
    """Of the messages that an answer is in, the share among five things that come back."""
    count = sum(len(each.questions) for each in dialogues)
    print(f"| {len(dialogues)} conversations, {count:,} questions | recalled | any of them |")
    print("|---|---|---|")
    for name, way in _ways(store, twin, semantics).items():
        shares = [
            len(set(question.places) & set(way(each, question.text))) / len(set(question.places))
            for each in dialogues
            for question in each.questions
        ]
        some = sum(share > 0 for share in shares) / count
        print(f"| {name} | {sum(shares) / count:.3f} | {some:.3f} |", flush=True)


def record(store: ConversationStore, each: Dialogue) -> None:
    viewer = Viewer(each.peer, "web", each.peer)
    waiting = [
        store.submit(
            NewMessage(
                viewer,
                "out" if place in each.answers else "in",
                text,
                1_700_000_000.0 + place * DAY_S / 8,
            )
        )
        for place, text in enumerate(each.messages)
    ]
    numbers = [one.result() for one in waiting]
    assert numbers[0] == each.first + 1, "ids are places in the order of recording"


def compare(
    dialogues: Sequence[Dialogue],
    store: ConversationStore,
    twin: Twin,
    semantics: Semantics | None,
) -> None:
    print(f"| {len(dialogues)} dialogues | recalled | said once | changed | before what it was |")
    print("|---|---|---|---|---|")
    for name, way in _ways(store, twin, semantics).items():
        print(f"| {name} | {' | '.join(_figures(dialogues, way))} |")


def _ways(store: ConversationStore, twin: Twin, semantics: Semantics | None) -> dict[str, Way]:
    ways: dict[str, Way] = {
        "conversation_search: facts, then messages": partial(_hits, store),
        "its messages alone": partial(_hits, store, with_facts=False),
        "FTS5 by its own rank": twin.search,
        f"the newest {LAST} messages, all of them": _newest,
    }
    if semantics is not None:
        with_vectors: dict[str, Way] = {
            "conversation_search, with vectors": partial(_hits, store, semantics=semantics),
            "its messages alone, with vectors": partial(
                _hits, store, with_facts=False, semantics=semantics
            ),
            "vectors alone": partial(_nearest, store, semantics),
        }
        ways |= with_vectors
    return ways


def _newest(each: Dialogue, _: str) -> list[int]:
    count = len(each.messages)
    return list(range(count - LAST, count))


class Twin:
    """FTS5 alone: the texts of a peer, ranked by bm25."""

    def __init__(self) -> None:
        self._connection = apsw.Connection(":memory:")
        self._connection.execute(
            "CREATE VIRTUAL TABLE m USING fts5"
            " (content, peer, tokenize = 'unicode61 remove_diacritics 2')"
        )

    def record(self, each: Dialogue) -> None:
        rows = [(text, each.peer) for text in each.messages]
        self._connection.executemany("INSERT INTO m VALUES (?, ?)", rows)

    def search(self, each: Dialogue, question: str) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in question.replace('"', "").strip("?").split())
        rows = self._connection.execute(
            f"SELECT rowid FROM m WHERE m MATCH ? ORDER BY rank LIMIT {AT}",
            (f"content : ({words}) AND peer : {each.peer}",),
        )
        return [number - each.first - 1 for (number,) in rows]


def _hits(
    store: ConversationStore,
    each: Dialogue,
    question: str,
    *,
    with_facts: bool = True,
    semantics: Semantics | None = None,
) -> list[int]:
    viewer = Viewer(each.peer, "web", each.peer)
    known = store.facts(viewer, ended=True) if with_facts else []
    first = [fact.source for fact in facts.fitting(known, question, AT)]
    meaning = None if semantics is None else semantics.meaning(question)
    found = store.search(MessageQuery(question, limit=AT), viewer, meaning)
    hits = [hit.message.id for hit in found]
    return [number - each.first - 1 for number in dict.fromkeys([*first, *hits])][:AT]


def _nearest(
    store: ConversationStore, semantics: Semantics, each: Dialogue, question: str
) -> list[int]:
    """By vectors alone: no message has a word of the query."""
    meaning = semantics.meaning(question)
    query = MessageQuery("qzxqzx", limit=AT)
    hits = store.search(query, Viewer(each.peer, "web", each.peer), meaning)
    return [hit.message.id - each.first - 1 for hit in hits]


def _figures(dialogues: Sequence[Dialogue], way: Way) -> list[str]:
    """Shares of questions: what holds is among what came back, and stands before what held."""
    once: list[bool] = []
    changed: list[bool] = []
    current: list[bool] = []
    for each in dialogues:
        for question in each.questions:
            places = way(each, question.text)
            *old, holds = question.places
            recalled = holds in places
            (changed if old else once).append(recalled)
            if old:
                first = next((place for place in places if place in question.places), None)
                current.append(first == holds)
    return [_share([*once, *changed]), _share(once), _share(changed), _share(current)]


def _share(outcomes: Sequence[bool]) -> str:
    return f"{sum(outcomes) / len(outcomes):.3f}"


if __name__ == "__main__":
    main()
