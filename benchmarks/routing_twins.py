"""What the ranking is compared with: tf-idf, BM25, a linear SVM, and a published formula."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefrontal._core import routing as core

Scores = NDArray[np.float64]
Named = Iterator[tuple[str, Scores]]
Pairs = Sequence[tuple[str, str]]
Asked = Sequence[tuple[str, str | None]]
Cut = Callable[[str], list[str]]


def cold_scores(tools: Pairs, prompts: Sequence[str]) -> Named:
    """(name, one row of scores a prompt) of each twin that knows names and docs only."""
    texts = _texts(tools)
    for words, cut in CUTS.items():
        yield f"tf-idf cosine{words}", _tfidf(texts, prompts, cut)
        yield f"BM25 (bm25s){words}", _bm25(texts, prompts, cut)


def learned_scores(tools: Pairs, queries: Asked, half: int, refit: int) -> Named:
    """The same of twins that were given every accepted phrasing up to the last refit."""
    names = [name for name, _ in tools]
    rows: dict[str, list[Scores]] = {}
    for start in range(half, len(queries), refit):
        past, block = queries[:start], [prompt for prompt, _ in queries[start : start + refit]]
        known = dict(zip(names, _texts(tools), strict=True))
        for prompt, tool in past:
            known[str(tool)] += f" {prompt}"
        texts = [known[name] for name in names]
        for words, cut in CUTS.items():
            rows.setdefault(f"BM25 (bm25s){words}", []).append(_bm25(texts, block, cut))
        rows.setdefault("linear SVM", []).append(_svm(past, block, names))
    for name, blocks in rows.items():
        yield name, np.concatenate(blocks)


def phrasing_scores(
    phrasings: Mapping[str, Sequence[str]], prompts: Sequence[str]
) -> Iterator[tuple[str, Scores, NDArray[np.str_]]]:
    """(name, scores, tool of each column) of twins that know phrasings only."""
    names = list(phrasings)
    texts = [" ".join(own) for own in phrasings.values()]
    for words, cut in CUTS.items():
        yield f"tf-idf cosine{words}", _tfidf(texts, prompts, cut), np.array(names)
        yield f"BM25 (bm25s){words}", _bm25(texts, prompts, cut), np.array(names)
    past = [(prompt, name) for name, own in phrasings.items() for prompt in own]
    yield "linear SVM", _svm(past, prompts, names), np.array(names)


def published_formula(tools: Pairs, prompts: Sequence[str]) -> Scores:
    """Ratio of difflib for the name, Jaccard of words for the doc, half and half."""

    def words(text: str) -> set[str]:
        return set(re.findall(r"\w+", text.lower()))

    docs = [words(doc) for _, doc in tools]
    out = np.zeros((len(prompts), len(tools)))
    for i, prompt in enumerate(prompts):
        asked, low = words(prompt), prompt.lower()
        for j, ((name, _), doc) in enumerate(zip(tools, docs, strict=True)):
            ratio = difflib.SequenceMatcher(None, low, name.lower()).ratio()
            both = len(asked | doc)
            out[i, j] = 0.5 * ratio + 0.5 * (len(asked & doc) / both if both else 0.0)
    return out


def auroc(scores: NDArray[Any], positive: NDArray[np.bool_]) -> float:
    """How often a positive has the higher score of a pair; ties count half."""
    order = np.sort(scores[~positive])
    below = np.searchsorted(order, scores[positive], side="left")
    upto = np.searchsorted(order, scores[positive], side="right")
    return float(((below + upto) / 2).mean() / len(order))


def calibration_error(scores: Scores, right: NDArray[np.bool_]) -> float:
    """How far the mean score of ten equal bins is from the share that is right, by their sizes."""
    bins = np.minimum((scores * 10).astype(int), 9)
    parts = (bins == place for place in range(10))
    return float(sum(abs(scores[one].sum() - right[one].sum()) for one in parts) / len(scores))


def _texts(tools: Pairs) -> list[str]:
    """Names in words, twice, then the doc: the form that ranked best for tf-idf and BM25."""
    cut = [re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name).replace("_", " ") for name, _ in tools]
    return [f"{name} {name} {doc}" for name, (_, doc) in zip(cut, tools, strict=True)]


def _plain(text: str) -> list[str]:
    return re.findall(r"\w\w+", text.lower())


def _no_stop_words(text: str) -> list[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return [word for word in _plain(text) if word not in ENGLISH_STOP_WORDS]


def _our_stems(text: str) -> list[str]:
    return [stem for stem in core.tokens(text) if not core.is_stop_word(stem)]


CUTS: dict[str, Cut] = {
    "": _plain,
    ", no stop words": _no_stop_words,
    ", no stop words, our stems": _our_stems,
}


def _tfidf(texts: Sequence[str], prompts: Sequence[str], cut: Cut) -> Scores:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(analyzer=cut)
    known = vectors.fit_transform(texts)
    table: Scores = (vectors.transform(prompts) @ known.T).toarray()
    return table


def _bm25(texts: Sequence[str], prompts: Sequence[str], cut: Cut) -> Scores:
    import bm25s

    index = bm25s.BM25(k1=0.9, b=0.4)
    index.index([cut(text) for text in texts], show_progress=False)
    known = set(index.vocab_dict)
    asked = ([word for word in cut(prompt) if word in known] for prompt in prompts)
    rows = [index.get_scores(words) if words else np.zeros(len(texts)) for words in asked]
    return np.array(rows, dtype=np.float64)


def _svm(past: Asked, prompts: Sequence[str], names: Sequence[str]) -> Scores:
    """Scores in the order of `names`; a tool that nobody accepted yet comes last."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    vectors = TfidfVectorizer()
    seen = vectors.fit_transform([prompt for prompt, _ in past])
    model = LinearSVC().fit(seen, [str(tool) for _, tool in past])
    given = model.decision_function(vectors.transform(prompts))
    place = {name: column for column, name in enumerate(model.classes_)}
    out = np.full((len(prompts), len(names)), -np.inf)
    for column, name in enumerate(names):
        if name in place:
            out[:, column] = given[:, place[name]]
    return out
