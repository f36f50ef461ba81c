"""What words beyond the words would gain: a lexicon from free texts, tried on the cold catalogues.

    python benchmarks/bench_lexicon.py --data FOLDER --wordnet FOLDER --descriptions FILE [--smoke]

FOLDER as for bench_routing.py; --wordnet the data.* files of WordNet 3.0 (Debian: wordnet-base),
--descriptions, where there are any, a list of package descriptions (Debian: Translation-en,
unpacked). Words that stand near the same words get near vectors (positive pointwise mutual
information, 200 dimensions); a word of a prompt then also means, a little, what is near it, and
weighs less the more common it is. The index in C++ does neither: its formula is repeated here in
NumPy, and the first row must be what bench_routing.py measures. Chosen on every fourth prompt of
MetaTool and on CLINC150's training file; the odd prompts of MetaTool and the validation file are
held back.
"""

from __future__ import annotations

import argparse
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sparse  # type: ignore[import-untyped]
from numpy.typing import NDArray
from sklearn.utils.extmath import randomized_svd

from bench_routing import Data, Pair, made_up, read
from prefrontal._core.routing import is_stop_word, levenshtein, tokens

Reals = NDArray[np.float64]
WINDOW = 8
POINTERS = {
    "@",
    "~",
    "+",
    "&",
    ";c",
    "-c",
    "!",
}  # wider, narrower, derived, similar, topic, opposite
VOCABULARY, RELATED = 8_000, 32
FEW = 4
LEAST, SHARE, COMMON = 0.45, 0.3, 0.45  # cosine that counts, what it counts, weight of commonness
FLOOR = 1e-5


def content(words: Sequence[str]) -> list[str]:
    return [word for word in words if not is_stop_word(word)] or list(words)


def synsets(folder: Path) -> Iterator[str]:
    """The words of each synset with its gloss and the words of its nearest synsets."""
    entries: dict[tuple[str, str], tuple[list[str], list[tuple[str, str]], str]] = {}
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{kind}").read_text("latin-1").splitlines():
            if line.startswith("  "):
                continue
            head, _, gloss = line.partition(" | ")
            cells = head.split()
            count = int(cells[3], 16)
            words = [cells[4 + 2 * i].partition("(")[0].replace("_", " ") for i in range(count)]
            first = 5 + 2 * count
            links = [cells[first + 4 * i :][:3] for i in range(int(cells[first - 1]))]
            near = [(kind, at) for sign, at, kind in links if sign in POINTERS]
            entries[kind[0], cells[0]] = words, near, gloss
    for words, near, gloss in entries.values():
        keys = [("a" if kind == "s" else kind, at) for kind, at in near]
        others = [name for key in keys[:12] if key in entries for name in entries[key][0][:2]]
        yield " ".join([*words, gloss, *others])


def paragraphs(path: Path) -> Iterator[str]:
    """The different paragraphs of package descriptions."""
    seen: set[str] = set()
    text = path.read_text("utf-8", errors="replace")
    for match in re.finditer(r"^Description-en: (.*?)(?=\n\n|\Z)", text, re.DOTALL | re.MULTILINE):
        for part in re.sub(r"\n \.\n", "\n\n", match[1]).split("\n\n"):
            if len(part) >= 30 and part not in seen:
                seen.add(part)
                yield part


class Lexicon:
    """Stems with how common each is (its share of the texts) and what is related to it."""

    def __init__(self, texts: Iterator[str], dimensions: int) -> None:
        documents = [
            [word for word in tokens(text) if not is_stop_word(word) and not word.isdigit()]
            for text in texts
        ]
        holders = Counter(word for words in documents for word in set(words))
        vocabulary = [word for word, count in holders.most_common(30_000) if count >= 4]
        self.places = {word: place for place, word in enumerate(vocabulary[:VOCABULARY])}
        self.shares = np.array([holders[word] / len(documents) for word in self.places])
        self.related: dict[int, sparse.csr_matrix] = {}
        vectors = _vectors(documents, vocabulary, dimensions)[: len(self.places)]
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        near = vectors @ vectors.T
        np.fill_diagonal(near, 0.0)
        for most in (RELATED, FEW):
            if len(near) > most:
                near[near < np.partition(near, -most, axis=1)[:, -most, None]] = 0.0
            weights = np.where(near < LEAST, 0.0, SHARE * (near - LEAST) / (1.0 - LEAST))
            self.related[most] = sparse.csr_matrix(weights)

    def weight(self, word: str) -> float:
        """What a word's idf is multiplied by."""
        share = self.shares[self.places[word]] if word in self.places else 0.0
        return float(1.0 - COMMON + COMMON * math.log(1.0 / (share + FLOOR)) / math.log(1 / FLOOR))

    def likeness(self, asked: Sequence[str], words: Sequence[str], most: int) -> Reals:
        rows = np.array([self.places.get(word, -1) for word in asked])
        columns = np.array([self.places.get(word, -1) for word in words])
        known = (rows >= 0)[:, None] & (columns >= 0)[None]
        return np.where(known, self.related[most][rows][:, columns].toarray(), 0.0)


def _vectors(documents: list[list[str]], vocabulary: list[str], dimensions: int) -> Reals:
    places = {word: place for place, word in enumerate(vocabulary)}
    gap = np.full(WINDOW, -1)
    rows = [np.array([places[w] for w in words if w in places], int) for words in documents]
    line = np.concatenate([part for row in rows for part in (row, gap)])
    size = len(vocabulary)
    pairs = sparse.csr_matrix((size, size))
    for apart in range(1, WINDOW + 1):
        one, two = line[:-apart], line[apart:]
        good = (one >= 0) & (two >= 0) & (one != two)
        weights = np.full(good.sum(), apart**-0.5)
        pairs += sparse.coo_matrix((weights, (one[good], two[good])), shape=(size, size)).tocsr()
    pairs = (pairs + pairs.T).tocoo()
    sums = np.asarray(pairs.sum(axis=1)).ravel()
    smooth = sums**0.75 / (sums**0.75).sum()
    values = np.log(pairs.data / (sums[pairs.row] * smooth[pairs.col]))
    up = values > 0.0
    table = sparse.csr_matrix((values[up], (pairs.row[up], pairs.col[up])), shape=(size, size))
    left, strength, _ = randomized_svd(table, min(dimensions, size - 1), n_iter=3, random_state=0)
    return np.asarray(left * np.sqrt(strength))


def alike(asked: str, word: str) -> tuple[float, float]:
    """As in csrc/routing/soft_match.hpp: in a text, and in a name."""
    one, two = asked.encode()[:64], word.encode()
    if one == two:
        return 1.0, 1.0
    longer = max(len(one), len(two))
    ends = [i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b]
    same = ends[0] if ends else min(len(one), len(two))
    text = 0.7 * same / longer if same >= 4 and 2 * same >= longer else 0.0
    if 4 * abs(len(one) - len(two)) > longer:
        return text, text
    apart = levenshtein(asked, word)
    return text, max(text, 1.0 - apart / longer if 4 * apart <= longer else 0.0)


def may_be_alike(asked: str, word: str) -> bool:
    """False for most pairs that are not: no common start, and too many letters of one alone."""
    if asked[:4] == word[:4]:
        return True
    most = max(len(asked), len(word)) // 4
    return abs(len(asked) - len(word)) <= most and len(set(asked) - set(word)) <= most


class Catalogue:
    """The formula of csrc/routing/description.hpp over a whole catalogue at once."""

    def __init__(self, tools: Sequence[Pair], prompts: Sequence[Pair]) -> None:
        pairs = sorted(tools, key=lambda pair: str(pair[0]).encode())
        self.names = [name for name, _ in pairs]
        named = [content(tokens(name)) for name in self.names]
        docs = [[w for w in tokens(doc or "") if not is_stop_word(w)] for _, doc in pairs]
        held = [Counter(one + other) for one, other in zip(named, docs, strict=True)]
        holders = Counter(word for words in held for word in words)
        self.words = sorted(holders)
        self.idf = np.array([self._idf(holders[word]) for word in self.words])
        place = {word: i for i, word in enumerate(self.words)}
        self.counts = np.zeros((len(pairs), len(self.words)))
        self.in_name = np.zeros_like(self.counts)
        for row, (words, own) in enumerate(zip(held, named, strict=True)):
            for word, count in words.items():
                self.counts[row, place[word]] = min(255, count)
            self.in_name[row, [place[word] for word in own]] = 1.0
        self.asked = [self._counted(prompt) for prompt, _ in prompts]
        self.right = np.array([self.names.index(str(tool)) for _, tool in prompts])
        every = dict.fromkeys(word for words in self.asked for word in words)
        self.rows = {word: i for i, word in enumerate(every)}
        self.in_text = np.zeros((len(self.rows), len(self.words)))
        self.as_name = np.zeros_like(self.in_text)
        for row, asked in enumerate(self.rows):
            for column, word in enumerate(self.words):
                if may_be_alike(asked, word):
                    cell = alike(asked, word)
                    self.in_text[row, column], self.as_name[row, column] = cell
        unknown = self._idf(1) / 2.0
        weights = [self.idf[place[w]] if w in place else unknown for w in self.rows]
        self.weights = np.array(weights)

    def _idf(self, holders: int) -> float:
        return math.log((1 + len(self.names)) / (1 + holders)) + 1.0

    @staticmethod
    def _counted(prompt: str) -> Counter[str]:
        counts = Counter(tokens(prompt))
        chosen = set(content(list(counts)))
        return Counter({word: count for word, count in counts.items() if word in chosen})

    def ranks(self, lexicon: Lexicon | None, common: bool, related: int) -> NDArray[np.int64]:
        """The place of the right tool for each prompt, from 0. related: words of each, at most."""
        idf, weights, in_text = self.idf, self.weights, self.in_text
        if lexicon and common:
            idf = idf * np.array([lexicon.weight(word) for word in self.words])
            weights = weights * np.array([lexicon.weight(word) for word in self.rows])
        if lexicon and related:
            more = lexicon.likeness(list(self.rows), self.words, related)
            in_text = np.where(in_text > 0.0, in_text, more)
        lengths = np.sqrt(((self.counts * idf) ** 2).sum(1))
        name_weights = (self.in_name * idf).sum(1)
        places = []
        for words, right in zip(self.asked, self.right, strict=True):
            rows, times = [self.rows[word] for word in words], np.array([*words.values()], float)
            text, name = times @ in_text[rows], times @ self.as_name[rows]
            asked = weights[rows].sum() or 1.0
            length = np.sqrt(((text * idf) ** 2).sum()) or 1.0
            cosine = self.counts @ (text * idf * idf) / (length * np.maximum(lengths, 1e-9))
            covered = (self.counts > 0) @ (np.minimum(1.0, text) * idf) / asked
            said = self.in_name @ (np.minimum(1.0, name) * idf)
            fit = np.minimum(1.0, said / name_weights) * np.minimum(1.0, said / asked)
            description = np.minimum(1.0, 1.3 / 1.5 * (cosine + 0.5 * np.minimum(1.0, covered)))
            order = np.argsort(-(fit + description), kind="stable")
            places.append(int(np.flatnonzero(order == right)[0]))
        return np.array(places)


def print_table(title: str, catalogue: Catalogue, lexicon: Lexicon) -> None:
    print(f"\n**{title}**\n\n| | acc@1 | acc@5 |\n|---|---|---|")
    forms = {
        "the words alone": (None, False, 0),
        "common words weigh less": (lexicon, True, 0),
        f"{RELATED} related words count": (lexicon, False, RELATED),
        "both": (lexicon, True, RELATED),
        f"both, with {FEW} related words": (lexicon, True, FEW),
    }
    for name, form in forms.items():
        places = catalogue.ranks(*form)
        print(f"| {name} | {(places < 1).mean():.3f} | {(places < 5).mean():.3f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="What words beyond the words would gain.")
    parser.add_argument("--smoke", action="store_true", help="run once and quickly")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the sets of prompts")
    parser.add_argument("--wordnet", type=Path, metavar="FOLDER", help="with WordNet's data.*")
    parser.add_argument("--descriptions", type=Path, metavar="FILE", help="of packages")
    options = parser.parse_args()
    data: Data = read(options.data) if options.data else made_up()
    if options.wordnet:
        more = paragraphs(options.descriptions) if options.descriptions else ()
        texts = iter([*synsets(options.wordnet), *more])
    else:
        texts = (doc for _ in range(4) for _, doc in data.tools)
    lexicon = Lexicon(texts, 200 if options.wordnet else 4)
    odd = data.queries[1::2]
    print_table(
        f"{len(odd)} prompts held back, {len(data.tools)} tools",
        Catalogue(data.tools, odd),
        lexicon,
    )
    actions: list[Pair] = [(name, "") for name in sorted({str(tool) for _, tool in data.train})]
    inside = [pair for pair in data.val if pair[1] is not None]
    title = f"{len(inside)} prompts held back, {len(actions)} actions by name alone"
    print_table(title, Catalogue(actions, inside), lexicon)


if __name__ == "__main__":
    main()
