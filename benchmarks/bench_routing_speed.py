"""What a ranking costs among 1,000 to 100,000 tools: the whole call from Python, one thread.

Tools are names and docstrings of the Python functions installed here, the same again where there
are too few. The twins rank other things in other ways, so costs are compared, not scores: names by
rapidfuzz, tf-idf of docs and of letter triples of names by scikit-learn, docs by bm25s, and the
published formula of another router (difflib and Jaccard, without an index). Each index is built
before; one is timed after the other. Before timing, the ten best of ours are compared
with the first ten of a full ranking.

    python benchmarks/bench_routing_speed.py [--smoke] [--corpus FOLDER ...]
"""

from __future__ import annotations

import argparse
import difflib
import gc
import json
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import harness
from prefrontal.routing.ranking.index import ToolIndex
from routing_corpus import functions, prompts, repeated

K = 10
SIZES = (1_000, 10_000, 100_000)
SLOW = 1_000  # the published formula is timed among at most this many tools
Rank = Callable[[str], object]
Pairs = list[tuple[str, str]]


def main() -> None:
    options = arguments()
    sizes = (200,) if options.smoke else SIZES
    folders = options.corpus or ([Path(json.__file__).parent] if options.smoke else None)
    pairs = functions(max(sizes), folders)
    asked = prompts(pairs, 10 if options.smoke else 500)
    print(f"{len(pairs)} different functions, {len(asked)} prompts, k = {K}\n")
    for size in sizes:
        tools = repeated(pairs, size)
        print(f"**{size} tools**\n\n{table(tools, asked)}\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--smoke", action="store_true", help="run once and quickly")
    parser.add_argument("--corpus", type=Path, nargs="*", help="folders of Python files")
    return parser.parse_args()


def table(tools: Pairs, asked: list[str]) -> str:
    index, build_s = ours(tools)
    check(index, asked[:5], len(tools))
    entries: dict[str, tuple[Rank, float]] = {"prefrontal": (lambda p: index.rank(p, K), build_s)}
    for module, name, twin in (
        ("rapidfuzz", "rapidfuzz, names only", rapidfuzz_names),
        ("sklearn", "scikit-learn, tf-idf of docs and of name triples", scikit_learn),
        ("bm25s", "bm25s, docs only", bm25s_docs),
    ):
        if find_spec(module) is None:
            print(f"({module} is not installed: no twin)")
            continue
        start = time.process_time()
        entries[name] = (twin(tools), time.process_time() - start)
    if len(tools) <= SLOW:
        entries["published formula (difflib, Jaccard)"] = (published(tools), 0.0)
    times = timed({name: rank for name, (rank, _) in entries.items()}, asked)
    lines = ["| what | median | p95 | build (CPU) | median / ours |", "|---|---|---|---|---|"]
    base = statistics.median(times["prefrontal"])
    for name, spent in times.items():
        median, p95 = statistics.median(spent), sorted(spent)[int(0.95 * len(spent))]
        lines.append(
            f"| {name} | {harness.duration(median)} | {harness.duration(p95)} "
            f"| {entries[name][1]:.2f} s | {median / base:.1f} |"
        )
    return "\n".join([*lines, "", saved(index)])


def timed(entries: dict[str, Rank], asked: list[str]) -> dict[str, list[float]]:
    """Seconds of each call; garbage is collected before, not in between."""
    times: dict[str, list[float]] = {name: [] for name in entries}
    for prompt in asked[:5]:
        for rank in entries.values():
            rank(prompt)
    gc.collect()
    gc.disable()
    try:
        for name, rank in entries.items():
            for prompt in asked:
                start = time.perf_counter()
                rank(prompt)
                times[name].append(time.perf_counter() - start)
    finally:
        gc.enable()
    return times


def ours(tools: Pairs) -> tuple[ToolIndex, float]:
    dicts = [{"key": f"{n}", "name": name, "doc": doc} for n, (name, doc) in enumerate(tools)]
    start = time.process_time()
    index = ToolIndex.build(dicts)
    return index, time.process_time() - start


def check(index: ToolIndex, asked: list[str], size: int) -> None:
    for prompt in asked:
        assert index.rank(prompt, K) == index.rank(prompt, size)[:K], prompt


def saved(index: ToolIndex) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tools.index"
        index.save(path)
        times = []
        for _ in range(9):
            start = time.perf_counter()
            ToolIndex.load(path)
            times.append(time.perf_counter() - start)
        size = path.stat().st_size / 1e6
    return f"saved {size:.1f} MB, loaded in {harness.duration(statistics.median(times))}"


def rapidfuzz_names(tools: Pairs) -> Rank:
    from rapidfuzz import fuzz, process

    names = [name.replace("_", " ").lower() for name, _ in tools]
    return lambda prompt: process.extract(prompt, names, scorer=fuzz.token_set_ratio, limit=K)


def scikit_learn(tools: Pairs) -> Rank:
    from sklearn.feature_extraction.text import TfidfVectorizer

    docs = TfidfVectorizer()
    names = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3))
    by_doc: Any = docs.fit_transform([doc for _, doc in tools]).T.tocsr()
    by_name: Any = names.fit_transform([name.replace("_", " ") for name, _ in tools]).T.tocsr()

    def rank(prompt: str) -> object:
        score = (docs.transform([prompt]) @ by_doc + names.transform([prompt]) @ by_name).toarray()
        best = (-score[0]).argpartition(K)[:K]
        return sorted(best, key=lambda at: -score[0][at])

    return rank


def bm25s_docs(tools: Pairs) -> Rank:
    import bm25s

    def words(texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", show_progress=False)

    index = bm25s.BM25()
    index.index(words([doc for _, doc in tools]), show_progress=False)
    return lambda prompt: index.retrieve(words([prompt]), k=K, show_progress=False)


def published(tools: Pairs) -> Rank:
    def split(text: str) -> set[str]:
        return set(re.findall(r"[a-z0-9]+", text.lower()))

    docs = [split(doc) for _, doc in tools]

    def rank(prompt: str) -> object:
        words, scores = split(prompt), []
        for at, (name, _) in enumerate(tools):
            alike = difflib.SequenceMatcher(None, prompt.lower(), name.lower()).ratio()
            shared = len(words & docs[at]) / max(1, len(words | docs[at]))
            scores.append((-(0.4 * alike + 0.4 * shared), at))
        return sorted(scores)[:K]

    return rank


if __name__ == "__main__":
    main()
