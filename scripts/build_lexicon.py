"""Builds csrc/routing/lexicon.bin: how much a word tells, and which words stand near the same ones.

    python scripts/build_lexicon.py --wordnet FOLDER --descriptions FILE

--wordnet: the data.* files of WordNet 3.0 (its own permissive licence; Debian: wordnet-base);
--descriptions: a list of package descriptions (Debian 12: Translation-en, unpacked). No text of
either is in the result: it holds stems, how common each is, and the nearest of each by vectors of
positive pointwise mutual information in 200 dimensions.

    "PFLX" | stems u32 | letters u32 | starts u32 each and one more | letters | commonness u8 each |
    related u16, 16 each, 65535 for none | likeness u8 beside them

commonness: 255 ln(1 / share) / ln(1e5) of the share of texts. likeness: 255 where the cosine is 1,
0 where it is LEAST. csrc/routing/lexicon.hpp says what follows from them.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sparse  # type: ignore[import-untyped]
from numpy.typing import NDArray
from sklearn.utils.extmath import randomized_svd

from prefrontal._core.routing import is_stop_word, read_lexicon, tokens
from wordnet import synsets

OUT = Path(__file__).parents[1] / "csrc/routing/lexicon.bin"
STEMS, RELATED, CONSIDERED, DIMENSIONS, WINDOW = 8_000, 16, 30_000, 200, 8
LEAST, FLOOR, NONE = 0.40, 1e-5, 65_535
NEAR_POINTERS = frozenset({"@", "~", "+", "&", ";c", "-c", "!"})
"""Of WordNet: wider, narrower, derived, similar, topic, its members, opposite."""

Reals = NDArray[np.float64]


def of_wordnet(folder: Path) -> Iterator[str]:
    """The words of each synset with its gloss and the words of its nearest synsets."""
    entries: dict[tuple[str, str], tuple[list[str], list[tuple[str, str]], str]] = {}
    for one in synsets(folder):
        near = [(kind, at) for sign, at, kind in one.links if sign in NEAR_POINTERS]
        entries[one.kind[0], one.place] = one.words, near, one.gloss
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


def vectors(documents: list[list[str]], vocabulary: list[str]) -> Reals:
    """Unit vectors: words that stand near the same words get near ones."""
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
    left, strength, _ = randomized_svd(table, min(DIMENSIONS, size - 1), n_iter=3, random_state=0)
    found = np.asarray(left * np.sqrt(strength))
    out: Reals = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
    return out


def packed(stems: list[str], shares: Reals, near: Reals) -> bytes:
    """The file; stems in the order of their bytes, near: cosines of each pair."""
    np.fill_diagonal(near, 0.0)
    best = np.argsort(-near, axis=1, kind="stable")[:, :RELATED]
    cosines = np.take_along_axis(near, best, axis=1)
    likeness = np.round(255.0 * (np.minimum(cosines, 1.0) - LEAST) / (1.0 - LEAST))
    likeness = np.maximum(likeness, 0.0).astype(np.uint8)
    best = np.where(likeness > 0, best, NONE).astype("<u2")
    common = np.round(255.0 * np.log(1.0 / (shares + FLOOR)) / np.log(1.0 / FLOOR))
    letters = [stem.encode() for stem in stems]
    starts = np.cumsum([0, *map(len, letters)]).astype("<u4")
    head = np.array([len(stems), starts[-1]], "<u4").tobytes()
    text = b"".join(letters)
    parts = [b"PFLX", head, starts.tobytes(), text, common.astype(np.uint8).tobytes()]
    return b"".join([*parts, best.tobytes(), likeness.tobytes()])


def lexicon(texts: Iterator[str]) -> bytes:
    documents = [
        [word for word in tokens(text) if not is_stop_word(word) and not word.isdigit()]
        for text in texts
    ]
    holders = Counter(word for words in documents for word in set(words))
    often = sorted(holders.items(), key=lambda pair: (-pair[1], pair[0]))
    vocabulary = [word for word, count in often[:CONSIDERED] if count >= 4]
    every = vectors(documents, vocabulary)
    chosen = sorted(range(min(STEMS, len(vocabulary))), key=lambda at: vocabulary[at].encode())
    stems = [vocabulary[at] for at in chosen]
    shares = np.array([holders[stem] / len(documents) for stem in stems])
    return packed(stems, shares, every[chosen] @ every[chosen].T)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the lexicon of the index of tools.")
    parser.add_argument("--wordnet", type=Path, metavar="FOLDER", required=True)
    parser.add_argument("--descriptions", type=Path, metavar="FILE", required=True)
    parser.add_argument("--out", type=Path, metavar="FILE", default=OUT)
    options = parser.parse_args()
    texts = iter([*of_wordnet(options.wordnet), *paragraphs(options.descriptions)])
    file = lexicon(texts)
    print(f"{len(read_lexicon(file))} stems, {len(file)} bytes")
    options.out.write_bytes(file)


if __name__ == "__main__":
    main()
